import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { fire, payload } from './step.ts'

const FILE = 'file=.github/workflows/hook.yml'
const NAMES = [...TRIGGERS.keys()].join(', ')
const ALLOWED = 'allowed: get, post, put, patch, delete, head, options'

/** The syntax that a pattern can contain. */
const PATTERNS =
  '(write :name for a part, *rest for all that follows, {/:name} for an optional part)'

/** Options of the trigger, in the order of messages. */
const OPTIONS = TRIGGERS.get('webhook')?.optionNames.join(', ')

describe('a mistake in the input on: its message, frame and annotation', () => {
  test.each([
    [
      'an unknown option',
      'webhook:\n  method: get\n  paht: /a',
      `error: unknown option "paht"
  --> input "on":3:3
   |
 3 |   paht: /a
   |   ^^^^ did you mean "path"?
   = options: ${OPTIONS}
::error title=Hookline,${FILE}::unknown option "paht"%0Adid you mean "path"?%0Aoptions: ${OPTIONS}%0Aline 3 of the input "on"
`,
    ],
    [
      'a wrong method',
      'webhook:\n  method: psot',
      `error: unknown HTTP method "psot"
  --> input "on":2:11
   |
 2 |   method: psot
   |           ^^^^ did you mean "post"?
   = ${ALLOWED}
::error title=Hookline,${FILE}::unknown HTTP method "psot"%0Adid you mean "post"?%0A${ALLOWED}%0Aline 2 of the input "on"
`,
    ],
    [
      'a wrong method in a list',
      'webhook: {method: [get, 5]}',
      `error: HTTP method is a number, not a name
  --> input "on":1:25
   |
 1 | webhook: {method: [get, 5]}
   |                         ^
   = ${ALLOWED}
::error title=Hookline,${FILE}::HTTP method is a number, not a name%0A${ALLOWED}%0Aline 1 of the input "on"
`,
    ],
    [
      'an empty list of methods',
      'webhook: {method: []}',
      `error: "method" is an empty list
  --> input "on":1:19
   |
 1 | webhook: {method: []}
   |                   ^^
::error title=Hookline,${FILE}::"method" is an empty list%0Aline 1 of the input "on"
`,
    ],
    [
      'a bad pattern',
      'webhook:\n  path: /user/:/x',
      `error: "path": missing parameter name at index 7 ${PATTERNS}
  --> input "on":2:9
   |
 2 |   path: /user/:/x
   |         ^^^^^^^^^
::error title=Hookline,${FILE}::"path": missing parameter name at index 7 ${PATTERNS}%0Aline 2 of the input "on"
`,
    ],
    [
      'a pattern of another language',
      'webhook: {path: "/a/(.*)"}',
      `error: "path": unexpected ( at index 3: today this is written /a/*rest
  --> input "on":1:17
   |
 1 | webhook: {path: "/a/(.*)"}
   |                 ^^^^^^^^^
::error title=Hookline,${FILE}::"path": unexpected ( at index 3: today this is written /a/*rest%0Aline 1 of the input "on"
`,
    ],
    [
      'a path of a wrong type',
      'webhook: {path: [a]}',
      `error: "path" is a list, not a string
  --> input "on":1:17
   |
 1 | webhook: {path: [a]}
   |                 ^^^
::error title=Hookline,${FILE}::"path" is a list, not a string%0Aline 1 of the input "on"
`,
    ],
    [
      'options that are no mapping',
      'webhook: [post]',
      `error: options are a list, not a mapping of options
  --> input "on":1:10
   |
 1 | webhook: [post]
   |          ^^^^^^
::error title=Hookline,${FILE}::options are a list, not a mapping of options%0Aline 1 of the input "on"
`,
    ],
    [
      'options within a list of triggers',
      '[{webhook: {method: get}}]',
      `error: a list under "on:" holds names of triggers only
  --> input "on":1:2
   |
 1 | [{webhook: {method: get}}]
   |  ^^^^^^^^^^^^^^^^^^^^^^^^ options need the form of a mapping
   = example: on: {webhook: {method: post}}
::error title=Hookline,${FILE}::a list under "on:" holds names of triggers only%0Aoptions need the form of a mapping%0Aexample: on: {webhook: {method: post}}%0Aline 1 of the input "on"
`,
    ],
    [
      'an unknown trigger',
      'push:\nwebhok:',
      `error: unknown trigger "webhok"
  --> input "on":2:1
   |
 2 | webhok:
   | ^^^^^^ did you mean "webhook"?
   = triggers: ${NAMES}; and GitHub's own events
::error title=Hookline,${FILE}::unknown trigger "webhok"%0Adid you mean "webhook"?%0Atriggers: ${NAMES}; and GitHub's own events%0Aline 2 of the input "on"
`,
    ],
    [
      'an unknown trigger below webhook',
      'webhook:\n  method: post\nslak:',
      `error: unknown trigger "slak"
  --> input "on":3:1
   |
 3 | slak:
   | ^^^^ did you mean "slack"?
   = triggers: ${NAMES}; and GitHub's own events
::error title=Hookline,${FILE}::unknown trigger "slak"%0Adid you mean "slack"?%0Atriggers: ${NAMES}; and GitHub's own events%0Aline 3 of the input "on"
`,
    ],
    [
      'a mistyped event of GitHub',
      '[webhook, pull_reqest]',
      `error: unknown trigger "pull_reqest"
  --> input "on":1:11
   |
 1 | [webhook, pull_reqest]
   |           ^^^^^^^^^^^ did you mean "pull_request"?
   = triggers: ${NAMES}; and GitHub's own events
::error title=Hookline,${FILE}::unknown trigger "pull_reqest"%0Adid you mean "pull_request"?%0Atriggers: ${NAMES}; and GitHub's own events%0Aline 1 of the input "on"
`,
    ],
    [
      'broken YAML',
      'webhook:\n  method: [get',
      `error: YAML: Flow sequence in block collection must be sufficiently indented and end with a ]
  --> input "on":2:15
   |
 2 |   method: [get
   |               ^
::error title=Hookline,${FILE}::YAML: Flow sequence in block collection must be sufficiently indented and end with a ]%0Aline 2 of the input "on"
`,
    ],
    [
      'a repeated key',
      'webhook:\n  path: /a\n  path: /b',
      `error: YAML: the key "path" is duplicated
  --> input "on":3:3
   |
 3 |   path: /b
   |   ^^^^ remove one
::error title=Hookline,${FILE}::YAML: the key "path" is duplicated%0Aremove one%0Aline 3 of the input "on"
`,
    ],
    [
      'nothing but a comment',
      '# webhook',
      `error: input "on" names no trigger under "on:"
  = triggers: ${NAMES}
::error title=Hookline::input "on" names no trigger under "on:"%0Atriggers: ${NAMES}
`,
    ],
  ])('%s', async (_, on, printed) => {
    const { exitCode, stdout, stderr, outputs } = await fire(on)
    expect(stdout).toBe(printed)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    expect(outputs).toMatchObject({ triggered: 'false', items: '[]' })
  })

  test('several mistakes together, each at its position', async () => {
    const { stdout } = await fire(
      'webhook:\n  method: [psot, gte]\n  a: 1\n  b: 2\n  path: ":"\nhook: x\n',
    )
    const places = stdout.split('\n').filter((line) => /^error: | --> /.test(line))
    expect(places).toEqual([
      'error: unknown HTTP method "psot"',
      '  --> input "on":2:12',
      'error: unknown HTTP method "gte"',
      '  --> input "on":2:18',
      `error: "path": missing parameter name at index 2 ${PATTERNS}`,
      '  --> input "on":5:9',
      'error: unknown option "a"',
      '  --> input "on":3:3',
      'error: unknown option "b"',
      '  --> input "on":4:3',
      'error: unknown trigger "hook"',
      '  --> input "on":6:1',
    ])
    expect(stdout.split('\n').filter((line) => line.startsWith('::error '))).toHaveLength(6)
  })
})

