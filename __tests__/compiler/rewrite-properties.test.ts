import { describe, expect, test } from '@jest/globals'
import { fc } from '../support/properties.ts'
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

const read = fc.constantFrom(
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

/** Not used in comparisons with objects, because GitHub compares objects by instance. */
const context = fc.constant('on')

describe('any expression', () => {
  test('without the context on stays as it is, to the byte', () => {
    fc.assert(
      fc.property(expressions(literal, other), (expression) => {
        expect(rewritten(expression)).toBe(expression)
      }),
      { numRuns: 1000 },
    )
  })

  test('with it has the same value afterwards', () => {
    fc.assert(
      fc.property(expressions(fc.oneof(literal, other, read), context), (expression) => {
        expect(compiledValue(expression)).toEqual(evaluate(expression, { ...OTHERS, on: ON }))
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['on == on', 'contains(github == github, on == (on))'])(
    'reads an instance of its own at each place: %s is false, by toJSON it is true',
    (expression) => {
      expect(compiledValue(expression)).toBe(false)
      expect(
        compiledValue(expression.replace(/\bon == \(?on\)?/, 'toJSON(on) == toJSON(on)')),
      ).toBe(true)
    },
  )
})

function compiledValue(expression: string): unknown {
  const inputs = { ...OTHERS.inputs, on: JSON.stringify(ON) }
  return evaluate(rewritten(expression), { ...OTHERS, inputs })
}

/**
 * @param whole leaves that are on one side of a comparison only, because GitHub compares objects by
 * instance
 */
function expressions(leaf: fc.Arbitrary<string>, whole = leaf): fc.Arbitrary<string> {
  const { tree } = fc.letrec<{ tree: string; part: string }>((tie) => {
    const operators = (left: 'tree' | 'part', names: string[], right: 'tree' | 'part') =>
      fc
        .tuple(tie(left), space, fc.constantFrom(...names), space, tie(right))
        .map((parts) => parts.join(' '))
    const grouped = (inner: 'tree' | 'part') =>
      fc.tuple(space, tie(inner)).map(([gap, text]) => `(${gap}${text}${gap})`)
    const negated = (inner: 'tree' | 'part') => tie(inner).map((text) => `!${text}`)
    const computed = [
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `format('{0} on {1}', ${a},${b})`),
      fc
        .tuple(fc.constantFrom('toJSON', 'toJson', 'TOJSON'), tie('tree'))
        .map(([name, a]) => `${name}(${a})`),
      fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `contains(${a}, ${b})`),
    ]
    const shrinking = { depthSize: 'small', withCrossShrink: true } as const
    return {
      part: fc.oneof(
        shrinking,
        leaf,
        operators('part', ['==', '!=', '<', '&&', '||'], 'part'),
        grouped('part'),
        negated('part'),
        ...computed,
      ),
      tree: fc.oneof(
        shrinking,
        fc.oneof(leaf, whole),
        operators('tree', ['&&', '||'], 'tree'),
        operators('tree', ['==', '!=', '<'], 'part'),
        operators('part', ['==', '!=', '<'], 'tree'),
        grouped('tree'),
        negated('tree'),
        ...computed,
      ),
    }
  })
  return tree
}
