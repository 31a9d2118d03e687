import { describe, expect, test } from '@jest/globals'
import type { Outbox } from '../../../src/relay/delivery/outbox.ts'
import { RelayError } from '../../../src/relay/errors.ts'
import type { Dispatch } from '../../../src/relay/github/send.ts'
import type { BatchPeriod } from '../../../src/relay/delivery/batch-period.ts'
import { readBatch } from '../../../src/wire/batch-payload.ts'
import { LIMITS } from '../../../src/wire/limits.ts'
import { readClientPayload, writeClientPayload } from '../../../src/wire/payload.ts'
import {
  dispatchOf,
  type FakeOutbox,
  fakeOutbox,
  type OutboxSetup,
  storedEvents,
} from '../../support/fake-outbox.ts'
import { FakeTime, HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'
import { memoryDatabase } from '../../support/memory-database.ts'
import { encryptionOf, relayKeys } from '../../support/relay-keys.ts'

function refused(status: number, code: string) {
  return new RelayError(status, code, 'no', { hint: '' })
}

const random = (length: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString('base64')

interface Scene extends OutboxSetup {
  readonly respond?: (dispatch: Dispatch, events: readonly string[]) => RelayError | undefined
}

/** A relay that collects batches, and a GitHub that records the events of each call. */
async function collecting({ respond, ...setup }: Scene = {}) {
  const time = setup.time ?? new FakeTime()
  const calls: { at: number; delivery: string; events: string[]; size: number }[] = []
  const github = async (dispatch: Dispatch) => {
    const payload = readClientPayload(JSON.parse(dispatch.clientPayload))
    const all = (await readBatch(payload)) ?? [JSON.parse(dispatch.clientPayload)]
    const events = all.map((one) => readClientPayload(one).headers['x-hookline-delivery'] ?? '')
    const error = respond?.(dispatch, events)
    const [at, size] = [(time.now - START) / SECOND, dispatch.clientPayload.length]
    if (error) throw error
    calls.push({ at, delivery: dispatch.delivery, events, size })
  }
  const relay = await fakeOutbox(github, { isKnown: true, ...setup, time })
  const give = (delivery: string, period: BatchPeriod, other: Partial<Given> = {}) =>
    relay.collect(eventOf(delivery, other), period)
  return { ...relay, calls, give }
}

/** The storage that two successive relays share. */
async function common() {
  return {
    database: await memoryDatabase(),
    time: new FakeTime(),
  }
}

interface Given {
  readonly path: string
  readonly body: string
  readonly kind: 'token' | 'endpoint'
  readonly target: Dispatch['target']
}

function eventOf(delivery: string, other: Partial<Given> = {}): Dispatch {
  const { path = 'hook/webhook', body = '{}', kind = 'token' } = other
  const headers = { 'x-hookline-delivery': delivery, 'x-hookline-received-at': 'then' }
  return {
    ...dispatchOf(delivery, { kind }),
    ...(other.target && { target: other.target }),
    clientPayload: writeClientPayload({ path, method: 'POST', headers, body }),
  }
}

const of = (most: number, quiet?: number): BatchPeriod => ({
  most: most * SECOND,
  quiet: quiet && quiet * SECOND,
})

/** Events and batches, each with its state and the number of its events. */
const states = async (relay: Pick<FakeOutbox, 'database'>) => {
  const events = await storedEvents(relay)
  const firsts = new Map(events.toReversed().map((event) => [event.unit, event]))
  return [...firsts.values()].toReversed().map(({ unit, delivery, state }) => {
    const members = events.filter((event) => event.unit === unit)
    return [unit, state, unit === delivery ? 0 : members.length]
  })
}

const counts = async (outbox: Outbox) => (await outbox.figures()).events

describe('a batch', () => {
  test('is delivered as one event when its seconds are over', async () => {
    const { give, calls, time, outbox } = await collecting()
    const id = await give('a', of(60))
    await time.pass(30 * SECOND)
    expect(await give('b', of(10))).toBe(id)
    expect((await counts(outbox)).waiting).toBe(2)
    await time.pass(MINUTE)
    expect(calls).toEqual([{ at: 60, delivery: id, events: ['a', 'b'], size: expect.any(Number) }])
    expect(await give('c', of(60))).not.toBe(id)
    expect(await counts(outbox)).toEqual({ waiting: 1, uncertain: 0, delivered: 2, dead: 0 })
    expect((await outbox.figures()).imbalance).toBe(0)
  })

  test('is delivered if no event arrives within its debounce seconds', async () => {
    const { give, calls, time } = await collecting()
    await give('a', of(600, 60))
    await time.pass(50 * SECOND)
    await give('b', of(600, 60))
    await time.pass(10 * MINUTE)
    expect(calls.map(({ at, events }) => [at, events])).toEqual([[110, ['a', 'b']]])
  })

  test('ends with its seconds, although an event comes every 10 s', async () => {
    const { give, calls, time } = await collecting()
    for (let n = 0; n < 30; n++) {
      await give(`${n}`, of(100, 20))
      await time.pass(10 * SECOND)
    }
    await time.pass(MINUTE)
    expect(calls.map(({ at }) => at)).toEqual([100, 200, 300])
    expect(calls.flatMap(({ events }) => events)).toHaveLength(30)
  })

  test.each([
    ['another trigger', { path: 'hook/other' }],
    ['another workflow', { path: 'build/webhook' }],
    ['another credential', { kind: 'endpoint' }],
    ['another event', { target: { event: 'workflow_dispatch', workflow: 'hook' } }],
  ] as const)('has no event of %s', async (_, other) => {
    const { give } = await collecting()
    expect(await give('b', of(60), other)).not.toBe(await give('a', of(60)))
  })

  test('has events that differ in the path behind the trigger, or in the query', async () => {
    const { give, calls, time } = await collecting()
    const id = await give('a', of(60), { path: 'hook/webhook/1?x=1' })
    for (const path of ['hook/webhook', 'hook/webhook?y=2', 'hook/webhook/2/3']) {
      expect(await give(path, of(60), { path })).toBe(id)
    }
    await time.pass(MINUTE)
    expect(calls).toHaveLength(1)
  })

  test('does not delay events without a batch', async () => {
    const { give, dispatch } = await collecting()
    await give('a', of(60))
    expect((await dispatch(eventOf('b'))).queued).toBeUndefined()
  })

  test.each([
    ['256 events', 300, '{}', [256, 44]],
    ['400,000 characters', 40, 'x'.repeat(20_000), [19, 19, 2]],
  ])('is full with %s, and delivered immediately', async (_, count, body, expected) => {
    const { give, calls, time } = await collecting()
    for (let n = 0; n < count; n++) await give(`${n}`, of(3600), { body })
    await time.pass(10 * SECOND)
    expect(calls.map(({ events }) => events.length)).toEqual(expected.slice(0, -1))
    await time.pass(HOUR)
    expect(calls.map(({ events }) => events.length)).toEqual(expected)
  })

  test.each([
    ['random bodies', 48, () => random(2000)],
    ['a large body each', 16, () => random(40_000)],
    ['repetitive bodies', 48, (n: number) => JSON.stringify({ n, of: 'an event '.repeat(200) })],
    [
      'both',
      48,
      (n: number) => `${random(300)}${JSON.stringify({ n, text: 'word '.repeat(300) })}`,
    ],
  ])('is divided until GitHub takes each part, and not more often: %s', async (_, few, body) => {
    const { give, calls, time, log } = await collecting()
    const ids = Array.from({ length: few }, (_, n) => `${n}`)
    const batches = new Set<string | undefined>()
    for (const [n, id] of ids.entries()) {
      batches.add(await give(id, of(3600), { body: body(n) }))
    }
    await time.pass(2 * HOUR)
    const delivered = calls.flatMap(({ events }) => events)
    expect(delivered.sort((a, b) => Number(a) - Number(b))).toEqual(ids)
    for (const { size } of calls) expect(size).toBeLessThanOrEqual(LIMITS.clientPayloadBytes)
    // The first part keeps the id that the senders know.
    expect(calls.map(({ delivery }) => delivery)).toEqual(expect.arrayContaining([...batches]))
    const bytes = calls.reduce((sum, { size }) => sum + size, 0)
    const fewest = Math.ceil(bytes / LIMITS.clientPayloadBytes)
    expect(calls.length).toBeLessThanOrEqual(2 * fewest + batches.size)
    const divided = log.filter(({ outbox }) => outbox === 'divided')
    expect(divided.length > 0).toBe(calls.length > batches.size)
  })

  test('that is divided keeps its parts in every try, and while a key is missing', async () => {
    const scene = await common()
    const before = await collecting({
      ...scene,
      respond: () => refused(502, 'github_unavailable'),
    })
    const ids = Array.from({ length: 40 }, (_, n) => `${n}`)
    for (const id of ids) await before.give(id, of(60), { body: random(4000) })
    await scene.time.pass(10 * MINUTE)
    await before.outbox.stop()
    const parts = await states(before)
    expect(parts.length).toBeGreaterThan(1)
    const without = await collecting({ ...scene, encryption: await encryptionOf(relayKeys()) })
    await scene.time.pass(HOUR)
    await without.outbox.stop()
    expect(without.calls).toEqual([])
    const { calls, outbox } = await collecting(scene)
    await scene.time.pass(3 * HOUR)
    expect(calls.map(({ delivery }) => delivery).sort()).toEqual(parts.map(([id]) => id).sort())
    expect(calls.flatMap(({ events }) => events)).toHaveLength(40)
    expect((await outbox.figures()).imbalance).toBe(0)
  })

  test('of one event that is too large for a batch is delivered as that event', async () => {
    const doubtful = [refused(504, 'github_timeout')]
    const relay = await collecting({ respond: () => doubtful.pop() })
    const body = random(48_900)
    await relay.give('large', of(60), { body })
    await relay.time.pass(MINUTE + SECOND)
    expect(await states(relay)).toEqual([['large', 'uncertain', 0]])
    await relay.time.pass(10 * MINUTE)
    expect(relay.calls).toMatchObject([{ delivery: 'large', events: ['large'] }])
    expect(relay.lookups).toEqual([['large']])
    expect(await counts(relay.outbox)).toEqual({ waiting: 0, uncertain: 0, delivered: 0, dead: 0 })
    expect((await relay.outbox.figures()).imbalance).toBe(0)
  })

  test.each([
    [
      'of a deleted endpoint',
      async (outbox: Outbox, label: string) => outbox.endDeleted(label),
      ['dead'],
    ],
    ['deleted', async (outbox: Outbox) => outbox.delete('large'), []],
  ])(
    'of one large event that is %s before it leaves the batch is not delivered',
    async (_name, end, left) => {
      const relay = await collecting()
      await relay.give('large', of(60), { body: random(48_900) })
      const [event] = await storedEvents(relay)
      const { takeOut } = relay.ledger
      relay.ledger.takeOut = async (...given) => {
        expect(await end(relay.outbox, event?.credential ?? '')).toBe(1)
        return takeOut.apply(relay.ledger, given)
      }
      await relay.time.pass(10 * MINUTE)
      expect(relay.calls).toEqual([])
      expect((await storedEvents(relay)).map(({ state }) => state)).toEqual(left)
      expect((await relay.outbox.figures()).imbalance).toBe(0)
    },
  )

  test('leaves an event uncertain that is taken out of it to wait for its key', async () => {
    const relay = await collecting()
    await relay.put('a', { state: 'uncertain', wait: HOUR })
    await relay.ledger.takeOut({ delivery: 'a' }, { state: 'waiting', wait: HOUR }, 'key_missing')
    expect(await counts(relay.outbox)).toMatchObject({ waiting: 0, uncertain: 1 })
  })

  test('does not begin with an event of an unknown credential', async () => {
    const { give, database } = await collecting({ isKnown: false })
    expect(await give('a', of(60))).toBeUndefined()
    expect(await states({ database })).toEqual([])
  })

  test('has the same members and id in every try', async () => {
    let tries = 0
    const seen: string[] = []
    const { give, calls, time } = await collecting({
      respond: ({ clientPayload, delivery }) => {
        seen.push(delivery + clientPayload)
        return ++tries < 4 ? refused(502, 'github_unavailable') : undefined
      },
    })
    const id = await give('a', of(10))
    await time.pass(11 * SECOND)
    expect(await give('b', of(10))).not.toBe(id)
    await time.pass(HOUR)
    expect(new Set(seen.slice(0, 4)).size).toBe(1)
    expect(calls.map(({ events }) => events)).toEqual([['a'], ['b']])
  })

  test.each([
    [413, 'payload_too_large'],
    [422, 'event_rejected'],
  ])('is divided after %i, down to a single dead letter', async (status, code) => {
    const { give, calls, time, outbox, log, database } = await collecting({
      respond: (_, events) => (events.includes('5') ? refused(status, code) : undefined),
    })
    const id = await give('0', of(10))
    for (let n = 1; n < 10; n++) await give(`${n}`, of(10))
    await time.pass(10 * MINUTE)
    expect(calls.flatMap(({ events }) => events).sort()).toEqual([...'012346789'])
    const dead = (await storedEvents({ database })).filter(({ reason }) => reason === code)
    expect(dead).toMatchObject([{ delivery: '5', state: 'dead' }])
    expect(log.filter((line) => line.outbox === 'divided')[0]).toMatchObject({ delivery: id })
    expect(log.filter((line) => line.outbox === 'dead')).toHaveLength(1)
    expect(await counts(outbox)).toMatchObject({ dead: 1, waiting: 0, delivered: 9 })
  })

  test('whose workflow does not listen is a dead letter as a whole, and can be replayed', async () => {
    let isFixed = false
    const { give, calls, time, outbox, database } = await collecting({
      respond: () => (isFixed ? undefined : refused(422, 'workflow_not_listening')),
    })
    const id = (await give('a', of(10))) ?? ''
    await give('b', of(10))
    await time.pass(MINUTE)
    expect(await counts(outbox)).toMatchObject({ dead: 2, waiting: 0 })
    expect(await states({ database })).toEqual([[id, 'dead', 2]])
    isFixed = true
    expect(await outbox.replay(id)).toBe(2)
    await time.pass(MINUTE)
    expect(calls).toMatchObject([{ delivery: id, events: ['a', 'b'] }])
  })

  test('is stored for a day, in which it can be replayed, as a whole or event by event', async () => {
    const { give, calls, time, outbox, database } = await collecting()
    const id = (await give('a', of(10))) ?? ''
    await give('b', of(10))
    await time.pass(MINUTE)
    expect(await outbox.replay(id)).toBe(2)
    await time.pass(MINUTE)
    expect(await outbox.replay('a')).toBe(1)
    expect(await outbox.replay('b')).toBe(1)
    expect(await outbox.replay(id)).toBe(0)
    await time.pass(MINUTE)
    const [first, second, ...single] = calls
    expect([first, second]).toMatchObject([{ delivery: id }, { delivery: id, events: ['a', 'b'] }])
    expect(single.map(({ delivery }) => delivery)).toEqual(['a', 'b'])
    expect(await states({ database })).toEqual([])
    const other = (await give('c', of(10))) ?? ''
    await time.pass(23 * HOUR)
    await outbox.check()
    expect(await states({ database })).toEqual([[other, 'delivered', 1]])
    await time.pass(2 * HOUR)
    await outbox.check()
    expect(await states({ database })).toEqual([])
    expect(await outbox.figures()).toMatchObject({ bytes: 0, imbalance: 0 })
  })

  test('of a failing queue ends as a whole when its first event is too old', async () => {
    const respond = () => refused(503, 'github_unavailable')
    const { give, time, outbox, database } = await collecting({
      respond,
      limits: { age: 2 * HOUR },
    })
    const id = await give('a', of(3600))
    await time.pass(3500 * SECOND)
    await give('b', of(3600))
    await time.pass(3500 * SECOND)
    expect(await counts(outbox)).toMatchObject({ waiting: 2 })
    await time.pass(201 * SECOND)
    await outbox.check()
    expect(await states({ database })).toEqual([[id, 'dead', 2]])
    expect(await counts(outbox)).toMatchObject({ waiting: 0, dead: 2 })
  })

  test('is replayed as a whole, although the filter selects only one of its events', async () => {
    let isFixed = false
    const { give, calls, time, outbox, database } = await collecting({
      respond: () => (isFixed ? undefined : refused(422, 'workflow_not_listening')),
    })
    const id = await give('a', of(10))
    await give('b', of(10))
    database.run("UPDATE event SET credential = 'endpoint:o/b' WHERE delivery = 'b'")
    await time.pass(MINUTE)
    isFixed = true
    expect(await outbox.replayAll({ state: 'dead', endpoint: 'b' })).toBe(2)
    await time.pass(MINUTE)
    expect(calls).toMatchObject([{ delivery: id, events: ['a', 'b'] }])
    expect(await counts(outbox)).toEqual({ waiting: 0, uncertain: 0, delivered: 2, dead: 0 })
  })

  test('that an admin deletes takes no event that arrives meanwhile', async () => {
    const { give, calls, time, outbox, database } = await collecting()
    const id = (await give('a', of(10))) ?? ''
    const { write } = database
    let arrives = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrives = resolve
    })
    database.write = async (statements) => {
      database.write = write
      const rows = await write(statements)
      await arrived
      return rows
    }
    const deleting = outbox.delete(id)
    const other = await give('b', of(10))
    arrives()
    expect([await deleting, other === id]).toEqual([1, false])
    await time.pass(MINUTE)
    expect(calls).toMatchObject([{ delivery: other, events: ['b'] }])
  })

  test('can be deleted while it collects, and a member by itself', async () => {
    const { give, calls, time, outbox } = await collecting()
    const id = (await give('a', of(10))) ?? ''
    expect(await outbox.delete(id)).toBe(1)
    await give('b', of(10))
    await give('c', of(10))
    expect(await outbox.delete('b')).toBe(1)
    await time.pass(MINUTE)
    expect(calls.map(({ events }) => events)).toEqual([['c']])
    expect(await counts(outbox)).toEqual({ waiting: 0, uncertain: 0, delivered: 1, dead: 0 })
  })
})

