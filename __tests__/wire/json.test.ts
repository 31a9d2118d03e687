import { inspect } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { isDeeperThan, parseJson } from '../../src/wire/json.ts'
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

test('a Secret prints as stars wherever it is printed', () => {
  const secret = new Secret('ghp_0123456789abcdefghij')
  const printed = [`${secret}`, JSON.stringify({ secret }), inspect(secret), inspect([{ secret }])]
  for (const text of printed) {
    expect(text).toContain('***')
    expect(text).not.toContain('ghp_')
  }
  expect(secret.reveal()).toBe('ghp_0123456789abcdefghij')
})
