import { describe, expect, test } from '@jest/globals'
import { parseDataPath, pathMistake, valueAtPath, valuesAtPath } from '../../src/wire/data-path.ts'
import type { Json } from '../../src/wire/json.ts'
import { fc } from '../support/properties.ts'

describe('a path names', () => {
  test.each<[path: string, value: Json, found: Json | undefined]>([
    ['a.b', { a: { b: 1 } }, 1],
    ['a.b', { a: { b: null } }, null],
    ['a.b', { a: 'x' }, undefined],
    ['a[0].b', { a: [{ b: 1 }] }, 1],
    ['a.0.b', { a: [{ b: 1 }] }, 1],
    ['a[1].b', { a: [{ b: 1 }] }, undefined],
    ['a.b', { a: [{ b: 1 }] }, undefined],
    ['a[0]', { a: { 0: 'x' } }, 'x'],
    ["a['b.c']", { a: { 'b.c': 1 } }, 1],
    ['a["b.c"].d', { a: { 'b.c': { d: 1 } } }, 1],
    ["a['b.c']", { a: { b: { c: 1 } } }, undefined],
    ["a['it''s']", { a: { "it's": 1 } }, 1],
    ["['a.b'].c", { 'a.b': { c: 1 } }, 1],
    ["a['']", { a: { '': 1 } }, 1],
    ['a.b-c.@type.d e', { a: { 'b-c': { '@type': { 'd e': 1 } } } }, 1],
    // A key with the dots or brackets of the path, only if there is nothing else.
    ['a.b.c', { a: { 'b.c': 1 } }, 1],
    ['a.b.c', { 'a.b.c': 1 }, 1],
    ['a.b.c', { 'a.b': { c: 1 } }, 1],
    ['a.b.c', { a: { b: { c: 1 }, 'b.c': 2 } }, 1],
    ['a.b.c', { a: { b: { c: null }, 'b.c': 2 } }, null],
    ['a.b.c', { a: { b: {}, 'b.c': 2 } }, 2],
    ['a.b.c.d', { a: { b: { 'c.x': 1 }, 'b.c': { d: 2 } } }, 2],
    ['a[0].b.c', { a: [{ 'b.c': 1 }] }, 1],
    ['data[email]', { 'data[email]': 'x' }, 'x'],
    ['data[email]', { data: { email: 'y' }, 'data[email]': 'x' }, 'y'],
    ['data[user][0][name]', { 'data[user][0][name]': 'x' }, 'x'],
    ['tags[]', { 'tags[]': ['x'] }, ['x']],
    ['tags[].x', { 'tags[]': { x: 1 } }, 1],
    ['Events.member.1.Name', { 'Events.member.1.Name': 'x' }, 'x'],
    // Header names are in lower case.
    ['headers.X-GitHub-Event', { headers: { 'x-github-event': 'push' } }, 'push'],
    ["headers['X-GitHub-Event']", { headers: { 'x-github-event': 'push' } }, 'push'],
    ['query.Token', { query: { token: 'x' } }, undefined],
    // Only own properties.
    ['a.length', { a: [1] }, undefined],
    ['a.toString', { a: {} }, undefined],
    ['a.length', { a: 'text' }, undefined],
    // An index consists of digits, and is tried before a key with brackets.
    ['a.10', { a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 'x'] }, 'x'],
    ['a.1e1', { a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 'x'] }, undefined],
    ['a.+1', { a: [0, 1] }, undefined],
    ['a[5]', { a: [1], 'a[5]': 'x' }, 'x'],
    ['a[]', { a: { undefined: 1 } }, undefined],
    ['headers.a.B', { headers: { a: { b: 1 } } }, undefined],
    ['a["""hi"""].b', { a: { '"hi"': { b: 1 } } }, 1],
  ])('%s in %j', (path, value, found) => {
    expect(valueAtPath(value, parseDataPath(path))).toEqual(found)
  })
})

describe('with * a path names each element:', () => {
  const state = { s: 'x' }
  test.each<[path: string, value: Json, found: (Json | undefined)[]]>([
    ['v[*].s', { v: [state, { s: 'y' }] }, ['x', 'y']],
    ['v.*.s', { v: [state, {}] }, ['x', undefined]],
    ['v[*].s', { v: [] }, []],
    ['v[*].s', { v: state }, [undefined]],
    ['v[*].s.t', { v: [{ 's.t': 1 }, { s: { t: 2 } }] }, [1, 2]],
    ['v[*].w[*]', { v: [{ w: [1, 2] }, { w: [3] }] }, [1, 2, 3]],
    ["['*']", { '*': 1 }, [1]],
    ["v['*']", { v: [1] }, [undefined]],
    ['v[*][*]', { v: [[1], [2, 3]] }, [1, 2, 3]],
    ['[*].s', [state, state], ['x', 'x']],
    ['a.b', { a: { b: 1 } }, [1]],
    ['a.c', { a: { b: 1 } }, [undefined]],
  ])('%s in %j', (path, value, found) => {
    expect(valuesAtPath(value, parseDataPath(path))).toEqual(found)
  })
})

describe('it is no path:', () => {
  test.each([
    ['', 'is empty'],
    ...[
      ['.a', '.a'],
      ['a.', '.'],
      ['a..b', '..b'],
      ['a[0', '[0'],
      ['a[0]b', 'b'],
      ["a['b]", "['b]"],
      ['a["b]', '[\\"b]'],
      ["a['b'c']", "['b'c']"],
      ['a[b"]', '[b\\"]'],
    ].map(([path = '', rest]) => [
      path,
      `is not a path from "${rest}" on; write a key with dots as a['b.c']`,
    ]),
    ['__proto__', 'names __proto__, which every object inherits'],
    ['a.constructor.name', 'names constructor, which every object inherits'],
    ["a['prototype']", 'names prototype, which every object inherits'],
    ['a[__proto__][x]', 'names __proto__, which every object inherits'],
  ])('%s', (path = '', mistake) => {
    expect(pathMistake(path)).toBe(mistake)
  })
})

const key = fc.oneof(
  fc.string({ minLength: 0, maxLength: 4 }),
  fc.constantFrom('a.b', 'a[b]', "'", '"', '0', '*', '[]', '.'),
)

test('a quoted path finds the value of 500 random chains of keys, and nothing inherited', () => {
  const keys = fc.array(key, { minLength: 1, maxLength: 4 })
  const forbidden = ['__proto__', 'constructor', 'prototype']
  fc.assert(
    fc.property(keys, (names) => {
      fc.pre(!names.some((name) => forbidden.includes(name)))
      const value = names.reduceRight<Json>((inner, name) => ({ [name]: inner }), 'found')
      const quoted = names.map((name) => `['${name.replaceAll("'", "''")}']`).join('')
      expect(valueAtPath(value, parseDataPath(quoted))).toBe('found')
      expect(valueAtPath({}, parseDataPath(quoted))).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

test('no string of 2,000 makes the parser do anything but parse or refuse', () => {
  const text = fc.array(fc.constantFrom('a', '.', '[', ']', "'", '"', '0', '*', ' '))
  fc.assert(
    fc.property(text, (parts) => {
      const path = parts.join('')
      const mistake = pathMistake(path)
      if (mistake !== undefined) return expect(mistake).not.toBe('')
      const { steps } = parseDataPath(path)
      expect(steps[0]?.start).toBe(0)
      return expect(steps.at(-1)?.end).toBe(path.length)
    }),
    { numRuns: 2_000 },
  )
})