describe('after a start', () => {
  test('a batch goes on with its time, its members and its size', async () => {
    const scene = await common()
    const before = await collecting(scene)
    const id = await before.give('a', of(100, 40))
    await before.give('b', of(100, 40))
    await before.outbox.stop()
    await scene.time.pass(30 * SECOND)
    const after = await collecting(scene)
    expect(await after.give('c', of(100, 40))).toBe(id)
    await scene.time.pass(2 * MINUTE)
    expect(before.calls).toEqual([])
    expect(after.calls).toMatchObject([{ at: 70, delivery: id, events: ['a', 'b', 'c'] }])
  })

  test('a batch whose time ended while no relay ran is delivered immediately', async () => {
    const scene = await common()
    const before = await collecting(scene)
    await before.give('a', of(100))
    await before.outbox.stop()
    await scene.time.pass(HOUR)
    const after = await collecting(scene)
    await scene.time.pass(SECOND)
    expect(after.calls).toMatchObject([{ at: 3600, events: ['a'] }])
  })

  test('the length of earlier events counts: a batch is full in spite of 8 starts', async () => {
    const scene = await common()
    const ids = new Set<string | undefined>()
    for (let n = 0; n < 8; n++) {
      const { give, outbox } = await collecting(scene)
      for (let m = 0; m < 4; m++) {
        ids.add(await give(`${n} ${m}`, of(3600), { body: 'x'.repeat(20_000) }))
      }
      await outbox.stop()
    }
    const { calls } = await collecting(scene)
    await scene.time.pass(2 * HOUR)
    expect(ids.size).toBe(2)
    expect(calls.map(({ events }) => events.length)).toEqual([19, 13])
  })

  test('a batch of a removed relay key waits until the key is back', async () => {
    const scene = await common()
    const before = await collecting(scene)
    const id = await before.give('a', of(100))
    await before.outbox.stop()
    const without = await collecting({ ...scene, encryption: await encryptionOf(relayKeys()) })
    await scene.time.pass(HOUR)
    expect(without.calls).toEqual([])
    await without.outbox.stop()
    const { calls } = await collecting(scene)
    await scene.time.pass(2 * HOUR)
    expect(calls).toMatchObject([{ delivery: id, events: ['a'] }])
  })

  test('members of a removed relay key wait by themselves, and the others are delivered', async () => {
    const [database, time] = [await memoryDatabase(), new FakeTime()]
    const old = relayKeys()
    const other = relayKeys(old)
    const first = await collecting({ database, time, encryption: await encryptionOf(old) })
    const id = await first.give('a', of(100))
    await first.outbox.stop()
    const second = await collecting({ database, time, encryption: await encryptionOf(other) })
    expect(await second.give('b', of(100))).toBe(id)
    await second.outbox.stop()
    const { calls, outbox } = await collecting({
      ...{ database, time },
      encryption: await encryptionOf(other.split(',')[0]),
    })
    await time.pass(HOUR)
    expect(calls).toMatchObject([{ delivery: id, events: ['b'] }])
    expect(await outbox.figures()).toMatchObject({ events: { waiting: 1 }, unreadable: 1 })
  })
})

