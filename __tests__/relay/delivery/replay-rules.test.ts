import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { DeliveryStore } from '../../../src/relay/delivery/deliveries.ts'
import {
  decryptContent,
  encryptContent,
  encryptEvent,
} from '../../../src/relay/delivery/event-record.ts'
import {
  type Passed,
  type ReplayPorts,
  replayMany,
  replayOne,
} from '../../../src/relay/delivery/replay.ts'
import type { NewDelivery, StoredDelivery } from '../../../src/relay/store/delivery-rows.ts'
import { writeClientPayload } from '../../../src/wire/payload.ts'
import { type EventOptions, eventOf, id } from '../../support/delivery-scene.ts'
import { START } from '../../support/fake-time.ts'
import { encryptionOf } from '../../support/relay-keys.ts'

const encryption = await encryptionOf()

/** A delivered event of the endpoint `o/e1`. */
async function deliveryOf(
  n: number,
  changes: Partial<StoredDelivery> = {},
  event: EventOptions = {},
): Promise<StoredDelivery> {
  return {
    ...{ seq: n, id: id(n), request: id(n), replayOf: null, batch: null, owner: 'o' },
    ...{ repository: 'o/r', queue: 'o/r#own', endpoint: 'e1', path: 'hook/webhook', method: 'PUT' },
    ...{ received: START + n, size: 2, state: 'delivered', reason: '', since: 0, queued: false },
    ...{ at: 0, attempts: 1, doubts: 0, next: null, wait: 0, accepted: 1, githubMs: 1, run: null },
    ...{ outcome: null, outcomeReason: null, conclusion: null, details: null, failures: 0 },
    ...{ explanation: null, bytes: 0 },
    ...(await encryptEvent(eventOf(id(n), event), encryption)),
    ...changes,
  }
}

/** A store with these deliveries, whose ids of replays count from 900. */
function begin(
  all: readonly StoredDelivery[],
  {
    hasRoom = true,
    passed,
  }: { hasRoom?: boolean | ((puts: number) => boolean); passed?: Passed } = {},
) {
  const puts: { readonly rows: readonly NewDelivery[]; readonly replaces?: string | undefined }[] =
    []
  const calls: unknown[] = []
  let next = 900
  // The other methods are not called.
  const store = {
    table: {
      members: async (wanted: string) =>
        all.filter((one) => one.id === wanted || (one.batch !== null && one.batch === wanted)),
      lastSeq: async () => 500,
      replayable: async (_: unknown, limit: number, range: { after: number; last: number }) => {
        calls.push([limit, range])
        return all.filter(({ seq }) => seq > range.after && seq <= range.last).slice(0, limit)
      },
      find: async (wanted: string) => all.find((one) => one.id === wanted),
    },
    put: async (rows: readonly NewDelivery[], replaces?: string) => {
      puts.push({ rows, replaces })
      return typeof hasRoom === 'boolean' ? hasRoom : hasRoom(puts.length)
    },
    replay: async (ids: readonly string[], state: string) => {
      calls.push([ids, state])
      return ids.length - 1
    },
    replayAll: async (filter: unknown) => {
      calls.push(filter)
      return { replayed: 3, missing: 2 }
    },
  } as unknown as DeliveryStore
  const ports: ReplayPorts = {
    ...{ store, encryption, now: () => START, newId: () => id(next++) },
    nameQueue: async ({ repository }) => `${repository.owner}/${repository.name}#own`,
    passAgain: async () => passed ?? { missing: 'no endpoint' },
  }
  return { ports, puts, calls }
}

const NOTHING = { replayed: 0, declined: 0, missing: 0, left: 0, ids: [] }

/** Events are encrypted at the same time, so their ids are made in any order. */
const inOrder = (result: Awaited<ReturnType<typeof replayOne>>) =>
  typeof result === 'object' ? { ...result, ids: result.ids.toSorted() } : result

async function contentOf(row: NewDelivery | undefined) {
  const { key = null, content = null } = row ?? {}
  const opened = await decryptContent({ key, content }, encryption)
  return opened?.event && { ...opened, payload: JSON.parse(opened.event.clientPayload) }
}

