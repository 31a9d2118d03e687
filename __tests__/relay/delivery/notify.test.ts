import { afterEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import {
  insertNotification,
  isOwnNotification,
  newNotification,
  notificationHeaders,
} from '../../../src/relay/delivery/notify.ts'
import type { SqlRow } from '../../../src/relay/store/database.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { type DeliveryScene, startScene, testDatabase } from '../../support/delivery-scene.ts'
import { FakeTime, HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'
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
    expect(await isOwn({ ...headers, 'webhook-signature': undefined }, body)).toBe(false)
    expect(await isOwn({ ...headers, 'webhook-signature': 'v1,AAAA' }, body)).toBe(false)
    const made = `v1,${Buffer.alloc(32).toString('base64')}`
    expect(await isOwn({ ...headers, 'webhook-signature': made }, body)).toBe(false)
    expect(await isOwn({ ...headers, 'webhook-timestamp': 'NaN' }, body)).toBe(false)
    expect(await isOwn(headers, `${body} `)).toBe(false)
    expect(await isOwn(headers, body, { secret: OTHER })).toBe(false)
    expect(await isOwn(headers, body, { now: START + 6 * MINUTE })).toBe(false)
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