describe('a batch on a failing disk', () => {
  test('fails for the event of the failed write alone: the next event begins a batch', async () => {
    const { give, calls, time, database, outbox } = await collecting()
    database.isFailing = true
    // Without a batch the event is dispatched by itself.
    expect(await give('a', of(10))).toBeUndefined()
    database.isFailing = false
    const id = await give('b', of(10))
    database.isFailing = true
    expect(await give('c', of(10))).toBeUndefined()
    database.isFailing = false
    expect(await give('d', of(10))).toBe(id)
    await time.pass(MINUTE)
    expect(calls).toMatchObject([{ delivery: id, events: ['b', 'd'] }])
    expect((await outbox.figures()).imbalance).toBe(0)
  })

  test('that ends while the disk fails is delivered as soon as the disk works', async () => {
    const { give, calls, time, database } = await collecting()
    const id = await give('a', of(10))
    await give('b', of(10))
    database.isFailing = true
    await time.pass(MINUTE)
    expect(calls).toEqual([])
    database.isFailing = false
    await time.pass(5 * SECOND)
    expect(calls).toMatchObject([{ delivery: id, events: ['a', 'b'] }])
  })

  test('that is refused while the disk fails is not sent again before it is divided', async () => {
    const tries: number[] = []
    const { give, calls, time, database } = await collecting({
      respond: (_, events) => {
        tries.push(events.length)
        database.isFailing = tries.length === 1
        return events.length > 1 ? refused(413, 'payload_too_large') : undefined
      },
    })
    await give('a', of(10))
    await give('b', of(10))
    await time.pass(5 * MINUTE)
    expect(tries).toEqual([2])
    database.isFailing = false
    await time.pass(MINUTE)
    expect(tries).toEqual([2, 1, 1])
    expect(calls.flatMap(({ events }) => events)).toEqual(['a', 'b'])
  })

  test('keeps an event that was stored, although no copy could be deleted for room', async () => {
    const { give, calls, time, database, ledger } = await collecting({ limits: { bytes: 40_000 } })
    const body = 'x'.repeat(1500)
    for (let n = 0; n < 20; n++) {
      await give(`${n}`, of(10), { body })
      await time.pass(11 * SECOND)
    }
    const { write } = database
    database.write = async (statements) => {
      const rows = await write(statements)
      database.isFailing = true
      return rows
    }
    const id = await give('last', of(10), { body: body.repeat(4) })
    database.write = write
    database.isFailing = false
    expect(id).toBeDefined()
    const { bytes, copies } = await ledger.usage()
    expect(bytes + copies).toBeGreaterThan(40_000)
    await time.pass(MINUTE)
    expect(calls.at(-1)).toMatchObject({ delivery: id, events: ['last'] })
  })

  test('that is full while the disk fails is delivered as soon as the disk works', async () => {
    const { give, calls, time, database } = await collecting()
    const last = LIMITS.batchEvents - 1
    for (let n = 0; n < last; n++) await give(`${n}`, of(600))
    // The disk takes the last event, and then not the end of the batch.
    const { write } = database
    database.write = async (statements) => {
      const rows = await write(statements)
      database.isFailing = true
      return rows
    }
    const id = await give(`${last}`, of(600))
    expect(id).toBeDefined()
    database.write = write
    database.isFailing = false
    await time.pass(5 * SECOND)
    expect(calls).toMatchObject([{ delivery: id }])
    expect(calls[0]?.events).toHaveLength(LIMITS.batchEvents)
  })
})

