import { expect, test } from '@jest/globals'
import { filterMatcher, isExcluding } from '../../src/inspector/filter.ts'

test.each<[string, string, boolean]>([
  ['', '', true],
  ['a b', 'B and A', true],
  ['A', 'a', true],
  ['a b', 'a', false],
  ['"a b"', 'a b', true],
  ['"a b"', 'b a', false],
  ['"a b', 'x a bx', true],
  ['"a b', 'a c b', false],
  ['"a"b', 'b a', true],
  ['"a"b', 'a', false],
  ['-a', 'b', true],
  ['-a', 'a', false],
  ['-a b', 'b', true],
  ['-a b', 'a b', false],
  ['-"a b"', 'b a', true],
  ['-"a b"', 'a b', false],
  ['a-b', 'a-b', true],
  ['a-b', 'a', false],
  ['--a', 'a', true],
  ['--a', '-a', false],
  // An unfinished word filters nothing.
  ['-', 'a', true],
  ['--', 'a-b', true],
  ['"', 'a', true],
  ['""', 'a', true],
  ['-"', 'a', true],
  ['-""', 'a', true],
])('the filter %j, for the text %j: %j', (filter, text, isMatch) => {
  expect(filterMatcher(filter)(text)).toBe(isMatch)
})

test.each([
  ['-a', true],
  ['a -b', true],
  ['a\t-"b c"', true],
  ['a', false],
  ['-', false],
  ['a -', false],
  ['- a', false],
  ['a-b', false],
])('the filter %j excludes words: %j', (filter, isIt) => {
  expect(isExcluding(filter)).toBe(isIt)
})
