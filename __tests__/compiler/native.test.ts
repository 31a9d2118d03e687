import { describe, expect, test } from '@jest/globals'
import {
  mayUseAction,
  nativeTriggers,
  readInlineOn,
  readNativeWorkflow,
} from '../../src/compiler/native.ts'
import { UserError } from '../../src/wire/errors.ts'
import type { Contexts } from '../../src/workflow/expressions.ts'

const FILE = '.github/workflows/hook.yml'

function read(text: string, contexts: Contexts = {}) {
  return readInlineOn('hook', { name: FILE, file: FILE, text }, contexts)
}

function withStep(step: string): string {
  return `on: repository_dispatch\njobs: { on: { steps: [${step}] } }`
}

function triggersOf(step: string): string[] | undefined {
  return read(withStep(step))?.triggers.map(({ name }) => name)
}

describe('the input "on" of a step is read', () => {
  test.each([
    'hookline/hookline@v1',
    'acme/hookline@0123456789abcdef0123456789abcdef01234567',
    './',
    './.github/actions/hookline/',
    '$/.github/actions/hookline',
    '$/',
  ])('that uses %s', (uses) => {
    expect(triggersOf(`{ uses: ${uses}, with: { on: webhook } }`)).toEqual(['webhook'])
  })

  test('that stands in "parallel:"', () => {
    const uses = '{ uses: hookline/hookline@v1, with: { on: webhook } }'
    expect(triggersOf(`{ parallel: [{ run: a }, ${uses}] }`)).toEqual(['webhook'])
  })

  test.each([
    ['another action', '{ uses: acme/hooklines@v1, with: { on: webhook } }'],
    ['a step without the input', '{ uses: hookline/hookline@v1, with: { workflow: x } }'],
    ['a step without inputs', '{ uses: hookline/hookline@v1 }'],
    ['a script', '{ run: echo }'],
  ])('but not that of %s', (_, step) => {
    expect(triggersOf(step)).toBeUndefined()
  })

  test.each(['', 'text', 'jobs: []', 'jobs: { a: { steps: text } }'])('and %j has none', (text) => {
    expect(read(text)).toBeUndefined()
  })
})

test('expressions are filled in as GitHub would, and then as the action does', () => {
  const on = `'{webhook: {path: "/\${{ vars.PLACE }}/\${{ ''\${{ secrets.NAME }}'' }}"}}'`
  const text = withStep(`{ uses: hookline/hookline@v1, with: { on: ${on} } }`)
  const workflow = read(text, { vars: { PLACE: 'here' }, secrets: { NAME: 'there' } })
  expect(workflow?.triggers[0]?.example?.path).toBe('/here/there')
})

test.each([
  ['a mistake in the input', '{method: psot}', 'unknown HTTP method "psot"'],
  ['an unknown context', `{path: '\${{ inputs.x }}'}`, 'Unrecognized named-value'],
])('%s is reported with the file', (_, options, message) => {
  const on = JSON.stringify(`{webhook: ${options}}`)
  const wrong = () => read(withStep(`{ uses: hookline/hookline@v1, with: { on: ${on} } }`))
  expect(wrong).toThrow(message)
})

/** The position of a mistake in an inline `on:`, by line, column and length in the file. */
describe('a mistake is found in the file,', () => {
  test.each<[string, string, [number, number, number]]>([
    ['in a block', 'on: |\n            webhook:\n              method: psot', [9, 23, 4]],
    [
      'in a folded block',
      'on: >-\n            webhook:\n              {method:\n              psot}',
      [10, 15, 4],
    ],
    ['in quotes', "on: '{ webhook: { path: ''/a'', method: psot } }'", [7, 51, 4]],
    ['behind an escape', 'on: "{ webhook: { p\\u0061th: /a, method: psot } }"', [7, 52, 4]],
    [
      'behind what GitHub fills in',
      "on: '{ webhook: { path: /${{ ''a-long-text'' }}, method: psot } }'",
      [7, 68, 4],
    ],
    ['in a plain text', 'on: webhok', [7, 15, 6]],
    ['by an alias', 'on: *o', [7, 15, 2]],
  ])('%s', (_, on, expected) => {
    const text = `jobs:\n  a:\n    env: {O: &o webhok}\n    steps:\n      - uses: ./\n        with:\n          ${on}\n`
    expect(positionOf(text)).toEqual(expected)
  })

  function positionOf(text: string) {
    try {
      read(text, undefined)
    } catch (error) {
      const [problem] = error instanceof UserError ? error.problems : []
      const { line, column, length } = problem?.position ?? {}
      return [line, column, length]
    }
    return []
  }
})

test('a value that is unknown before a run is no mistake', () => {
  const on =
    'webhook: {path: "/${{ needs.a.outputs.b }}", verify: {scheme: github, secret: "${{ secrets.S }}"}}'
  const text = `jobs: {a: {steps: [{uses: ./, with: {on: ${JSON.stringify(on)}}}]}}`
  const native = readNativeWorkflow('hook', { name: FILE, file: FILE, text })
  expect(native && nativeTriggers(native).map(({ name }) => name)).toEqual(['webhook'])
})

