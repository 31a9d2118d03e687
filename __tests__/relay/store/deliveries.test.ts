import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Database } from '../../../src/relay/store/database.ts'
import { type DeliveryLimits, DeliveryTable } from '../../../src/relay/store/deliveries.ts'
import type { Delivery, NewDelivery, RunStep } from '../../../src/relay/store/delivery-rows.ts'
import { DELETED } from '../../../src/relay/store/delivery-sql.ts'
import { rowsByKey } from '../../../src/relay/store/encryption.ts'
import { ROW_BYTES } from '../../../src/relay/store/room.ts'
import { type DatabaseServer, SERVERS } from '../../support/real-databases.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const START = Date.parse('2026-03-01T12:00:00Z')

const LIMITS: DeliveryLimits = {
  events: 100_000,
  bytes: 64 * 1024 * 1024,
  ownerShare: 1,
  retention: 7 * DAY,
}

const QUEUE = 'octo/shop#own'

let count = 0
/** An event of the endpoint `octo/orders`, that waits. */
function row(changes: Partial<NewDelivery> = {}): NewDelivery {
  const id = changes.id ?? `id-${++count}`
  return {
    id,
    request: id,
    replayOf: null,
    queue: QUEUE,
    endpoint: 'orders',
    path: 'orders/webhook',
    method: 'POST',
    received: START,
    size: 2,
    state: 'waiting',
    reason: 'queued',
    attempts: 0,
    doubts: 0,
    wait: 0,
    accepted: null,
    githubMs: null,
    run: null,
    explanation: null,
    key: 'k1',
    content: 'content',
    follows: false,
    collection: null,
    ...changes,
  }
}

const collection = { grouping: 'g', period: MINUTE, quiet: null, length: 600 }
const collected = (changes: Partial<NewDelivery> = {}) =>
  row({ reason: 'batch', collection, ...changes })

const ACCEPTED = { accepted: START + 5, githubMs: 120, run: null, follows: true }

const ids = (rows: readonly Pick<Delivery, 'id'>[]) => rows.map(({ id }) => id)

