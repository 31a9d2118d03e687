import { describe, expect, test } from '@jest/globals'
import * as v from 'valibot'
import { modernPattern, pathPattern } from '../../src/triggers/path-pattern.ts'
import { fc } from '../support/properties.ts'
import { anyPath } from '../support/text.ts'

function compile(text: string) {
  return v.parse(pathPattern, text)
}

const escaped = (text: string) => text.replaceAll(/[^\w/]/g, '\\$&')

function mistake(text: unknown): string | undefined {
  const result = v.safeParse(pathPattern, text)
  return result.success ? undefined : result.issues[0].message
}

describe('a pattern that is refused', () => {
  test.each([
    ['/:', 'missing parameter name at index 2'],
    ['/:a/:', 'missing parameter name at index 5'],
    ['/*', 'missing parameter name at index 2: today this is written /*rest'],
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
    const written =
      '(write :name for a part, *rest for all that follows, {/:name} for an optional part)'
    const isWhole = /characters|today/.test(message)
    expect(mistake(text)).toBe(isWhole ? message : `${message} ${written}`)
  })
})

describe('a pattern', () => {
  test.each<[string, string, string, object | undefined]>([
    ['a/:b', '/a/:b', '/a/x', { b: 'x' }],
    ['{/:a}/b', '{/:a}/b', '/b', {}],
    ['{{/:a}/b}', '{{/:a}/b}', '/x/b', { a: 'x' }],
    ['/a', '/a', '/A/', {}],
    ['/a', '/a', '/ab', undefined],
  ])('%s is %s', (text, pattern, path, params) => {
    const compiled = compile(text)
    expect(compiled.pattern).toBe(pattern)
    expect(compiled.match(path)).toEqual(params)
  })
})

test.each([`/${'a'.repeat(511)}`, '/*a'.repeat(8), '/:a'.repeat(8), '{/a}'.repeat(8)])(
  'the most that a pattern may have is taken: %s',
  (text) => {
    expect(mistake(text)).toBeUndefined()
  },
)

test('any text is a pattern or a mistake in one line, without a hang', () => {
  const unit = fc.oneof(fc.constantFrom(...'/:*{}\\"ab-.()?+[]!'), fc.string({ maxLength: 1 }))
  const property = fc.property(fc.string({ unit, maxLength: 600 }), anyPath, (text, path) => {
    const message = mistake(text)
    if (message === undefined) compile(text).match(path)
    else expect(message).not.toMatch(/\n|visit /)
  })
  fc.assert(property, { numRuns: 1000 })
})

describe('the most that a pattern may hold, on hostile paths of 60 KB', () => {
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

describe('letters beyond ASCII', () => {
  test.each<[string, string, object | undefined]>([
    ['/café', '/caf%C3%A9', {}],
    ['/café', '/caf%c3%a9', {}],
    ['/café', '/CAF%C3%89', {}],
    ['/café', '/café', {}],
    ['/caf%C3%A9', '/caf%C3%A9', {}],
    ['/caf%c3%a9', '/café', {}],
    ['/caf%C3%A9', '/cafe', undefined],
    ['/日本/:名', '/%E6%97%A5%E6%9C%AC/%E6%9D%B1%E4%BA%AC%20x', { 名: '東京 x' }],
    ['/😀/*rest', '/%F0%9F%98%80/a%2Fb/%C3%A9', { rest: ['a/b', 'é'] }],
    ['/:a%C3%A9', '/x%C3%A9', { a: 'x' }],
    ['/café/:a', '/caf%C3%A9/%zz', { a: '%zz' }],
    ['/café', '/caf%C3', undefined],
    ['/café', '/caf%A9%C3', undefined],
    ['/café', '/caf%C3%A9%ff', undefined],
    ['/a/b', '/a%2Fb', undefined],
    ['/:a/b', '/%E2%88%95/b', { a: '∕' }],
    ['/:a-:b', '/x%2Dy-%C3%A9', { a: 'x-y', b: 'é' }],
    ['/:a', '/%C0%AF', { a: '%C0%AF' }],
  ])('%s and the path %s', (pattern, path, params) => {
    expect(compile(pattern).match(path)).toEqual(params)
  })

  test.each([
    ['/café/:größe', '/caf%C3%A9/gr%C3%B6%C3%9Fe'],
    ['/caf%C3%A9', '/caf%C3%A9'],
    ['/\ud800', '/%EF%BF%BD'],
    ['/😀{/:a}/*b', '/%F0%9F%98%80/b'],
  ])('the example of %s is fit for a URL: %s', (pattern, example) => {
    expect(compile(pattern).example).toBe(example)
  })
})

test('a malformed escape in a path never throws', () => {
  const pattern = compile('/:a/*rest')
  const letters = compile('/é/:a')
  const unit = fc.constantFrom(
    '%',
    '%2',
    '%C3',
    '%A9',
    'é',
    '\ud800',
    '%zz',
    '%E2%82',
    '%ff',
    '%00',
    'a',
    '/',
  )
  const property = fc.property(fc.string({ unit }), (path) => {
    expect(() => pattern.match(`/${path}`)).not.toThrow()
    expect(() => letters.match(`/${path}`)).not.toThrow()
  })
  fc.assert(property, { numRuns: 1000 })
})

describe('a pattern as it was written once', () => {
  test.each([
    ['/a/:b?', '/a{/:b}', ['/a', '/a/x'], ['/a/x/y']],
    ['/a/:user?', '/a{/:user}', ['/a', '/a/x'], ['/a/x/y']],
    ['/a/:b*', '/a{/*b}', ['/a', '/a/x', '/a/x/y'], ['/b']],
    ['/a/:b+', '/a/*b', ['/a/x', '/a/x/y'], ['/a']],
    ['/a/(.*)', '/a/*rest', ['/a/x/y'], ['/b/x']],
    ['/:a/:b?', '/:a{/:b}', ['/x', '/x/y'], ['/x/y/z']],
    ['/a/*', '/a/*rest', ['/a/x/y'], ['/b/x']],
  ])('%s is named as %s, which means the same', (old, modern, yes, no) => {
    expect(mistake(old)).toMatch(new RegExp(`^[a-z].*: today this is written ${escaped(modern)}$`))
    expect(modernPattern(old)).toBe(modern)
    for (const path of yes) expect(compile(modern).match(path)).toBeDefined()
    for (const path of no) expect(compile(modern).match(path)).toBeUndefined()
  })

  test.each(['/a/:b', '/a{/:b}', '/*rest', '/a/(\\d+)', '/a+'])('%s is none', (pattern) => {
    expect(modernPattern(pattern)).toBeUndefined()
  })
})