test("the readers of a step's outputs are found: by its id, outputs of the job, matrices", () => {
  const text = `jobs:
  on:
    outputs:
      all: \${{ steps.hookline.outputs.items }}
      title: \${{ fromJSON(steps.hookline.outputs.body).title }}
      body: \${{ steps.hookline.outputs.body }}
      other: \${{ steps.other.outputs.items }}
    steps:
      - id: hookline
        uses: acme/hookline@0123456789abcdef0123456789abcdef01234567
        with: {on: "webhook: {}"}
  each:
    needs: on
    strategy: {matrix: {item: "\${{ fromJSON(needs.on.outputs.all) }}", os: [a]}}
  plain:
    steps: [{uses: ./}]
`
  const native = readNativeWorkflow('hook', { name: FILE, file: FILE, text })
  const outputs = {
    all: '${{ steps.hookline.outputs.items }}',
    title: '${{ fromJSON(steps.hookline.outputs.body).title }}',
    body: '${{ steps.hookline.outputs.body }}',
    other: '${{ steps.other.outputs.items }}',
  }
  const matrices = [{ job: 'each', key: 'item' }]
  const [on, plain] = native?.uses ?? []
  expect(on).toMatchObject({ job: 'on', step: 'hookline', on: 'webhook: {}' })
  expect(on).toMatchObject({ outputs, neededBy: ['each'], matrices })
  expect(plain).toMatchObject({ job: 'plain', step: undefined, on: undefined })
  expect(plain).toMatchObject({ outputs: {}, neededBy: [], matrices: [] })
})

test('only exactly the items of the step are a matrix, in any case and with any spaces', () => {
  const text = `jobs:
  On:
    outputs:
      one: "\${{steps.Hookline.outputs.items}}"
      two: "  \${{  STEPS.hookline.OUTPUTS.items  }} "
      before: "x \${{ steps.hookline.outputs.items }}"
      after: "\${{ steps.hookline.outputs.items }} x"
      more: "\${{ steps.hookline.outputs.items2 }}"
      list: [a]
    steps:
      - {id: hookline, uses: hookline/hookline@v1}
  a:
    needs: [x, On]
    strategy:
      matrix:
        one: "\${{fromJSON(needs.On.outputs.one)}}"
        two: "  \${{  FROMJSON(  NEEDS.on.outputs.TWO  )  }} "
        before: "\${{ fromJSON(needs.On.outputs.before) }}"
        after: "\${{ fromJSON(needs.On.outputs.after) }}"
        more: "\${{ fromJSON(needs.On.outputs.more) }}"
        text: "x \${{ fromJSON(needs.On.outputs.one) }}"
        tail: "\${{ fromJSON(needs.On.outputs.one) }} x"
        field: "\${{ fromJSON(needs.On.outputs.one)[0] }}"
        other: "\${{ fromJSON(needs.other.outputs.one) }}"
        include: []
  b:
    needs: on
    strategy: {matrix: "\${{ fromJSON(needs.On.outputs.one) }}"}
  c:
    strategy: {matrix: {key: "\${{ fromJSON(needs.On.outputs.one) }}"}}
`
  const native = readNativeWorkflow('hook', { name: FILE, file: FILE, text })
  expect(native?.uses).toEqual([
    {
      job: 'On',
      step: 'hookline',
      on: undefined,
      outputs: {
        one: '${{steps.Hookline.outputs.items}}',
        two: '  ${{  STEPS.hookline.OUTPUTS.items  }} ',
        before: 'x ${{ steps.hookline.outputs.items }}',
        after: '${{ steps.hookline.outputs.items }} x',
        more: '${{ steps.hookline.outputs.items2 }}',
      },
      neededBy: ['a'],
      matrices: [
        { job: 'a', key: 'one' },
        { job: 'a', key: 'two' },
        { job: 'c', key: 'key' },
      ],
    },
  ])
  expect(readNativeWorkflow('hook', { name: FILE, file: FILE, text: 'on: push\n' })).toBe(undefined)
})

test('the mistakes of all inputs of a file are told, at most 20', () => {
  const step = (on: string) => `      - uses: ./\n        with: {on: ${JSON.stringify(on)}}\n`
  const messagesOf = (...ons: string[]) => {
    const text = `jobs:\n  a:\n    steps:\n${ons.map(step).join('')}`
    try {
      return read(text)?.triggers.map(({ name }) => name)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return error.problems.map(
        ({ message, position }) =>
          `${position?.line}:${position?.column}+${position?.length} ${message}`,
      )
    }
  }
  expect(messagesOf('webhook', ' ', 'trello: {}')).toEqual(['webhook', 'trello'])
  expect(messagesOf('webhok', '', 'webhook', '{webhook: {method: psot}}', '${{ a')).toEqual([
    '5:21+6 unknown trigger "webhok"',
    '11:40+4 unknown HTTP method "psot"',
    '13:21+5 input "on": expression is not closed with }}',
  ])
  expect(messagesOf(...Array.from({ length: 21 }, () => 'webhok'))).toHaveLength(20)
  const many = Array.from({ length: 21 }, (_, at) => `webhok${at}: `).join('\n')
  expect(messagesOf(many)).toHaveLength(20)
})

test.each([
  ['uses: hookline/hookline@v1', true],
  ["uses: './'", true],
  ['{uses: ./, id: a}', true],
  ['uses: ./local', false],
  ['uses: actions/checkout@v5', false],
  ['uses: OCTO/HOOKLINE', true],
  ['uses: octo/hooklines', false],
  ['uses: octo-hookline', false],
  ['"uses" : "./"', true],
  ['uses: $/', true],
  ['uses: ./ # a', true],
  ['[{uses: ./}]', true],
  ['uses: ./]', true],
  ['uses: ../', false],
  ['uses: ./a', false],
  ['use: ./', false],
  ['a\nuses: ./\nb', true],
])('%j may use the action: %j', (text, expected) => {
  expect(mayUseAction(text)).toBe(expected)
})
