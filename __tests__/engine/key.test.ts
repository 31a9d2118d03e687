import { describe, expect, test } from '@jest/globals'
import * as v from 'valibot'
import { canonical, itemKey } from '../../src/engine/deduplication-keys.ts'
import type { KeyPaths } from '../../src/triggers/config-options.ts'
import { keyPath } from '../../src/triggers/path-option.ts'
import type { Item } from '../../src/triggers/trigger.ts'
import { parseDataPath } from '../../src/wire/data-path.ts'
import type { Json } from '../../src/wire/json.ts'
import { randomOf } from '../support/fake-time.ts'
import { fc } from '../support/properties.ts'

/** The key of an item; with `same`, whether two items have the same key. */
async function key(item: Item, paths: Paths = {}): Promise<string> {
  return (await itemKey({ item, identity: item }, parsed(paths))).key
}

interface Paths {
  readonly by?: string
  readonly own?: string
  readonly chosen?: string
}

function parsed(paths: Paths): KeyPaths {
  return Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, parseDataPath(path)]),
  )
}

describe('the key of an item is', () => {
  test.each<[string, Item, Item, Paths?]>([
    ['the id in its body', { body: { id: 1, a: 1 } }, { body: { id: 1, a: 2 } }],
    ['an id of 0', { body: { id: 0, a: 1 } }, { body: { id: 0, a: 2 } }],
    ['an id that is a text', { body: { id: 'x', a: 1 } }, { body: { id: 'x', a: 2 } }],
    ['its own id', { id: 1, a: 1 }, { id: 1, a: 2 }],
    ['the id in its body before its own', { id: 1, body: { id: 9 } }, { id: 2, body: { id: 9 } }],
    [
      'a chosen path',
      { body: { b: { c: 1 }, a: 1 } },
      { body: { b: { c: 1 } } },
      { chosen: 'b.c' },
    ],
    ['a chosen path from the item', { h: { x: '1' }, a: 1 }, { h: { x: '1' } }, { chosen: 'h.x' }],
    [
      'a place in a list',
      { body: { l: [{ i: 1 }], a: 1 } },
      { body: { l: [{ i: 1 }] } },
      { chosen: 'l.0.i' },
    ],
    [
      'a header, whatever its case',
      { headers: { 'x-id': '1' }, a: 1 },
      { headers: { 'x-id': '1' } },
      { chosen: 'headers.X-Id' },
    ],
    [
      'the id, though a path is chosen',
      { body: { id: 1, n: 1 } },
      { body: { id: 1, n: 2 } },
      { chosen: 'n' },
    ],
    [
      'the path of deduplicateBy before all',
      { body: { id: 1, n: 1 }, update_id: 1 },
      { body: { id: 2, n: 1 }, update_id: 2 },
      { by: 'body.n', own: 'update_id', chosen: 'body.id' },
    ],
    [
      'the id if deduplicateBy names nothing',
      { body: { id: 1, a: 1 } },
      { body: { id: 1 } },
      { by: 'body.n' },
    ],
    [
      'a chosen key with dots',
      { body: { f: { 'a.b': 1 }, x: 1 } },
      { body: { f: { 'a.b': 1 } } },
      { chosen: 'f.a.b' },
    ],
    [
      'a chosen key with brackets',
      { body: { 'data[email]': 'x', x: 1 } },
      { body: { 'data[email]': 'x' } },
      { chosen: 'data[email]' },
    ],
    [
      'a chosen place in a list, in brackets',
      { body: { l: [{ i: 1 }], a: 1 } },
      { body: { l: [{ i: 1 }] } },
      { chosen: 'l[0].i' },
    ],
    ['its key when there is no id', { body: { key: 'k', a: 1 } }, { body: { key: 'k', a: 2 } }],
    [
      'its key when the chosen path is absent',
      { body: { key: 'k', a: 1 } },
      { body: { key: 'k' } },
      { chosen: 'no.such' },
    ],
    [
      'its trigger’s own path before all',
      { update_id: 5, id: 1 },
      { update_id: 5, id: 2 },
      { own: 'update_id' },
    ],
    [
      'all of it, whatever the order of keys',
      { a: 1, b: { c: 1, d: [1, 2] } },
      { b: { d: [1, 2], c: 1 }, a: 1 },
    ],
  ])('%s', async (_, one, other, ...[paths]) => {
    expect(await key(one, paths)).toBe(await key(other, paths))
  })
})

