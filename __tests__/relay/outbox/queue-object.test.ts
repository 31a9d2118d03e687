import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { NewEvent } from '../../../src/relay/delivery/event.ts'
import { encryptEvent } from '../../../src/relay/delivery/event-record.ts'
import { queueNames } from '../../../src/relay/delivery/queue-name.ts'
import { createCredentials } from '../../../src/relay/github/credential.ts'
import { RateLimiters } from '../../../src/relay/github/rate-limiter.ts'
import { RelayMetrics } from '../../../src/relay/metrics.ts'
import { PACK } from '../../../src/relay/github/payload-limit.ts'
import type { ObjectStorage } from '../../../src/relay/workers/object-database.ts'
import { QueueObject } from '../../../src/relay/workers/queue-object.ts'
import { dispatchOf, LIMITS } from '../../support/fake-outbox.ts'
import { HOUR, START } from '../../support/fake-time.ts'
import { objectStorage } from '../../support/object-storage.ts'
import { encryptionOf, relayKeys } from '../../support/relay-keys.ts'

/** Responses of the index, by method. */
const RESULTS: Readonly<Record<string, unknown>> = {
  reserve: true,
  turn: { wait: 0, isGranted: true, isProbe: false },
}

/** The object of one queue, before an index that is a function and a GitHub that accepts all. */
async function queueObject(storage: ObjectStorage, relayKey?: string) {
  const encryption = await encryptionOf(relayKey)
  /** `callTime` is how many milliseconds a call of GitHub takes. */
  const clock = { now: START, callTime: 0 }
  const now = () => clock.now
  const rateLimiters = new RateLimiters(
    {
      now,
      date: () => new Date(START),
      after: () => () => {},
      minInterval: 0,
      metrics: new RelayMetrics(),
    },
    false,
  )
  const delivered: string[] = []
  /** Calls of the index, as a method and its arguments. */
  const told: [string, unknown][] = []
  const index = { answered: async (_method: string) => {} }
  /** False for a test that expects an error. */
  const report = { fails: true }
  const object = await QueueObject.open(
    { storage, blockConcurrencyWhile: (work) => work() },
    {
      namespace: {
        idFromName: (name) => name,
        get: () => ({
          fetch: async (_url, { body }) => {
            const { method, given } = JSON.parse(String(body))
            told.push([method, given[0]])
            await index.answered(method)
            return Response.json({ result: RESULTS[method] })
          },
        }),
      },
      rateLimiters,
      limits: LIMITS,
      minInterval: 0,
      sleep: async () => {},
      encryption,
      credentials: createCredentials({}),
      send: async ({ delivery }) => {
        clock.now += clock.callTime
        delivered.push(delivery)
        return { tries: 1 }
      },
      findRuns: async () => undefined,
      pack: PACK,
      age: LIMITS.age,
      newId: () => crypto.randomUUID(),
      now,
      random: () => 0,
      log: () => {},
      report: (error) => {
        if (report.fails) throw error
      },
    },
  )
  const call = async (method: string, ...given: unknown[]) => {
    const body = JSON.stringify({ method, given })
    const request = new Request('https://outbox/queue', { method: 'POST', body })
    return (await object.fetch(request)).json()
  }
  const put = async (delivery: string, state: Partial<NewEvent> = {}) => {
    const dispatch = dispatchOf(delivery)
    const event: NewEvent = {
      delivery,
      ...(await queueNames(rateLimiters)(dispatch)),
      ...{ credential: 'token:a', state: 'waiting', attempts: 0, doubts: 0, wait: 0 },
      ...{ path: 'hook/webhook', method: 'POST', received: clock.now, reason: 'queued' },
      ...(await encryptEvent(dispatch, encryption)),
      ...state,
    }
    expect(await call('put', event)).toEqual({ result: true })
    return event
  }
  return { object, put, call, delivered, told, index, clock, report }
}

const tables = ({ sql }: ObjectStorage) =>
  sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'event'").toArray()

