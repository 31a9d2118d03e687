import { describe, expect, test } from '@jest/globals'
import { Context } from 'mingo/core'
import * as comparison from 'mingo/operators/query/comparison'
import { $exists } from 'mingo/operators/query/element'
import { Query } from 'mingo/query'
import { queryOutcomes } from '../../src/engine/option-outcomes.ts'
import { runPipeline } from '../../src/engine/pipeline.ts'
import type { Item } from '../../src/triggers/trigger.ts'
import { isObject, type Json, type JsonObject, record } from '../../src/wire/json.ts'
import { fc } from '../support/properties.ts'
import { found, settingsOf } from '../support/settings.ts'

const scripts = { within: async <Result>(_: number, work: () => Result) => work() }

async function evaluated(option: 'filter' | 'filterOutputs', query: JsonObject, item: Item) {
  const [result] = await queryOutcomes(option, query, scripts, [item])
  return result && 'value' in result ? result.value : result
}

const AZURE: Item = {
  body: { resource: { fields: { 'System.State': 'Ready', 'System.Tags': ['a', 'b'] } } },
}
const STATE = 'body.resource.fields.System.State'
const TAGS = 'body.resource.fields.System.Tags'

const LIST: Item = {
  body: {
    items: [{ fields: { 'a.b': 1 }, n: 1 }, { fields: { 'a.b': 2 } }],
    events: [{ action: 'opened' }, { action: 'closed' }],
  },
}

const FORM: Item = {
  headers: { 'x-github-event': 'push' },
  params: { id: '5' },
  body: { 'data[email]': 'x', 'tags[]': ['p', 'q'], 'items[0][n]': '7', draft: 'true' },
}

