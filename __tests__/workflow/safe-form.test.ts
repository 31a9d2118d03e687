import { expect, test } from '@jest/globals'
import { accessors, type EventSource, inBraces, safeForm } from '../../src/workflow/safe-form.ts'

const PATH = ['webhook', 'outputs', 'body', 'two words', "it's", 0, 'a-b_1', '1a', '']
const NAMES = `.webhook.outputs.body['two words']['it''s'][0].a-b_1['1a']['']`

test.each<[EventSource, string]>([
  [{ kind: 'source' }, `on${NAMES}`],
  [{ kind: 'matrix', key: 'on' }, `matrix.on${NAMES}`],
  [{ kind: 'matrix', key: 'one item' }, `matrix['one item']${NAMES}`],
  [{ kind: 'on', output: 'steps.a.outputs.on' }, `fromJSON(steps.a.outputs.on || '{}')${NAMES}`],
  [
    { kind: 'items', output: 'steps.a.outputs.items', item: 2 },
    `fromJSON(steps.a.outputs.items || '[]')[2]${NAMES}`,
  ],
])('%j', (source, expression) => {
  expect(safeForm(source, PATH)).toBe(expression)
})

test('an expression stands in braces', () => {
  expect(inBraces(`on${accessors([])}`)).toBe('$' + '{{ on }}')
})
