import { afterEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import {
  insertNotification,
  isOwnNotification,
  newNotification,
  notificationHeaders,
} from '../../../src/relay/delivery/notify.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { type DeliveryScene, startScene, testDatabase } from '../../support/delivery-scene.ts'
import { FakeTime, HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'

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
  return {
    ...scene,
    left: () => database.read('SELECT id FROM notification'),
    ids: all.map(({ id }) => id),
    /** Passes time in steps that leave room for real work: signatures. */
    pass: async (milliseconds: number, step = SECOND) => {
      for (let passed = 0; passed < milliseconds; passed += step) {
        await time.pass(step)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    },
  }
}

describe('notifications', () => {
  test('are sent once each, after a restart too', async () => {
    const { pass, receiver, ids, left } = await begin(40)
    await pass(30 * SECOND)
    expect(receiver.ids.toSorted()).toEqual(ids.toSorted())
    expect(await left()).toEqual([])
  })

  test('wait while the receiver fails, keep their ids, and arrive when it is back', async () => {
    const { pass, receiver, ids, received } = await begin(10, 503)
    await pass(2 * MINUTE)
    expect(received).toEqual([])
    receiver.status = 200
    await pass(6 * MINUTE)
    expect(receiver.ids.toSorted()).toEqual(ids.toSorted())
  })

  test('are given up after about 3 days, with an error in the log', async () => {
    const { pass, log, left } = await begin(1, 410)
    await pass(80 * HOUR, 10 * MINUTE)
    expect(log).toContainEqual({ change: 'notification_given_up', level: 'error', reason: '410' })
    expect(await left()).toEqual([])
  })
})
