import { expect, test } from '@jest/globals'
import { inputsBlock, outputsList } from '../../scripts/docs/action.js'
import { fillIn } from '../../scripts/docs/markers.js'
import { table } from '../../scripts/docs/table.js'

const action = {
  inputs: {
    on: { description: 'The section.\nInline.\n', default: '', required: true },
    workflow: { description: `One a|b. ${'word '.repeat(20).trim()}`, default: '*.yml' },
    state: { description: 'A store.', default: 'none' },
  },
  outputs: { count: { description: 'How many.' } },
}

test('a step with a comment for each input, and a line for each output', () => {
  const step = { uses: 'octo/action@v1', values: { on: 'webhook' } }
  expect(inputsBlock(action, step)).toBe(`\`\`\`yaml
jobs:
  hook:
    runs-on: ubuntu-latest
    steps:
      - uses: octo/action@v1
        with:
          # The section. Inline.
          # Required.
          on: webhook

          # One a|b. ${'word '.repeat(16).trim()}
          # ${'word '.repeat(4).trim()}
          workflow: '*.yml'

          # A store.
          state: none
\`\`\``)
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
