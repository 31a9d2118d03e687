import { expect, test } from '@jest/globals'
import { sameText } from '../../../src/wire/secret.ts'

test.each([
  ['a', 'a', true],
  ['', '', true],
  ['größe €😀', 'größe €😀', true],
  ['a', 'b', false],
  ['a', '', false],
  ['', 'a', false],
  ['a', 'a\0', false],
  ['a'.repeat(200), `${'a'.repeat(199)}b`, false],
  ['é', 'e\u0301', false],
])('%j and %j: %s', async (a, b, same) => {
  expect(await sameText(a, b)).toBe(same)
})
