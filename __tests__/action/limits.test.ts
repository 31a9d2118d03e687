// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { type Problem, UserError } from '../../src/wire/errors.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { fire, itemOf, payload } from './step.ts'

/** Only detects a hang of minutes; the goal is one second. */
const HANG_MS = 10_000

const CONTEXTS = { secrets: {}, vars: {}, github: {}, env: {} }

/** The messages about an `on:` section; none if it is valid. */
function mistakes(text: string): string[] {
  return problems(text).map(({ message }) => message)
}

function problems(text: string): readonly Problem[] {
  try {
    readOnSection(
      'hook',
      { name: 'w.yml', file: 'w.yml', text },
      { contexts: CONTEXTS, triggers: TRIGGERS },
    )
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems
  }
}

/** Mistakes in a file; the soak test has about as many as a file can contain. */
const LINES = 1_000

/** The distance between the depths that are tested. */
const STEP = 35

/** Only half of them in the short run. */
const MANY_TOKENS: readonly (readonly [string, string])[] = [
  ['brackets', ']'],
  ['braces', '{}'],
  ['colons', ': : :\n'],
  ['commas', 'a: ,\n'],
  ['texts after texts', 'a: "x" y\n'],
  ['aliases of nothing', '*x\n'],
  ['lists that are fine', '- a\n'],
]

const TOO_DEEP = ['w.yml is nested deeper than 100 levels']

const NESTS: readonly (readonly [string, (levels: number) => string])[] = [
  ['flow lists', (levels) => `push: ${'['.repeat(levels)}${']'.repeat(levels)}`],
  ['unclosed flow lists', (levels) => `push: ${'['.repeat(levels)}`],
  ['flow mappings', (levels) => `push: ${'{a: '.repeat(levels)}${'}'.repeat(levels)}`],
  ['block lists', (levels) => `push:\n  ${'- '.repeat(levels)}a`],
  ['explicit keys', (levels) => `push:\n  ${'? '.repeat(levels)}a`],
  ['explicit keys of lists', (levels) => `push:\n  ${'? - '.repeat(levels)}a`],
  ['empty keys', (levels) => `push:\n  ${': '.repeat(levels)}a`],
  ['keys on one line', (levels) => `push:\n  ${'a: '.repeat(levels)}a`],
  ['tags', (levels) => `push: ${'!!map '.repeat(levels)}a`],
  ['anchors', (levels) => `push: ${'&a '.repeat(levels)}a`],
]

describe('nested YAML', () => {
  test.each(NESTS)('%s of 1 to 60,000 levels: fine or a message, never an abort', (_, nest) => {
    for (let levels = 1; levels <= 250; levels += STEP) mistakes(nest(levels))
    expect(mistakes(nest(250))).toEqual(TOO_DEEP)
    expect(mistakes(nest(60_000))).toEqual(TOO_DEEP)
  })

  test.each([1, 2, 4])('block mappings by %d spaces, fine up to 90 levels', (indent) => {
    const nest = (levels: number) =>
      Array.from({ length: levels }, (_, at) => `${' '.repeat(indent * at)}a:`).join('\n')
    const inside = (levels: number) => `push:\n${nest(levels).replace(/^/gm, '  ')}`
    expect(mistakes(inside(90))).toEqual([])
    expect(mistakes(inside(150))).toEqual(TOO_DEEP)
    expect(mistakes(inside(700))).toEqual(TOO_DEEP)
  })

  test.each(NESTS.slice(0, 3))('%s through the built action', async (_, nest) => {
    const run = await fire(nest(20_000)) // an environment variable cannot contain more than 128 KB
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('error: input "on" is nested deeper than 100 levels\n')
    expect(run.stderr).toBe('')
  })
})