describe('one delivery', () => {
  const one = async (
    changes: Partial<StoredDelivery>,
    filter = {},
    batch: (typeof changes)[] = [],
  ) => {
    const all = await Promise.all([changes, ...batch].map((more, n) => deliveryOf(n + 1, more)))
    const { ports, puts, calls } = begin(all)
    return { result: await replayOne(id(1), filter, ports), puts, calls }
  }

  test.each([
    [{}, { owner: 'x' }, undefined],
    [{}, { endpoints: ['o/e2', 'x/e1'] }, undefined],
    [{}, { endpoints: [] }, undefined],
    [{}, { state: 'dead' }, undefined],
    [{ state: 'refused' }, {}, 'refused'],
    [{ state: 'refused', endpoint: 'e1#deleted' }, {}, 'refused'],
    [{ endpoint: 'e1#deleted' }, {}, 'deleted'],
    [{ state: 'dead', endpoint: 'e1#deleted' }, {}, 'deleted'],
  ] as const)('%j with the filter %j cannot be replayed: %p', async (changes, filter, result) => {
    expect(await one(changes, filter)).toEqual({ result, puts: [], calls: [] })
  })

  test.each([
    ['dead', 2],
    ['waiting', 3],
    ['uncertain', 3],
  ] as const)('a %s batch keeps its ids, and %i are counted', async (state, replayed) => {
    const batch = { state, batch: id(1) } as const
    const { result, puts, calls } = await one(batch, { owner: 'o', endpoints: ['o/e1'], state }, [
      batch,
      batch,
      { ...batch, state: 'delivered' },
    ])
    expect(result).toEqual({ ...NOTHING, replayed, ids: [id(1)] })
    expect([puts, calls]).toEqual([[], [[[1, 2, 3].map(id), state]]])
  })

  test('that GitHub has is stored again, with an id of its own and the facts of its request', async () => {
    const { result, puts } = await one({ explanation: 'x', attempts: 7, doubts: 1, run: 'x' })
    expect(result).toEqual({ ...NOTHING, replayed: 1, ids: [id(900)] })
    expect(puts).toEqual([
      {
        rows: [
          {
            ...{ id: id(900), request: id(900), replayOf: id(1), queue: 'o/r#own', endpoint: 'e1' },
            ...{ path: 'hook/webhook', method: 'PUT', received: START + 1, size: 2 },
            ...{ state: 'waiting', reason: 'replayed' },
            ...{ key: encryption.key, content: expect.any(String) },
          },
        ],
        replaces: undefined,
      },
    ])
    const { event, payload, credential } = (await contentOf(puts[0]?.rows[0])) ?? {}
    const original = eventOf(id(1))
    expect(event).toEqual({
      ...{ repository: original.repository, target: original.target, delivery: id(900) },
      clientPayload: expect.any(String),
      request: { ...original.request, id: id(900) },
    })
    expect(payload).toEqual({
      ...{ path: 'hook/webhook', method: 'POST', body: id(1) },
      headers: { 'x-hookline-delivery': id(900), 'x-hookline-replay-of': id(1) },
    })
    expect(credential).toEqual({
      kind: 'endpoint',
      endpoint: { owner: 'o', name: 'e1', created: 0 },
    })
  })

  test('of a batch is sent with the others by the id of the batch, and alone by its own', async () => {
    const members = [1, 2].map((n) => deliveryOf(n, { batch: id(1) }, { body: 'x'.repeat(n) }))
    const all = await Promise.all(members)
    const { ports, puts } = begin(all)
    // The id of the batch is the first one that is made.
    expect(inOrder(await replayOne(id(1), {}, ports))).toEqual({
      ...NOTHING,
      ...{ replayed: 2, ids: [id(901), id(902)] },
    })
    const collections = puts[0]?.rows.map(({ collection }) => collection)
    const grouping = JSON.stringify(['replay', id(900)])
    const lengths = await Promise.all(
      (puts[0]?.rows ?? []).map(async (row) => (await contentOf(row))?.event.clientPayload.length),
    )
    expect(collections).toEqual(
      lengths.map((length = 0) => ({ grouping, period: 0, quiet: null, length: length + 500 })),
    )
    const { store } = ports
    const alone = {
      ...ports,
      store: { ...store, table: { ...store.table, members: async () => all } },
    }
    expect(await replayOne(id(2), {}, alone)).toMatchObject({ replayed: 1, ids: [id(903)] })
    expect(puts[1]?.rows).toMatchObject([{ replayOf: id(2) }])
    expect(puts[1]?.rows[0]).not.toHaveProperty('collection')
  })

  const NO_PAYLOAD = 'the payload is not stored any more, or its relay key is missing'

  test.each([
    [{ content: null }, NO_PAYLOAD],
    [{ key: null }, NO_PAYLOAD],
    [{ content: 'damaged' }, NO_PAYLOAD],
    [{ state: 'filtered', content: null }, NO_PAYLOAD],
    // A filtered request has no event, and a delivered one no request.
    [{ state: 'filtered' }, NO_PAYLOAD],
  ] as const)('%j has no payload', async (changes, explanation) => {
    const { result, puts } = await one(changes)
    expect([result, puts]).toEqual([{ ...NOTHING, missing: 1, explanation }, []])
  })

  test('some of a batch are missing, and the others are sent', async () => {
    const batch = { batch: id(1) }
    const { result } = await one(batch, {}, [{ ...batch, content: null }, batch])
    expect(inOrder(result)).toEqual({
      ...NOTHING,
      ...{ replayed: 2, missing: 1, ids: [id(901), id(902)], explanation: NO_PAYLOAD },
    })
  })

  test('for which there is no room is left', async () => {
    const { ports } = begin([await deliveryOf(1)], { hasRoom: false })
    expect(await replayOne(id(1), {}, ports)).toStrictEqual({ ...NOTHING, left: 1 })
  })

  const TOO_LARGE = 'with the header x-hookline-replay-of, the event is too large for GitHub'
  const noise = (bytes: number) => randomBytes(bytes).toString('base64')

  const headers = { 'x-hookline-delivery': id(900), 'x-hookline-replay-of': id(1) }
  const empty = writeClientPayload({ path: 'hook/webhook', method: 'POST', headers, body: '' })
  const largest = 'x'.repeat(65_535 - empty.length)

  test.each([
    ['repository', largest, 'plain'],
    ['workflow', largest, 'plain'],
    ['repository', `${largest}x`, 'gzip'],
    ['workflow', `${largest}x`, 'gzip'],
    ['repository', noise(60_000), TOO_LARGE],
    ['workflow', noise(60_000), TOO_LARGE],
  ] as const)(
    'as %s_dispatch with a body as large as GitHub accepts: %#',
    async (mode, body, end) => {
      const { ports, puts } = begin([await deliveryOf(1, {}, { mode, body })])
      const result = await replayOne(id(1), {}, ports)
      if (end === TOO_LARGE) {
        expect([result, puts]).toEqual([{ ...NOTHING, missing: 1, explanation: TOO_LARGE }, []])
        return
      }
      expect(result).toMatchObject({ replayed: 1, missing: 0 })
      const { payload } = (await contentOf(puts[0]?.rows[0])) ?? {}
      const facts = { 'x-hookline-delivery': id(900), 'x-hookline-replay-of': id(1) }
      const isPacked = end === 'gzip'
      expect(payload.headers).toEqual({
        ...facts,
        ...(isPacked && { 'x-hookline-body-encoding': 'gzip' }),
      })
      const read = isPacked
        ? gunzipSync(Buffer.from(payload.body, 'base64')).toString()
        : payload.body
      expect(read).toBe(body)
    },
  )

  test('whose body is packed already, or no string, is not packed again', async () => {
    const large = 'x'.repeat(65_400)
    for (const part of [
      { headers: { 'x-hookline-body-encoding': 'gzip' }, body: large },
      { headers: {}, body: { large } },
    ]) {
      const { credential: _, ...event } = eventOf(id(1))
      const clientPayload = JSON.stringify({ path: 'hook/webhook', method: 'POST', ...part })
      const content = {
        event: { ...event, clientPayload },
        credential: { kind: 'endpoint' },
      } as const
      const record = await encryptContent(content, encryption)
      const { ports } = begin([await deliveryOf(1, record)])
      expect(await replayOne(id(1), {}, ports)).toMatchObject({ explanation: TOO_LARGE })
    }
  })
})

