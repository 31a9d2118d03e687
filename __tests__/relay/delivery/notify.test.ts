import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { ChangeLine } from '../../../src/relay/delivery/log-lines.ts'
import {
  insertNotification,
  isOwnNotification,
  NotificationSender,
  newNotification,
  notificationHeaders,
} from '../../../src/relay/delivery/notify.ts'
import { type SqlRow, StorageError } from '../../../src/relay/store/database.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { type DeliveryScene, startScene, testDatabase } from '../../support/delivery-scene.ts'
import { FakeTime, HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'
import { memoryDatabase } from '../../support/memory-database.ts'
import { until } from '../../support/until.ts'

const SECRET = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
const OTHER = new Secret(`whsec_${Buffer.alloc(32, 8).toString('base64')}`)

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

async function sent(now = Date.now()) {
  const notification = newNotification('run.failure', { outcome: 'failure' }, now)
  return { notification, headers: await notificationHeaders(notification, SECRET, now) }
}

test('a notification is verified by the library of Standard Webhooks', async () => {
  const { notification, headers } = await sent()
  const verified = new Webhook(SECRET.reveal()).verify(notification.body, headers)
  expect(verified).toMatchObject({ type: 'run.failure', data: { outcome: 'failure' } })
})

test('a notification has a body of three keys, and the headers of Standard Webhooks', async () => {
  const { notification, headers } = await sent(START + 1999)
  const { id } = notification
  expect(notification).toEqual({
    id: expect.stringMatching(/^hookline_[0-9a-f-]{36}$/),
    attempts: 0,
    next: START + 1999,
    body: '{"type":"run.failure","timestamp":"2026-01-02T00:00:01.999Z","data":{"outcome":"failure"}}',
  })
  const timestamp = String(START / 1000 + 1)
  const hmac = createHmac('sha256', Buffer.alloc(32, 7))
  expect(headers).toEqual({
    'content-type': 'application/json',
    'user-agent': 'hookline-relay',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmac.update(`${id}.${timestamp}.${notification.body}`).digest('base64')}`,
  })
})

describe('our own notification', () => {
  const isOwn = (
    headers: Record<string, string | undefined>,
    body: string,
    { secret = SECRET, now = START } = {},
  ) => isOwnNotification((name) => headers[name], Buffer.from(body), { secret, now })

  test('is known by its signature', async () => {
    const { notification, headers } = await sent(START)
    expect(await isOwn(headers, notification.body)).toBe(true)
    expect(await isOwn(headers, notification.body, { now: START + 4 * MINUTE })).toBe(true)
  })

  test('is not known by its id: a made-up signature, another body, secret or time', async () => {
    const { notification, headers } = await sent(START)
    const { body } = notification
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect([name, await isOwn({ ...headers, [name]: undefined }, body)]).toEqual([name, false])
    }
    const own = headers['webhook-signature']?.slice('v1,'.length) ?? ''
    for (const signature of [
      ...['v1', 'v1,', 'v1,AAAA', `v1,${Buffer.alloc(32).toString('base64')}`],
      ...[`v2,${own}`, own, `v1,${own}=`, `v1,A${own}`, `v1,${own.slice(1)}`],
      // Neither base64 nor a reason for an error.
      ...[`v1,${'_'.repeat(43)}=`, `v1,${'ä'.repeat(43)}=`],
    ]) {
      const given = { ...headers, 'webhook-signature': signature }
      expect([signature, await isOwn(given, body)]).toEqual([signature, false])
    }
    expect(await isOwn({ ...headers, 'webhook-timestamp': 'NaN' }, body)).toBe(false)
    expect(await isOwn(headers, `${body} `)).toBe(false)
    expect(await isOwn(headers, body, { secret: OTHER })).toBe(false)
  })

  test.each([
    [5 * MINUTE, true],
    [5 * MINUTE + 1, false],
    [-5 * MINUTE, true],
    [-5 * MINUTE - 1, false],
  ])('%i ms after its time is known: %p', async (passed, isKnown) => {
    const { notification, headers } = await sent(START)
    expect(await isOwn(headers, notification.body, { now: START + passed })).toBe(isKnown)
  })

  test('may have several signatures', async () => {
    const { notification, headers } = await sent(START)
    const several = `v1a,x v1,${Buffer.alloc(32).toString('base64')} ${headers['webhook-signature']}`
    expect(await isOwn({ ...headers, 'webhook-signature': several }, notification.body)).toBe(true)
  })
})

/** A scene with notifications that wait, and a receiver. */
async function begin(count: number, status = 200) {
  const [database, time] = [await testDatabase(), new FakeTime()]
  const all = Array.from({ length: count }, (_, n) =>
    newNotification('run.failure', { n }, time.now),
  )
  await database.write(all.map(insertNotification))
  const notify = { secret: SECRET.reveal(), all: false }
  const scene = await startScene(() => ({ status: 204 }), { database, time, notify })
  scenes.push(scene)
  scene.receiver.status = status
  const left = () => database.read('SELECT id, attempts, next FROM notification ORDER BY id')
  return {
    ...scene,
    left,
    ids: all.map(({ id }) => id),
    /** Passes seconds until it is so; a signature is made in real time. */
    passUntil: (isSo: (rows: readonly SqlRow[]) => boolean) =>
      until(async () => {
        await time.pass(SECOND)
        return isSo(await left())
      }),
  }
}

describe('notifications', () => {
  test('are sent once each, after a restart too', async () => {
    const { passUntil, receiver, ids } = await begin(40)
    await passUntil((rows) => rows.length === 0)
    expect(receiver.ids.toSorted()).toEqual(ids.toSorted())
  })

  test('wait while the receiver fails, keep their ids, and arrive when it is back', async () => {
    const { passUntil, receiver, ids, received } = await begin(10, 503)
    await passUntil((rows) => rows.every(({ attempts }) => Number(attempts) > 0))
    expect(received).toEqual([])
    receiver.status = 200
    await passUntil((rows) => rows.length === 0)
    expect(receiver.ids.toSorted()).toEqual(ids.toSorted())
  })

  test('are given up after about 3 days, with an error in the log', async () => {
    const { time, log, left } = await begin(1, 410)
    const begun = time.now
    for (let [row] = await left(); row !== undefined; [row] = await left()) {
      const { attempts, next } = row
      await time.pass(Number(next) - time.now)
      await until(async () => {
        await time.pass(0)
        return (await left())[0]?.attempts !== attempts
      })
    }
    expect(log).toContainEqual({ change: 'notification_given_up', level: 'error', reason: '410' })
    expect((time.now - begun) / HOUR).toBeCloseTo(75.6, 1)
  })
})

describe('the sender of notifications', () => {
  /** A sender whose receiver gives one status; without it, the receiver does not respond. */
  async function direct(times: readonly number[]) {
    const database = await memoryDatabase()
    const all = times.map((time) => newNotification('run.failure', {}, time))
    await database.write(all.map(insertNotification))
    const receiver: { status: number | undefined; ids: string[] } = { status: 200, ids: [] }
    const time = { now: START }
    const log: ChangeLine[] = []
    const reported: unknown[] = []
    const sender = new NotificationSender({
      ...{ database, secret: SECRET, now: () => time.now },
      post: async (headers) => {
        receiver.ids.push(headers['webhook-id'] ?? '')
        if (receiver.status === undefined) throw new Error('no connection')
        return receiver.status
      },
      log: (line) => log.push(line),
      report: (error) => reported.push(error),
    })
    const rows = () => database.read('SELECT attempts, next FROM notification ORDER BY next, at')
    return { database, sender, receiver, time, log, reported, rows, ids: all.map(({ id }) => id) }
  }

  test('sends eight in a run, the longest due first, and not before their time', async () => {
    const times = Array.from({ length: 10 }, (_, n) => START - n)
    const { sender, receiver, ids, rows, time } = await direct([START + 1, ...times])
    expect(sender.next()).toBe(0)
    await sender.run()
    expect(receiver.ids.toSorted()).toEqual(ids.slice(3).toSorted())
    expect(sender.next()).toBe(START - 1)
    await sender.run()
    expect(receiver.ids).toHaveLength(10)
    expect([sender.next(), await rows()]).toEqual([START + 1, [{ attempts: 0, next: START + 1 }]])
    time.now = START + 1
    await sender.run()
    expect([receiver.ids.length, sender.next(), await rows()]).toEqual([11, undefined, []])
    sender.stored()
    expect(sender.next()).toBe(START + 1)
  })

  test.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
    [undefined, false],
  ])(
    'status %p is an acceptance: %p; after a failure the others rest for 5 s',
    async (status, isAccepted) => {
      const { sender, receiver, rows } = await direct(Array(9).fill(START))
      receiver.status = status
      await sender.run()
      expect(sender.next()).toBe(isAccepted ? START : START + 5 * SECOND)
      const failed = { attempts: 1, next: START + 5 * SECOND }
      expect(await rows()).toEqual([
        { attempts: 0, next: START },
        ...(isAccepted ? [] : Array(8).fill(failed)),
      ])
    },
  )

  test.each([
    [500, '500'],
    [undefined, 'no response'],
  ])('gives up after nine pauses: status %p', async (status, reason) => {
    const { sender, receiver, time, log, rows } = await direct([START])
    receiver.status = status
    const pauses: number[] = []
    for (let next = time.now; ; ) {
      await sender.run()
      const [row] = await rows()
      if (!row) break
      pauses.push(Number(row.next) - next)
      expect([row.attempts, sender.next()]).toEqual([pauses.length, row.next])
      next = Number(row.next)
      time.now = next
    }
    expect(pauses).toEqual(
      [5 / 3600, 5 / 60, 30 / 60, 2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
    )
    expect(sender.next()).toBeUndefined()
    expect(log).toEqual([{ change: 'notification_given_up', level: 'error', reason }])
  })

  test('tries again a minute after the database failed', async () => {
    const { sender, database, reported, receiver, time } = await direct([START])
    const { read } = database
    const fault = new StorageError('disk fails')
    database.read = async () => {
      throw fault
    }
    await sender.run()
    expect([reported, sender.next(), receiver.ids]).toEqual([[fault], START + MINUTE, []])
    sender.stored()
    expect(sender.next()).toBe(START)
    database.read = read
    time.now = START + MINUTE
    await sender.run()
    expect(receiver.ids).toHaveLength(1)
  })

  test('corrects times that are later than its longest pause', async () => {
    const { sender, rows } = await direct([START + 24 * HOUR, START + 24 * HOUR + 1])
    await sender.start()
    expect(await rows()).toEqual([
      { attempts: 0, next: START },
      { attempts: 0, next: START + 24 * HOUR },
    ])
  })

  test('100,000 notifications wait at most', async () => {
    const { database } = await direct([])
    database.run(`WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 99999)
      INSERT INTO notification SELECT n, 0, 0, 0, '' FROM numbers`)
    const more = [0, 0].map((time) => insertNotification(newNotification('x', {}, time)))
    await database.write(more)
    const [row] = await database.read('SELECT count(*) AS count FROM notification')
    expect(row).toEqual({ count: 100_000 })
  })
})
