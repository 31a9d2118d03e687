import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { buildCommand } from '../../src/entries/commands/build.ts'
import { CONFIG_OPTIONS, MOVED_KEYS } from '../../src/items/config.ts'
import { UserError } from '../../src/protocol/errors.ts'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { compileText } from './support/compiled.ts'
import { parserErrors } from './support/github.ts'

const page = (name: string) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')

/** The YAML blocks of a page that are whole workflow files: path and text. */
const FILES = ['compiler', 'many-workflows'].flatMap((name) =>
  [...page(name).matchAll(/```yaml\n# (\S+\.yml)\n(.*?)```/gs)].map(
    ([, file = '', text = '']) => [file, text] as const,
  ),
)

test.each(FILES)('%s of the docs is a workflow', async (file, text) => {
  if (!file.startsWith('workflows/')) return expect(await parserErrors(file, text)).toEqual([])
  const { listening, jobs } = await compileText(text)
  expect(await parserErrors('hook.yml', listening)).toEqual([])
  expect(await parserErrors('hook.jobs.yml', jobs)).toEqual([])
})

test('the docs show workflows', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(3)
})

test('the page of the compiler lists the flags of the command, and no others', () => {
  const listed = [...page('compiler').matchAll(/^\| `(--[a-z]+)/gm)].map(([, flag]) => flag)
  expect(listed.sort()).toEqual(
    buildCommand()
      .options.map(({ long }) => long)
      .sort(),
  )
})

test('the error that it shows is the one that is reported', async () => {
  const [, text = ''] = FILES[0] ?? []
  const error: unknown = await compileText(text.replace('body', 'boddy')).catch((thrown) => thrown)
  if (!(error instanceof UserError)) throw error
  const [shown = ''] = error.problems.map((problem) => renderProblem(problem))
  expect(page('compiler').replaceAll(/^ +/gm, '')).toContain(shown.replaceAll(/^ +/gm, ''))
})

test('the page on Actionsflow names every key of config, and every key that has gone', () => {
  const text = page('from-actionsflow')
  const [, kept = ''] = /these keys of `config`: (.*)\./.exec(text) ?? []
  expect(kept.match(/\w+/g)?.sort()).toEqual(Object.keys(CONFIG_OPTIONS).sort())
  for (const key of MOVED_KEYS.keys()) expect(text).toContain(`\`config.${key}\``)
})