describe('a filtered request', () => {
  const received = {
    ...{ target: '/-/o/x', method: 'POST', receivedAt: new Date(START).toISOString() },
    ...{ headers: [], body: { text: '{}' } },
  }
  const filtered = async (n = 1) =>
    deliveryOf(n, { state: 'filtered', ...(await encryptContent({ received }, encryption)) })

  test.each([
    [{ declined: 'if: no' }, { declined: 1, explanation: 'if: no' }],
    [{ missing: 'no endpoint' }, { missing: 1, explanation: 'no endpoint' }],
  ])('that gives %j stays', async (passed, result) => {
    const { ports, puts } = begin([await filtered()], { passed })
    expect([await replayOne(id(1), {}, ports), puts]).toEqual([{ ...NOTHING, ...result }, []])
  })

  test('that passes is replaced by its events: the first one has its id', async () => {
    const events = [eventOf(id(7)), eventOf(id(8), { name: 'mail' })]
    const delivery = { ...(await filtered()), request: id(5) }
    const { ports, puts } = begin([delivery], { passed: { events } })
    expect(await replayOne(id(1), {}, ports)).toEqual({
      ...NOTHING,
      ...{ replayed: 2, ids: [id(1), id(8)] },
    })
    const row = {
      ...{ request: id(5), endpoint: 'e1', path: 'hook/webhook', method: 'POST' },
      ...{ received: START, state: 'waiting', reason: 'replayed' },
      ...{ key: encryption.key, content: expect.any(String), size: id(7).length },
    }
    expect(puts).toEqual([
      {
        rows: [
          { ...row, id: id(1), queue: 'o/r#own' },
          { ...row, id: id(8), queue: 'o/mail#own' },
        ],
        replaces: id(1),
      },
    ])
    const contents = await Promise.all((puts[0]?.rows ?? []).map(contentOf))
    expect(contents.map((one) => [one?.event.delivery, one?.payload.headers])).toEqual([
      [id(1), { 'x-hookline-delivery': id(1) }],
      [id(8), { 'x-hookline-delivery': id(8) }],
    ])
  })

  test('for which there is no room is left, unless another replay was first', async () => {
    const passed = { events: [eventOf(id(1))] }
    const { ports } = begin([await filtered()], { passed, hasRoom: false })
    expect(await replayOne(id(1), {}, ports)).toEqual({ ...NOTHING, left: 1 })
    const { store } = ports
    for (const found of [undefined, await deliveryOf(1)]) {
      const table = { ...store.table, find: async () => found }
      expect(await replayOne(id(1), {}, { ...ports, store: { ...store, table } })).toEqual(NOTHING)
    }
  })

  test.each([
    [{ declined: 'if: no' }, { declined: 2, explanation: 'if: no' }],
    [{ missing: 'no endpoint' }, { missing: 2, explanation: 'no endpoint' }],
  ])('and others that give %j are counted', async (passed, result) => {
    const { ports } = begin([await filtered(1), await filtered(2)], { passed })
    expect(await replayMany({ state: 'filtered' }, ports)).toStrictEqual({ ...NOTHING, ...result })
  })

  test('and others are replayed in the order of their arrival, until there is no room', async () => {
    const events = [eventOf(id(1))]
    const all = [await filtered(1), await filtered(2), await filtered(3)]
    const { ports, puts } = begin(all, { passed: { events }, hasRoom: (puts) => puts !== 2 })
    expect(await replayMany({ state: 'filtered' }, ports)).toStrictEqual({
      ...NOTHING,
      ...{ replayed: 1, left: 1, ids: [id(1)] },
    })
    expect(puts.map(({ replaces }) => replaces)).toEqual([id(1), id(2)])
  })
})

