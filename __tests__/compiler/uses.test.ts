import { describe, expect, test } from '@jest/globals'
import {
  type CompileSettings,
  mergedSettings,
  NO_SETTINGS,
} from '../../src/compiler/compiler-settings.ts'
import { existingUses, onJobUses, usesOperations, versionsIn } from '../../src/compiler/uses.ts'
import { sourceFile, withStep } from './support/compiled.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'
const OTHER = 'f'.repeat(40)

describe('the action of the job "on" in a compiled file', () => {
  const step = (uses: string) =>
    `    steps:\n      - id: on\n        uses: ${uses}\n        with:\n`
  test.each([
    ['no file', undefined, undefined],
    ['no step', 'jobs:\n', undefined],
    ['a tag', step('hookline/hookline@v1'), 'hookline/hookline@v1'],
    ['single quotes', step("'a/b@v1'"), 'a/b@v1'],
    ['double quotes', step('"a/b@v1"'), 'a/b@v1'],
    ['a comment', step('a/b@v1 \t #  v1.2 of b '), 'a/b@v1 #  v1.2 of b'],
    ['a comment after quotes', step("'a/b@v1' # v1"), 'a/b@v1 # v1'],
    ['a sign that begins no comment', step('a/b@v1#c'), 'a/b@v1'],
    ['a value on the next line', step('\n          a/b@v1'), undefined],
    ['another id', step('a/b@v1').replace('id: on', 'id: one'), undefined],
    ['another key between', step('a/b@v1').replace('id: on', 'id: on\n        if: a'), undefined],
    ['no step of a list', step('a/b@v1').replace('- id', 'x - id'), undefined],
    ['Windows line breaks', step('a/b@v1 # c').replaceAll('\n', '\r\n'), 'a/b@v1 # c'],
    ['braces', 'steps: [{id: on, uses: "a/b@v1", with: {on: a}}]', 'a/b@v1'],
    ['braces with quotes', 'steps: [{"id":"on","uses":"a/b@v1"}]', 'a/b@v1'],
    ['braces of another step', 'steps: [{id: one, uses: "a/b@v1"}]', undefined],
    [
      'a conflict',
      `<<<<<<< HEAD\n# a\n=======\n# b\n||||||| base\n>>>>>>> other\n${step('a/b@v1')}`,
      'a/b@v1',
    ],
    [
      'a conflict within the step',
      '      - id: on\n<<<<<<< HEAD\n        uses: a/b@v1\n=======\n        uses: a/b@v2\n>>>>>>> b\n',
      'a/b@v1',
    ],
    ['half of a conflict', '      - id: on\n<<<<<<< HEAD\n        uses: a/b@v1\n', undefined],
  ])('%s', (_, text, uses) => {
    expect(existingUses(text)).toBe(uses)
  })
})

test('every action of a compiled file has its version and its comment', () => {
  const text = `
      - uses: a/b@v1
      - uses: "a/c@v2" # two
        uses: 'd/e/f@v3'   #three
\t- uses: g/h@v4
    uses: ./local
    uses: docker://image
      - run: uses: i/j@v5
    uses: k/l@v6 and more
`
  expect(versionsIn(text)).toEqual([
    { action: 'a/b', ref: 'v1', comment: '' },
    { action: 'a/c', ref: 'v2', comment: ' # two' },
    { action: 'd/e/f', ref: 'v3', comment: '   #three' },
    { action: 'g/h', ref: 'v4', comment: '' },
  ])
  expect(versionsIn(undefined)).toEqual([])
})

const settingsOf = (uses?: string, forge?: CompileSettings['forge']): CompileSettings =>
  mergedSettings(
    { source: { ...NO_SETTINGS, values: { uses, forge } }, repository: NO_SETTINGS },
    {},
  )

/** What a step's `uses:` becomes; `undefined` if it stays. */
function changed(uses: string, settings: CompileSettings, existing?: string): string | undefined {
  const file = sourceFile(withStep(`      - uses: ${uses}`))
  const known = { settings, existing, lock: undefined, name: 'hook.yml' }
  const [operation] = usesOperations(file, known)
  if (!operation) return undefined
  expect(operation).toMatchObject({ op: 'set', path: ['jobs', 'a', 'steps', 0, 'uses'] })
  return operation.op === 'set' ? operation.lines.join('\n') : undefined
}

