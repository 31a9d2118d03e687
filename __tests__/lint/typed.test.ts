import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Checked } from './support/checked.ts'

let checked: Checked
beforeAll(() => {
  checked = new Checked()
})
afterAll(() => checked.remove())

/** A workflow with everything that has a type, and a step after it with an expression. */
function workflow(step: string, condition = 'github.ref == github.ref'): string {
  return `on:
  workflow_dispatch:
    inputs:
      tag: {type: string}
      dry: {type: boolean}
      count: {type: number}
  repository_dispatch:
    types: [webhook]
jobs:
  first:
    runs-on: ubuntu-latest
    outputs:
      name: \${{ steps.make.outputs.name }}
    steps:
      - id: make
        run: echo name=a >> "$GITHUB_OUTPUT"
  second:
    needs: first
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
  third:
    needs: second
    if: ${condition}
    runs-on: \${{ matrix.system }}
    strategy:
      matrix:
        system: [ubuntu-latest, macos-latest]
        pack: [{name: a, size: 1}, {name: b, size: 2, extra: true}]
        parts: [[1, 2], [3]]
        given: ['\${{ fromJSON(vars.LIST) }}']
        fixed: ['\${{ fromJSON(''{"a": {"b": 1}}'') }}']
        include:
          - {system: ubuntu-latest, dry: true}
    steps:
      - id: before
        uses: hookline/hookline@v1
        with:
          on: 'webhook: {method: post}'
      - id: early
        run: echo x=1 >> "$GITHUB_OUTPUT"
${step}
      - id: later
        run: echo hi
`
}

/** Two steps for each expression. */
const inEnv = (...expressions: readonly string[]) =>
  workflow(
    expressions
      .map(
        (one) =>
          `      - env: {X: "\${{ ${one.replaceAll('"', '\\"')} }}"}\n        run: echo "$X"`,
      )
      .join('\n'),
  )

/**
 * The codes reported for each expression; one workflow contains all, because each check takes time.
 */
async function toldOf(expressions: readonly string[], strict = false) {
  const lines = inEnv(...expressions).split('\n')
  const first = lines.findIndex((line) => line.includes('env: {X'))
  const told = expressions.map((one) => [one, new Set<string>()] as const)
  for (const one of await checked.found(lines.join('\n'), strict)) {
    const [, id = '', line] = one.split(' ')
    const [, ids] = told[Math.floor((Number(line) - 1 - first) / 2)] ?? []
    if (!ids) throw new Error(`not of an expression: ${one}`)
    ids.add(id)
  }
  return told.map(([expression, ids]) => [expression, ...ids])
}

