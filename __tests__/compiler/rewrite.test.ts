import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { applyEdits } from '../../src/compiler/edits.ts'
import { rewriteExpressions } from '../../src/compiler/rewrite.ts'
import { compileText, sourceFile, withStep } from './support/compiled.ts'
import { evaluate } from './support/evaluate.ts'

const ON = {
  webhook: {
    outcome: 'success',
    conclusion: 'success',
    outputs: {
      method: 'post',
      headers: { 'x-mixed': 'a', host: 'h' },
      query: { on: '1', tag: ['a', 'b'] },
      querystring: 'on=1',
      search: '?on=1',
      body: { on: true, title: "it's", list: [{ id: 1 }, { id: 2 }], deep: { on: { x: 'y' } } },
      params: { userId: '42' },
    },
  },
}

const OTHERS = { github: { on: 'github', event: { on: { x: 1 } } }, inputs: { a: 'b' } }

describe('rewrites', () => {
  test.each([
    ['on.webhook.outputs.body', 'fromJSON(inputs.on).webhook.outputs.body'],
    ["on['webhook'].outputs", "fromJSON(inputs.on)['webhook'].outputs"],
    ['ON.Webhook.outputs.Body', 'fromJSON(inputs.on).Webhook.outputs.Body'],
    ['toJson(on)', 'toJson(fromJSON(inputs.on))'],
    ['on.*.outcome', 'fromJSON(inputs.on).*.outcome'],
    ['!on.webhook.outputs.body', '!fromJSON(inputs.on).webhook.outputs.body'],
    ['(on).webhook', '(fromJSON(inputs.on)).webhook'],
    ['github.event.on', 'github.event.on'],
    ["github['on']", "github['on']"],
    ["'on.webhook.outputs'", "'on.webhook.outputs'"],
    [
      "format('on {0} it''s on', on.webhook.outputs.method)",
      "format('on {0} it''s on', fromJSON(inputs.on).webhook.outputs.method)",
    ],
    ['matrix.on && needs.on.outputs.on', 'matrix.on && needs.on.outputs.on'],
    ['inputs.on-push || one || on-x', 'inputs.on-push || one || on-x'],
    ["'a\nb' == on.webhook.outputs.method", "'a\nb' == fromJSON(inputs.on).webhook.outputs.method"],
  ])('%s', (expression, expected) => {
    expect(rewritten(expression)).toBe(expected)
  })

  test('a whole condition as well as what stands in braces, and keys not at all', async () => {
    const { jobs } = await compileText(`on: webhook
jobs:
  on:
    if: on.webhook.outputs.body
    runs-on: ubuntu-latest
    env:
      on: \${{ on.webhook.outcome }} on.webhook
    steps:
      - if: on.webhook.outputs.method == 'post' # on.webhook
        run: on
`)
    expect(jobs).toContain('  on:\n    if: fromJSON(inputs.on).webhook.outputs.body\n')
    expect(jobs).toContain('      on: ${{ fromJSON(inputs.on).webhook.outcome }} on.webhook\n')
    expect(jobs).toContain(
      "- if: fromJSON(inputs.on).webhook.outputs.method == 'post' # on.webhook\n        run: on\n",
    )
  })
})

const space = fc.constantFrom('', ' ', '  ', '\t', '\n')

const literal = fc.oneof(
  fc.constantFrom(
    '1',
    '-2.5',
    '0x1f',
    'true',
    'null',
    "''",
    "'on'",
    "'on.webhook'",
    "'it''s on'",
    "'}'",
  ),
  fc.stringMatching(/^[ a-z.[\]{}()$]*$/).map((text) => `'${text}'`),
)

const other = fc.constantFrom(
  'github',
  'github.on',
  'github.event.on.x',
  "github['on']",
  'inputs.a',
  'github.event.on-x',
)

const ours = fc.constantFrom(
  'on',
  'on.webhook.outputs.method',
  "on['webhook'].outputs.body.title",
  'ON.webhook.Outputs.body.on',
  'on.webhook.outputs.body.deep.on.x',
  'on.webhook.outputs.body.list.*.id',
  "on.webhook.outputs['headers']['x-mixed']",
  'on.webhook.outputs.body.list[1].id',
  'on.*.outcome',
  'on.webhook.outputs[inputs.a]',
)