describe('a mistake in another input', () => {
  test.each(['secrets', 'vars'])('%s that is no JSON, without its text', async (name) => {
    const inputs = { on: 'webhook', [name]: '{"KEY": "hunter2-unquoted' }
    const run = await runInShared({ ...dispatchEvent(payload()), inputs })
    const example = `example: ${name}: '{"NAME": \${{ toJSON(${name}.NAME) }}}'`
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toBe(
      `error: input "${name}" is not JSON\n  = ${example}\n::error title=Hookline::input "${name}" is not JSON%0A${example}\n`,
    )
  })

  test.each(['["hunter2"]', '"hunter2"', '5', 'null'])('secrets that are %s', async (secrets) => {
    const inputs = { on: 'webhook', secrets }
    const run = await runInShared({ ...dispatchEvent(payload()), inputs })
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('error: input "secrets" is JSON, but not an object\n')
    expect(run.stdout + run.stderr).not.toContain('hunter2')
  })
})

describe('an event file', () => {
  const inputs = { on: 'webhook' }

  test.each([
    ['of text that is no JSON', 'hunter2 {"a"', 'GITHUB_EVENT_PATH: not JSON'],
    ['that is empty', '', 'GITHUB_EVENT_PATH: not JSON'],
    ['cut off', '{"action":"hunter2', 'GITHUB_EVENT_PATH: not JSON'],
    [
      'that nests too deep',
      '['.repeat(60_000),
      'GITHUB_EVENT_PATH: JSON nested deeper than 500 levels',
    ],
  ])('%s: exit 1, without its text', async (_, text, message) => {
    const run = await runInShared({ event: 'repository_dispatch', payload: text, inputs })
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toBe(`error: ${message}\n::error title=Hookline::${message}\n`)
    expect(run.stderr).toBe('')
  })

  test.each(['/nowhere/event.json', ''])('missing at "%s"', async (path) => {
    const event = dispatchEvent(payload())
    const run = await runInShared({ ...event, inputs, env: { GITHUB_EVENT_PATH: path } })
    const message = 'GITHUB_EVENT_PATH: the file cannot be read'
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toBe(`error: ${message}\n::error title=Hookline::${message}\n`)
  })
})

test('an address of the Bot API without https names the input', async () => {
  const inputs = { on: 'webhook', 'telegram-api-url': 'api.telegram.org' }
  const { exitCode, stdout } = await fire('webhook', {}, { inputs })
  expect([exitCode, stdout.split('\n')[0]]).toEqual([
    1,
    'error: input "telegram-api-url" is not the address of an API: "api.telegram.org"',
  ])
})
