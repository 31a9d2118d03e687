import { describe, expect, test } from '@jest/globals'
import {
  deliveryDetail,
  deliverySummary,
  readDeliveries,
  readShown,
} from '../../src/inspector/relay-delivery.ts'
import { standInDelivery } from '../support/admin-stand-in.ts'

const ID = '00000000-0000-4000-8000-000000000001'

/** A delivery as the admin API lists it. */
const listed = (more: object = {}) => standInDelivery(1, more)

/** The same as it is read from a page of the list. */
function read(more: object = {}) {
  const [delivery] = readDeliveries({ deliveries: [listed(more)] }).deliveries
  if (!delivery) throw new Error('no delivery')
  return delivery
}

const NOT_A_RELAY = 'the relay sent deliveries that this version does not know'

describe('a page of a relay', () => {
  test('is read with nothing but the known fields, and null for each missing one', () => {
    const { id, owner, repository, path, state, receivedAt } = listed()
    const fields = { id, owner, repository, path, state, receivedAt }
    const none = {
      ...{ endpoint: null, method: null, reason: null, explanation: null, changedAt: null },
      ...{ attempts: null, nextAttemptAt: null, size: null, githubMs: null, outcome: null },
      ...{ outcomeReason: null, replayOf: null, batch: null },
    }
    expect(readDeliveries({ deliveries: [{ ...fields, other: 1 }], more: 2 })).toEqual({
      ...{ deliveries: [{ ...fields, ...none }], next: null },
    })
    const full = {
      ...{ endpoint: 'orders', method: 'POST', reason: 'a', explanation: 'b', changedAt: 'c' },
      ...{ attempts: 2, nextAttemptAt: 'd', size: 3, githubMs: 4, outcome: 'e' },
      ...{ outcomeReason: 'f', replayOf: ID, batch: ID },
    }
    const next = 'n'.repeat(100)
    expect(readDeliveries({ deliveries: [{ ...fields, ...full }], next })).toEqual({
      ...{ deliveries: [{ ...fields, ...full }], next },
    })
  })

  test.each(['delivered', 'waiting', 'uncertain', 'dead', 'filtered', 'refused'])(
    'may have the state %s',
    (state) => {
      expect(read({ state }).state).toBe(state)
    },
  )

  test('has no control characters', () => {
    expect(read({ path: 'a\u001b[2J', reason: '\n\u009b' })).toMatchObject({
      ...{ path: 'a\ufffd[2J', reason: '\n\ufffd' },
    })
  })

  test.each<[string, object]>([
    ['an id with text before it', { id: `x${ID}` }],
    ['an id with text behind it', { id: `${ID}/` }],
    ['an owner of 101 letters', { owner: 'a'.repeat(101) }],
    ['no owner', { owner: '' }],
    ['an owner with a dot before it', { owner: '.a' }],
    ['an owner with a slash behind it', { owner: 'a/' }],
    ['a path of 20,001 characters', { path: 'a'.repeat(20_001) }],
    ['a number of attempts that is text', { attempts: '1' }],
    ['another id of its original', { replayOf: '../x' }],
    ['another id of its batch', { batch: '../x' }],
  ])('is not read with %s', (_, more) => {
    expect(() => read(more)).toThrow(NOT_A_RELAY)
  })

  test('is read up to each limit', () => {
    const most = { owner: 'a'.repeat(100), path: 'a'.repeat(20_000) }
    expect(read(most)).toMatchObject(most)
    expect(read({ owner: 'a_B-9' }).owner).toBe('a_B-9')
  })

  test.each([
    ['no object', 'text'],
    ['no list', {}],
    ['a cursor of 101 characters', { deliveries: [], next: 'n'.repeat(101) }],
  ])('is not read if it is %s, and says what to do', (_, page) => {
    let problems: unknown
    try {
      readDeliveries(page)
    } catch (error) {
      problems = error instanceof Error && 'problems' in error ? error.problems : error
    }
    const hint = 'Install the version of Hookline that the relay has.'
    expect(problems).toEqual([{ message: NOT_A_RELAY, hint }])
  })
})