describe('huge YAML', () => {
  const many = (count: number, line: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => line(at)).join('\n')

  test.each([
    ['unknown triggers', many(LINES, (at) => `k${at}:`), 20],
    ['unknown options', `webhook:\n${many(LINES, (at) => `  k${at}:`)}`, 20],
    ['unknown methods', `webhook: {method: [${'x,'.repeat(LINES)}]}`, 20],
    ['bad expressions', `webhook: {method: [${'"${{ x }}",'.repeat(LINES)}]}`, 20],
    ['repeated keys', many(LINES, () => 'push:'), 20],
    ['stray brackets', many(LINES, () => '}'), 20],
    // All but the first follow from it.
    ['stray brackets on one line', ']'.repeat(4_000), 1],
    ['aliases of nothing', many(2_000, () => '*a'), 1],
    ['aliases of nothing in a list', many(2_000, () => '- *a'), 20],
    ['one bad line of 900 KB', `webhok: "${'x'.repeat(900_000)}"`, 1],
  ])('%s: the first mistakes, without a hang', (_, text, count) => {
    const started = process.cpuUsage()
    const found = mistakes(text)
    expect(found.length).toBeGreaterThanOrEqual(count)
    expect(found.length).toBeLessThanOrEqual(2 * count)
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(HANG_MS)
  })

  test.each(MANY_TOKENS)('1 MB of %s is refused by its tokens, without a hang', (_, part) => {
    const started = process.cpuUsage()
    const text = part.repeat(Math.floor((1024 * 1024) / part.length))
    expect(mistakes(text)).toEqual(['w.yml has more than 100000 tokens'])
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(HANG_MS)
  })

  test('mistakes that are not shown are counted', () => {
    const notes = (text: string) => problems(text).map(({ notes }) => notes)
    const repeated = (count: number) => notes('push:\n'.repeat(1 + count))
    expect(repeated(20)).toEqual(Array(20).fill(undefined))
    expect(repeated(25)).toEqual([...Array(19).fill(undefined), ['and 5 more']])
    expect(repeated(21).at(-1)).toEqual(['and 1 more'])
  })

  test('a file of 5 MB is refused by its size', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'hookline-huge-'))
    await mkdir(join(workspace, 'workflows'))
    await writeFile(join(workspace, 'workflows/hook.yml'), `on: webhook\n#${'x'.repeat(5_000_000)}`)
    const run = await runInShared({ ...dispatchEvent(payload()), workspace })
    await rm(workspace, { recursive: true })
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain(
      'error: workflows/hook.yml has 5000013 bytes, more than the 1048576 of a workflow file\n',
    )
  })

  const bomb = many(9, (at) => `b${at}: &b${at} [${Array(9).fill(at ? `*b${at - 1}` : 'x')}]`)
  const NODES = 'YAML: more than 50000 nodes, with each alias counted as its anchor'

  test.each([
    ['an alias bomb', `webhook:\n${bomb.replace(/^/gm, '  ')}`, [NODES]],
    [
      'an alias of nothing',
      'webhook: {path: *nothing}',
      ['there is no "&nothing" before "*nothing"'],
    ],
    ['an alias of itself', 'webhook: &self {path: *self}', ['"*self" is inside of its own anchor']],
    [
      'an alias of a list around it',
      'webhook: {method: &m [get, *m]}',
      ['"*m" is inside of its own anchor'],
    ],
    [
      'a mapping as a key',
      'webhook: {? {a: b} : c}',
      ['YAML: a key must be a string, not a list, mapping or alias'],
    ],
    [
      'an alias as a trigger',
      '[&w webhook, *w]',
      ['a list under "on:" holds names of triggers only'],
    ],
    ['two documents', 'webhook\n---\nwebhook', ['YAML: a workflow file has only one document']],
  ])('%s', (_, text, messages) => {
    expect(mistakes(text)).toEqual(messages)
  })
})

describe('the output items', () => {
  test('a body of 400 KB is passed on', async () => {
    const run = await fire('webhook', { body: 'x'.repeat(400_000) })
    expect(itemOf(run).body).toHaveLength(400_000)
  })

  test('over 450,000 characters is an error, and no output is written', async () => {
    const { exitCode, stdout, outputs } = await fire('webhook', { body: 'x'.repeat(450_000) })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^error: the output "items" would have 450\d{3} characters; /)
    expect(stdout).toContain('= reduce each item with "filterOutputs"')
    expect(stdout).toContain('= or set "exportOutputs"')
    expect(outputs).toMatchObject({ triggered: 'false', items: '[]' })
  })

  test.each([
    ['skipOnError', 'skipped', '0'],
    ['buildOutputsOnError', 'failure', '1'],
  ])('over 450,000 characters is a failure that %s excuses', async (option, outcome, count) => {
    const on = `webhook: {config: {${option}: true}}`
    const { exitCode, stdout, outputs } = await fire(on, { body: 'x'.repeat(450_000) })
    expect([exitCode, outputs.count]).toEqual([0, count])
    expect(stdout).toContain('::warning::hook/webhook failed: the output "items" would have 450')
    expect(JSON.parse(outputs.on ?? '')).toMatchObject({ webhook: { outcome, outputs: {} } })
    expect(JSON.parse(outputs.failed ?? '')).toMatchObject([{ item: 1, step: 'size' }])
  })
})
