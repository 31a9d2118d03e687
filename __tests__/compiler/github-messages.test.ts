import { describe, expect, test } from '@jest/globals'
import { githubMessages } from '../../src/compiler/github-messages.ts'
import { newProblems } from '../../src/compiler/github-parser.ts'
import { parseYaml } from '../../src/workflow/yaml.ts'

const open = '$' + '{{'
const STEPS = '    runs-on: x\n    steps: [{run: a}]\n'

/** The messages about a workflow, each with its code, its subject and the text that it is about. */
async function messagesOf(text: string) {
  const found = await githubMessages(text, parseYaml({ name: 'a.yml', file: 'a.yml', text }))
  return found.map(({ message, code, subject, start, end }) => [
    message,
    code,
    subject,
    text.slice(start, end),
  ])
}

describe('syntax that GitHub accepts is no message:', () => {
  test.each([
    ['one type', 'on:\n  repository_dispatch:\n    types: deploy\n'],
    ['one type in quotes', "on:\n  repository_dispatch:\n    types: 'deploy'\n"],
    ['one type in double quotes', 'on:\n  repository_dispatch:\n    types: "deploy"\n'],
    ['one type in braces', 'on: {repository_dispatch: {types: deploy}}\n'],
    ['one type in braces on their lines', 'on:\n  repository_dispatch: {\n    types: deploy}\n'],
    [
      'one type after comments',
      'on:\n  repository_dispatch:\n    # a\n    # b\n    types: deploy\n',
    ],
    ['empty options', 'on: {status: {}, page_build: { }, gollum: []}\n'],
    [
      'a default without a type',
      'on: {workflow_dispatch: {inputs: {a: {default: true}, b: {default: 5}}}}\n',
    ],
  ])('%s', async (_, on) => {
    expect(await messagesOf(`${on}jobs:\n  a:\n${STEPS}`)).toEqual([])
  })

  test.each([
    `'${open} github.ref == ''a''\n          && ''b'' || ''c'' }}'`,
    `"${open} github.ref == 'a' \\\n          && '\\u0062' || 'c' }}"`,
  ])('quotes and escapes on several lines: %j', async (value) => {
    const step = `      - if: ${value}\n        run: a\n`
    const text = `on: push\njobs:\n  a:\n    env:\n      A: ${value}\n    runs-on: x\n    steps:\n`
    expect(await messagesOf(text + step)).toEqual([])
  })

  test('a whole environment', async () => {
    const env = `    env: ${open} matrix.env }}\n    strategy: {matrix: {env: [{a: b}]}}\n`
    expect(await messagesOf(`on: push\njobs:\n  a:\n${env}${STEPS}`)).toEqual([])
  })
})

test('each message has its code, its subject and its part of the file', async () => {
  const text = `on:
  push:
    typs: [a]
  repository_dispatch:
    other: {types: deploy}
  status: {a: b}
  gollum: [a]
jobs:
  a:
    needs: [b]
    env: &env
      A: ${open} nope.x }}
      B: ${open} b }
      C: 'c ''
        ${open} bad.c
        && true }}'
      D: "d\\u0020\\
        ${open} bad.d }} \\
        ${open} bad.e }}"
    steps: *env
    timeout-minutes: |
      five
    run-on: x
  c: {}
  1d:
${STEPS}`
  const refused = 'refused-by-github'
  const job = text.slice(text.indexOf('needs:'), text.indexOf('  c: {}'))
  expect(await messagesOf(text)).toEqual([
    ["Unexpected value 'typs'", 'unexpected-value', 'typs', 'typs'],
    ["Unexpected value 'other'", 'unexpected-value', 'other', 'other'],
    ['A mapping was not expected', refused, undefined, '{a: b}'],
    ['A sequence was not expected', refused, undefined, '[a]'],
    ["Unrecognized named-value: 'nope'", 'unknown-name', 'nope', `${open} nope.x }}`],
    [expect.stringMatching(/^The expression is not closed/), refused, undefined, `${open} b }`],
    ["Unrecognized named-value: 'bad'", 'unknown-name', 'bad', `${open} bad.c\n        && true }}`],
    ["Unrecognized named-value: 'bad'", 'unknown-name', 'bad', `${open} bad.d }}`],
    ["Unrecognized named-value: 'bad'", 'unknown-name', 'bad', `${open} bad.e }}`],
    [
      'A mapping was not expected',
      refused,
      undefined,
      text.slice(text.indexOf('A: '), text.indexOf('    steps: *env')),
    ],
    ["Unexpected value 'five\n'", refused, undefined, '|\n      five\n'],
    ["Unexpected value 'run-on'", 'unexpected-value', 'run-on', 'run-on'],
    ['Required property is missing: runs-on', refused, undefined, job],
    [expect.stringMatching(/^There's not enough info/), refused, undefined, '{}'],
  ])
})

test('each alias is read as its anchor, and positions are found behind it', async () => {
  const text = `on: push
jobs:
  a:
    runs-on: x
    env: &a {A: b}
    steps:
      - run: c
        env: *a
        with: *a
  b: &b
    runs-on: x
    steps: [{run: a, nope: *a}]
  c: *b
`
  const unexpected = (name: string) => [
    `Unexpected value '${name}'`,
    'unexpected-value',
    name,
    name,
  ]
  expect(await messagesOf(text)).toEqual(['with', 'nope', 'nope'].map(unexpected))
})

test('problems on a line that has one, and duplicates, are left out', () => {
  const source = { name: 'a', file: 'a', text: '' }
  const problem = (message: string, line?: number, column = 1) => ({
    message,
    ...(line !== undefined && { position: { source, line, column, length: 1 } }),
  })
  const parsed = [
    problem('a', 1),
    problem('a', 1),
    problem('a', 1, 2),
    problem('b', 1),
    problem('c', 2),
    problem('d'),
    problem('d'),
  ]
  expect(newProblems(parsed, [problem('own', 2)])).toEqual([
    problem('a', 1),
    problem('a', 1, 2),
    problem('b', 1),
    problem('d'),
  ])
  expect(newProblems(parsed, [problem('own')]).map(({ message }) => message)).toEqual([
    'a',
    'a',
    'b',
    'c',
  ])
})
