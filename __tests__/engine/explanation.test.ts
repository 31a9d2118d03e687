import { describe, expect, test } from '@jest/globals'
import type { Decision, TriggerRun } from '../../src/engine/evaluation.ts'
import { type Explanation, explain } from '../../src/engine/explanation.ts'
import { ScriptFailure } from '../../src/engine/scripts.ts'
import type { JsonObject } from '../../src/wire/json.ts'

const scripts = { within: async <Result>(_: number, work: () => Result) => work() }
const ITEM = { body: { action: 'closed', secret: 'hush' } }

function decision(more: Partial<Decision>): Decision {
  return { trigger: 'webhook', fired: false, reason: '', checks: [], ...more }
}

async function filtered(filter: JsonObject, options = { scripts, shows: () => true }) {
  const run = { trigger: { name: 'webhook', config: { filter } }, found: [ITEM] }
  const decisions = [decision({ tally: { found: 1, passedOn: 0, steps: ['filter dropped 1'] } })]
  return explain({ decisions, runs: [run as unknown as TriggerRun] }, options)
}

describe('a filter', () => {
  const rows: readonly [JsonObject, Partial<Explanation>][] = [
    [
      { 'body.action': 'opened' },
      {
        path: 'body.action',
        found: 'closed',
        wanted: 'opened',
        sentence: 'filter: body.action is "closed", wanted "opened"',
      },
    ],
    [
      { 'body.action': { $in: ['opened', 'edited'] } },
      { sentence: 'filter: body.action is "closed", wanted one of "opened", "edited"' },
    ],
    [{ 'body.kind': 1 }, { sentence: 'filter: body.kind is missing, wanted 1' }],
    [{ $or: [{ 'body.action': 'x' }] }, { path: '$or' }],
    [{ $and: [{ 'body.action': 'closed' }, { 'body.a': 2 }] }, { path: 'body.a', wanted: 2 }],
  ]
  test.each(rows)('%j is explained by path, found and wanted', async (filter, wanted) => {
    expect(await filtered(filter)).toEqual([expect.objectContaining(wanted)])
  })

  test('shows no value of the event that it may not show', async () => {
    const explanations = await filtered({ 'body.secret': 'x' }, { scripts, shows: () => false })
    expect(JSON.stringify(explanations)).not.toContain('hush')
    expect(explanations).toMatchObject([{ path: 'body.secret', wanted: 'x' }])
  })

  test('that takes too long is not explained', async () => {
    const slow = { within: async () => Promise.reject(new ScriptFailure('too long')) }
    expect(await filtered({ 'body.action': 'x' }, { scripts: slow, shows: () => true })).toEqual([])
  })
})

test('method, path and signature are explained by the checks that failed', async () => {
  const checks = [
    {
      option: 'method',
      held: false,
      found: 'get is not among post',
      actual: 'get',
      wanted: ['post'],
    },
    { option: 'verify', held: false, found: 'stripe: the signature does not match' },
    { option: 'path', held: true, found: 'any path' },
  ]
  expect(
    await explain({ decisions: [decision({ checks })], runs: [] }, { scripts, shows: () => true }),
  ).toEqual([
    {
      trigger: 'webhook',
      condition: 'method',
      path: 'method',
      found: 'get',
      wanted: ['post'],
      sentence: 'method: get is not among post',
    },
    {
      trigger: 'webhook',
      condition: 'verify',
      path: null,
      sentence: 'verify: stripe: the signature does not match',
    },
  ])
})

test('deduplication and limits are explained by the number of items', async () => {
  const steps = ['deduplicate dropped 2', 'limit held back 1', 'filter dropped 3']
  const decisions = [decision({ tally: { found: 6, passedOn: 0, steps } })]
  const explanations = await explain({ decisions, runs: [] }, { scripts, shows: () => true })
  expect(explanations.map(({ condition, sentence }) => [condition, sentence])).toEqual([
    ['deduplicate', expect.stringContaining('2 items')],
    ['limit', expect.stringContaining('1 item ')],
  ])
})

test('an item that another run took meanwhile is a duplicate, too', async () => {
  const steps = ['another run took 1', 'run 42 is processing 1']
  const decisions = [decision({ tally: { found: 1, passedOn: 0, steps } })]
  const explanations = await explain({ decisions, runs: [] }, { scripts, shows: () => true })
  expect(explanations.map(({ sentence }) => sentence)).toEqual([
    'deduplicate: another run took 1 item',
  ])
})

test('the first twenty items are compared with a filter, and twenty explanations are given', async () => {
  const filter = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`body.f${at}`, 1]))
  const many = await filtered(filter)
  expect(many.map(({ path }) => path)).toEqual(Object.keys(filter).slice(0, 20))
  const found = Array.from({ length: 21 }, (_, at) => ({ body: { n: at === 20 ? 'last' : 0 } }))
  const run = { trigger: { name: 'webhook', config: { filter: { 'body.n': 1 } } }, found }
  const decisions = [decision({ tally: { found: 21, passedOn: 0, steps: [] } })]
  const runs = [run as unknown as TriggerRun]
  const sentences = (await explain({ decisions, runs }, { scripts, shows: () => true })).map(
    ({ sentence }) => sentence,
  )
  expect(sentences).toEqual(['filter: body.n is 0, wanted 1'])
})

test('a trigger that did not look for items has no explanation by its filter', async () => {
  const run = { trigger: { name: 'webhook', config: { filter: { a: 1 } } }, found: [ITEM] }
  const runs = [run as unknown as TriggerRun]
  expect(
    await explain({ decisions: [decision({})], runs }, { scripts, shows: () => true }),
  ).toEqual([])
})

test('each step that left items out has its sentence', async () => {
  const steps = [
    ...['skip dropped 12', 'deduplicate dropped 1', 'deduplicate held back 2'],
    ...['deduplicate only recorded 3', 'limit held back 4', 'format failed for 5'],
  ]
  const decisions = [decision({ tally: { found: 30, passedOn: 0, steps } })]
  const explained = await explain({ decisions, runs: [] }, { scripts, shows: () => true })
  expect(explained).toEqual(
    [
      ['skip', 'skip: config.skip left out 12 items'],
      ['deduplicate', 'deduplicate: an earlier run already received 1 item'],
      ['deduplicate', 'deduplicate: another run is processing 2 items'],
      ['skipFirst', 'skipFirst: the first run only recorded 3 items'],
      ['limit', 'limit: config.limit left 4 items to a later run'],
    ].map(([condition, sentence]) => ({ trigger: 'webhook', condition, path: null, sentence })),
  )
})