describe.each(SERVERS)('the deliveries on %s', (_, startServer) => {
  let server: DatabaseServer
  let database: Database
  let clock: number
  let table: DeliveryTable
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  const open = (limits: Partial<DeliveryLimits> = {}, keyIds: readonly string[] = ['k1']) =>
    new DeliveryTable({ database, limits: { ...LIMITS, ...limits }, keyIds, now: () => clock })

  beforeEach(() => {
    database = server.open(`database-${++count}`)
    clock = START
    table = open()
  })

  /** Stores events, in their order. */
  const put = async (...rows: readonly NewDelivery[]) => {
    for (const one of rows) expect(await table.put([one])).toBe(true)
    return rows
  }
  const stateOf = async (id: string) => {
    const { state, reason, next, batch } = (await table.find(id)) ?? {}
    return [state, reason, next, batch]
  }
  const due = async (except: readonly string[] = [], queue = QUEUE) =>
    (await table.nextDue(queue, clock, except))?.id
  const imbalance = async () => (await table.figures()).imbalance

  test('a database without tables is empty, and the first row creates them', async () => {
    const other = server.open(`database-${++count}`)
    const fresh = new DeliveryTable({
      database: other,
      limits: LIMITS,
      keyIds: [],
      now: () => clock,
    })
    await fresh.open()
    expect(await fresh.queues()).toEqual([])
    expect(await fresh.find('x')).toBeUndefined()
    expect(await fresh.deleteExpired()).toEqual([])
    expect(await fresh.figures()).toMatchObject({ bytes: 0, imbalance: 0, oldest: 0 })
    await fresh.record([row({ state: 'delivered' })])
    expect((await fresh.figures()).states.delivered).toBe(1)
  })

  test('a stored event has all its fields', async () => {
    const given = row({ replayOf: 'old', wait: 500, reason: 'overloaded', attempts: 1 })
    await put(given)
    expect(await table.find(given.id)).toEqual({
      seq: 1,
      id: given.id,
      request: given.id,
      replayOf: 'old',
      batch: null,
      owner: 'octo',
      repository: 'octo/shop',
      queue: QUEUE,
      endpoint: 'orders',
      path: 'orders/webhook',
      method: 'POST',
      received: START,
      size: 2,
      state: 'waiting',
      reason: 'overloaded',
      since: START,
      queued: true,
      at: START,
      attempts: 1,
      doubts: 0,
      next: START + 500,
      wait: 500,
      accepted: null,
      githubMs: null,
      run: null,
      outcome: null,
      outcomeReason: null,
      conclusion: null,
      details: null,
      failures: 0,
      explanation: null,
      key: 'k1',
      bytes: 7,
      content: 'content',
    })
  })

  test('several rows are stored together or not at all, and a repeated call changes nothing', async () => {
    const rows = [row(), row({ queue: 'octo/site#own' })]
    expect(await table.put(rows)).toBe(true)
    expect(await table.put(rows)).toBe(true)
    expect(await table.figures()).toMatchObject({ states: { waiting: 2 }, imbalance: 0 })
    expect([...(await table.queues())].sort()).toEqual([QUEUE, 'octo/site#own'])
    const broken = { ...row(), path: null as unknown as string }
    const good = row()
    await expect(table.put([good, broken])).rejects.toThrow('disk fails')
    expect(await table.find(good.id)).toBeUndefined()
    expect(await imbalance()).toBe(0)
  })

  describe('the order of a queue', () => {
    test('the first event that is due comes first, also if a later one is uncertain', async () => {
      const [a, b, c] = await put(row(), row({ state: 'uncertain' }), row())
      await put(row({ queue: 'octo/site#own' }))
      expect(await due()).toBe(a?.id)
      expect(await due([a?.id ?? ''])).toBe(b?.id)
      expect(await due([a?.id ?? '', b?.id ?? ''])).toBe(c?.id)
      expect(await due([a?.id ?? '', b?.id ?? '', c?.id ?? ''])).toBeUndefined()
    })

    test('an event that waits for its time leaves its turn to later ones', async () => {
      const [a, b] = await put(row({ wait: 5000 }), row())
      expect(await due()).toBe(b?.id)
      expect(await table.nextTime(QUEUE, [b?.id ?? ''])).toBe(START + 5000)
      expect(await table.nextTime(QUEUE, [a?.id ?? '', b?.id ?? ''])).toBeUndefined()
      clock += 5000
      expect(await due()).toBe(a?.id)
    })

    test('events of another key wait, and are counted', async () => {
      await put(row({ key: 'k0' }), collected({ key: 'k0' }))
      expect(await due()).toBeUndefined()
      expect(await table.queues()).toEqual([])
      expect(await table.collecting(QUEUE)).toEqual([])
      expect(await table.nextTime(QUEUE, [])).toBeUndefined()
      expect(await table.endOld(-1, [QUEUE], [])).toEqual([])
      expect(await table.figures()).toMatchObject({ unreadable: 2, states: { waiting: 2 } })
      await table.record([row({ state: 'delivered', key: null, content: null })])
      expect(await rowsByKey(database)).toEqual({ k0: 2 })
      table = open({}, ['k1', 'k0'])
      expect(await due()).toBeDefined()
    })
  })

  describe('an attempt', () => {
    test('GitHub accepted: the event of an endpoint stays with its payload, and its run is followed', async () => {
      const [a] = await put(row({ wait: 100, reason: 'overloaded' }))
      clock += 1000
      await table.write(table.delivered(QUEUE, [a?.id ?? ''], ACCEPTED))
      expect(await table.find(a?.id ?? '')).toMatchObject({
        state: 'delivered',
        since: clock,
        attempts: 1,
        accepted: START + 5,
        githubMs: 120,
        outcome: 'pending',
        next: clock + 10_000,
        content: 'content',
      })
      expect(await due()).toBeUndefined()
      expect(await table.nextRun()).toBe(clock + 10_000)
      expect(await imbalance()).toBe(0)
    })

    test('the event of a token URL leaves the table', async () => {
      const [a, b] = await put(row({ endpoint: null }), row({ endpoint: null }))
      await table.write(table.delivered(QUEUE, [a?.id ?? ''], ACCEPTED))
      expect(await table.find(a?.id ?? '')).toBeUndefined()
      expect(await due()).toBe(b?.id)
      expect(await table.figures()).toMatchObject({
        states: { delivered: 0, waiting: 1 },
        imbalance: 0,
      })
    })

    test('without retention the payload goes, and a run that is not followed has no time', async () => {
      table = open({ retention: 0 })
      const [a] = await put(row())
      await table.write(
        table.delivered(QUEUE, [a?.id ?? ''], { ...ACCEPTED, accepted: null, follows: false }),
      )
      expect(await table.find(a?.id ?? '')).toMatchObject({
        ...{ state: 'delivered', key: null, content: null, bytes: 0 },
        ...{ outcome: null, next: null, accepted: START },
      })
    })

    test('GitHub refused: the event waits, is uncertain, or is a dead letter', async () => {
      const [a] = await put(row())
      const id = a?.id ?? ''
      clock += 10
      await table.write(
        table.failed([id], { state: 'waiting', wait: 2000, doubts: 0 }, 'overloaded'),
      )
      expect(await stateOf(id)).toEqual(['waiting', 'overloaded', clock + 2000, null])
      await table.write(
        table.failed([id], { state: 'uncertain', wait: 10_000, doubts: 1 }, 'github_timeout'),
      )
      expect(await table.uncertain(QUEUE)).toEqual(new Map([[id, START]]))
      expect(await table.find(id)).toMatchObject({ attempts: 2, doubts: 1, wait: 10_000 })
      await table.write(
        table.failed([id], { state: 'dead', reason: 'maybe_accepted', doubts: 1 }, 'x', 0),
      )
      expect(await stateOf(id)).toEqual(['dead', 'maybe_accepted', null, null])
      // An outcome that comes too late changes nothing.
      await table.write(table.delivered(QUEUE, [id], ACCEPTED))
      await table.write(table.failed([id], { state: 'waiting', wait: 0, doubts: 0 }, 'x'))
      expect(await stateOf(id)).toEqual(['dead', 'maybe_accepted', null, null])
      expect(await table.find(id)).toMatchObject({ attempts: 2 })
    })
  })

  describe('a batch', () => {
    const group = async (n: number, changes: Partial<NewDelivery> = {}) => {
      const rows = await put(...Array.from({ length: n }, () => collected(changes)))
      const id = await table.group(QUEUE, 'g')
      expect(id).toBe(rows[0]?.id)
      return ids(rows)
    }

    test('collected events are not due, and one query tells what is collected', async () => {
      await put(collected())
      clock += 2000
      await put(collected(), collected({ collection: { ...collection, grouping: 'h', quiet: 5 } }))
      expect(await due()).toBeUndefined()
      expect(await table.nextTime(QUEUE, [])).toBeUndefined()
      expect(await table.queues()).toEqual([QUEUE])
      const known = { grouping: 'g', period: MINUTE, quiet: null }
      expect(await table.collecting(QUEUE)).toEqual([
        { ...known, first: START, last: clock, count: 2, length: 1200 },
        { ...known, grouping: 'h', quiet: 5, first: clock, last: clock, count: 1, length: 600 },
      ])
      expect(await table.group(QUEUE, 'other')).toBeUndefined()
    })

    test('it is due as one row, and its members are read in order', async () => {
      const [a = '', b = '', c = ''] = await group(3)
      await put(collected())
      const first = await table.nextDue(QUEUE, clock, [])
      expect([first?.id, first?.batch]).toEqual([a, a])
      expect(await due([a])).toBeUndefined()
      expect(ids(await table.members(a))).toEqual([a, b, c])
      expect((await table.members(a)).map(({ content }) => content)).toEqual(
        Array(3).fill('content'),
      )
      expect((await table.collecting(QUEUE)).map(({ count }) => count)).toEqual([1])
    })

    test('it takes at most 256 events and 400,000 characters, and at least one', async () => {
      for (let n = 0; n < 10; n++) {
        const rows = Array.from({ length: 30 }, () => collected())
        expect(await table.put(rows)).toBe(true)
      }
      const id = (await table.group(QUEUE, 'g')) ?? ''
      expect(await table.members(id)).toHaveLength(256)
      const rest = (await table.group(QUEUE, 'g')) ?? ''
      expect(await table.members(rest)).toHaveLength(44)
      const long = { ...collection, length: 390_000 }
      const [a, b] = await put(
        collected({ collection: { ...collection, length: 500_000 } }),
        collected({ collection: long }),
        collected({ collection: { ...long, length: 10_000 } }),
        collected({ collection: { ...long, length: 1 } }),
      )
      const single = (await table.group(QUEUE, 'g')) ?? ''
      expect(ids(await table.members(single))).toEqual([a?.id])
      const full = (await table.group(QUEUE, 'g')) ?? ''
      expect(full).toBe(b?.id)
      expect(await table.members(full)).toHaveLength(2)
    })

    test('it has events of one endpoint alone', async () => {
      const [a, b, c] = await put(collected(), collected({ endpoint: 'other' }), collected())
      const first = (await table.group(QUEUE, 'g')) ?? ''
      expect(ids(await table.members(first))).toEqual([a?.id, c?.id])
      expect(await table.group(QUEUE, 'g')).toBe(b?.id)
    })

    test('all members get the outcome of an attempt', async () => {
      const members = await group(3)
      const [a = '', b = ''] = members
      await table.write(
        table.failed(members, { state: 'uncertain', wait: 10, doubts: 1 }, 'github_timeout'),
      )
      expect(await stateOf(a)).toEqual(['uncertain', 'github_timeout', clock + 10, a])
      expect(await stateOf(b)).toEqual(['uncertain', 'github_timeout', null, a])
      expect(await table.uncertain(QUEUE)).toEqual(new Map([[a, START]]))
      expect(ids(await table.members(a))).toEqual(members)
      await table.write(table.delivered(QUEUE, members, { ...ACCEPTED, run: 'https://run' }))
      expect(await stateOf(a)).toEqual(['delivered', '', clock + 10_000, a])
      expect(await stateOf(b)).toEqual(['delivered', '', null, a])
      expect(ids(await table.members(a))).toEqual(members)
    })

    test('it is divided into batches of their own', async () => {
      const members = await group(5)
      await table.write(table.divide(await table.members(members[0] ?? ''), 2))
      const [a = '', b = '', c = '', d = '', e = ''] = members
      expect(ids(await table.members(a))).toEqual([a, b, c])
      expect(ids(await table.members(d))).toEqual([d, e])
      expect(await due()).toBe(a)
      expect(await due([a])).toBe(d)
      expect(await due([a, d])).toBeUndefined()
    })

    test('a member that is taken out is dead, and the others stay a batch', async () => {
      const [a = '', b = '', c = '', d = ''] = await group(4)
      await table.takeOut(c, 'unreadable')
      expect(await stateOf(c)).toEqual(['dead', 'unreadable', null, null])
      expect(ids(await table.members(a))).toEqual([a, b, d])
      await table.takeOut(a, 'unreadable')
      expect(ids(await table.members(a))).toEqual([b, d])
      expect(await due()).toBe(b)
      expect(await due([a])).toBeUndefined()
      // While the batch has its id, it is not queued again.
      expect(ids(await table.replayed([a, c], 'dead'))).toEqual([c])
      await table.takeOut(b, 'x')
      await table.takeOut(d, 'x')
      expect(ids(await table.replayed([a], 'dead'))).toEqual([a])
      expect(ids(await table.members(a))).toEqual([a])
      expect(await table.figures()).toMatchObject({ states: { waiting: 2, dead: 2 }, imbalance: 0 })
    })

    test('it goes on if an admin deletes its first member, under its id', async () => {
      const [a = '', b = '', c = ''] = await group(3)
      expect(await table.delete({ id: a }, 10)).toBe(1)
      expect(await due()).toBe(b)
      expect(await due([a])).toBeUndefined()
      expect(ids(await table.members(a))).toEqual([b, c])
      expect(await imbalance()).toBe(0)
      await table.write(table.delivered(QUEUE, [b, c], ACCEPTED))
      expect(await table.delete({ id: b }, 10)).toBe(1)
      expect((await table.dueRuns(clock + MINUTE)).map(({ id, batch }) => [id, batch])).toEqual([
        [c, a],
      ])
    })

    test('dead members that are queued again are collected again, and are due', async () => {
      const members = await group(3)
      await table.write(table.failed(members, { state: 'dead', reason: 'too_old', doubts: 0 }, 'x'))
      clock += 5000
      expect(ids(await table.replayed(members.slice(0, 2), 'dead'))).toEqual(members.slice(0, 2))
      expect(await table.collecting(QUEUE)).toEqual([
        {
          ...{ grouping: 'g', period: 0, quiet: null },
          ...{ first: clock, last: clock, count: 2, length: 1200 },
        },
      ])
      expect(await table.group(QUEUE, 'g')).toBe(members[0])
      expect(ids(await table.members(members[0] ?? ''))).toEqual(members.slice(0, 2))
    })
  })

  test('GitHub counts as having accepted a credential for 30 days', async () => {
    const accepted = async () => [
      await table.wasAccepted('octo/once#own'),
      await table.wasAccepted('octo/never#own'),
    ]
    expect(await accepted()).toEqual([false, false])
    await table.noteAccepted('octo/once#own')
    clock += 30 * DAY
    expect(await accepted()).toEqual([true, false])
    clock += 1
    expect(await accepted()).toEqual([false, false])
    await table.deleteExpired()
    await table.noteAccepted('octo/once#own')
    expect(await accepted()).toEqual([true, false])
  })

  test('a clock that was ahead holds no event', async () => {
    clock = START + 30 * DAY
    await put(row({ wait: 2000 }), collected())
    clock = START
    await table.open()
    expect(await table.nextTime(QUEUE, [])).toBe(START + 2000)
    expect(await table.collecting(QUEUE)).toMatchObject([{ first: START, last: START }])
    clock += 2000
    expect(await due()).toBeDefined()
  })

  describe('an endpoint that was deleted', () => {
    const endpoint = (created: number) =>
      database.write([
        [
          `INSERT INTO endpoint (hash, owner, name, created, changed, key, content)
            VALUES (?, 'octo', 'orders', ?, ?, 'k1', 'content')`,
          ...[`hash-${created}`, created, created],
        ],
      ])

    test('has the requests that are recorded after an endpoint of its name was created', async () => {
      await endpoint(START + 1)
      const late = row({ state: 'filtered', reason: 'if', endpointCreated: START })
      const own = row({ state: 'filtered', reason: 'if', endpointCreated: START + 1 })
      await table.record([late, own])
      const filter = { owner: 'octo', endpoint: 'orders', limit: 9 }
      expect(ids(await table.list(filter))).toEqual([own.id, late.id])
      expect(ids(await table.list({ ...filter, endpoints: ['octo/orders'] }))).toEqual([own.id])
      expect((await table.find(late.id))?.endpoint).toBe(`orders${DELETED}`)
      const waiting = row({ endpointCreated: START })
      await put(waiting)
      expect((await table.find(waiting.id))?.endpoint).toBe(`orders${DELETED}`)
    })
  })

  describe('the replay of a filtered request', () => {
    const filtered = () => row({ state: 'filtered', reason: 'if' })

    test('replaces it in one transaction, so that a fault leaves it as it was', async () => {
      const old = filtered()
      await table.record([old])
      const [again, other] = [row({ id: old.id }), row()]
      const broken = { ...row(), path: null as unknown as string }
      await expect(table.put([again, broken], { replaces: old.id })).rejects.toThrow('disk fails')
      expect(await table.find(old.id)).toMatchObject({ state: 'filtered', content: 'content' })
      expect(await table.put([again, other], { replaces: old.id })).toBe(true)
      expect(await table.figures()).toMatchObject({
        states: { waiting: 2, filtered: 0 },
        imbalance: 0,
      })
    })

    test('stores nothing if another replay came first', async () => {
      const old = filtered()
      await table.record([old])
      const replay = () => table.put([row({ id: old.id }), row()], { replaces: old.id })
      expect([await replay(), await replay()]).toEqual([true, false])
      expect(await table.figures()).toMatchObject({ states: { waiting: 2 }, imbalance: 0 })
    })
  })

  describe('what ends', () => {
    test('old events of failing queues are dead letters, with their batch', async () => {
      const members = ids(await put(collected(), collected()))
      await table.group(QUEUE, 'g')
      const [a = '', b = '', c = ''] = ids(
        await put(row(), row({ state: 'uncertain' }), row({ queue: 'octo/site#own' })),
      )
      clock += DAY
      const [young = ''] = ids(await put(row()))
      expect(await table.endOld(DAY, [], [])).toEqual([])
      expect(await table.endOld(DAY, [QUEUE], [])).toEqual([])
      clock += 1
      expect(ids(await table.endOld(DAY, [QUEUE], [a]))).toEqual([...members, b])
      expect(await stateOf(members[1] ?? '')).toEqual(['dead', 'too_old', null, members[0]])
      expect(await stateOf(b)).toEqual(['dead', 'maybe_accepted', null, null])
      for (const id of [a, c, young]) expect((await stateOf(id))[0]).toBe('waiting')
      expect(ids(await table.endOld(DAY, [QUEUE], [members[0] ?? '']))).toEqual([a])
    })

    test('the events of a deleted endpoint are dead letters, and its name is free', async () => {
      const events = [...Array(300)].map(() => row())
      for (let n = 0; n < 300; n += 50) await table.put(events.slice(n, n + 50))
      await put(collected(), collected())
      await table.group(QUEUE, 'g')
      const [done = ''] = ids(await put(row()))
      await table.write(table.delivered(QUEUE, [done], ACCEPTED))
      const [other = ''] = ids(await put(row({ endpoint: 'other' })))
      const ended = await table.endDeleted('octo', 'orders')
      expect(ended).toHaveLength(302)
      expect(ended[0]).toMatchObject({
        state: 'dead',
        reason: 'endpoint_deleted',
        endpoint: `orders${DELETED}`,
      })
      const listed = await table.list({ endpoint: 'orders', limit: 10 })
      expect(new Set(listed.map(({ endpoint }) => endpoint))).toEqual(new Set([`orders${DELETED}`]))
      expect(await table.find(done)).toMatchObject({
        state: 'delivered',
        endpoint: `orders${DELETED}`,
      })
      expect((await stateOf(other))[0]).toBe('waiting')
      expect(await imbalance()).toBe(0)
    })

    test('an event whose endpoint was deleted during its call is delivered', async () => {
      const [a = '', b = ''] = ids(await put(row(), row()))
      expect(ids(await table.endDeleted('octo', 'orders'))).toEqual([a, b])
      await table.write(table.delivered(QUEUE, [a], ACCEPTED))
      await table.write(table.failed([b], { state: 'waiting', wait: 0, doubts: 0 }, 'x'))
      expect(await table.find(a)).toMatchObject({ state: 'delivered', accepted: START + 5 })
      expect(await stateOf(b)).toEqual(['dead', 'endpoint_deleted', null, null])
    })

    test('deliveries stay for 7 days, and dead letters for 30', async () => {
      const [dead = '', sent = '', waiting = ''] = ids(await put(row(), row(), row()))
      await table.write([
        ...table.failed([dead], { state: 'dead', reason: 'too_old', doubts: 0 }, 'x'),
        ...table.delivered(QUEUE, [sent], ACCEPTED),
      ])
      await table.record([
        row({ state: 'filtered', reason: 'if' }),
        row({ state: 'refused', reason: 'invalid_signature' }),
      ])
      clock += 7 * DAY
      expect(await table.deleteExpired()).toEqual([])
      clock += 1
      expect(await table.deleteExpired()).toEqual([])
      expect((await table.figures()).states).toEqual({
        ...{ delivered: 0, filtered: 0, refused: 0, dead: 1, waiting: 1, uncertain: 0 },
      })
      clock += 23 * DAY
      expect(ids(await table.deleteExpired())).toEqual([dead])
      expect((await stateOf(waiting))[0]).toBe('waiting')
      expect(await imbalance()).toBe(0)
    })

    test('all that expired is found behind 600 events that stay', async () => {
      for (let n = 0; n < 12; n++) await table.put([...Array(50)].map(() => row()))
      const sent = [...Array(300)].map(() => row({ state: 'delivered' as const }))
      for (let n = 0; n < 300; n += 50) await table.record(sent.slice(n, n + 50))
      clock += 8 * DAY
      await put(row())
      await table.deleteExpired()
      expect((await table.figures()).states).toMatchObject({ delivered: 0, waiting: 601 })
    })
  })

  describe('records after the response', () => {
    test('a delivered event has its facts, and its run is followed', async () => {
      const a = row({ state: 'delivered', follows: true, accepted: START - 50, githubMs: 80 })
      const b = row({ state: 'delivered', run: 'https://run', follows: true })
      await table.record([a, b, row({ state: 'delivered' })])
      expect(await table.find(a.id)).toMatchObject({
        ...{ queued: false, accepted: START - 50, githubMs: 80, outcome: 'pending' },
        ...{ next: START + 10_000, content: 'content' },
      })
      expect(await table.find(b.id)).toMatchObject({ outcome: 'running', accepted: START })
      expect(await imbalance()).toBe(0)
    })

    test('without retention no payload is stored but that of dead letters', async () => {
      table = open({ retention: 0 })
      const rows = (['delivered', 'filtered', 'refused', 'dead'] as const).map((state) =>
        row({ state }),
      )
      await table.record(rows)
      const found = await Promise.all(rows.map(({ id }) => table.find(id)))
      expect(found.map((one) => [one?.content, one?.key, one?.bytes])).toEqual([
        ...[...Array(3)].map(() => [null, null, 0]),
        ['content', 'k1', 7],
      ])
    })

    test('the last 50 filtered and refused requests of an endpoint stay', async () => {
      const filtered = [...Array(60)].map(() => row({ state: 'filtered' as const }))
      for (let n = 0; n < 60; n += 20) await table.record(filtered.slice(n, n + 20))
      const other = row({ state: 'filtered', endpoint: 'other' })
      await table.record([other])
      const listed = await table.list({ state: 'filtered', limit: 100 })
      expect(ids(listed)).toEqual([other.id, ...ids(filtered).reverse().slice(0, 50)])
      for (let n = 0; n < 7; n++) {
        await table.record([...Array(15)].map(() => row({ state: 'refused' as const })))
        clock += MINUTE
      }
      expect((await table.figures()).states.refused).toBe(50)
    })

    test('of an endpoint 10 refused requests a minute are recorded', async () => {
      const refused = (endpoint: string) => row({ state: 'refused', endpoint })
      await table.record([...Array(30)].map(() => refused('orders')))
      await table.record([refused('orders'), refused('other')])
      expect((await table.figures()).states.refused).toBe(11)
      clock += MINUTE
      await table.record([refused('orders')])
      expect((await table.figures()).states.refused).toBe(12)
    })

    test('a row that is there already does not hold up the others', async () => {
      const [a = ''] = ids(await put(row()))
      const b = row({ state: 'delivered' })
      await table.record([row({ id: a, state: 'delivered' }), b])
      expect((await stateOf(a))[0]).toBe('waiting')
      expect((await stateOf(b.id))[0]).toBe('delivered')
      expect(await imbalance()).toBe(0)
    })
  })

  describe('runs', () => {
    const step: RunStep = {
      ...{ outcome: 'running', outcomeReason: null, conclusion: null, details: null },
      ...{ run: 'https://run/1', failures: 0, next: START + 5 * MINUTE },
    }

    test('a lookup is recorded until the outcome is final', async () => {
      const [a = ''] = ids(await put(row()))
      await table.write(table.delivered(QUEUE, [a], ACCEPTED))
      expect(await table.dueRuns(clock + 9999)).toEqual([])
      clock += 10_000
      const [event] = await table.dueRuns(clock)
      if (!event) throw new Error('no event is due')
      await table.write([table.progress(event, step)])
      expect(await table.find(a)).toMatchObject({ ...step, state: 'delivered' })
      const end = { ...step, outcome: 'failure', conclusion: 'failure', next: null } as const
      await table.write([table.progress(event, end)])
      expect(await table.find(a)).toMatchObject(end)
      expect(await table.dueRuns(Number.MAX_SAFE_INTEGER)).toEqual([])
      expect(await table.nextRun()).toBeUndefined()
    })

    test('all members of a batch get the outcome, and one is looked up', async () => {
      const members = ids(await put(collected(), collected()))
      await table.group(QUEUE, 'g')
      await table.write(table.delivered(QUEUE, members, ACCEPTED))
      const [event, ...others] = await table.dueRuns(clock + MINUTE)
      expect(others).toEqual([])
      if (!event) throw new Error('no event is due')
      await table.write([table.progress(event, step)])
      expect(await table.find(members[1] ?? '')).toMatchObject({ ...step, next: null })
    })

    test('the last outcomes of an endpoint are told, and a batch counts once', async () => {
      const outcome = async (id: string, wanted: RunStep['outcome']) => {
        const event = (await table.dueRuns(Number.MAX_SAFE_INTEGER)).find((one) => one.id === id)
        if (!event) throw new Error(`${id} is not followed`)
        await table.write([table.progress(event, { ...step, outcome: wanted, next: null })])
      }
      const [a = '', b = '', c = ''] = ids(await put(row(), row(), row()))
      await table.write(table.delivered(QUEUE, [a, b, c], ACCEPTED))
      await outcome(a, 'success')
      await outcome(b, 'no_run')
      await outcome(c, 'unknown')
      const batch = ids(await put(collected(), collected()))
      await table.group(QUEUE, 'g')
      await table.write(table.delivered(QUEUE, batch, ACCEPTED))
      await outcome(batch[0] ?? '', 'failure')
      const endpoint = { owner: 'octo', endpoint: 'orders', repository: 'octo/shop' }
      expect(await table.lastOutcomes(endpoint, 2)).toEqual(['failure', 'no_run'])
      expect(await table.lastOutcomes(endpoint, 9)).toEqual(['failure', 'no_run', 'success'])
    })
  })

  describe('an admin', () => {
    test('lists deliveries, newest first and page by page', async () => {
      const rows = [
        row({ received: START }),
        row({ queue: 'octo/site#own', received: START + 10 }),
        row({ queue: 'acme/site#own', received: START + 20 }),
        row({ endpoint: null, received: START + 30 }),
        row({ endpoint: 'other', reason: 'stored', received: START + 40 }),
      ]
      await put(...rows)
      const [a = '', b = '', c = '', d = '', e = ''] = ids(rows)
      await table.write(table.delivered(QUEUE, [b], { ...ACCEPTED, run: 'https://run' }))
      const list = async (query: object) => ids(await table.list({ limit: 10, ...query }))
      expect(await list({})).toEqual([e, d, c, b, a])
      expect(await list({ owner: 'octo' })).toEqual([e, d, b, a])
      expect(await list({ repository: 'octo/site' })).toEqual([b])
      expect(await list({ endpoint: 'orders' })).toEqual([c, b, a])
      expect(await list({ owner: 'octo', endpoint: 'orders' })).toEqual([b, a])
      expect(await list({ endpoints: ['octo/other', 'acme/orders'] })).toEqual([e, c])
      expect(await list({ owner: 'octo', endpoints: ['octo/other', 'acme/orders'] })).toEqual([e])
      expect(await list({ endpoints: [] })).toEqual([])
      expect(await list({ state: 'delivered' })).toEqual([b])
      expect(await list({ outcome: 'running' })).toEqual([b])
      expect(await list({ reason: 'stored' })).toEqual([e])
      expect(await list({ since: START + 10, until: START + 30 })).toEqual([c, b])
      const page = await table.list({ owner: 'octo', limit: 2 })
      expect(ids(page)).toEqual([e, d])
      expect(await list({ owner: 'octo', after: page[1]?.seq })).toEqual([b, a])
    })

    test('a caller without endpoints causes no reading of rows', async () => {
      await put(row())
      const texts: string[] = []
      const counting: Database = {
        read: (...statement) => {
          texts.push(statement[0])
          return database.read(...statement)
        },
        write: (statements) => database.write(statements),
      }
      const other = new DeliveryTable({
        ...{ database: counting, limits: LIMITS, keyIds: ['k1'], now: () => clock },
      })
      for (const filter of [{ endpoints: [] }, { owner: 'octo', endpoints: ['acme/orders'] }]) {
        expect(await other.list({ ...filter, limit: 10 })).toEqual([])
        expect(await other.delete({ ...filter, state: 'dead' }, 10)).toBe(0)
      }
      expect(texts.filter((text) => text.startsWith('SELECT seq FROM'))).toEqual([])
    })

    test('queues dead letters and filtered requests again, and waiting events before their time', async () => {
      const [dead = '', sent = '', waiting = ''] = ids(
        await put(row({ attempts: 3, doubts: 2 }), row(), row({ wait: MINUTE, attempts: 2 })),
      )
      await table.write([
        ...table.failed(
          [dead],
          { state: 'dead', reason: 'event_rejected', doubts: 2, explanation: 'why' },
          'x',
        ),
        ...table.delivered(QUEUE, [sent], ACCEPTED),
      ])
      expect(await table.find(dead)).toMatchObject({ explanation: 'why' })
      const filtered = row({ state: 'filtered' })
      const empty = row({ state: 'refused', content: null, key: null })
      await table.record([filtered, empty])
      clock += 500
      const all = [dead, sent, waiting, filtered.id, empty.id, 'unknown']
      expect(ids(await table.replayed(all, 'waiting'))).toEqual([waiting])
      expect(ids(await table.replayed(all, 'filtered'))).toEqual([filtered.id])
      expect(ids(await table.replayed(all, 'dead'))).toEqual([dead])
      expect(await table.find(dead)).toMatchObject({
        ...{ state: 'waiting', reason: 'replayed', at: clock, since: clock, next: clock },
        ...{ attempts: 0, doubts: 0, queued: true, explanation: null },
      })
      expect(await stateOf(waiting)).toEqual(['waiting', 'queued', clock, null])
      expect(await table.find(waiting)).toMatchObject({ attempts: 2, at: START })
      expect(await due()).toBe(dead)
      const again = table.failed([dead], { state: 'waiting', wait: MINUTE, doubts: 0 }, 'x')
      await table.write(again)
      // Another replay of dead letters began before, and counts none of them.
      expect(await table.replayed(all, 'dead')).toEqual([])
      expect(ids(await table.replayed([dead], 'waiting'))).toEqual([dead])
      expect(await imbalance()).toBe(0)
    })

    test('reads what can be replayed in order, without what is added meanwhile', async () => {
      const rows = [...Array(5)].map(() => row({ state: 'delivered' as const }))
      await table.record(rows)
      await table.record([row({ state: 'delivered', content: null, key: null })])
      await table.record([row({ state: 'refused' })])
      const last = await table.lastSeq()
      await table.record([row({ state: 'delivered' })])
      const filter = { owner: 'octo', state: 'delivered' } as const
      const first = await table.replayable(filter, 3, { after: 0, last })
      expect(ids(first)).toEqual(ids(rows).slice(0, 3))
      const next = await table.replayable(filter, 3, { after: first[2]?.seq ?? 0, last })
      expect(ids(next)).toEqual(ids(rows).slice(3))
      expect(await table.replayable({ state: 'refused' }, 3, { after: 0, last })).toEqual([])
      expect(await table.replayable({}, 2, { after: 5, last })).toEqual([])
      expect(ids(await table.replayable({}, 9, { after: 3, last: 99 }))).toHaveLength(3)
    })

    test('deletes one or many, and the account stays even', async () => {
      const rows = await put(...[...Array(5)].map(() => row()), row({ endpoint: 'other' }))
      const [a = '', b = ''] = ids(rows)
      expect(await table.delete({ id: a, owner: 'acme' }, 10)).toBe(0)
      expect(await table.delete({ id: a, owner: 'octo', endpoints: ['octo/orders'] }, 10)).toBe(1)
      expect(await table.delete({ id: a }, 10)).toBe(0)
      await table.write(table.delivered(QUEUE, [b], ACCEPTED))
      expect(await table.delete({ endpoint: 'orders', state: 'waiting' }, 2)).toBe(2)
      expect(await table.delete({ endpoint: 'orders', state: 'waiting' }, 2)).toBe(1)
      expect(await table.delete({ endpoint: 'orders', state: 'delivered' }, 2)).toBe(1)
      expect(await table.figures()).toMatchObject({
        states: { waiting: 1, delivered: 0 },
        imbalance: 0,
      })
    })
  })

  describe('the room', () => {
    const size = 10_000
    const content = 'x'.repeat(size - ROW_BYTES)
    const big = (changes: Partial<NewDelivery> = {}) => row({ content, ...changes })
    const tries = async (count: number, changes: Partial<NewDelivery> = {}) => {
      let stored = 0
      for (let n = 0; n < count; n++) if (await table.put([big(changes)])) stored++
      return stored
    }

    test('one endpoint gets half of what is free', async () => {
      table = open({ bytes: 20 * size })
      expect(await tries(20)).toBe(10)
      expect(await tries(20, { endpoint: 'other' })).toBe(5)
      expect(await tries(20, { endpoint: 'third' })).toBe(3)
    })

    test('its events are limited in the same way', async () => {
      table = open({ events: 20 })
      expect(await tries(20)).toBe(10)
      expect(await tries(20, { endpoint: 'other' })).toBe(5)
    })

    test('tokens of one owner get an eighth, also by several endpoints and repositories', async () => {
      table = open({ bytes: 80 * size, ownerShare: 1 / 8 })
      expect(await tries(20, { queue: 'acme/site#aa', endpoint: null })).toBe(10)
      expect(await tries(20, { queue: 'acme/shop#bb', endpoint: 'x' })).toBe(0)
      expect(await tries(20, { queue: 'more/site#cc', endpoint: null })).toBe(10)
      expect(await tries(99, { queue: 'acme/site#own' })).toBe(30)
    })

    test('all events of a put fit, or none is stored', async () => {
      table = open({ bytes: 20 * size })
      expect(await table.put([...Array(11)].map(() => big()))).toBe(false)
      expect((await table.figures()).states.waiting).toBe(0)
      expect(await table.put([...Array(10)].map(() => big()))).toBe(true)
    })

    test('an endpoint can be held to a number of events and bytes, apart from its dead letters', async () => {
      const most = { events: 3, bytes: 100 * size }
      const dead = await put(row(), row())
      await table.write(
        table.failed(ids(dead), { state: 'dead', reason: 'too_old', doubts: 0 }, 'x'),
      )
      clock += SECOND
      for (const expected of [true, true, true, false]) {
        expect(await table.put([row()], { most })).toBe(expected)
      }
      expect(await table.put([row()], { most: { events: 10, bytes: 2000 } })).toBe(false)
      expect(await table.put([row()])).toBe(true)
    })

    test('what left makes room, which is counted at most once a second', async () => {
      table = open({ bytes: 20 * size })
      const rows = [...Array(10)].map(() => big({ endpoint: null }))
      expect(await table.put(rows)).toBe(true)
      clock += SECOND
      expect(await table.put([big({ endpoint: null })])).toBe(false)
      await table.write(table.delivered(QUEUE, ids(rows), ACCEPTED))
      expect(await table.put([big({ endpoint: null })])).toBe(false)
      clock += SECOND
      expect(await table.put([big({ endpoint: null })])).toBe(true)
    })

    test('deliveries yield to undelivered events, oldest first', async () => {
      table = open({ bytes: 20 * size })
      const old = [
        ...[...Array(10)].map(() => big({ state: 'delivered' })),
        ...[...Array(5)].map(() => big({ state: 'filtered' })),
        ...[...Array(5)].map(() => big({ state: 'refused' })),
      ]
      for (const one of old) await table.record([one])
      expect((await table.figures()).bytes).toBe(20 * (size - ROW_BYTES))
      expect(await table.put([big(), big(), big()])).toBe(true)
      const { states, bytes } = await table.figures()
      expect(bytes + 20 * ROW_BYTES).toBeLessThanOrEqual(20 * size)
      expect(states).toMatchObject({ waiting: 3, delivered: 6, filtered: 5, refused: 5 })
      expect(await table.find(old[3]?.id ?? '')).toBeUndefined()
      expect(await table.find(old[4]?.id ?? '')).toBeDefined()
      expect(await tries(20)).toBe(7)
      expect(await imbalance()).toBe(0)
    })

    test('records make room for themselves, and dead letters do not yield', async () => {
      table = open({ bytes: 20 * size })
      const dead = await put(...[...Array(10)].map(() => big()))
      await table.write(
        table.failed(ids(dead), { state: 'dead', reason: 'too_old', doubts: 0 }, 'x'),
      )
      for (let n = 0; n < 30; n++) await table.record([big({ state: 'delivered' })])
      const { states } = await table.figures()
      expect(states.dead).toBe(10)
      expect(states.delivered).toBeGreaterThanOrEqual(9)
      expect(states.delivered).toBeLessThanOrEqual(10)
    })

    test('bodies count', async () => {
      table = open({ bytes: 20 * size })
      await put(row())
      const body = { owner: 'octo', endpoint: 'orders', hasToken: false, events: 0 }
      const takes = (bytes: number, write: () => Promise<boolean>) =>
        table.room.within({ ...body, bytes }, undefined, write)
      const write = async () => {
        // The part counts while it is written.
        await table.room.count()
        await database.write([
          ["INSERT INTO body VALUES ('h', 'r', 'octo', 'orders', 0, 0, ?, 1, NULL)", 9 * size],
        ])
        return true
      }
      expect(await takes(9 * size, async () => false)).toBe(false)
      expect(await takes(9 * size, write)).toBe(true)
      expect(await takes(2 * size, write)).toBe(false)
      expect(await tries(5)).toBe(1)
      expect(await tries(9, { endpoint: 'other' })).toBe(5)
      await table.room.count()
      table.room.give({ ...body, bytes: 9 * size })
      expect(await tries(1)).toBe(1)
    })

    test('an endpoint whose bodies have used their share stores small events', async () => {
      table = open({ bytes: 20 * size, ownerShare: 1 / 8 })
      for (const body of [
        { owner: 'octo', endpoint: 'orders', hasToken: false },
        { owner: 'acme', endpoint: 'site', hasToken: true },
      ]) {
        const part = { ...body, events: 0, bytes: size / 4 }
        const fits = () => table.room.within(part, undefined, async () => true)
        for (let parts = 0; await fits(); parts++) expect(parts).toBeLessThan(40)
        const queue = body.hasToken ? 'acme/site#aa' : QUEUE
        expect(await table.put([row({ endpoint: body.endpoint, queue })])).toBe(true)
      }
    })

    test('a full database says so', async () => {
      table = open({ events: 4 })
      expect(table.room.isFull).toBe(false)
      for (const endpoint of ['a', 'a', 'b', 'c']) await table.put([row({ endpoint })])
      expect(table.room.isFull).toBe(true)
    })
  })
})