describe('an expression in a step', () => {
  const WRONG = [
    // steps, needs and outputs
    ['steps.erly.outputs.x', 'unknown-step'],
    ['steps.later.outputs.x', 'unknown-step'],
    ['steps.early.output.x', 'unknown-output'],
    ['steps.before.outputs.bdoy', 'unknown-output'],
    ['steps.before.outputs.body.user', 'string-as-object'],
    ["steps['erly'].outputs.x", 'unknown-step'],
    ['needs.first.outputs.name', 'unknown-need'],
    ['needs.secnd.result', 'unknown-need'],
    ['needs.second.outputs.name', 'unknown-output'],
    ['needs.second.reslt', 'unknown-output'],
    // the matrix and its values
    ['matrix.sytem', 'unknown-matrix-key'],
    ["matrix.sytem || 'linux'", 'unknown-matrix-key'],
    ["'linux' || matrix.absent", 'unknown-matrix-key'],
    ['matrix.absent && true', 'unknown-matrix-key'],
    ['matrix.pack.nmae', 'unknown-matrix-key'],
    ['matrix.pack.name.x', 'string-as-object'],
    ['matrix.pack.size.x', 'string-as-object'],
    ['matrix.parts[0].x', 'string-as-object'],
    ['matrix.parts.x', 'string-as-object'],
    ['matrix.fixed.a.c', 'unknown-matrix-key'],
    ['matrix.pack', 'object-as-string'],
    ['matrix.parts', 'object-as-string'],
    ['matrix.fixed', 'object-as-string'],
    // inputs
    ['inputs.tga', 'unknown-input'],
    ['github.event.inputs.tga', 'unknown-input'],
    ['inputs.tag.x', 'string-as-object'],
    ['github.event.inputs.dry.x', 'string-as-object'],
    // contexts of GitHub itself
    ['github.repository.owner', 'string-as-object'],
    ['github.actor.name', 'string-as-object'],
    ['vars.NAME.x', 'string-as-object'],
    ['secrets.TOKEN.x', 'string-as-object'],
    ['env.HOME.x', 'string-as-object'],
    ['strategy.job-index.x', 'string-as-object'],
    // comparisons
    ['env.DRY == true', 'string-as-boolean'],
    ['true != vars.DRY', 'string-as-boolean'],
    ['github.event.inputs.dry == true', 'string-as-boolean'],
    ['needs.second.result == true', 'string-as-boolean'],
    ["inputs.dry == 'true'", 'string-as-boolean'],
    ["matrix.dry != 'false'", 'string-as-boolean'],
    // values that print as nothing, or as the word Object
    ['github', 'object-as-string'],
    ['github.event', 'object-as-string'],
    ['steps', 'object-as-string'],
    ['steps.early.outputs', 'object-as-string'],
    ['needs.second', 'object-as-string'],
    ['null', 'object-as-string'],
    ["fromJSON('[1]')", 'object-as-string'],
  ]

  test('is told with the id of what is wrong in it, and no other', async () => {
    expect(await toldOf(WRONG.map(([expression = '']) => expression))).toEqual(WRONG)
  })

  const RIGHT = [
    'steps.early.outputs.x',
    'steps.EARLY.Outputs.X',
    'steps.early.outcome',
    "steps['early']['outputs']['x']",
    'steps.before.outputs.body',
    "fromJSON(steps.before.outputs.on || '{}').user.name",
    'toJSON(steps)',
    'toJSON(github.event)',
    "needs.second.result == 'success'",
    "join(needs.*.result, ',')",
    'matrix.system',
    'matrix.dry',
    "matrix.absent || 'linux'",
    "(matrix.absent) || matrix.other || 'linux'",
    'matrix.pack.name',
    'matrix.pack.extra',
    'matrix.pack.size',
    'matrix.parts[0]',
    'matrix.given.anything.at.all',
    'matrix.fixed.a.b',
    'matrix[inputs.tag]',
    'matrix.pack == matrix.pack',
    "join(matrix.parts, ',')",
    'inputs.tag',
    "inputs.dry && 'a' || 'b'",
    'inputs.dry == true',
    "github.event.inputs.dry == 'true'",
    'inputs.count > 1',
    'github.event.pull_request.labels.*.name',
    "contains(github.event.pull_request.labels.*.name, 'a')",
    'contains(matrix.parts, 1)',
    'github.event.a.b.c',
    'github.repository_owner',
    'github.a_new_one',
    'runner.os',
    'job.services.redis.ports[6379]',
    "job.services['redis'].id",
    'strategy.job-total > 1',
    'env[inputs.tag]',
    "env.DRY == 'true'",
    "vars.DRY != ''",
    'github.event.client_payload == null',
    'fromJSON(vars.LIST)[0]',
    'fromJSON(\'["a"]\')[0]',
    'contains(fromJSON(\'["a", "b"]\'), github.ref_name)',
    "format('{{0}} {0} {1} {0}', 'a', 1)",
    "format(vars.PATTERN, 'a', 'b')",
    "hashFiles('**/lock') != ''",
    "github.event_name == 'push' && github.event.after || 'none'",
    "case(inputs.dry, 'a', 'b')",
  ]

  test('is not told of where nothing is wrong', async () => {
    expect(await toldOf(RIGHT, true)).toEqual(RIGHT.map((expression) => [expression]))
  })

  test('marks what is wrong, and says what is there', async () => {
    expect(await checked.found(inEnv('1'))).toEqual([])
    const line = inEnv('1')
      .split('\n')
      .findIndex((one) => one.includes('env: {X'))
    expect(await checked.found(inEnv('github.repository.owner'))).toEqual([
      `warning string-as-object ${line + 1}`,
    ])
  })
})

describe("the job's own if", () => {
  test.each([
    ["secrets.TOKEN != ''", 'unknown-context'],
    ["env.TOKEN != ''", 'unknown-context'],
    ["matrix.system == 'a'", 'unknown-context'],
    ["needs.second.outputs.name == 'a'", 'unknown-output'],
    ["needs.frist.result == 'success'", 'unknown-need'],
    ["github.event_name == 'push' || 'workflow_dispatch'", 'always-true'],
    ['!(1 == 2)', 'always-true'],
    ["format('{0}', 'a')", 'always-true'],
  ])('%s: %s', async (condition, id) => {
    expect(await checked.ids(workflow('', JSON.stringify(condition)))).toEqual([id])
  })

  test.each([
    "needs.first.outputs.name == 'a'",
    "vars.TOKEN != '' && inputs.dry",
    "github.event_name == 'push' || github.event_name == 'workflow_dispatch'",
    '${{ always() && !cancelled() }}',
    "contains(github.ref, 'main') && 'true'",
  ])('%s: nothing, though a step could not read all of it', async (condition) => {
    expect(await checked.ids(workflow('', JSON.stringify(condition)), true)).toEqual([])
  })

  test.each([true, false])('%s by itself is meant so', async (value) => {
    expect(await checked.ids(workflow('', String(value)), true)).toEqual([])
  })
})