test('an event that is stored while an alarm ends is delivered by the next alarm, not a day later', async () => {
  const storage = await objectStorage()
  const { object, put, delivered, index } = await queueObject(storage)
  await put('a')
  let later: Promise<unknown> | undefined
  index.answered = async (method) => {
    if (method !== 'report') return
    index.answered = async () => {}
    later = put('b')
  }
  await object.alarm()
  await later
  expect(delivered).toEqual(['a'])
  expect(await storage.getAlarm()).toBe(START)
  await object.alarm()
  expect(delivered).toEqual(['a', 'b'])
  expect(tables(storage)).toEqual([])
})

test('an object that restarts with an alarm tells the index that its queue is empty', async () => {
  const storage = await objectStorage()
  const before = await queueObject(storage)
  await before.put('a')
  const { object, delivered, told } = await queueObject(storage)
  await object.alarm()
  expect(delivered).toEqual(['a'])
  const empty = { events: 0, bytes: 0, copies: 0, waits: false }
  expect(told.at(-1)).toEqual(['report', expect.objectContaining(empty)])
  expect(tables(storage)).toEqual([])
})

test('an object whose events wait for a missing key looks at them a day later', async () => {
  const storage = await objectStorage()
  const { put } = await queueObject(storage, relayKeys())
  await put('of a missing key')
  const { object, delivered } = await queueObject(storage)
  await object.alarm()
  expect([delivered, await storage.getAlarm()]).toEqual([[], START + 24 * HOUR])
})

test('a long backlog reports its usage each minute, and goes on in the next alarm', async () => {
  const storage = await objectStorage()
  const { object, put, delivered, told, clock } = await queueObject(storage)
  const events = Array.from({ length: 30 }, (_, number) => `event-${number}`)
  for (const event of events) await put(event)
  clock.callTime = 5000
  told.length = 0
  await object.alarm()
  expect(delivered.length).toBeGreaterThan(10)
  expect(delivered.length).toBeLessThan(20)
  expect(told.filter(([method]) => method === 'report')).toHaveLength(1)
  expect(await storage.getAlarm()).toBeLessThanOrEqual(clock.now + 1000)
  for (let alarm = 0; alarm < 3; alarm++) await object.alarm()
  // Calls overlap, so their order is not that of the events.
  expect([...delivered].sort()).toEqual([...events].sort())
  expect(tables(storage)).toEqual([])
})

test('the next event of a queue that gave up its storage gets an alarm, and is delivered', async () => {
  const storage = await objectStorage()
  const { object, put, call, delivered } = await queueObject(storage)
  const open = { state: 'uncertain', wait: 5000, reason: 'github_timeout' } as const
  const event = await put('a', open)
  // The call ends well, and the ledger is empty.
  await call('settle', event, { kind: 'accepted' })
  expect([tables(storage), await storage.getAlarm()]).toEqual([[], null])
  await put('b')
  expect(await storage.getAlarm()).toBe(START)
  await object.alarm()
  expect(delivered).toEqual(['b'])
})

test('100 calls that end at the same time lead to few reports, and the last one covers all of them', async () => {
  const storage = await objectStorage()
  const { put, call, index, told } = await queueObject(storage)
  const events: NewEvent[] = []
  for (let n = 0; n < 100; n++) {
    events.push(await put(`${n}`, { state: 'uncertain', wait: HOUR, reason: 'github_timeout' }))
  }
  told.length = 0
  // The others end meanwhile.
  index.answered = async (method) => void (method === 'report' && (await sleep(50)))
  await Promise.all(events.map((event) => call('settle', event, { kind: 'accepted' })))
  const reports = told.filter(([method]) => method === 'report')
  expect(reports.length).toBeLessThan(10)
  expect(reports.at(-1)).toEqual(['report', expect.objectContaining({ events: 0, waits: false })])
})

test('an alarm that cannot reach the index tries again a minute later', async () => {
  const storage = await objectStorage()
  const { object, put, index, told, report } = await queueObject(storage)
  await put('a')
  report.fails = false
  index.answered = async (method) => {
    if (method === 'report') throw new Error('the index is not reachable')
  }
  await object.alarm()
  expect(await storage.getAlarm()).toBe(START + 60_000)
  index.answered = async () => {}
  told.length = 0
  await object.alarm()
  expect(told.map(([method]) => method)).toContain('report')
  expect(tables(storage)).toEqual([])
})
