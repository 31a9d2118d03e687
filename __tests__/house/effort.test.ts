import { describe, expect, test } from '@jest/globals'
import { findNode24 } from '../../scripts/node24.js'
import { type Effort, readEffort, scaled } from '../support/effort.ts'

describe('HOOKLINE_TEST_EFFORT', () => {
  test.each<[string | undefined, Effort]>([
    [undefined, 'small'],
    ['', 'small'],
    ['small', 'small'],
    ['full', 'full'],
  ])('%j is %s', (value, expected) => {
    expect(readEffort(value)).toBe(expected)
  })

  test('of another word is an error, and no short soak', () => {
    expect(() => readEffort('ful')).toThrow('"ful": it must be "small" or "full"')
  })

  test.each<[number, number | undefined, Effort, number]>([
    [1000, undefined, 'full', 1000],
    [1000, undefined, 'small', 100],
    [1000, 30, 'small', 30],
    [3, undefined, 'small', 1],
    [3, 5, 'small', 3],
  ])('%j (small: %j) is, for a %s effort, %j', (full, small, effort, expected) => {
    expect(scaled(full, small, effort)).toBe(expected)
  })
})

describe('Node 24 is', () => {
  const here = process.execPath
  test.each([
    ['the cached one', undefined, '20.19.0', here, here],
    ['the running one, when new enough', '', '24.1.0', '/nowhere', '/running'],
    ['the running one from 22.13 on', undefined, '22.13.0', '/nowhere', '/running'],
    ['none, when only an older one is there', undefined, '22.12.0', '/nowhere', null],
  ])('%s', (_, named, version, cached, expected) => {
    expect(findNode24(named ?? '', { path: '/running', version }, cached)).toBe(expected)
  })

  test('the named one, and an error when that does not start', () => {
    expect(() => findNode24('/nowhere/node')).toThrow('ENOENT')
  })
})
