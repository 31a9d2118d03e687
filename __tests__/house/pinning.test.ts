import { readFileSync } from 'node:fs'
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/pinning.md', root), 'utf8')

function blocks(language: string): string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))
  return [...found].map(([, text = '']) => text)
}

test('its workflow passes the parser of GitHub', () => {
  const [content = ''] = blocks('yaml')
  const { context } = parseWorkflow({ name: 'a.yml', content }, new NoOperationTraceWriter())
  expect(context.errors.getErrors().map((error) => error.message)).toEqual([])
})

test('its Dependabot settings are those of this repository, for actions', () => {
  const own = parse(readFileSync(new URL('.github/dependabot.yml', root), 'utf8'))
  const { version, updates } = parse(blocks('yaml')[1] ?? '')
  expect(version).toBe(own.version)
  expect(own.updates).toContainEqual(expect.objectContaining(updates[0]))
})

test('its npm scripts are there', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  const named = blocks('sh').flatMap((text) => [...text.matchAll(/npm run (\S+)/g)])
  expect(named.map(([, name = '']) => name)).toEqual(['build:check'])
  for (const [, name = ''] of named) expect(scripts).toHaveProperty([name])
})
