import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import * as v from 'valibot'
import { pathPattern } from '../../src/triggers/path-pattern.ts'

function compile(text: string) {
  return v.parse(pathPattern, text)
}

function mistake(text: unknown): string | undefined {
  const result = v.safeParse(pathPattern, text)
  return result.success ? undefined : result.issues[0].message
}

describe('a pattern that is refused', () => {
  test.each([
    ['/:', 'missing parameter name at index 2'],
    ['/:a/:', 'missing parameter name at index 5'],
    ['/*', 'missing parameter name at index 2'],
    ['/(a)', 'unexpected ( at index 1'],
    ['/a?', 'unexpected ? at index 2'],
    ['/a+', 'unexpected + at index 2'],
    ['/a{b', 'unexpected end at index 4, expected }'],
    ['/:a:b', 'missing text before "b" param'],
    [`/${'a'.repeat(512)}`, 'has more than 512 characters'],
    [':a/'.repeat(9), 'more than 8 parameters'],
    ['/*a/'.repeat(9), 'more than 8 parameters'],
    ['{a}'.repeat(9), 'more than 8 optional parts'],
    ['{'.repeat(9) + '}'.repeat(9), 'more than 8 optional parts'],
  ])('%s', (text, message) => {
    expect(mistake(text)).toContain(message)
  })
})

test('any text is a pattern or a mistake in one line, without a hang', () => {
  const unit = fc.oneof(fc.constantFrom(...'/:*{}\\"ab-.()?+[]!'), fc.string({ maxLength: 1 }))
  const property = fc.property(fc.string({ unit, maxLength: 600 }), fc.webPath(), (text, path) => {
    const message = mistake(text)
    if (message === undefined) compile(text).match(path)
    else expect(message).not.toMatch(/\n|visit /)
  })
  fc.assert(property, { numRuns: 1000 })
})

describe('R36: the most that a pattern may hold, on hostile paths of 60 KB', () => {
  const patterns = [
    '/:a-:b-:c-:d-:e-:f-:g-:h',
    '/*a/*b/*c/*d/*e/*f/*g/*h',
    '/*a-*b-*c-*d-*e-*f',
    '/*a-:b-:c-*d/x',
    '{/:a}{/:b}{/:c}{/:d}{/:e}{/:f}{/:g}{/:h}',
    '/:a{-:b}{-:c}{-:d}{-:e}{-:f}{-:g}{-:h}/x',
    '/*a/x{/*b/y}{/*c/z}',
    '{a}{a}{a}{a}{a}{a}{a}{a}b',
    `/:a${'-'.repeat(500)}`,
  ]
  const units = ['-', 'a-', '/', 'a/', '/x', '%', 'a', 'aa-', '/-', '%2F', '\u0000']

  test.each(patterns)('%s', (pattern) => {
    const compiled = compile(pattern)
    for (const unit of units) {
      for (const end of ['', '!', '/x', '\n']) {
        const path = `/${unit.repeat(60_000 / unit.length)}${end}`
        const started = performance.now()
        compiled.match(path)
        expect(performance.now() - started).toBeLessThan(3000)
      }
    }
  })
})

test('a malformed escape in a path never throws', () => {
  const pattern = compile('/:a/*rest')
  const unit = fc.constantFrom('%', '%2', '%zz', '%E2%82', '%ff', '%00', 'a', '/')
  const property = fc.property(fc.string({ unit }), (path) => {
    expect(() => pattern.match(`/${path}`)).not.toThrow()
  })
  fc.assert(property, { numRuns: 1000 })
})