describe('many deliveries', () => {
  test.each(['dead', 'waiting', 'uncertain'] as const)(
    'that are %s are queued by the store',
    async (state) => {
      const { ports, calls } = begin([])
      const filter = { owner: 'o', state }
      expect(await replayMany(filter, ports)).toEqual({ ...NOTHING, replayed: 3, missing: 2 })
      expect(calls).toEqual([filter])
    },
  )

  test('are read in pages of 50 up to the last one of the beginning, and 100 ids are named', async () => {
    const fault = 'the endpoint of the delivery was deleted'
    const all = await Promise.all(
      Array.from({ length: 122 }, (_, n) =>
        deliveryOf(n + 1, {
          ...(n === 60 && { endpoint: 'e1#deleted' }),
          ...(n === 70 && { content: null }),
          // Members of a batch, with another delivery in between.
          ...((n === 3 || n === 5) && { batch: id(4) }),
          ...(n === 121 && { seq: 501 }),
        }),
      ),
    )
    const { ports, puts, calls } = begin(all)
    const result = await replayMany({ state: 'delivered' }, ports)
    const ids = puts.flatMap(({ rows }) => rows.map((row) => row.id))
    expect(result).toEqual({
      ...{ replayed: 119, declined: 0, missing: 2, left: 0 },
      ...{ ids: ids.slice(0, 100), explanation: fault },
    })
    expect(calls).toEqual([0, 50, 100].map((after) => [50, { after, last: 500 }]))
    const replayOf = puts.map(({ rows }) => rows.map((row) => row.replayOf))
    expect(replayOf.slice(0, 6)).toEqual([1, 2, 3, [4, 6], 5, 7].map((n) => [n].flat().map(id)))
  })

  test('a last page that is full is followed by an empty one', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => deliveryOf(n + 1)))
    const { ports, calls } = begin(all)
    expect(await replayMany({ state: 'delivered' }, ports)).toMatchObject({ replayed: 50 })
    expect(calls).toEqual([0, 50].map((after) => [50, { after, last: 500 }]))
  })
})