describe('any expression', () => {
  test('without the context on stays as it is, to the byte', () => {
    fc.assert(
      fc.property(expressions(fc.oneof(literal, other)), (expression) => {
        expect(rewritten(expression)).toBe(expression)
      }),
      { numRuns: 1000 },
    )
  })

  test('with it has the same value afterwards', () => {
    fc.assert(
      fc.property(expressions(fc.oneof(literal, other, ours)), (expression) => {
        const meant = evaluate(expression, { ...OTHERS, on: ON })
        const inputs = { ...OTHERS.inputs, on: JSON.stringify(ON) }
        expect(evaluate(rewritten(expression), { ...OTHERS, inputs })).toEqual(meant)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('refuses, at its place,', () => {
  test.each([
    ['an unknown trigger', 'on.webhok.outputs.body', '"on" has no trigger "webhok"', 'webhok'],
    ['a trigger that is not declared', 'on.slack.outputs', '"on" has no trigger "slack"', 'slack'],
    [
      'an output that the trigger does not have',
      "on.webhook.outputs['boddy']",
      'trigger "webhook" has no output "boddy"',
      "'boddy'",
    ],
    ['a field beside the outputs', 'on.webhook.body', '"on.webhook" has no "body"', 'body'],
    [
      'what does not parse',
      'on.webhook.outputs.body ==',
      'expression: Unexpected end of expression',
      '==',
    ],
    [
      'what has no tokens',
      'on.webhook.outputs.body == "x"',
      'expression: Unexpected symbol',
      '"x"',
    ],
  ])('%s', async (_, expression, message, found) => {
    const text = withStep(`      - if: \${{ ${expression} }}\n        run: x`)
    const failed = compileText(text)
    await expect(failed).rejects.toThrow(message)
    const { problems } = await failed.catch((error) => error)
    const { line, column } = problems[0].position
    expect(text.split('\n')[line - 1]?.slice(column - 1)).toMatch(
      new RegExp(`^${found.replace(/[=]/g, '\\$&')}`),
    )
  })

  test.each([
    ['run-name: ${{ on.webhook.outputs.body }}\n', '"run-name"'],
    ['name: ${{ on.webhook.outputs.body }}\n', '"name"'],
    ['permissions:\n  contents: ${{ on.webhook.outputs.body }}\n', '"permissions.contents"'],
    ['defaults:\n  run:\n    shell: ${{ on.webhook.outputs.body }}\n', '"defaults.run.shell"'],
  ])('a place that has no context on: %j', async (head, place) => {
    const failed = compileText(`${head}${withStep('      - run: x')}`)
    await expect(failed).rejects.toThrow(`the context "on" is not available in ${place}`)
  })

  test.each([
    ['webhook:\n    path: ${{ on.webhook.outputs.body }}', "Unrecognized named-value: 'on'"],
    [
      'webhook:\n  push:\n    tags: ["${{ on.webhook.outputs.x }}"]',
      'not available in "on:" itself',
    ],
    ['webhook:\n    path: ${{ secrets[github.actor] }}', '"secrets" is read here without a name'],
    ['webhook:\n    path: ${{ toJSON(vars) }}', '"vars" is read here without a name'],
    ['webhook:\n    path: ${{ needs.x }}', 'named-value'],
    ['webhook:\n    metod: post', 'unknown option "metod"'],
    ['webhok:', 'unknown trigger "webhok"'],
  ])('in the section itself: %j', async (on, message) => {
    await expect(compileText(withStep('      - run: x', `\n  ${on}`)).then(String)).rejects.toThrow(
      message,
    )
  })

  test('an alias whose anchor will stand in another file', async () => {
    const text =
      'on:\n  webhook:\n    path: &path /a\njobs:\n  a: {runs-on: x, steps: [{run: *path}]}\n'
    await expect(compileText(text)).rejects.toThrow('come to stand in two files')
  })

  test('an input that is named on', async () => {
    const text = withStep(
      '      - run: x',
      '\n  webhook:\n  workflow_dispatch:\n    inputs:\n      On: {}',
    )
    await expect(compileText(text)).rejects.toThrow('cannot be named "on"')
  })
})

function rewritten(expression: string): string {
  const text = withStep(`      - run: x\n        if: ${JSON.stringify(`\${{${expression}}}`)}`)
  const file = sourceFile(text)
  const { edits, problems } = rewriteExpressions(file)
  expect(problems).toEqual([])
  const value: string = JSON.parse(/if: (".*")/.exec(applyEdits(text, edits))?.[1] ?? '""')
  return value.slice('${{'.length, -'}}'.length)
}

function expressions(leaf: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc
        .tuple(tie('tree'), space, fc.constantFrom('==', '!=', '<', '&&', '||'), space, tie('tree'))
        .map((parts) => parts.join(' ')),
      fc.tuple(space, tie('tree')).map(([gap, inner]) => `(${gap}${inner}${gap})`),
      tie('tree').map((inner) => `!${inner}`),
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `format('{0} on {1}', ${a},${b})`),
      fc
        .tuple(fc.constantFrom('toJSON', 'toJson', 'TOJSON'), tie('tree'))
        .map(([name, a]) => `${name}(${a})`),
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `contains(${a}, ${b})`),
    ),
  }))
  return tree
}
