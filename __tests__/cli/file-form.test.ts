import { expect, test } from '@jest/globals'
import { inFormOf } from '../../src/cli/file-form.ts'
import { withUnixLines } from '../../src/workflow/source-text.ts'
import { fc } from '../support/properties.ts'

test.each([
  ['CRLF', 'a\r\nb\r\n', 'a\nc\nb\n', 'a\r\nc\r\nb\r\n'],
  ['CRLF without a last line break', 'a\r\nb', 'a\nb\nc\n', 'a\r\nb\r\nc'],
  ['LF without a last line break', 'a\nb', 'a\nc\n', 'a\nc'],
  ['a last line break that the change lacks', 'a\nb\n', 'a\nc', 'a\nc\n'],
  ['a byte order mark', '\uFEFFa\r\nb\r\n', 'b\n', '\uFEFFb\r\n'],
  ['a carriage return alone', 'a\rb\r', 'a\nc\nb\n', 'a\rc\rb\r'],
  ['mixed line breaks', 'a\r\nb\nc\r\n', 'a\nx\nb\ny\nc\n', 'a\r\nx\r\nb\ny\nc\r\n'],
  ['one line', 'a', 'b\n', 'b'],
  ['nothing', '', 'a\nb\n', 'a\nb\n'],
])('%s stays', (_, original, text, expected) => {
  expect(inFormOf(original, text)).toBe(expected)
})

test('a text without a change stays byte by byte', () => {
  const part = fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '\r', '', 'a: |\n')
  fc.assert(
    fc.property(fc.array(part), fc.boolean(), (parts, hasMark) => {
      const original = (hasMark ? '\uFEFF' : '') + parts.join('')
      expect(inFormOf(original, withUnixLines(original))).toBe(original)
    }),
    { numRuns: 1000 },
  )
})
