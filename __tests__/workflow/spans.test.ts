import { describe, expect, test } from '@jest/globals'
import { isScalar, parseDocument, type Scalar } from 'yaml'
import {
  applyEdits,
  columnOf,
  dedent,
  indent,
  linesOf,
  placeBefore,
  ScalarText,
  singleQuoted,
  trimmedEnd,
} from '../../src/workflow/spans.ts'

describe('edits', () => {
  const edits = [
    { start: 6, end: 8, text: 'Z' },
    { start: 2, end: 4, text: 'xyz' },
    { start: 2, end: 2, text: 'a' },
    { start: 2, end: 2, text: 'b' },
    { start: 10, end: 10, text: '!' },
  ]

  test('are applied in order, insertions before a replacement', () => {
    expect(applyEdits('0123456789', edits)).toBe('01abxyz45Z89!')
    expect(applyEdits('', [])).toBe('')
    expect(
      applyEdits('ab', [
        { start: 0, end: 1, text: '' },
        { start: 1, end: 2, text: '' },
      ]),
    ).toBe('')
  })

  test('do not overlap', () => {
    const overlapping = [
      { start: 0, end: 2, text: '' },
      { start: 1, end: 3, text: '' },
    ]
    expect(() => applyEdits('abcd', overlapping)).toThrow(new RangeError('edits overlap'))
  })

  test('map each offset back', () => {
    const places = Array.from('01abxyz45Z89!|', (_, at) => placeBefore(edits, at))
    expect(places).toEqual([0, 1, 2, 2, 2, 2, 2, 4, 5, 6, 8, 9, 10, 10])
    expect(placeBefore([], 5)).toBe(5)
  })
})

test.each([
  ['a line', 'a\nbc\nd\n', 2, 4, 'bc\n'],
  ['a line with its break', 'a\nbc\nd\n', 2, 5, 'bc\n'],
  ['two lines', 'a\nbc\nd\n', 3, 6, 'bc\nd\n'],
  ['empty lines at its end', 'a\n\n\nb\n', 0, 4, 'a\n'],
  ['nothing of a line', 'a\nbc\n', 2, 2, 'bc\n'],
  ['an empty line', 'a\n\nb\n', 2, 2, '\n'],
  ['the last line without a break', 'a\nbc', 3, 4, 'bc'],
  ['the first line', 'ab', 0, 1, 'ab'],
])('the whole lines of %s', (_, text, start, end, lines) => {
  const span = linesOf(text, start, end)
  expect(text.slice(span.start, span.end)).toBe(lines)
})

test('columns count from 0, and ends leave white space out', () => {
  expect([0, 1, 2, 3, 4].map((at) => columnOf('ab\ncd', at))).toEqual([0, 1, 2, 0, 1])
  expect(trimmedEnd('a b \n c', 0, 6)).toBe(3)
  expect(trimmedEnd('a  ', 1, 3)).toBe(1)
})

test('lines are indented and dedented, except empty ones', () => {
  expect(indent(['a', '', ' ', ' b'], 2)).toEqual(['  a', '', '', '   b'])
  expect(dedent(['    a', '  b', 'c', '', '   '], 3)).toEqual([' a', 'b', 'c', '', ''])
  expect(singleQuoted("it's 'a'")).toBe("'it''s ''a'''")
})

describe('the written form of each character of a value', () => {
  const written = (text: string) => {
    const scalar = (parseDocument(text).get('a', true) ?? {}) as Scalar
    if (!isScalar(scalar)) throw new Error('no scalar')
    const of = new ScalarText(text, scalar)
    return [...Array.from({ length: of.value.length }).keys()].map((at) => {
      const { start, end } = of.span(at, at + 1)
      return text.slice(start, end)
    })
  }
  test.each([
    ['plain', 'a: bc # d\n', ['b', 'c']],
    ['single quotes', "a: 'b''c'\n", ['b', "''", 'c']],
    ['double quotes', 'a: "b\\"c\\\\d"\n', ['b', '\\"', 'c', '\\\\', 'd']],
    ['codes', 'a: "\\x41\\u0042\\U00000043"\n', ['\\x41', '\\u0042', '\\U00000043']],
    ['a code of two units', 'a: "\\U0001F600x"\n', ['\\U0001F600', '\\U0001F600', 'x']],
    ['the last code of one unit', 'a: "\\U0000FFFFx"\n', ['\\U0000FFFF', 'x']],
    ['a folded line', 'a: b\n  c\n', ['b', '\n', 'c']],
    ['a literal block', 'a: |\n  b\n   c\n', ['b', '\n', ' ', 'c', '\n']],
    ['a folded block', 'a: >-\n  b\n  c\n\n  d\n', ['b', '\n', 'c', '\n', 'd']],
    ['a folded line in double quotes', 'a: "b\n  c"\n', ['b', '\n', 'c']],
    ['an escaped line break', 'a: "b\\\n  c"\n', ['b', 'c']],
    ['white space by its escapes', 'a: "b\\tc\\n"\n', ['b', '\\t', 'c', '\\n']],
    ['a tab by its code', 'a: "b\\x09c"\n', ['b', '\\x09', 'c']],
    ['other escapes', 'a: "\\e\\/b"\n', ['\\e', '\\/', 'b']],
  ])('%s', (_, text, units) => {
    expect(written(text)).toEqual(units)
  })

  test('a part that the value does not have is a bug', () => {
    const scalar = parseDocument('a: bc').get('a', true) as Scalar
    const of = new ScalarText('a: bc', scalar)
    expect(of.span(0, 2)).toEqual({ start: 3, end: 5 })
    for (const [start, end] of [
      [0, 3],
      [2, 3],
      [0, 0],
    ] as const) {
      expect(() => of.span(start, end)).toThrow(new RangeError('no such characters in the scalar'))
    }
  })
})
