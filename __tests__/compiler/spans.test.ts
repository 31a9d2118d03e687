import { expect, test } from '@jest/globals'
import { isScalar, parseDocument, Scalar, stringify } from 'yaml'
import { ScalarText } from '../../src/workflow/spans.ts'
import { fc } from '../support/properties.ts'

const STYLES = [
  Scalar.PLAIN,
  Scalar.QUOTE_SINGLE,
  Scalar.QUOTE_DOUBLE,
  Scalar.BLOCK_LITERAL,
  Scalar.BLOCK_FOLDED,
] as const

const words = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        '  ',
        '\n',
        '\n\n',
        "'",
        '"',
        '\\',
        '#',
        ': ',
        '- ',
        '\t',
        '🎉',
        '\u00a0',
        '{',
        '}}',
      ),
      fc.stringMatching(/^[a-z]{1,12}$/),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

test.each(STYLES)('every visible character of a value is found in its %s scalar', (type) => {
  fc.assert(
    fc.property(words, fc.integer({ min: 0, max: 4 }), (value, depth) => {
      const scalar = new Scalar(value)
      scalar.type = type
      let node: unknown = { key: scalar, after: 'x' }
      for (let at = 0; at < depth; at++) node = { nested: node }
      const text = stringify(node, { lineWidth: 30 })
      const found = parseDocument(text).getIn([...Array(depth).fill('nested'), 'key'], true)
      if (!isScalar(found) || found.value !== value) return
      expect(misplaced(text, new ScalarText(text, found))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('an escape is found as a whole', () => {
  const text = 'a: "x\\u0079\\U0001F389\\x7a\\"\\\n  end"'
  const found = parseDocument(text).get('a', true)
  if (!isScalar(found)) throw new Error('no scalar')
  const written = new ScalarText(text, found)
  const at = (part: string) => {
    const start = written.value.indexOf(part)
    const { start: from, end } = written.span(start, start + part.length)
    return text.slice(from, end)
  }
  expect(['x', 'y', '🎉', 'z', '"', 'end'].map(at)).toEqual([
    'x',
    '\\u0079',
    '\\U0001F389',
    '\\x7a',
    '\\"',
    'end',
  ])
})

/** The characters of the value whose mapped position contains another character. */
function misplaced(text: string, written: ScalarText): string[] {
  return [...Array(written.value.length).keys()].flatMap((at) => {
    const char = written.value[at] ?? ''
    if (/[\s\u0085]/.test(char)) return []
    const { start, end } = written.span(at, at + 1)
    const there = text.slice(start, end)
    const isItself = there === char || there === "''" || there.startsWith('\\')
    return isItself ? [] : [`${char} at ${at} is ${there}`]
  })
}