describe('the line of a delivery', () => {
  test('has the facts of the delivery', () => {
    expect(deliverySummary(read({ githubMs: 12.5 }))).toEqual({
      ...{ id: ID, number: Date.UTC(2026, 0, 2) + 1000, time: '2026-01-02T00:00:01.000Z' },
      ...{ delivery: ID, method: 'POST', path: 'orders/webhook/1' },
      ...{ workflow: 'orders', trigger: 'webhook', event: null, count: 0, origin: 'request' },
      ...{ outcome: 'delivered', reason: null, milliseconds: 12.5 },
      jobsResult: { text: 'success', kind: 'good' },
      relay: {
        ...{ endpoint: 'octo/orders', repository: 'octo/shop', outcome: 'success' },
        canReplay: true,
      },
    })
  })

  test('has empty words for what is unknown', () => {
    const unknown = { endpoint: null, method: null, outcome: null, githubMs: null }
    const line = deliverySummary(read({ ...unknown, state: 'refused', path: 'x', replayOf: ID }))
    expect(line).toMatchObject({
      ...{ method: '', workflow: 'x', trigger: '', origin: 'replay', milliseconds: null },
      ...{ jobsResult: null, relay: { endpoint: '', outcome: '', canReplay: false } },
    })
  })

  test.each<[string, object, string | null]>([
    ['none if it succeeded', { outcomeReason: 'x' }, null],
    ['none if nothing is known of the run', { outcome: null }, null],
    [
      'the words of a code',
      { outcome: 'failure', outcomeReason: 'run_not_found' },
      'run not found',
    ],
    ['the words of the action', { outcome: 'failure', outcomeReason: 'it is 1_2' }, 'it is 1_2'],
    ['words that begin like no code', { outcome: 'failure', outcomeReason: 'A_b' }, 'A_b'],
    ['words that end like no code', { outcome: 'failure', outcomeReason: 'a_B' }, 'a_B'],
    ['none if there are no words', { outcome: 'failure' }, null],
    ['none without a reason', { state: 'waiting', attempts: 2 }, null],
    ['a reason', { state: 'waiting', reason: 'rate_limited' }, 'rate_limited'],
    ['two attempts', { state: 'dead', reason: 'too_old', attempts: 2 }, 'too_old, 2 attempts'],
    ['one attempt', { state: 'dead', reason: 'too_old', attempts: 1 }, 'too_old'],
    ['unknown attempts', { state: 'dead', reason: 'too_old', attempts: null }, 'too_old'],
    ['an explanation', { state: 'filtered', reason: 'verify', explanation: 'no' }, 'verify: no'],
    ['the condition without its name', { state: 'filtered', reason: 'if', explanation: 'b' }, 'b'],
    ['an explanation alone', { state: 'filtered', explanation: 'if' }, null],
  ])('has as its reason %s', (_, more, reason) => {
    expect(deliverySummary(read(more)).reason).toBe(reason)
  })

  test.each([
    ['success', 'success', 'good'],
    ['failure', 'failure', 'bad'],
    ['nothing_fired', 'nothing fired', 'bad'],
    ['pending', 'pending', 'open'],
    ['running', 'running', 'open'],
    ['waiting_for_approval', 'waiting for approval', 'open'],
    ['unknown', 'unknown', 'open'],
  ])('shows the outcome %s of its run as %s, which is %s', (outcome, text, kind) => {
    expect(deliverySummary(read({ outcome })).jobsResult).toEqual({ text, kind })
  })
})

const REQUEST = {
  ...{ method: 'POST', path: 'orders/webhook', query: '' },
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
}

const BODY_AT = 'The body is too large for an event: https://h/b'

const SUCCESS = { outcome: 'success', conclusion: 'success' }

/** A delivery with its request, as the page shows it. */
const detail = (request: unknown, more: object = {}) =>
  deliveryDetail(readShown({ delivery: listed(more), request, stages: [] }), [])

