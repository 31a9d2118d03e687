import { inspect } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import {
  isDeeperThan,
  parseJson,
  scalarText,
  tryParseJson,
  typeName,
  valueAt,
  without,
} from '../../src/wire/json.ts'
import { Secret } from '../../src/wire/secret.ts'
import { fc } from '../support/properties.ts'

describe('parseJson', () => {
  test.each([
    ['123456789012345', 123456789012345],
    ['1234567890123456', '1234567890123456'],
    ['-1234567890123456', '-1234567890123456'],
    ['0.1234567890123456789', 0.12345678901234568],
    ['1e400', '1e400'],
    ['1e21', 1e21],
    ['"1234567890123456"', '1234567890123456'],
    ['{"a":1,"a":{"b":12345678901234567}}', { a: { b: '12345678901234567' } }],
    ['[1e400, -1E+999 ,0.5e-400,1e3]', ['1e400', '-1E+999', 0, 1000]],
    ['["12345678901234567", 12345678901234567]', ['12345678901234567', '12345678901234567']],
    ['["a\\\\", "\\"12345678901234567", 7]', ['a\\', '"12345678901234567', 7]],
    ['{"1234567890123456": 1234567890123456}', { 1234567890123456: '1234567890123456' }],
    ['{"a":1234567890123456}', { a: '1234567890123456' }],
    ['{"a":-1234567890123456}', { a: '-1234567890123456' }],
    ['[1234567890123456]', ['1234567890123456']],
    ['[1,1234567890123456]', [1, '1234567890123456']],
    ['[\n1234567890123456]', ['1234567890123456']],
    ['[1.5E+400,-1e-400]', ['1.5E+400', -0]],
    ['[1.50,1234567890123456.0]', [1.5, 1234567890123456]],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  test('equals JSON.parse for any JSON without such numbers', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}|\d[eE]/.test(text))
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 200 },
    )
  })

  test('refuses what JSON.parse refuses, and nothing else', () => {
    const long = '12345678901234567'
    const part = fc.constantFrom(
      ...'{}[],:"\\-+.eE0 '.split(''),
      long,
      `-${long}`,
      '1e999',
      '"a"',
      '1',
    )
    const isJson = (parse: (text: string) => unknown, text: string) => {
      try {
        parse(text)
        return true
      } catch {
        return false
      }
    }
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (one) => {
        expect([one, isJson(parseJson, one)]).toEqual([one, isJson(JSON.parse, one)])
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    '',
    'hunter2',
    '{"hunter2": hunter2}',
    '[1,]',
    '"\n"',
    '{1234567890123456: 1}',
    '[01234567890123456]',
  ])('refuses %j without showing it', (text) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError('not JSON'))
  })

  test('refuses 501 levels and more, and takes 500', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expect(() => parseJson(nested(500))).not.toThrow()
    for (const levels of [501, 5000, 60_000, 1_000_000]) {
      const message = 'JSON nested deeper than 500 levels'
      expect(() => parseJson(nested(levels))).toThrow(new SyntaxError(message))
      expect(() => parseJson('{"a":'.repeat(levels))).toThrow(new SyntaxError(message))
    }
  })

  test('keeps each of 12,000 long integers, and the digits of 100,000 numbers', () => {
    const integers = Array.from({ length: 12_000 }, (_, at) => `${10n ** 16n + BigInt(at)}`)
    expect(parseJson(`[${integers}]`)).toEqual(integers)
    const digits = new Map<number, string>()
    const numbers = Array.from({ length: 100_001 }, (_, at) => `${at}.5e-9`)
    parseJson(`[${numbers}]`, digits)
    expect(digits.size).toBe(100_000)
  })

  test.each([
    ['[[]]', 1, true],
    ['[[]]', 2, false],
    ['[],[],[]', 1, false],
    ['"[[[["', 0, false],
    ['"\\"[[["', 0, false],
    ['["[", "{"]', 1, false],
    ['"unclosed [[', 0, false],
  ])('%s is deeper than %d: %s', (text, limit, deeper) => {
    expect(isDeeperThan(text, limit)).toBe(deeper)
  })
})

test.each([
  [undefined, 'missing', ''],
  [null, 'null', ''],
  [[1], 'a list', ''],
  [{ a: 1 }, 'an object', ''],
  ['a', 'a string', 'a'],
  [0, 'a number', '0'],
  [false, 'a boolean', 'false'],
])('%j is %s, as text %j', (value, name, text) => {
  expect(typeName(value)).toBe(name)
  expect(scalarText(value)).toBe(text)
})

test('the value at names is an own one', () => {
  const value = { a: [{ b: 1 }, 2], c: 'text' }
  const found = (...names: string[]) => valueAt(value, names)
  expect([found(), found('a', '0', 'b'), found('a', '1'), found('c')]).toEqual([
    value,
    1,
    2,
    'text',
  ])
  const absent = [
    ['toString'],
    ['a', 'length'],
    ['a', '1x'],
    ['a', '+1'],
    ['a', '2'],
    ['a', '1', 'b'],
    ['c', '0'],
    ['d', 'e'],
  ]
  for (const names of absent) expect([names, found(...names)]).toEqual([names, undefined])
  expect(valueAt(null, ['a'])).toBeUndefined()
})

test('an object is copied without some keys', () => {
  const copy = without({ a: 1, b: 2, c: 3 }, ['a', 'c', 'd'])
  expect({ ...copy }).toEqual({ b: 2 })
})

test('a string is JSON, or nothing', () => {
  expect([tryParseJson('1'), tryParseJson('{')]).toEqual([1, undefined])
})

test('a Secret prints as stars wherever it is printed', () => {
  const secret = new Secret('ghp_0123456789abcdefghij')
  const printed = [`${secret}`, JSON.stringify({ secret }), inspect(secret), inspect([{ secret }])]
  for (const text of printed) {
    expect(text).toContain('***')
    expect(text).not.toContain('ghp_')
  }
  expect(secret.reveal()).toBe('ghp_0123456789abcdefghij')
})