describe('these are different items:', () => {
  test.each<[string, Item, Item, Paths?]>([
    ['two ids', { body: { id: 1 } }, { body: { id: 2 } }],
    ['an id and a key of the same text', { id: 'x' }, { key: 'x' }],
    ['an id of 0 and one of 1', { id: 0 }, { id: 1 }],
    ['lists of another order', { a: [1, 2] }, { a: [2, 1] }],
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['nothing and null', {}, { a: null }],
    ['composed and decomposed letters', { a: '\u00e9' }, { a: 'e\u0301' }],
  ])('%s', async (_, one, other, ...[paths]) => {
    expect(await key(one, paths)).not.toBe(await key(other, paths))
  })
})

test.each<[string, unknown]>([
  ['empty', ''],
  ['null', null],
  ['false', false],
  ['true', true],
  ['an object', { a: 1 }],
  ['a list', [1]],
  ['not finite', Number.NaN],
])('a falsy or unfit id falls through: %s', async (_, id) => {
  const item = { id: id as Json, key: 'k' } // NaN is not JSON, but must not break anything
  expect(await key(item)).toBe(await key({ key: 'k' }))
})

describe('a path that does not decide is worth a notice', () => {
  test.each<[Item, Paths, string | undefined]>([
    [{ id: 1 }, { chosen: 'n' }, 'before deduplicationKey (n); write config.deduplicateBy: n'],
    [{ id: 1 }, { chosen: 'id' }, undefined],
    [{ id: 1 }, {}, undefined],
    [{ n: 1 }, { chosen: 'n' }, undefined],
    [{ id: 1, n: 1 }, { by: 'n', chosen: 'm' }, undefined],
    [{ a: 1 }, { chosen: 'n' }, 'deduplicationKey (n) names no string or number'],
    [{ a: 1, n: {} }, { chosen: 'n' }, 'told apart by a hash of the whole item'],
    [{ key: 1 }, { chosen: 'n' }, 'told apart by their key'],
    [{ id: 1 }, { by: 'n' }, 'config.deduplicateBy (n) names no string or number'],
    [{ update_id: 1 }, { by: 'n', own: 'update_id' }, 'told apart by their update_id'],
  ])('%j with %j: %s', async (item, paths, wanted) => {
    const { notice } = await itemKey({ item, identity: item }, parsed(paths))
    if (wanted === undefined) expect(notice).toBeUndefined()
    else expect(notice?.text).toContain(wanted)
  })
})

test('a key shows nothing of the item', async () => {
  expect(await key({ id: 'secret-order-17' })).toMatch(/^[\w+/]{43}$/)
})

describe('a path may not name what every object inherits', () => {
  test.each(['__proto__', 'a.constructor.name', 'prototype.x', "a['__proto__']"])('%s', (path) => {
    expect(v.safeParse(keyPath, path).success).toBe(false)
  })

  test('nor find it without naming it', async () => {
    expect(await key({ a: 1 }, { chosen: 'toString.name' })).toBe(await key({ a: 1 }))
    expect(await key({ a: 'abc' }, { chosen: 'a.length' })).toBe(await key({ a: 'abc' }))
    expect(await key({ a: [1] }, { chosen: 'a.length' })).toBe(
      await key({ a: [1] }, { chosen: 'x' }),
    )
  })
})