describe('filter:', () => {
  test.each<[item: Item, filter: JsonObject, matches: boolean]>([
    [AZURE, { [STATE]: 'Ready' }, true],
    [AZURE, { [STATE]: 'New' }, false],
    [AZURE, { [STATE]: { $ne: 'Ready' } }, false],
    [AZURE, { [STATE]: { $ne: 'New' } }, true],
    [AZURE, { [STATE]: { $exists: true } }, true],
    [AZURE, { [STATE]: { $exists: false } }, false],
    [AZURE, { [STATE]: { $in: ['Ready', 'New'] } }, true],
    [AZURE, { [STATE]: { $nin: ['Ready'] } }, false],
    [AZURE, { [STATE]: { $not: { $eq: 'Ready' } } }, false],
    [AZURE, { [STATE]: { $regex: '^Re' } }, true],
    [AZURE, { [STATE]: { $type: 'string' } }, true],
    [AZURE, { $or: [{ [STATE]: 'New' }, { [STATE]: 'Ready' }] }, true],
    [AZURE, { $nor: [{ [STATE]: 'Ready' }] }, false],
    [AZURE, { [TAGS]: 'b' }, true],
    [AZURE, { [TAGS]: { $all: ['a', 'b'] } }, true],
    [AZURE, { [TAGS]: { $size: 2 } }, true],
    [AZURE, { [TAGS]: { $elemMatch: { $eq: 'c' } } }, false],
    [AZURE, { "body.resource.fields['System.State']": 'Ready' }, true],
    [AZURE, { "body.resource.fields['System.State']": { $ne: 'Ready' } }, false],
    [AZURE, { "body.resource.fields['System.State']": { $not: { $in: ['Ready'] } } }, false],
    [LIST, { 'body.items.fields.a.b': 2 }, true],
    [LIST, { 'body.items.fields.a.b': { $ne: 2 } }, false],
    [LIST, { 'body.items.fields.a.b': { $ne: 3 } }, true],
    [LIST, { 'body.items.fields.a.b': { $nin: [3] } }, true],
    [LIST, { 'body.items.fields.a.b': { $all: [1, 2] } }, true],
    [LIST, { 'body.items.fields.a.b': { $exists: false } }, false],
    [LIST, { 'body.items.fields.a.c': { $exists: false } }, true],
    [LIST, { 'body.items[0].fields.a.b': 1 }, true],
    [LIST, { 'body.items.1.fields.a.b': 1 }, false],
    [LIST, { "body.items.fields['a.b']": 2 }, true],
    [LIST, { 'body.items': { $elemMatch: { 'fields.a.b': 2 } } }, true],
    [LIST, { 'body.items': { $elemMatch: { 'fields.a.b': 2, n: 1 } } }, false],
    [LIST, { 'body.items': { $not: { $elemMatch: { 'fields.a.b': 2 } } } }, false],
    [LIST, { 'body.items': { $all: [{ $elemMatch: { 'fields.a.b': 1 } }] } }, true],
    [LIST, { 'body.events[0].action': 'opened' }, true],
    [LIST, { 'body.events[0].action': 'closed' }, false],
    [LIST, { 'body.events[0].action': { $ne: 'opened' } }, false],
    [LIST, { 'body.events.action': 'closed' }, true],
    [FORM, { 'body.data[email]': 'x' }, true],
    [FORM, { 'body.data[email]': { $ne: 'x' } }, false],
    [FORM, { 'body.tags[]': 'q' }, true],
    [FORM, { 'body.tags[]': { $size: 2 } }, true],
    [FORM, { 'body.items[0][n]': '7' }, true],
    [FORM, { "body['data[email]']": 'x' }, true],
    [FORM, { 'headers.X-GitHub-Event': 'push' }, true],
    [FORM, { "headers['X-GitHub-Event']": { $ne: 'push' } }, false],
    [FORM, { $and: [{ 'headers.X-Other': { $exists: false } }] }, true],
    [{ params: record([['id', '5']]) }, { params: { id: '5' } }, true],
    [{ body: record([['a', [record([['b', 1]])]]]) }, { 'body.a': { $in: [{ b: 1 }] } }, true],
    // MongoDB's reading comes first.
    [{ a: { b: { c: 1 }, 'b.c': 2 } }, { 'a.b.c': 2 }, false],
    [{ a: { b: { c: 1 }, 'b.c': 2 } }, { 'a.b.c': 1 }, true],
    [{ a: { b: { c: null }, 'b.c': 2 } }, { 'a.b.c': null }, true],
    [{ a: [{ 'b.c': 2 }, { b: { c: 1 } }] }, { 'a.b.c': 2 }, false],
    [{ a: { 'b.c': 2, b: { d: 1 } } }, { 'a.b.c': 2, 'a.b': { d: 1 } }, true],
    // Only own properties.
    [JSON.parse('{"a":{"__proto__":{"b":1}}}'), { 'a.b': 1 }, false],
    [{ a: {} }, { 'a.toString': { $exists: true } }, false],
  ])('%j with %j: %s', async (item, filter, matches) => {
    expect(await evaluated('filter', filter, item)).toBe(matches)
  })
})

describe('filterOutputs:', () => {
  test.each<[item: Item, projection: JsonObject, result: JsonObject]>([
    [AZURE, { [STATE]: 1 }, { body: { resource: { fields: { 'System.State': 'Ready' } } } }],
    [AZURE, { [STATE]: 0 }, { body: { resource: { fields: { 'System.Tags': ['a', 'b'] } } } }],
    [AZURE, { state: `$${STATE}` }, { state: 'Ready' }],
    [AZURE, { state: { $toUpper: `$$ROOT.${STATE}` } }, { state: 'READY' }],
    [AZURE, { state: { $ifNull: ['$body.no.such', 'none'] } }, { state: 'none' }],
    [AZURE, { "x['a.b']": `$${STATE}` }, { x: { 'a.b': 'Ready' } }],
    [
      AZURE,
      { [TAGS]: { $slice: 1 } },
      { body: { resource: { fields: { 'System.Tags': ['a'] } } } },
    ],
    [
      LIST,
      { 'body.items.fields.a.b': 1 },
      { body: { items: [{ fields: { 'a.b': 1 } }, { fields: { 'a.b': 2 } }] } },
    ],
    [
      LIST,
      { 'body.items': { $elemMatch: { 'fields.a.b': 2 } } },
      { body: { items: [{ fields: { 'a.b': 2 } }] } },
    ],
    [LIST, { first: '$body.events[0].action' }, { first: 'opened' }],
    [FORM, { body: { 'data[email]': 1 } }, { body: { 'data[email]': 'x' } }],
    [FORM, { 'headers.X-GitHub-Event': 1 }, { headers: { 'x-github-event': 'push' } }],
    [JSON.parse('{"a":{"__proto__":{"b":1}}}'), { 'a.b': 1 }, { a: {} }],
  ])('%j with %j gives %j', async (item, projection, result) => {
    const json = await evaluated('filterOutputs', projection, item)
    expect(JSON.parse(String(json))).toEqual(result)
    expect(item).toEqual(JSON.parse(JSON.stringify(item))) // not changed
  })
})

