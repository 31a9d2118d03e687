import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { readReceiptSettings } from '../../../src/relay/receipts/on-node.ts'
import { describeOnNode24 } from '../../support/node24.ts'
import { OPERATOR_KEY } from '../../support/outbox-relays.ts'
import { send } from '../../support/raw-http.ts'
import {
  ACCESS_KEY,
  RECEIPT_SECRET,
  type ReceiptRelay,
  startReceiptRelay,
} from '../../support/receipt-relay.ts'
import { sqlite } from '../../support/sqlite.ts'

describeOnNode24('a relay with --receipts', () => {
  let github: ReceiptRelay['github']
  let relay: ReceiptRelay['relay']
  let receiver: ReceiptRelay['receiver']
  let close: ReceiptRelay['close']
  beforeAll(async () => {
    ;({ github, relay, receiver, close } = await startReceiptRelay())
  }, 60_000)
  afterAll(() => close?.())

  const call = (headers: [string, string][] = []) =>
    send(relay.url, {
      method: 'POST',
      target: '/o/r/hook/webhook',
      headers: [['X-Github-Authorization', `Bearer ${ACCESS_KEY}`], ...headers],
      body: '{"secret":"of the payload"}',
    })
  const admin = async (target: string, key = OPERATOR_KEY) => {
    const headers: [string, string][] = [['Authorization', `Bearer ${key}`]]
    const { status, body } = await send(relay.url, { method: 'GET', target, headers })
    return { status, body }
  }
  const until = async (isTrue: () => boolean) => {
    for (let turn = 0; turn < 300 && !isTrue(); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    expect(isTrue()).toBe(true)
  }

  test('sends each receipt once, with one id, over a receiver that fails and a killed process', async () => {
    github.behavior.set('o/r', 'startup_failure')
    const { headers, status } = await call()
    expect(status).toBe(200)
    const delivery = headers['x-hookline-delivery']
    // A receipt can start an event, too; that event gets none.
    await call([['webhook-id', 'hookline_receipt_1']])
    const events = JSON.parse((await admin('/-/receipts?repository=O/r')).body).events
    expect(events).toMatchObject([{ delivery, repository: 'o/r', outcome: 'pending' }])
    await until(() => receiver.received.length > 0)
    receiver.answer.status = 302
    receiver.answer.location = github.url
    await until(() => receiver.received.length > 1)
    receiver.answer.status = 200
    await relay.restart('kill')
    // The third attempt is 5 minutes later; a new process keeps to that.
    expect(JSON.parse((await admin('/-/receipts')).body)).toMatchObject({ unsent: 1 })
    const file = join(relay.folder, 'outbox.db')
    const makeDue = async () => void (await sqlite(file, 'UPDATE receipt SET next = 0'))
    await relay.restart('kill', { between: makeDue })
    await until(() => receiver.received.length > 2)
    await relay.restart('stop')
    expect(receiver.received.map(({ status }) => status)).toEqual([503, 302, 200])
    expect(JSON.parse((await admin('/-/receipts')).body)).toMatchObject({ unsent: 0 })
    const { events: shown } = JSON.parse((await admin('/-/receipts?outcome=startup_failure')).body)
    expect(shown).toMatchObject([
      {
        delivery,
        conclusion: 'startup_failure',
        run: expect.stringMatching(/\/actions\/runs\/1$/),
      },
    ])
    const [first] = receiver.received
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    const verified = new Webhook(RECEIPT_SECRET).verify(first?.body ?? '', first?.headers ?? {})
    expect(verified).toMatchObject({
      type: 'run.startup_failure',
      data: { delivery, repository: 'o/r', outcome: 'startup_failure' },
    })
    expect(first?.body).not.toContain('payload')
    expect(github.calls.filter(({ url }) => url === '/')).toEqual([])
  }, 90_000)

  test('shows outcomes to the admin alone, and the address of the receiver nowhere', async () => {
    expect((await admin('/-/receipts', 'wrong')).status).toBe(401)
    expect((await admin('/-/receipts?limit=0')).status).toBe(400)
    const metrics = (await admin('/metrics')).body
    expect(metrics).toContain('# TYPE hookline_runs_total counter')
    expect(relay.log.join()).toContain('"receipts":"startup_failure"')
    expect(relay.log.join() + metrics).not.toContain('the-token-of-the-receiver')
  })
})

test.each([
  [{ HOOKLINE_RECEIPT_URL: 'http://pager.example.com' }, 'not an https address'],
  [{ HOOKLINE_RECEIPT_URL: 'https://pager.example.com' }, 'HOOKLINE_RECEIPT_SECRET is missing'],
  [{ HOOKLINE_RECEIPT_SECRET: RECEIPT_SECRET }, 'HOOKLINE_RECEIPT_URL is missing'],
  [{ HOOKLINE_RECEIPT_SECRET: 'whsec_c2hvcnQ=' }, 'base64 of at least 24 bytes'],
])('settings that do not fit together are errors: %j', (env, message) => {
  const given = { isFollowing: true, hasOutbox: true, hasCredential: true }
  expect(() => readReceiptSettings(env, given)).toThrow(message)
})

test.each([
  [{ hasOutbox: false, hasCredential: true }, 'needs an outbox'],
  [{ hasOutbox: true, hasCredential: false }, 'needs a GitHub credential'],
])('--receipts without its needs is an error: %j', (given, message) => {
  expect(() => readReceiptSettings({}, { isFollowing: true, ...given })).toThrow(message)
})
