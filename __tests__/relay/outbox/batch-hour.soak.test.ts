import { expect, test } from '@jest/globals'
import { createCredentials } from '../../../src/relay/credentials/credentials.ts'
import { rateLimited } from '../../../src/relay/errors.ts'
import type { Dispatch } from '../../../src/relay/github/dispatch.ts'
import type { RelayPorts } from '../../../src/relay/ports.ts'
import { relay } from '../../../src/relay/relay.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { dispatchEvent, runActions } from '../../support/action.ts'
import { FakeTime, fakeLanes, HOUR, MINUTE, SECOND } from '../../support/fake-lanes.ts'

/** Ten a second for an hour. */
const EVENTS = 36_000
const KEY = 'hlk_the-key-of-the-sender-0123456789'

/** Most calls that GitHub takes of one token. */
const OF_MINUTE = 180
const OF_HOUR = 500

/** A GitHub that counts by a clock, and notes what it took. */
function platform(time: FakeTime) {
  const taken: string[] = []
  const calls: number[] = []
  const send = async ({ clientPayload }: Dispatch) => {
    const since = (span: number) => calls.filter((at) => at > time.now - span).length
    if (since(MINUTE) >= OF_MINUTE || since(HOUR) >= OF_HOUR) throw rateLimited(60)
    calls.push(time.now)
    taken.push(clientPayload)
    return { tries: 1, githubStatus: 204 }
  }
  return { taken, calls, send }
}

async function relayBefore(send: ReturnType<typeof platform>['send'], time: FakeTime) {
  const token = new Secret('ghp_the-token-of-the-relay')
  const credentials = { accessKeys: [new Secret(KEY)], authority: { token: async () => token } }
  const lanes = await fakeLanes(send, { time, credentials })
  const ports: RelayPorts = {
    dispatch: lanes.dispatch,
    collect: lanes.collect,
    credentials: createCredentials({ ...credentials, now: () => new Date(time.now) }),
    now: () => new Date(time.now),
    newDelivery: () => crypto.randomUUID(),
    log: () => {},
    report: (error) => lanes.reported.push(error),
  }
  return { ...lanes, ports }
}

function request(n: number, query: string) {
  const body = new TextEncoder().encode(JSON.stringify({ n }))
  const headers = ['X-Platform-Authorization', KEY, 'Content-Type', 'application/json']
  const target = `/o/r/hook/webhook/doc/${n % 7}?${query}`
  return { method: 'POST', target, headers, readBody: async () => body }
}

test('36,000 events, ten a second, are delivered in batches: none lost, none twice, within 500 calls', async () => {
  const time = new FakeTime()
  const { taken, calls, send } = platform(time)
  const { ports, queue, reported, log } = await relayBefore(send, time)
  // So that GitHub is known to accept the relay's token.
  expect((await relay(request(0, ''), ports)).status).toBe(200)
  taken.splice(0)
  const accepted: string[] = []
  for (let n = 0; n < EVENTS; n++) {
    const answer = await relay(request(n, '__batch=60'), ports)
    expect(answer.status).toBe(202)
    accepted.push(answer.headers['x-hookline-delivery'] ?? '')
    await time.pass(SECOND / 10)
  }
  await time.pass(2 * MINUTE)
  expect(reported).toEqual([])
  expect(log.filter(({ outbox }) => outbox !== 'delivered')).toEqual([])
  expect(queue.figures()).toMatchObject({ waiting: 0, dead: 0, sent: EVENTS })
  expect(calls.length).toBeLessThanOrEqual(OF_HOUR)
  const inputs = { on: 'webhook:\n  path: /doc/:id\n  config: { batch: true }\n' }
  const delivered: string[] = []
  const numbers: number[] = []
  // Some at a time: what each leaves is read into memory.
  for (let at = 0; at < taken.length; at += 20) {
    const events = taken.slice(at, at + 20).map((payload) => JSON.parse(payload))
    const runs = await runActions(events.map((event) => ({ ...dispatchEvent(event), inputs })))
    for (const { exitCode, outputs } of runs) {
      expect(exitCode).toBe(0)
      delivered.push(...JSON.parse(outputs.deliveries ?? '[]'))
      const items: { webhook: { outputs: { body: { n: number } } } }[] = JSON.parse(
        outputs.items ?? '[]',
      )
      numbers.push(...items.map(({ webhook }) => webhook.outputs.body.n))
    }
  }
  expect(delivered).toEqual(accepted)
  expect(numbers).toEqual(Array.from({ length: EVENTS }, (_, n) => n))
})