test('sort reads the same paths', async () => {
  const items = [3, 1, 2].map((n) => ({ n, body: { f: { 'a.b': n }, l: [{ n: -n }] } }))
  const sorted = async (sort: JsonObject) => {
    const { kept } = await runPipeline(found(items), settingsOf({ sort }))
    return kept.map(({ item }) => item.n)
  }
  expect(await sorted({ 'body.f.a.b': 1 })).toEqual([1, 2, 3])
  expect(await sorted({ 'body.f.a.b': -1 })).toEqual([3, 2, 1])
  expect(await sorted({ 'body.l[0].n': 1 })).toEqual([3, 2, 1])
})

const name = fc.constantFrom('a', 'b', 'c', '0', '1')
const leaf = fc.constantFrom<Json[]>(null, 1, 2, 'x', true)
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}))
/** With prototypes, without which mingo alone fails. */
const parsed = anyValue.map((value) => JSON.parse(JSON.stringify(value)) as Json)
const anyItem = fc.dictionary(name, parsed, { minKeys: 1 }) as fc.Arbitrary<Item>
const anyPath = fc.array(name, { minLength: 1, maxLength: 4 })
const anyCondition = fc.oneof(
  leaf,
  fc.record({ $ne: leaf }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $in: fc.array(leaf, { maxLength: 2 }) }),
  fc.record({ $nin: fc.array(leaf, { maxLength: 2 }) }),
  fc.record({ $gt: leaf }),
)

/** mingo without the paths of Hookline. */
function plainMatch(item: Item, filter: JsonObject): boolean {
  const context = Context.init({ query: { ...comparison, $exists } })
  const query = filter as ConstructorParameters<typeof Query>[0] // JSON
  return new Query(query, { context }).test(item)
}

test('without dots in keys, 1,000 random filters match as mingo alone does', async () => {
  await fc.assert(
    fc.asyncProperty(anyItem, anyPath, anyCondition, async (item, names, condition) => {
      const filter = { [names.join('.')]: condition }
      expect(await evaluated('filter', filter, item)).toBe(plainMatch(item, filter))
    }),
    { numRuns: 1_000 },
  )
})

test('with dots in keys, 1,000 random filters match as mingo does with nested keys', async () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      words,
      fc.nat(),
      parsed,
      anyCondition,
      async (names, cut, inner, condition) => {
        const nested = names.reduceRight<Json>((within, key) => ({ [key]: within }), inner)
        const joined = withJoinedKeys(names, cut, inner)
        const filter = { [names.join('.')]: condition }
        expect(await evaluated('filter', filter, joined)).toBe(plainMatch(nested as Item, filter))
      },
    ),
    { numRuns: 1_000 },
  )
})

/** An object in which at least two of the names are one key with dots. */
function withJoinedKeys(names: readonly string[], cut: number, inner: Json): Item {
  const at = cut % (names.length - 1)
  const keys = [...names.slice(0, at), names.slice(at, at + 2).join('.'), ...names.slice(at + 2)]
  const item = keys.reduceRight<Json>((within, key) => ({ [key]: within }), inner)
  return isObject(item) ? (item as Item) : {}
}
