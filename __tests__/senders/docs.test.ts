import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { SCHEMES } from '../../src/triggers/verify/schemes.ts'
import { readWorkflowFile } from '../../src/workflow/workflow.ts'
import { bound } from '../support/receive.ts'

const root = new URL('../../', import.meta.url)
const pages = readdirSync(new URL('docs/senders/', root)).filter((name) => name.endsWith('.md'))
const guide = read('docs/senders/README.md')
const secrets = exampleSecrets()

const SERVICES = [
  ['aws_sns', 'aws-sns'],
  ['typeform', 'typeform'],
  ['slack', 'slack'],
  ['trello', 'trello'],
  ['google_form', 'google-form'],
] as const

function read(name: string): string {
  return readFileSync(new URL(name, root), 'utf8')
}

/** The blocks of a language, in their order. */
function blocks(text: string, language: string): string[] {
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))
  return [...found].map(([, block = '']) => block)
}

/** What stands in the first column of the table under a heading of its own. */
function firstColumn(text: string, heading: string): string[] {
  const [, table = ''] =
    new RegExp(`^\\| ${heading} \\|.*\\n\\| ---.*\\n((?:\\|.*\\n)+)`, 'm').exec(text) ?? []
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

function exampleSecrets(): Record<string, string> {
  const lines = read('examples/.env')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)))
}

describe.each(pages.filter((name) => name !== 'README.md'))('%s', (page) => {
  const text = read(`docs/senders/${page}`)
  const [workflow = ''] = blocks(text, 'yaml')
  const [, file = ''] = /^# (workflows\/[\w-]+\.yml)\n/.exec(workflow) ?? []

  test('has a part for each thing that one asks', () => {
    const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    expect(parts).toEqual(['Set up', 'Workflow', 'Verification', 'Retries', 'Deduplicate by'])
    expect(guide).toContain(`(${page})`)
  })

  test('shows the example that is in the repository, and it is right', () => {
    const example = read(`examples/${file}`)
    expect(workflow).toBe(`# ${file}\n${example}`)
    const source = { name: file, file, text: example }
    const { triggers } = readWorkflowFile('hook', source, { secrets })
    expect(triggers).toHaveLength(1)
    expect(text).toContain(`/${file.replace(/workflows\/|\.yml/g, '')}/${triggers[0]?.name}`)
  })

  test('reads only outputs that there are', () => {
    const uses = [...read(`examples/${file}`).matchAll(/on\.(\w+)\.outputs\.(\w+)/g)]
    expect(uses).not.toEqual([])
    for (const [, trigger = '', field = ''] of uses) {
      expect(Object.keys(TRIGGERS.get(trigger)?.outputs ?? {})).toContain(field)
    }
  })
})

describe('README.md', () => {
  test('names every scheme', () => {
    expect(firstColumn(guide, 'scheme').sort()).toEqual([...SCHEMES.keys()].sort())
  })

  test('names every option', () => {
    const options = firstColumn(guide, 'option')
    const result = TRIGGERS.get('webhook')?.bind({
      verify: { scheme: 'github', secret: 'x', no: 1 },
    })
    const message = result && 'issues' in result ? result.issues[0]?.message : ''
    expect(message).toBe(`options: ${options.join(', ')}`)
  })
})

test.each(SERVICES)('the page of %s names every field', (trigger, page) => {
  const text = read(`docs/senders/${page}.md`)
  const missing = Object.keys(TRIGGERS.get(trigger)?.outputs ?? {}).filter(
    (field) => !text.includes(`\`${field}\``) && !text.includes(`.${field}`),
  )
  expect(missing).toEqual([])
  expect(bound(trigger, {}).keys.own && text).toContain(`\`${bound(trigger, {}).keys.own}\``)
})