describe('the quota', () => {
  test('an outbox that is full takes no event into a batch', async () => {
    const { give } = await collecting({ limits: { events: 4 } })
    await give('a', of(10))
    await give('b', of(10))
    expect(await give('c', of(10))).toBeUndefined()
  })

  test('copies of delivered batches give way to events, oldest first', async () => {
    const { give, calls, time, outbox, ledger, database } = await collecting({
      limits: { bytes: 40_000 },
    })
    for (let n = 0; n < 100; n++) {
      expect(await give(`${n}`, of(10), { body: 'x'.repeat(1500) })).toBeDefined()
      await time.pass(11 * SECOND)
    }
    expect(calls).toHaveLength(100)
    const { bytes, copies } = await ledger.usage()
    expect(bytes + copies).toBeLessThanOrEqual(40_000)
    const left = await states({ database })
    expect(left.length).toBeGreaterThan(3)
    expect(left.at(-1)?.[0]).toBe(calls.at(-1)?.delivery)
    expect((await outbox.figures()).imbalance).toBe(0)
  })
})

test('a workflow started directly gets a batch within its input', async () => {
  const seen: number[] = []
  const target = { event: 'workflow_dispatch', workflow: 'hook', ref: 'main' } as const
  const { give, time } = await collecting({
    respond: ({ clientPayload, target: { event } }) => {
      if (event === 'workflow_dispatch') seen.push(clientPayload.length)
      return undefined
    },
  })
  for (let n = 0; n < 60; n++) await give(`${n}`, of(60), { body: random(3000), target })
  await time.pass(HOUR)
  expect(Math.max(...seen)).toBeLessThanOrEqual(LIMITS.workflowInputLength)
  expect(seen.length).toBeGreaterThan(2)
})
