import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { readBatch } from '../../src/wire/batch-payload.ts'
import { readClientPayload } from '../../src/wire/payload.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { OPERATOR_KEY, OUTBOX_RUNTIMES, type OutboxRelay } from '../support/outbox-relays.ts'
import { send as sendRaw } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { TOKEN } from '../support/scene.ts'
import { until } from '../support/until.ts'

const BAD: readonly (readonly [query: string, message: string])[] = [
  ['__batch=0', 'from 1 to 3600'],
  ['__batch=3601', 'from 1 to 3600'],
  ['__batch=1.5', 'from 1 to 3600'],
  ['__batch=-1', 'from 1 to 3600'],
  ['__batch=60s', 'from 1 to 3600'],
  ['__batch=', 'from 1 to 3600'],
  ['__batch', 'from 1 to 3600'],
  ['__batch=0x10', 'from 1 to 3600'],
  ['__batch=60&__debounce=60', 'from 1 to 59'],
  ['__batch=60&__debounce=0', 'from 1 to 59'],
  ['__batch=60&__debounce=', 'from 1 to 59'],
  ['__batch=1&__debounce=1', '__batch=600&__debounce=60'],
  ['__debounce=5', '__batch=600&__debounce=60'],
]

describe.each(RUNTIMES)('a relay without an outbox on %s', (_, start) => {
  const github = startGitHub()
  const relay = github.then(({ url }) => start({ env: { HOOKLINE_API_URL: url } }))
  afterAll(async () => {
    await (await relay).close()
    await (await github).close()
  })
  const refusal = async (query: string) => {
    const { status, body } = await sendRaw((await relay).url, {
      method: 'POST',
      target: `/o/r/hook/webhook?${query}`,
      headers: [['X-Platform-Authorization', TOKEN]],
      body: '{}',
    })
    return { status, ...JSON.parse(body).error }
  }

  test.each(BAD)('%s is refused in words', async (query, hint) => {
    expect(await refusal(query)).toMatchObject({
      ...{ status: 400, code: 'invalid_batch', hint: expect.stringContaining(hint) },
    })
  })

  test.each(['__batch=60', '__batch=60&__debounce=5', '__%62atch=60'])(
    '%s asks for one',
    async (query) => {
      expect(await refusal(query)).toMatchObject({
        ...{
          status: 400,
          code: 'batch_requires_outbox',
          hint: expect.stringContaining('--outbox'),
        },
      })
      expect((await github).calls).toEqual([])
    },
  )
})

describe.each(OUTBOX_RUNTIMES)('a relay with an outbox on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: OutboxRelay
  beforeAll(async () => {
    github = await startGitHub()
    if (isThere) relay = await start({ HOOKLINE_API_URL: github.url })
    // GitHub must have accepted the credential before.
    if (isThere) await send('before', '')
    github.reset()
  })
  afterEach(() => github.reset())
  afterAll(async () => {
    await relay?.close()
    await github.close()
  })

  const send = (body: string, query: string, path = 'hook/webhook') =>
    sendRaw(relay.url, {
      method: 'POST',
      target: `/o/r/${path}?${query}`,
      headers: [['X-Platform-Authorization', TOKEN]],
      body,
    })
  const operate = async (method: string, target: string) => {
    const headers: [string, string][] = [['Authorization', `Bearer ${OPERATOR_KEY}`]]
    const { status, body } = await sendRaw(relay.url, { method, target, headers })
    return { status, ...JSON.parse(body) }
  }
  const handedOver = async (call = github.calls.at(-1)) => {
    const payload = readClientPayload(JSON.parse(call?.body ?? '').client_payload)
    const events = (await readBatch(payload)) ?? [payload]
    const delivery = payload.headers['x-hookline-delivery']
    return { delivery, events: events.map((event) => readClientPayload(event)) }
  }

  run(
    'the first event of a credential that GitHub is not known to accept goes by itself',
    async () => {
      const headers: [string, string][] = [['X-Platform-Authorization', `${TOKEN}-of-another`]]
      const target = '/o/r/hook/webhook?__batch=1'
      const answer = await sendRaw(relay.url, { method: 'POST', target, headers, body: '{}' })
      expect(answer.status).toBe(200)
      expect(answer.headers['x-hookline-batch']).toBeUndefined()
      expect(github.calls).toHaveLength(1)
    },
  )

  run('events are answered with their batch, and handed over as one', async () => {
    const answers = await Promise.all(['1', '2', '3'].map((body) => send(body, '__batch=2&x=1')))
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
    expect((await operate('GET', '/outbox')).waiting).toMatchObject([
      { delivery: id, events: 3, state: 'waiting' },
    ])
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
    const answer = await send('1', '__batch=1&__response_code=201&__response_body=ok')
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
    const before = await send('1', '__batch=6')
    const id = before.headers['x-hookline-batch']
    await relay.restart(how)
    // A killed relay may not have written the line.
    if (how === 'stop') expect(relay.log.join('\n')).toContain(`"batch":"${id}"`)
    expect((await send('2', '__batch=6')).headers['x-hookline-batch']).toBe(id)
    await until(() => github.calls.length > 0)
    const { delivery, events } = await handedOver()
    expect([delivery, events.map(({ body }) => body)]).toEqual([id, ['1', '2']])
    expect(github.calls).toHaveLength(1)
  })

  run('a delivered batch is replayed, whole or event by event', async () => {
    const answers = [await send('1', '__batch=1'), await send('2', '__batch=1')]
    const id = answers[0]?.headers['x-hookline-batch']
    await until(() => github.calls.length === 1)
    const isDelivered = async () => (await operate('GET', `/outbox/${id}`)).state === 'delivered'
    await until(isDelivered)
    expect((await operate('GET', '/outbox')).delivered).toContainEqual(
      expect.objectContaining({ delivery: id, events: 2, state: 'delivered' }),
    )
    expect(await operate('POST', `/outbox/${id}/replay`)).toMatchObject({ status: 200, events: 2 })
    await until(() => github.calls.length === 2)
    expect(await handedOver()).toMatchObject({
      delivery: id,
      events: [{ body: '1' }, { body: '2' }],
    })
    await until(isDelivered)
    const separated = await operate('POST', `/outbox/${id}/replay?separate=true`)
    expect(separated).toMatchObject({ status: 200, events: 2 })
    await until(() => github.calls.length === 4)
    const single = await Promise.all(github.calls.slice(2).map((call) => handedOver(call)))
    expect(single.map(({ delivery }) => delivery)).toEqual(
      answers.map(({ headers }) => headers['x-hookline-delivery']),
    )
    expect(await operate('POST', `/outbox/${id}/replay?separate=true`)).toMatchObject({
      ...{ status: 404, error: { code: 'not_found' } },
    })
    expect(await operate('POST', `/outbox/${id}/replay?separate=yes`)).toMatchObject({
      ...{ status: 400, error: { code: 'invalid_query' } },
    })
  })
})
