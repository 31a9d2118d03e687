import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { readBatch } from '../../src/wire/batch-payload.ts'
import { readClientPayload } from '../../src/wire/payload.ts'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../support/database-relays.ts'
import { listed } from '../support/deliveries.ts'
import { endpointsOf } from '../support/endpoint-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { type RawAnswer, send as sendRaw } from '../support/raw-http.ts'
import { ADMIN_BEARER } from '../support/relay-keys.ts'
import { TOKEN } from '../support/scene.ts'
import { until } from '../support/until.ts'

/** Seconds of a batch in which a slow machine starts a relay again. */
const COLLECTING = 8

describe.each(DATABASE_RUNTIMES)('a relay with a database on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: DatabaseRelay
  let addressOf: ReturnType<typeof endpointsOf>
  beforeEach(async () => {
    github = await startGitHub()
    if (isThere) relay = await start({ HOOKLINE_API_URL: github.url })
    addressOf = endpointsOf(() => relay, { token: TOKEN })
  })
  afterEach(async () => {
    await relay?.close()
    await github.close()
  })

  const send = async (body: string, batch: number, query = '') =>
    sendRaw(relay.url, {
      method: 'POST',
      target: await addressOf(`/o/r/hook/webhook${query}`, { batch }),
      body,
    })
  const operate = async (method: string, target: string) => {
    const headers: [string, string][] = [['Authorization', `Bearer ${ADMIN_BEARER}`]]
    const { status, body } = await sendRaw(relay.url, { method, target, headers })
    return { status, ...JSON.parse(body) }
  }
  const handedOver = async (call = github.calls.at(-1)) => {
    const payload = readClientPayload(JSON.parse(call?.body ?? '').client_payload)
    const events = (await readBatch(payload)) ?? [payload]
    const delivery = payload.headers['x-hookline-delivery']
    return { delivery, events: events.map((event) => readClientPayload(event)) }
  }

  run('events are answered with 202, delivered as one, and replayed as one again', async () => {
    const answers = await Promise.all(['1', '2', '3'].map((body) => send(body, COLLECTING, '?x=1')))
    for (const { status, headers, body } of answers) {
      expect([status, body]).toEqual([202, '{"success":true}'])
      expect(headers).toMatchObject({ 'x-hookline-queued': 'true', 'x-hookline-reason': 'batch' })
      expect(headers).not.toHaveProperty('x-hookline-batch')
    }
    const member = { reason: 'batch', state: 'waiting' }
    expect((await listed(relay)).waiting).toMatchObject([member, member, member])
    await until(() => github.calls.length > 0)
    const { delivery, events } = await handedOver()
    // The id of a batch is that of its first member.
    expect(idsOf(answers)).toContain(delivery)
    expect(events.map(({ body }) => body).sort()).toEqual(['1', '2', '3'])
    // Each event has its own path, without the relay's own parameters.
    expect(new Set(events.map(({ path }) => path))).toEqual(new Set(['hook/webhook?x=1']))
    expect(events.map(({ headers }) => headers['x-hookline-delivery']).sort()).toEqual(
      idsOf(answers).sort(),
    )
    await until(async () => (await listed(relay)).delivered.length === 3)
    const { delivered } = await listed(relay)
    expect(delivered.every(({ batch }) => batch === delivery)).toBe(true)
    const { status, replayed } = await operate('POST', `/-admin/deliveries/o/${delivery}/replay`)
    expect([status, replayed]).toEqual([200, 3])
    await until(() => github.calls.length === 2)
    const again = await handedOver()
    expect(again.events.map(({ body }) => body).sort()).toEqual(['1', '2', '3'])
    expect(again.delivery).not.toBe(delivery)
  })

  run('the sender’s own response applies to a batch too', async () => {
    const answer = await send('1', 1, '?__response_code=201&__response_body=ok')
    expect(answer).toMatchObject({ status: 201, body: 'ok' })
    expect(answer.headers).toMatchObject({
      'x-hookline-queued': 'true',
      'x-hookline-reason': 'batch',
    })
    await until(() => github.calls.length > 0)
  })

  run.each([
    ['a kill', 'kill'],
    ['a stop', 'stop'],
  ] as const)('what is collected outlives %s', async (_name, how) => {
    const answers = [await send('1', COLLECTING)]
    await relay.restart(how)
    answers.push(await send('2', COLLECTING))
    await until(() => github.calls.length > 0)
    const { delivery, events } = await handedOver()
    expect([delivery, events.map(({ body }) => body)]).toEqual([idsOf(answers)[0], ['1', '2']])
    expect(github.calls).toHaveLength(1)
  })
})

function idsOf(answers: readonly RawAnswer[]): string[] {
  return answers.map(({ headers }) => headers['x-hookline-delivery'] ?? '')
}