describe('an action in a step of the source', () => {
  const pinned = settingsOf(`hookline/hookline@${COMMIT} # v1.2.3`)
  const existing = (uses: string) => `      - uses: ${uses}\n`
  test.each([
    [
      'gets the commit of the settings',
      'hookline/hookline@v1',
      pinned,
      `hookline/hookline@${COMMIT} # v1.2.3`,
    ],
    ['in any case', 'Hookline/hookline/@v1', pinned, `Hookline/hookline/@${COMMIT} # v1.2.3`],
    ['in quotes', '"hookline/hookline@v1"', pinned, `"hookline/hookline@${COMMIT}" # v1.2.3`],
    [
      'as reply',
      "'hookline/hookline/reply@main'",
      pinned,
      `'hookline/hookline/reply@${COMMIT}' # v1.2.3`,
    ],
    ['before a comment', 'hookline/hookline@v1 # mine', pinned, `hookline/hookline@${COMMIT}`],
    ['keeps its own commit', `hookline/hookline@${OTHER}`, pinned, undefined],
    ['of another owner stays', 'octo/hookline@v1', pinned, undefined],
    ['of another name stays', 'hookline/hookline/other@v1', pinned, undefined],
    ['of the repository stays', './hookline', pinned, undefined],
    [
      'stays with a tag in the settings',
      'hookline/hookline@v1',
      settingsOf('hookline/hookline@v1'),
      undefined,
    ],
    [
      'stays with a commit of another action',
      'hookline/hookline@v1',
      settingsOf(`octo/hookline@${COMMIT}`),
      undefined,
    ],
    [
      'has its address on another forge',
      'hookline/hookline/reply@v1',
      settingsOf(undefined, 'forgejo'),
      'https://github.com/hookline/hookline/reply@v1',
    ],
    ['of others has none', 'actions/checkout@v6', settingsOf(undefined, 'forgejo'), undefined],
  ])('%s: %s', (_, uses, settings, wanted) => {
    expect(changed(uses, settings)).toBe(wanted)
  })

  test.each([
    ['the same action', 'hookline/hookline@v1', `hookline/hookline@${OTHER} # v1.2.3`, ` # v1.2.3`],
    ['no comment', 'hookline/hookline@v1', `hookline/hookline@${OTHER}`, ''],
    ['a branch', 'hookline/hookline@main', `hookline/hookline@${OTHER} # v2.0.0`, ' # v2.0.0'],
    ['its address', 'hookline/hookline@v1', `https://github.com/hookline/hookline@${OTHER}`, ''],
    [
      'a newer major version',
      'hookline/hookline@v2',
      `hookline/hookline@${OTHER} # v1.2.3`,
      undefined,
    ],
    ['another action', 'hookline/hookline@v1', `hookline/hookline/reply@${OTHER}`, undefined],
    ['a tag', 'hookline/hookline@v1', 'hookline/hookline@v1.2.3', undefined],
    ['an action of others', 'actions/checkout@v6', `actions/checkout@${OTHER}`, undefined],
  ])('keeps the commit of the compiled file: %s', (_, uses, there, comment) => {
    const [action] = uses.split('@')
    const wanted = comment === undefined ? undefined : `${action}@${OTHER}${comment}`
    expect(changed(uses, settingsOf(), existing(there))).toBe(wanted)
  })

  test('is found in jobs, in steps and in parallel steps', () => {
    const text = `on: webhook
jobs:
  a:
    uses: hookline/hookline@v1
  b:
    runs-on: ubuntu-latest
    steps:
      - run: echo
      - parallel:
          - uses: hookline/hookline@v1
          - run: 'uses: hookline/hookline@v1'
      - with: {uses: hookline/hookline@v1}
        uses: &x hookline/hookline@v1
      - uses: *x
`
    const known = { settings: pinned, existing: undefined, lock: undefined, name: 'hook.yml' }
    expect(usesOperations(sourceFile(text), known).map(({ path }) => path.join('.'))).toEqual([
      'jobs.a.uses',
      'jobs.b.steps.1.parallel.0.uses',
      'jobs.b.steps.2.uses',
    ])
  })
})

test('without a lock file, the job "on" runs the action of the settings', () => {
  const existing = '      - id: on\n        uses: hookline/hookline@v1.2.3\n'
  const known = { settings: settingsOf(), existing, lock: undefined, name: 'hook.yml' }
  expect(onJobUses(known)).toBe('hookline/hookline@v1')
})
