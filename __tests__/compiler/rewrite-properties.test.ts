import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { scaled } from '../support/effort.ts'
import { evaluate } from './support/evaluate.ts'
import { rewritten } from './support/rewritten.ts'

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

describe('R43: any expression', () => {
  test('without the context on stays as it is, to the byte', () => {
    fc.assert(
      fc.property(expressions(fc.oneof(literal, other)), (expression) => {
        expect(rewritten(expression)).toBe(expression)
      }),
      { numRuns: scaled(1000) },
    )
  })

  test('with it has the same value afterwards', () => {
    fc.assert(
      fc.property(expressions(fc.oneof(literal, other, ours)), (expression) => {
        const meant = evaluate(expression, { ...OTHERS, on: ON })
        const inputs = { ...OTHERS.inputs, on: JSON.stringify(ON) }
        expect(evaluate(rewritten(expression), { ...OTHERS, inputs })).toEqual(meant)
      }),
      { numRuns: scaled(1000) },
    )
  })
})

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
