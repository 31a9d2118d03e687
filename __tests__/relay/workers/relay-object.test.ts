import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { encryptEvent } from '../../../src/relay/delivery/event-record.ts'
import type { ObjectState, ObjectStorage } from '../../../src/relay/workers/object-database.ts'
import { OwnerObject } from '../../../src/relay/workers/relay-object.ts'
import { eventOf, id } from '../../support/delivery-scene.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { objectStorage } from '../../support/object-storage.ts'
import { encryptionOf, RELAY_KEY, relayKeys } from '../../support/relay-keys.ts'

const MINUTE = 60_000

let github: GitHub
let storage: ObjectStorage
beforeAll(async () => {
  github = await startGitHub()
})
afterAll(() => github.close())
beforeEach(async () => {
  github.reset()
  storage = await objectStorage()
})

const open = (keys = RELAY_KEY) => {
  const state: ObjectState = { storage, blockConcurrencyWhile: (work) => work() }
  return OwnerObject.open(state, {
    HOOKLINE_RELAY_KEY: keys,
    HOOKLINE_API_URL: github.url,
    HOOKLINE_GITHUB_TOKEN: `ghp_${'R'.repeat(36)}`,
    HOOKLINE_ALLOW_TOKENS: 'true',
  })
}

const call = (object: OwnerObject, store: string, method: string, ...given: unknown[]) =>
  object.fetch(
    new Request(`https://object/o/${store}`, {
      method: 'POST',
      body: JSON.stringify({ method, given }),
    }),
  )
const resultOf = async (...call_: Parameters<typeof call>) => {
  // The object answers with this form.
  const { result } = (await (await call(...call_)).json()) as { result?: unknown }
  return result
}

/** Milliseconds until the alarm, about; `null` if none is set. */
const alarmIn = async () => {
  const at = await storage.getAlarm()
  return at === null ? null : at - Date.now()
}

const waiting = async (n: number) => ({
  ...{ id: id(n), request: id(n), queue: 'o/r#own', endpoint: null, path: 'hook/webhook' },
  ...{ method: 'POST', received: Date.now(), size: 2, state: 'waiting', reason: 'queued' },
  ...(await encryptEvent(eventOf(id(n), { kind: 'token' }), await encryptionOf())),
})

test('an object needs a relay key', async () => {
  await expect(open('')).rejects.toMatchObject({ code: 'relay_key_missing' })
})

test('an object that was only asked has no alarm and no tables', async () => {
  const object = await open()
  expect(await resultOf(object, 'endpoints', 'look')).toEqual({ versions: [], waiting: [] })
  expect(await resultOf(object, 'table', 'list', { limit: 9 })).toEqual([])
  await object.setAlarm()
  await object.alarm()
  expect(await alarmIn()).toBeNull()
  expect(storage.sql.exec('SELECT * FROM sqlite_master').toArray()).toEqual([])
})

test('an object has four stores', async () => {
  const object = await open()
  await expect(call(object, 'others', 'look')).rejects.toThrow('the object has no store others')
  expect(await resultOf(object, 'bodies', 'find', 'h')).toBeNull()
  expect(await resultOf(object, 'deliveries', 'wasAccepted', 'o/r#own')).toBe(false)
  await resultOf(object, 'deliveries', 'noteAccepted', 'o/r#own')
  expect(await resultOf(object, 'deliveries', 'wasAccepted', 'o/r#own')).toBe(true)
})

describe('a waiting event', () => {
  test('is sent by the alarm, and makes its queue wait until then', async () => {
    const object = await open()
    expect(await resultOf(object, 'deliveries', 'put', [await waiting(1)])).toBe(true)
    expect(await resultOf(object, 'endpoints', 'look')).toEqual({
      versions: [],
      waiting: ['o/r#own'],
    })
    // The event is overdue, so its alarm is due now.
    const wait = await alarmIn()
    expect([wait !== null && wait > -MINUTE, wait !== null && wait <= 0]).toEqual([true, true])
    const times: number[] = []
    const { setAlarm } = storage
    Object.assign(storage, {
      setAlarm: (time: number) => {
        times.push(time - Date.now())
        return setAlarm(time)
      },
    })
    await object.alarm()
    // Should the work be cut off, it goes on after 10 s.
    expect([(times[0] ?? 0) > 5000, (times[0] ?? 0) <= 10_000]).toEqual([true, true])
    expect(github.calls).toHaveLength(1)
    expect(await resultOf(object, 'table', 'find', id(1))).toBeUndefined()
    expect(await resultOf(object, 'endpoints', 'look')).toMatchObject({ waiting: [] })
    // The next look at its rows.
    expect(await alarmIn()).toBeGreaterThan(MINUTE)
  })

  test('is sent by the object of the next process, with an older key, too', async () => {
    await resultOf(await open(), 'deliveries', 'put', [await waiting(1)])
    await storage.deleteAlarm()
    const lines: string[] = []
    const { log } = console
    console.log = (line: string) => lines.push(line)
    const object = await open(relayKeys(RELAY_KEY)).finally(() => {
      console.log = log
    })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time: expect.any(String), change: 'reencrypted', events: 1 },
    ])
    expect(await alarmIn()).toBeLessThanOrEqual(0)
    await object.alarm()
    expect(github.calls).toHaveLength(1)
  })

  test('does not delay an alarm that is set, and replaces a later one', async () => {
    const object = await open()
    await storage.setAlarm(1)
    await resultOf(object, 'deliveries', 'put', [await waiting(1)])
    expect(await storage.getAlarm()).toBe(1)
    await storage.setAlarm(Date.now() + MINUTE)
    await object.setAlarm()
    expect(await alarmIn()).toBeLessThanOrEqual(0)
  })
})

test('chunks of a body are stored while it is uploaded', async () => {
  const object = await open()
  const chunk = (number: number, init: RequestInit) =>
    object.fetch(new Request(`https://object/o/chunks/h/${number}`, init))
  const bytes = new Uint8Array([...Array(20).keys()])
  expect((await chunk(0, { method: 'PUT', body: bytes })).status).toBe(204)
  const body = { hash: 'h', request: 'r', owner: 'o', endpoint: null, hasToken: false, created: 0 }
  await resultOf(object, 'bodies', 'begin', body)
  expect((await chunk(3, { method: 'PUT', body: bytes })).status).toBe(201)
  const read = await chunk(3, { method: 'GET' })
  expect([read.status, new Uint8Array(await read.arrayBuffer())]).toEqual([200, bytes])
  expect(await alarmIn()).not.toBeNull()
})