describe('the details of a delivery', () => {
  test('have the request, the stages, the values and the outputs', async () => {
    const stages = [
      { stage: 'received', state: 'ok', at: 'a', found: 'b', wanted: 'c', cure: 'd', more: 1 },
      { stage: 'sent', state: 'unknown' },
    ]
    const readers = [{ kind: 'source', file: 'a.yml' }] as const
    const more = { replayOf: ID, batch: ID, nextAttemptAt: 'soon', attempts: 2 }
    const request = { ...REQUEST, query: 'b=2' }
    const shown = readShown({ delivery: listed(more), request, stages, other: 1 })
    const all = await deliveryDetail(shown, readers)
    const path = 'orders/webhook?b=2'
    const outputs = {
      ...{ method: 'post', headers: REQUEST.headers, query: { b: '2' }, querystring: 'b=2' },
      ...{ search: '?b=2', body: { a: 1 }, params: {} },
    }
    expect(all).toEqual({
      ...{ ...deliverySummary(read(more)), count: 1, of: ID, missing: null, readers },
      request: {
        method: 'POST',
        path,
        headers: REQUEST.headers,
        body: '{"a":1}',
        encoding: 'text',
      },
      stages: [
        { stage: 'received', state: 'ok', at: 'a', found: 'b', wanted: 'c', cure: 'd' },
        { stage: 'sent', state: 'unknown', at: null, found: null, wanted: null, cure: null },
      ],
      values: [
        { name: 'attempts', value: '2' },
        { name: 'next attempt', value: 'soon' },
        { name: 'endpoint', value: 'octo/orders' },
        { name: 'repository', value: 'octo/shop' },
        { name: 'size', value: '11 bytes' },
        { name: 'batch', value: ID },
        { name: 'replays', value: ID },
      ],
      ...{ decisions: [], problems: [], messages: [], found: [], jobs: [] },
      items: [{ webhook: { ...SUCCESS, outputs } }],
      fields: Object.keys(outputs),
    })
  })

  test('have no values that are unknown', async () => {
    const unknown = { attempts: null, endpoint: null, repository: '', size: null }
    expect((await detail(REQUEST, unknown)).values).toEqual([
      { name: 'endpoint', value: 'none (a token URL)' },
    ])
  })

  const PARTLY =
    'The relay stores only the names of the headers and the beginning of the body of a refused request.'

  test.each<[string, object | null, string | null]>([
    ['all of it', REQUEST, null],
    ['nothing', null, 'The relay stores no request of this delivery.'],
    ['a body elsewhere', { ...REQUEST, body: null, bodyUrl: 'https://h/b' }, BODY_AT],
    ['no values of headers', { ...REQUEST, headers: { a: 'b', c: null } }, PARTLY],
    ['a part of the body', { ...REQUEST, isCut: true }, PARTLY],
    ['a body that is not cut', { ...REQUEST, isCut: false }, null],
    ['no body', { ...REQUEST, body: null }, PARTLY],
    ['an empty body', { ...REQUEST, body: '' }, null],
  ])('say which part is missing if the relay stores %s', async (_, request, missing) => {
    const shown = await detail(request)
    expect(shown.missing).toBe(missing)
    const isOpen = missing === null
    expect([shown.items.length, shown.count]).toEqual(isOpen ? [1, 1] : [0, 0])
    expect(shown.fields.length > 0).toBe(isOpen)
  })

  test('show a request of which only a part is stored', async () => {
    const headers = { a: 'b', c: null }
    const { request } = await detail({ ...REQUEST, headers, body: null, bodyEncoding: 'base64' })
    expect(request).toEqual({
      ...{ method: 'POST', path: 'orders/webhook', headers: { a: 'b', c: '' }, body: '' },
      encoding: 'base64',
    })
    expect((await detail(undefined)).request).toBeNull()
  })

  test('have outputs of a body in base64, and of no body', async () => {
    const text = await detail({ ...REQUEST, body: btoa('{"a":2}'), bodyEncoding: 'base64' })
    expect(text.items).toMatchObject([{ webhook: { outputs: { body: { a: 2 } } } }])
    const empty = await detail({ ...REQUEST, body: '' })
    expect(empty.items).toMatchObject([{ webhook: { outputs: { body: null } } }])
  })

  test.each<[string, string, object]>([
    ['no trigger of Hookline', 'orders/none', REQUEST],
    ['a trigger that cannot read it', 'orders/messaging_bot', { ...REQUEST, body: '[]' }],
    [
      'a body that is not base64',
      'orders/webhook',
      { ...REQUEST, body: '!', bodyEncoding: 'base64' },
    ],
  ])('have no outputs of %s', async (_, path, request) => {
    const shown = await detail({ ...request, path }, { path })
    expect([shown.items, shown.fields, shown.count]).toEqual([[], [], 0])
  })

  test.each<[string, object]>([
    ['a method in small letters', { request: { ...REQUEST, method: 'post' } }],
    ['a method of 21 letters', { request: { ...REQUEST, method: 'A'.repeat(21) } }],
    ['a method with a digit before it', { request: { ...REQUEST, method: '1A' } }],
    ['a method with a digit behind it', { request: { ...REQUEST, method: 'A1' } }],
    ['a path of 8193 characters', { request: { ...REQUEST, path: 'a'.repeat(8193) } }],
    ['a query of 65,537 characters', { request: { ...REQUEST, query: 'a'.repeat(65_537) } }],
    ['another encoding', { request: { ...REQUEST, bodyEncoding: 'gzip' } }],
    ['a request that is text', { request: 'POST' }],
    ['a stage of another state', { stages: [{ stage: 'a', state: 'lost' }] }],
    ['no stages', { stages: undefined }],
    ['no delivery', { delivery: undefined }],
  ])('are not read with %s', (_, more) => {
    const shown = { delivery: listed(), request: REQUEST, stages: [], ...more }
    expect(() => readShown(shown)).toThrow(NOT_A_RELAY)
  })

  test('are read up to each limit', () => {
    const request = {
      ...{ ...REQUEST, method: 'A'.repeat(20), path: 'a'.repeat(8192), query: 'a'.repeat(65_536) },
    }
    const states = ['ok', 'failed', 'waiting', 'skipped', 'unknown']
    const stages = states.map((state) => ({ stage: 'a', state }))
    const shown = readShown({ delivery: listed(), request, stages })
    expect(shown.request).toEqual(request)
    expect(shown.stages.map(({ state }) => state)).toEqual(states)
  })
})
