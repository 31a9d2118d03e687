import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { readNotifySettings } from '../../../src/relay/node/receipts.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { describeOnNode24 } from '../../support/node24.ts'
import { send } from '../../support/raw-http.ts'
import {
  RECEIPT_SECRET,
  type ReceiptRelay,
  startReceiptRelay,
} from '../../support/receipt-relay.ts'
import { ADMIN_BEARER } from '../../support/relay-keys.ts'
import { sqlite } from '../../support/sqlite.ts'

describeOnNode24('a relay that follows runs', () => {
  let github: ReceiptRelay['github']
  let relay: ReceiptRelay['relay']
  let receiver: ReceiptRelay['receiver']
  let close: ReceiptRelay['close']
  beforeAll(async () => {
    ;({ github, relay, receiver, close } = await startReceiptRelay())
  }, 60_000)
  afterAll(() => close?.())

  let target: string
  beforeAll(async () => {
    target = await createEndpoint(relay, { repository: 'o/r' })
  })
  const call = (headers: [string, string][] = []) =>
    send(relay.url, { method: 'POST', target, headers, body: '{"secret":"of the payload"}' })
  const admin = async (target: string, key = ADMIN_BEARER) => {
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
    const list = '/-admin/deliveries/o?repository=O/r'
    const { deliveries } = JSON.parse((await admin(list)).body)
    expect(deliveries).toMatchObject([{ id: delivery, repository: 'o/r', outcome: 'pending' }])
    await until(() => receiver.received.length > 0)
    receiver.answer.status = 302
    receiver.answer.location = github.url
    await until(() => receiver.received.length > 1)
    receiver.answer.status = 200
    await relay.restart('kill')
    // The third attempt is 5 minutes later; a new process keeps to that.
    const file = join(relay.folder, 'relay.db')
    const makeDue = async () => void (await sqlite(file, 'UPDATE receipt SET next = 0'))
    await relay.restart('kill', { between: makeDue })
    await until(() => receiver.received.length > 2)
    await relay.restart('stop')
    expect(receiver.received.map(({ status }) => status)).toEqual([503, 302, 200])
    const failed = JSON.parse((await admin(`${list}&outcome=startup_failure`)).body)
    expect(failed.deliveries).toMatchObject([
      {
        id: delivery,
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
    expect((await admin('/-admin/deliveries', 'wrong')).status).toBe(401)
    expect((await admin('/-admin/deliveries?limit=0')).status).toBe(400)
    const metrics = (await admin('/-admin/metrics')).body
    expect(metrics).toContain('# TYPE hookline_runs_total counter')
    expect(relay.log.join()).toContain('"receipts":"startup_failure"')
    expect(relay.log.join() + metrics).not.toContain('the-token-of-the-receiver')
  })
})

test.each([
  [{ HOOKLINE_NOTIFY_URL: 'http://pager.example.com' }, 'not an https address'],
  [{ HOOKLINE_NOTIFY_URL: 'https://pager.example.com' }, 'HOOKLINE_NOTIFY_SECRET is missing'],
  [{ HOOKLINE_NOTIFY_SECRET: RECEIPT_SECRET }, 'HOOKLINE_NOTIFY_URL is missing'],
  [{ HOOKLINE_NOTIFY_SECRET: 'whsec_c2hvcnQ=' }, 'base64 of at least 24 bytes'],
])('settings that do not fit together are errors: %j', (env, message) => {
  expect(() => readNotifySettings(env)).toThrow(message)
})
