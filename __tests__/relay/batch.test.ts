import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { readBatch } from '../../src/wire/batch-payload.ts'
import { readClientPayload } from '../../src/wire/payload.ts'
import { listed } from '../support/deliveries.ts'
import { endpointsOf } from '../support/endpoint-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../support/database-relays.ts'
import { send as sendRaw } from '../support/raw-http.ts'
import { ADMIN_BEARER } from '../support/relay-keys.ts'
import { TOKEN } from '../support/scene.ts'
import { until } from '../support/until.ts'

describe.each(DATABASE_RUNTIMES)('a relay with an outbox on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: DatabaseRelay
  let addressOf: ReturnType<typeof endpointsOf>
  beforeAll(async () => {
    github = await startGitHub()
    if (isThere) relay = await start({ HOOKLINE_API_URL: github.url })
    addressOf = endpointsOf(() => relay, { token: TOKEN })
    github.reset()
  })
  afterEach(() => github.reset())
  afterAll(async () => {
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

  run('events are answered with their batch, and handed over as one', async () => {
    const answers = await Promise.all(['1', '2', '3'].map((body) => send(body, 2, '?x=1')))
    const [first] = answers
    const id = first?.headers['x-hookline-batch']
    for (const { status, headers, body } of answers) {
      expect([status, body]).toEqual([202, '{"success":true}'])
      expect(headers).toMatchObject({
        'x-hookline-queued': 'true',
        'x-hookline-reason': 'batch',
        'x-hookline-batch': id,
        'access-control-expose-headers': expect.stringContaining('X-Hookline-Batch'),
      })
    }
    const member = { batch: id, state: 'waiting' }
    expect((await listed(relay)).waiting).toMatchObject([member, member, member])
    await until(() => github.calls.length > 0)
    const { delivery, events } = await handedOver()
    expect(delivery).toBe(id)
    expect(events.map(({ body }) => body).sort()).toEqual(['1', '2', '3'])
    // Each event has its own path, without the relay's own parameters.
    expect(new Set(events.map(({ path }) => path))).toEqual(new Set(['hook/webhook?x=1']))
    expect(events.map(({ headers }) => headers['x-hookline-delivery']).sort()).toEqual(
      answers.map(({ headers }) => headers['x-hookline-delivery']).sort(),
    )
  })

  run('the sender’s own response applies to a batch too', async () => {
    const answer = await send('1', 1, '?__response_code=201&__response_body=ok')
    expect(answer).toMatchObject({ status: 201, body: 'ok' })
    expect(answer.headers).toMatchObject({
      'x-hookline-queued': 'true',
      'x-hookline-batch': expect.any(String),
    })
    await until(() => github.calls.length > 0)
  })

  run.each([
    ['a kill', 'kill'],
    ['a stop, and the line of the log names the batch', 'stop'],
  ] as const)('what is collected outlives %s', async (_name, how) => {
    const before = await send('1', 6)
    const id = before.headers['x-hookline-batch']
    await relay.restart(how)
    // A killed relay may not have written the line.
    if (how === 'stop') expect(relay.log.join('\n')).toContain(`"batch":"${id}"`)
    expect((await send('2', 6)).headers['x-hookline-batch']).toBe(id)
    await until(() => github.calls.length > 0)
    const { delivery, events } = await handedOver()
    expect([delivery, events.map(({ body }) => body)]).toEqual([id, ['1', '2']])
    expect(github.calls).toHaveLength(1)
  })

  run('a delivered batch is replayed, whole or event by event', async () => {
    const answers = [await send('1', 1), await send('2', 1)]
    const id = answers[0]?.headers['x-hookline-batch']
    await until(() => github.calls.length === 1)
    const isDelivered = async () =>
      (await listed(relay)).delivered.filter(({ batch }) => batch === id).length === 2
    await until(isDelivered)
    const replay = (delivery: string | undefined) =>
      operate('POST', `/-admin/deliveries/o/${delivery}/replay`)
    expect(await replay(id)).toMatchObject({ status: 200, replayed: 2 })
    await until(() => github.calls.length === 2)
    expect(await handedOver()).toMatchObject({
      delivery: id,
      events: [{ body: '1' }, { body: '2' }],
    })
    await until(isDelivered)
    for (const { headers } of answers) {
      const one = await replay(headers['x-hookline-delivery'])
      expect(one).toMatchObject({ status: 200, replayed: 1 })
    }
    await until(() => github.calls.length === 4)
    const single = await Promise.all(github.calls.slice(2).map((call) => handedOver(call)))
    expect(single.map(({ delivery }) => delivery)).toEqual(
      answers.map(({ headers }) => headers['x-hookline-delivery']),
    )
    expect(await replay(id)).toMatchObject({ status: 404, error: { code: 'not_found' } })
  })
})
