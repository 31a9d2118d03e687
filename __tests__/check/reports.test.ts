import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { rulesPage } from '../../scripts/docs/rules.js'
import { withRule } from '../../src/check/check.ts'
import { findingJson, sarifLog } from '../../src/check/reports.ts'
import { RULES } from '../../src/check/rules.ts'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { Repository } from '../compiler/support/repository.ts'
import { checkByLevel } from '../support/findings.ts'

// The published schema in draft 4; later drafts differ in the name of `id`.
const {
  $schema: _,
  id: __,
  ...schema
} = JSON.parse(
  readFileSync(new URL('../fixtures/sarif/sarif-2.1.0-rtm.5.json', import.meta.url), 'utf8'),
)
const isUrl = (text: string) => URL.canParse(text)
const isReference = (text: string) => URL.canParse(text, 'https://a.example/')
const ajv = new Ajv({
  strict: false,
  unicodeRegExp: false,
  allErrors: true,
  formats: { uri: isUrl, 'uri-reference': isReference, 'date-time': true },
})
const validate = ajv.compile(schema)

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

/**
 * The findings of `check` in every example with a mistake, in a file whose name is no URL, and in
 * an invalid file.
 */
async function everything() {
  const verify = 'verify: {scheme: github, secret: "${{ secrets.SECRET }}"}'
  repository.write('triggers/hook.yml', `on: {webhook: {${verify}}}\n`)
  for (const rule of RULES) {
    // Some examples contain the file's own name.
    const name = /\bhook\/webhook/.test(rule.page.before) ? 'hook' : `${rule.id} ü%#?`
    repository.write(`.github/workflows/${name}.yml`, rule.page.workflow(rule.page.before))
  }
  repository.write('workflows/broken.yml', 'on: webhook\njobs: [\n')
  repository.write('workflows/idle.yml', 'on: push\njobs: {}\n')
  repository.write('workflows/ignored.yml', '# hookline: ignore[nothing]\non: webhook\njobs: {}\n')
  const { errors, warnings } = await checkByLevel({ root: repository.root, globs: [] })
  return [...errors, ...warnings]
}

test('SARIF holds to its schema, whatever is found', async () => {
  const found = await everything()
  const log = sarifLog(found, '1.2.3')
  validate(log)
  expect(validate.errors).toBeNull()
  const ids = log.runs[0]?.results.map(({ ruleId }) => ruleId)
  expect(ids).toHaveLength(found.length)
  expect(ids).toEqual(expect.arrayContaining(RULES.map(({ id }) => id)))
  const rules = log.runs[0]?.tool.driver.rules.map(({ id }) => id) ?? []
  expect(rules).toEqual([...new Set(rules)])
  expect(log.runs[0]?.results.map(({ ruleIndex }) => rules[ruleIndex])).toEqual(ids)
  const files = log.runs[0]?.results.map(({ locations: [place] }) => {
    const { pathname, search, hash } = new URL(
      place?.physicalLocation.artifactLocation.uri ?? '',
      'https://a.example/',
    )
    return `${decodeURIComponent(pathname.slice(1))}${search}${hash}`
  })
  expect(files).toEqual(found.map(({ position }) => position?.source.file ?? '.github/workflows'))
})

test('SARIF has the hint and the notes in the message', () => {
  const finding = { code: 'never-true', level: 'warning', message: 'm', hint: 'h' } as const
  const log = sarifLog([{ ...finding, notes: ['possible values: a, b'] }], '1.2.3')
  expect(log.runs[0]?.results[0]?.message.text).toBe('m: h\npossible values: a, b')
})

test.each([
  ['a:b/c.yml', 'a%3Ab/c.yml'],
  ['workflows/\ud800.yml', 'workflows/%EF%BF%BD.yml'],
])('the URI of %j', (file, uri) => {
  const position = { source: { name: file, file, text: '' }, line: 1, column: 1, length: 0 }
  const log = sarifLog([{ code: 'no-file', level: 'error', message: 'm', position }], '1.2.3')
  const place = log.runs[0]?.results[0]?.locations[0]?.physicalLocation
  expect(place?.artifactLocation).toEqual({ uri })
})

test('a file with a bad name, and one that cannot be read, hide nothing of the others', async () => {
  const bad =
    'on: webhook\njobs: {a: {runs-on: x, steps: [{run: "echo ${{ on.webhook.outputs.bdoy }}"}]}}\n'
  for (const name of ['a b', 'con', 'c']) repository.write(`workflows/${name}.yml`, bad)
  repository.write('workflows/d.yml', 'on: webhook\njobs: {}\n')
  rmSync(join(repository.root, 'workflows/d.yml'))
  symlinkSync('/nowhere', join(repository.root, 'workflows/d.yml'))
  const { errors } = await checkByLevel({ root: repository.root, globs: [] })
  const told = errors.map(({ code, position }) => `${code} ${position?.source.file ?? ''}`)
  expect(told.sort()).toEqual([
    'file-name ',
    'file-name ',
    'no-file ',
    'unknown-output workflows/c.yml',
  ])
})

describe('an invalid log is detected', () => {
  test.each([
    ['level', { level: 'fatal' }],
    ['message', { message: 'm' }],
    ['place', { locations: [{ physicalLocation: { region: { startLine: 0 } } }] }],
    ['key', { rule: 'x' }],
  ])('%s', (_, part) => {
    const log = sarifLog([], '1.2.3')
    const result = { ruleId: 'x', message: { text: 'm' }, ...part }
    const runs = log.runs.map((run) => ({ ...run, results: [result] }))
    expect(validate({ ...log, runs })).toBe(false)
  })
})

test('JSON has the id, the range and the fix of each', async () => {
  repository.write('.github/workflows/a.yml', RULES[0]?.page.workflow(RULES[0].page.before) ?? '')
  const { warnings } = await checkByLevel({ root: repository.root, globs: [] })
  expect(warnings.map(findingJson)).toEqual([
    {
      id: 'unknown-output',
      level: 'warning',
      file: '.github/workflows/a.yml',
      line: expect.any(Number),
      column: 38,
      endLine: expect.any(Number),
      endColumn: 42,
      message: expect.stringContaining('"bdoy"'),
      fix: 'did you mean "body"?',
      notes: [expect.stringContaining('declared: ')],
    },
  ])
})

test('a person is led to the section of the rule', () => {
  const shown = renderProblem(withRule({ code: 'always-true', level: 'warning', message: 'm' }))
  expect(shown).toContain('/docs/reference/rules.md#always-true')
})

test('docs/reference/rules.md is what the rules say: else run "npm run docs"', () => {
  const page = readFileSync(new URL('../../docs/reference/rules.md', import.meta.url), 'utf8')
  expect(rulesPage(RULES)).toBe(page)
  for (const id of [...RULES.map((rule) => rule.id), 'unused-ignore', 'mistakes']) {
    expect(page).toContain(`\n## ${id}\n`)
  }
})
