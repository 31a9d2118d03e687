import { expect, test } from '@jest/globals'
import { inputsList, outputsList } from '../../scripts/docs/action.js'
import { fillIn } from '../../scripts/docs/markers.js'
import { table } from '../../scripts/docs/table.js'

const action = {
  inputs: {
    on: { description: 'The section.\nInline.\n', default: '' },
    workflow: { description: 'One a|b.', default: '*.yml' },
  },
  outputs: { count: { description: 'How many.' } },
}

test('a line for each input and output, whatever breaks their words have', () => {
  expect(inputsList(action)).toBe(
    ['- `on`: The section. Inline.', '- `workflow` (`*.yml`): One a|b.'].join('\n'),
  )
  expect(outputsList(action)).toBe('- `count`: How many.')
})

test('tables escape what would break them', () => {
  expect(table(['a', 'b'], [['One a|b.', 'The section.\nInline.\n']])).toBe(
    ['| a | b |', '| --- | --- |', '| One a\\|b. | The section.<br>Inline. |'].join('\n'),
  )
})

test('a part goes between its markers, again and again', () => {
  const empty = 'before <!-- a:start --><!-- a:end --> after'
  const filled = fillIn(empty, { a: 'one' })
  expect(filled).toBe('before <!-- a:start -->\n\none\n\n<!-- a:end --> after')
  expect(fillIn(filled, { a: 'one' })).toBe(filled)
  expect(fillIn(filled, { a: 'two' })).toContain('\n\ntwo\n\n')
})

test.each(['', '<!-- a:start -->', '<!-- a:end --><!-- a:start -->'])(
  'no place in "%s"',
  (text) => {
    expect(() => fillIn(text, { a: 'one' })).toThrow('no place for "a"')
  },
)