describe('the canonical form', () => {
  // the library types the value as unknown
  const json = fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<Json>

  test('is the same for every order of keys', () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.nat()), (value, order) => {
        expect(canonical(shuffled(value, order))).toBe(canonical(value))
      }),
      { numRuns: 1000 },
    )
  })

  test('is JSON of the same value, so that distinct values have distinct forms', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 1000 },
    )
  })

  test.each<[Json, string]>([
    [-0, '0'],
    [Number.NaN, 'null'], // JSON has no such number
    [1e21, '1e+21'],
    ['\ud800', '"\\ud800"'],
    [{ '\u{1f600}': 1, '\ufb33': 2 }, '{"\u{1f600}":1,"\ufb33":2}'],
    [{ 10: 1, 9: 2 }, '{"10":1,"9":2}'],
  ])('of %j is %s', (value, text) => {
    expect(canonical(value)).toBe(text)
  })
})

test('permuted items have the same key, distinct ones never', async () => {
  const item = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<Item>
  const seen = new Map<string, string>()
  const property = fc.asyncProperty(item, fc.infiniteStream(fc.nat()), async (one, order) => {
    const identity = JSON.parse(JSON.stringify(one)) as Item
    const key = await hashOf(identity)
    expect(await hashOf(shuffled(identity, order))).toBe(key)
    const text = canonical(identity)
    expect(seen.get(key) ?? text).toBe(text)
    seen.set(key, text)
  })
  await fc.assert(property, { numRuns: 2000 })
  expect(new Set(seen.values()).size).toBe(seen.size)
})

/** The soak test uses a million. */
const DISTINCT = 4_000

test('distinct items of many shapes have as many keys, however they are ordered', async () => {
  const random = randomOf(37)
  const keys = new Set<string>()
  for (let from = 0; from < DISTINCT; from += 1_000) {
    const items = Array.from({ length: 1_000 }, (_, at) => distinctItem(from + at, random))
    for (const key of await Promise.all(items.map(hashOf))) keys.add(key)
    const [sample = null] = items // one of a thousand is checked with its keys reversed
    expect(keys.has(await hashOf(reversed(sample)))).toBe(true)
  }
  expect(keys.size).toBe(DISTINCT)
}, 300_000)

/** The key of an item without `id` and `key`. */
async function hashOf(identity: Json): Promise<string> {
  return (await itemKey({ item: {}, identity }, {})).key
}

const ODD: readonly Json[] = [
  -0,
  Number.NaN,
  1e21,
  5e-324,
  0.1,
  '',
  '\u0000',
  'é',
  'e\u0301',
  '😀',
  '\ud800',
  null,
  [],
  {},
]

/** Ways to include a number above 0 in a value; no two of them give equal values. */
const SHAPES: readonly ((n: number) => Json)[] = [
  (n) => n,
  (n) => String(n),
  (n) => n + 0.5,
  (n) => n * 1e21,
  (n) => String.fromCodePoint(0x1f300 + (n % 700), 0x4e00 + Math.floor(n / 700)),
  (n) => ({ [`n${n}`]: null }),
  (n) => [...String(n)].map(Number),
  (n) => [...n.toString(2)].map((bit) => bit === '1'),
  (n) => [...String(n)].reduce<Json>((inner, digit) => ({ [digit]: inner }), {}),
  (n) => [...String(n)].reduce<Json>((inner, digit) => [inner, digit], []),
]

/** A unique item, with an unusual value that many items share. */
function distinctItem(place: number, random: () => number): Item {
  const shape = SHAPES[place % SHAPES.length]
  const value = shape?.(Math.floor(place / SHAPES.length) + 1) ?? null
  const odd = ODD[Math.floor(random() * ODD.length)] ?? null
  return { method: 'post', query: { page: odd }, body: { odd: [odd], value } }
}

/** The same value with its keys in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, reversed(inner)])
  return Object.fromEntries(entries.reverse())
}

function shuffled(value: Json, order: Iterator<number>): Json {
  if (Array.isArray(value)) return value.map((one) => shuffled(one, order))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => ({
    place: Number(order.next().value),
    entry: [name, shuffled(inner, order)] as const,
  }))
  const sorted = entries.sort((a, b) => a.place - b.place).map(({ entry }) => entry)
  return Object.fromEntries(sorted)
}
