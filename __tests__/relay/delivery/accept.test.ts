import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  Acceptance,
  AcceptanceMemory,
  type AcceptPorts,
} from '../../../src/relay/delivery/accept.ts'
import { RelayError } from '../../../src/relay/errors.ts'
import type { Dispatch } from '../../../src/relay/github/send.ts'
import { StorageError } from '../../../src/relay/store/database.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { testDatabase } from '../../support/delivery-scene.ts'
import { randomOf } from '../../support/fake-time.ts'
import { type DatabaseServer, SERVERS } from '../../support/real-databases.ts'
import { encryptionOf } from '../../support/relay-keys.ts'
import { type StoredRelay, sentPayload, startStoredRelay } from '../../support/stored-relay.ts'
import { until } from '../../support/until.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const DOWN = { status: 503 }
const REFUSED = { status: 401, body: '{"message":"Bad credentials"}' }

const ENDPOINT_TOKEN = 'ghp_TokenOfTheEndpoint0000000000000000000'

let count = 0

/** The code of an error response. */
async function errorOf(response: Response): Promise<unknown> {
  // Every error of the relay has this form.
  const { error } = (await response.json()) as { error?: { code?: unknown } }
  return error?.code
}

test('an event that an old list of endpoints let through is 401, and is not stored', async () => {
  const endpoint: Endpoint = {
    ...{ owner: 'octo', name: 'orders', created: 0, repository: 'octo/shop' },
    ...{ workflow: 'orders', trigger: 'webhook', dispatch: 'repository', respond: 'stored' },
    id: new Secret('the-id-of-the-endpoint'),
  }
  const unexpected = async () => {
    throw new Error('nothing may be stored or sent')
  }
  const acceptance = new Acceptance({
    send: unexpected,
    store: {
      waits: async () => true,
      put: unexpected,
      record: unexpected,
      settle: unexpected,
      noteAccepted: unexpected,
      wasAccepted: async () => true,
    },
    memory: new AcceptanceMemory(),
    recorder: { add: () => {} },
    encryption: await encryptionOf(),
    nameQueue: async () => 'octo/shop#own',
    endpoints: { hadEvent: async () => true, accepted: unexpected },
    isCurrent: async () => false,
    follows: () => true,
    retains: true,
    ...{ responseTime: 2500, callTime: 8000, now: Date.now, random: randomOf(1) },
    after: () => () => {},
    background: () => {},
    log: () => {},
    report: () => {},
  })
  const dispatch: Dispatch = {
    repository: { owner: 'octo', name: 'shop' },
    target: { event: 'repository_dispatch' },
    clientPayload: '{"path":"orders/webhook","method":"POST","headers":{},"body":null}',
    delivery: crypto.randomUUID(),
    credential: {
      kind: 'endpoint',
      isOwn: true,
      secrets: [],
      token: async () => undefined,
      endpoint,
    },
  }
  for (const respond of ['stored', 'github'] as const) {
    const work = acceptance.deliver([dispatch], { ...endpoint, respond })
    await expect(work).rejects.toMatchObject({ status: 401, code: 'invalid_token' })
  }
})

describe('while the database does not respond', () => {
  const broken = async () => {
    throw new StorageError('disk fails')
  }
  const acceptanceWith = async (ports: Pick<AcceptPorts, 'send'> & Partial<AcceptPorts>) => {
    const reported: unknown[] = []
    const acceptance = new Acceptance({
      store: {
        waits: async () => false,
        put: async () => false,
        record: broken,
        settle: broken,
        noteAccepted: broken,
        wasAccepted: broken,
      },
      memory: new AcceptanceMemory(),
      recorder: { add: () => {} },
      encryption: await encryptionOf(),
      nameQueue: async ({ credential }) => `octo/shop#${credential.isOwn ? 'own' : 'token'}`,
      endpoints: { hadEvent: broken, accepted: broken },
      isCurrent: broken,
      follows: () => true,
      retains: true,
      ...{ responseTime: 10, callTime: 8000, now: Date.now, random: randomOf(1) },
      after: (milliseconds, back) => {
        const timer = setTimeout(back, milliseconds)
        return () => clearTimeout(timer)
      },
      background: () => {},
      log: () => {},
      report: (error) => reported.push(error),
      ...ports,
    })
    return { acceptance, reported }
  }
  const endpoint: Endpoint = {
    ...{ owner: 'octo', name: 'orders', created: 0, repository: 'octo/shop' },
    ...{ workflow: 'orders', trigger: 'webhook', dispatch: 'repository', respond: 'stored' },
    id: new Secret('the-id-of-the-endpoint'),
  }
  const event = (kind: 'endpoint' | 'token', isOwn: boolean): Dispatch => ({
    repository: { owner: 'octo', name: 'shop' },
    target: { event: 'repository_dispatch' },
    clientPayload: '{"path":"orders/webhook","method":"POST","headers":{},"body":null}',
    delivery: crypto.randomUUID(),
    credential: {
      ...{ kind, isOwn, secrets: [], token: async () => undefined },
      ...(kind === 'endpoint' && { endpoint }),
    },
  })
  const accepts = async () => ({ tries: 1 })
  const acceptsLate = () =>
    new Promise<{ tries: number }>((resolve) => setTimeout(resolve, 50, { tries: 1 }))
  const refuses = async () => {
    throw new RelayError('repository_not_accessible')
  }

  test('GitHub gets an event that would be stored first', async () => {
    const { acceptance, reported } = await acceptanceWith({ send: accepts })
    expect(await acceptance.deliver([event('endpoint', true)], endpoint)).toEqual({ tries: 1 })
    expect(reported).not.toEqual([])
  })

  test('the response waits for a slow GitHub', async () => {
    const { acceptance } = await acceptanceWith({ send: acceptsLate })
    expect(await acceptance.deliver([event('token', false)], undefined)).toEqual({ tries: 1 })
    const github = { ...endpoint, respond: 'github' } as const
    expect(await acceptance.deliver([event('endpoint', true)], github)).toEqual({ tries: 1 })
  })

  test('an event that was stored all the same is told that GitHub has it', async () => {
    const settled: unknown[] = []
    const { acceptance } = await acceptanceWith({
      send: accepts,
      store: {
        waits: async () => true,
        // The object stored the event, and its response was lost.
        put: async () => false,
        record: broken,
        settle: async ({ id }, { kind }) => void settled.push([id, kind]),
        noteAccepted: async () => {},
        wasAccepted: async () => true,
      },
    })
    const dispatch = event('endpoint', true)
    await acceptance.deliver([dispatch], endpoint)
    expect(settled).toEqual([[dispatch.delivery, 'accepted']])
  })

  test.each([
    ["the relay's own credential", true],
    ['the token of an endpoint', false],
  ])('a refusal of %s is 503, because nobody knows whether it worked before', async (_, isOwn) => {
    const { acceptance } = await acceptanceWith({ send: refuses })
    const work = acceptance.deliver([event('endpoint', isOwn)], { ...endpoint, respond: 'github' })
    await expect(work).rejects.toMatchObject({ status: 503, code: 'storage_full' })
  })
})

test('at most 1,000 events of a refused token of an endpoint are stored', async () => {
  const relay = await startStoredRelay(await testDatabase())
  try {
    const url = await relay.endpoint({ token: ENDPOINT_TOKEN })
    expect((await relay.post(url)).status).toBe(200)
    await relay.settled()
    relay.github.always(REFUSED)
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) {
      const answers = await Promise.all(Array.from({ length: 26 }, () => relay.post(url)))
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(statuses.filter((status) => status === 202)).toHaveLength(1000)
    expect(statuses.filter((status) => status === 503)).toHaveLength(40)
    // The token of the moment delivers them.
    relay.github.reset()
    const { status } = await relay.admin('PATCH', '/endpoints/octo/orders', {
      token: `${ENDPOINT_TOKEN}2`,
    })
    expect(status).toBe(200)
    for (let n = 0; n < 4; n++) await relay.pass(HOUR)
    const bearers = new Set(relay.github.calls.map(({ headers }) => headers.authorization))
    expect(bearers).toEqual(new Set([`Bearer ${ENDPOINT_TOKEN}2`]))
    expect((await relay.admin('GET', '/status')).json.deliveries).toMatchObject({
      waiting: 0,
      delivered: 1001,
    })
    expect([await relay.imbalance(), relay.faults]).toEqual([0, []])
  } finally {
    await relay.close()
  }
})

describe.each(SERVERS)('requests to endpoints, with %s', (_, startServer) => {
  let server: DatabaseServer
  let relay: StoredRelay
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  const start = async (env: Record<string, string> = {}) => {
    relay = await startStoredRelay(server.open(`accept-${++count}`), env)
  }
  beforeEach(() => start())
  afterEach(async () => {
    const imbalance = await relay.imbalance()
    await relay.close()
    expect([imbalance, relay.faults]).toEqual([0, []])
  })
  const restart = async (env: Record<string, string>) => {
    await relay.close()
    await start(env)
  }
  const dispatches = () => relay.github.calls.map((call) => call.url)
  const sent = () => relay.github.calls.map(sentPayload)

  test('an accepted event is 200, and is recorded after the response with its payload', async () => {
    const url = await relay.endpoint()
    const response = await relay.post(url, { body: '{"order":7}' })
    expect([response.status, await response.json()]).toEqual([200, { success: true }])
    const id = response.headers.get('x-hookline-delivery') ?? ''
    const [delivery, ...others] = await relay.list()
    expect(others).toEqual([])
    expect(delivery).toMatchObject({
      ...{ id, request: id, state: 'delivered', reason: null, attempts: 1, endpoint: 'orders' },
      ...{ repository: 'octo/shop', path: 'orders/webhook', method: 'POST', size: 11 },
      outcome: 'pending',
    })
    const { json } = await relay.show(id)
    expect(json.request).toMatchObject({ method: 'POST', body: '{"order":7}' })
  })

  test('without retention, the delivery is recorded and its payload is not', async () => {
    await restart({ HOOKLINE_RETENTION_DAYS: '0' })
    const response = await relay.post(await relay.endpoint())
    const id = response.headers.get('x-hookline-delivery') ?? ''
    expect((await relay.show(id)).json).toMatchObject({
      delivery: { state: 'delivered' },
      request: null,
    })
    expect((await relay.replay(id)).json.error.code).toBe('not_replayable')
  })

  test('an event that GitHub cannot accept now is 202, and arrives later with the same id', async () => {
    const url = await relay.endpoint()
    relay.github.always(DOWN)
    const response = await relay.post(url)
    expect(response.status).toBe(202)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-hookline-queued': 'true',
      'x-hookline-reason': 'github_unavailable',
    })
    expect(response.headers.has('x-hookline-batch')).toBe(false)
    const id = response.headers.get('x-hookline-delivery')
    expect(await relay.list()).toMatchObject([{ id, state: 'waiting', attempts: 1 }])
    // Later events wait behind it, without a call.
    const calls = relay.github.calls.length
    const second = await relay.post(url)
    expect([second.status, second.headers.get('x-hookline-reason')]).toEqual([202, 'queued'])
    expect(relay.github.calls).toHaveLength(calls)
    relay.github.reset()
    await relay.pass(MINUTE)
    await relay.pass(MINUTE)
    // Their calls may overlap.
    const arrived = sent().map(({ headers }) => headers['x-hookline-delivery'])
    expect(arrived.sort()).toEqual([id, second.headers.get('x-hookline-delivery')].sort())
    expect((await relay.list()).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })

  test('a call that GitHub answers after the response is settled, and not repeated', async () => {
    await restart({ HOOKLINE_TEST_RESPONSE_TIMEOUT_MS: '300' })
    const url = await relay.endpoint()
    const calls: ServerResponse[] = []
    relay.github.always((_call, response) => {
      calls.push(response)
      return undefined
    })
    const response = await relay.post(url)
    expect([response.status, response.headers.get('x-hookline-reason')]).toEqual([
      202,
      'github_timeout',
    ])
    await until(() => calls.length > 0)
    for (const call of calls) call.writeHead(204).end()
    await relay.settled()
    await relay.pass(HOUR)
    expect(dispatches()).toHaveLength(1)
    expect(await relay.list()).toMatchObject([{ state: 'delivered' }])
  })

  test('a sender hears a refusal of the event, which is recorded without its payload', async () => {
    const url = await relay.endpoint()
    relay.github.next({ status: 422, body: '{"message":"no"}' })
    const response = await relay.post(url, { body: 'x'.repeat(5000) })
    expect(response.status).toBe(422)
    const id = response.headers.get('x-hookline-delivery') ?? ''
    const { json } = await relay.show(id)
    expect(json.delivery).toMatchObject({ state: 'refused', reason: 'event_rejected', size: 5000 })
    expect(json.request).toMatchObject({ body: 'x'.repeat(2048), isCut: true })
    expect(Object.values(json.request.headers).every((value) => value === null)).toBe(true)
    const found = 'event_rejected: GitHub rejected the event with status 422: no'
    expect(json.stages.at(-1)).toMatchObject({ stage: 'sent', state: 'failed', found })
  })

  describe('respond: stored', () => {
    test('is 202 before GitHub is asked', async () => {
      const url = await relay.endpoint({ respond: 'stored' })
      const response = await relay.post(url)
      expect([response.status, response.headers.get('x-hookline-reason')]).toEqual([202, 'stored'])
      expect(dispatches()).toEqual([])
      await relay.pass()
      expect(dispatches()).toHaveLength(1)
      expect(await relay.list()).toMatchObject([{ state: 'delivered', reason: null }])
    })

    test('is what an endpoint does for an hour after its sender hung up, and the list advises it', async () => {
      const url = await relay.endpoint()
      const calls: ServerResponse[] = []
      relay.github.always((_call, response) => {
        calls.push(response)
        return undefined
      })
      const sender = new AbortController()
      const request = relay.post(url, { signal: sender.signal })
      await until(() => calls.length > 0)
      sender.abort()
      await expect(request).rejects.toThrow()
      // The relay reads the end of the connection before a later request.
      for (let turn = 0; turn < 2; turn++) await fetch(`${relay.url}/healthz`)
      for (const call of calls) call.writeHead(204).end()
      await until(async () => (await relay.list()).length === 1)
      relay.github.reset()
      const response = await relay.post(url)
      expect([response.status, response.headers.get('x-hookline-reason')]).toEqual([202, 'stored'])
      const [delivery] = await relay.list()
      expect(delivery?.explanation).toBe('the sender hung up before the response')
      expect(relay.log.some(({ clientGone }) => clientGone === true)).toBe(true)
      await relay.pass(HOUR + MINUTE)
      expect((await relay.post(url)).status).toBe(200)
    })
  })

  describe('batches', () => {
    const batched = { batch: 60, debounce: 10 }

    test('events are collected, and arrive as one event with the id of the first', async () => {
      const url = await relay.endpoint(batched)
      const responses = [await relay.post(url), await relay.post(url), await relay.post(url)]
      expect(responses.map(({ status }) => status)).toEqual([202, 202, 202])
      expect(responses.map(({ headers }) => headers.get('x-hookline-reason'))).toEqual([
        'batch',
        'batch',
        'batch',
      ])
      await relay.pass(5000)
      expect(dispatches()).toEqual([])
      await relay.pass(6000)
      const id = responses[0]?.headers.get('x-hookline-delivery')
      expect(sent().map(({ headers }) => headers)).toMatchObject([
        { 'x-hookline-batch': '3', 'x-hookline-delivery': id },
      ])
      expect(await relay.list()).toMatchObject(
        Array.from({ length: 3 }, () => ({ state: 'delivered', batch: id })),
      )
    })

    test('with a failing disk, an event is sent by itself', async () => {
      const url = await relay.endpoint(batched)
      relay.database.isFailing = true
      expect((await relay.post(url)).status).toBe(200)
      relay.database.isFailing = false
      expect(sent()[0]?.headers).not.toHaveProperty('x-hookline-batch')
    })
  })

  describe('several targets', () => {
    const targets = ['octo/mail:receipt/webhook', 'octo/crm:order/webhook']
    const rule =
      (answers: Readonly<Record<string, { status: number; body?: string }>>) =>
      ({ url }: { url: string }) =>
        answers[/repos\/octo\/(\w+)/.exec(url)?.[1] ?? ''] ?? { status: 204 }

    test('each gets an event of its own; 200 if GitHub accepted all of them', async () => {
      const url = await relay.endpoint({ targets })
      const response = await relay.post(`${url}/eu?x=1`)
      expect(response.status).toBe(200)
      const request = response.headers.get('x-hookline-delivery')
      const payloads = sent()
      // Their calls overlap.
      expect(payloads.map(({ path }) => path).sort()).toEqual([
        'order/webhook/eu?x=1',
        'orders/webhook/eu?x=1',
        'receipt/webhook/eu?x=1',
      ])
      const ids = payloads.map(({ headers }) => headers['x-hookline-delivery'])
      expect(new Set([...ids, request]).size).toBe(4)
      const listed = await relay.list()
      expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort())
      expect(new Set(listed.map((one) => one.request))).toEqual(new Set([request]))
    })

    test('an event that one repository refuses is a dead letter, and holds up none of the others', async () => {
      const url = await relay.endpoint({ targets })
      relay.github.always(rule({ mail: { status: 422, body: '{"message":"no"}' }, crm: DOWN }))
      const response = await relay.post(url)
      expect(response.status).toBe(202)
      const listed = await relay.list()
      expect(
        Object.fromEntries(
          listed.map(({ repository, state, reason }) => [repository, [state, reason]]),
        ),
      ).toEqual({
        'octo/shop': ['delivered', null],
        'octo/mail': ['dead', 'event_rejected'],
        'octo/crm': ['waiting', 'github_unavailable'],
      })
      relay.github.always({ status: 204 })
      await relay.pass(MINUTE)
      const states = (await relay.list()).map(({ repository, state }) => [repository, state])
      expect(Object.fromEntries(states)).toMatchObject({
        'octo/crm': 'delivered',
        'octo/mail': 'dead',
      })
      const dead = listed.find(({ state }) => state === 'dead')
      expect((await relay.replay(dead?.id ?? '')).json).toMatchObject({
        replayed: 1,
        ids: [dead?.id],
      })
      await relay.pass()
      expect((await relay.list()).every(({ state }) => state === 'delivered')).toBe(true)
    })

    test('a dead letter holds up no later event of its repository', async () => {
      const url = await relay.endpoint({ targets })
      relay.github.always({ status: 422, body: '{"message":"no"}' })
      expect((await relay.post(url)).status).toBe(202)
      relay.github.always({ status: 204 })
      const next = await relay.post(url)
      expect([next.status, next.headers.get('x-hookline-reason')]).toEqual([200, null])
      expect((await relay.list()).map(({ state }) => state).sort()).toEqual([
        ...Array(3).fill('dead'),
        ...Array(3).fill('delivered'),
      ])
    })

    test('with a full disk, the sender is told that one event is at no place', async () => {
      const url = await relay.endpoint({ targets })
      relay.github.always(rule({ crm: DOWN }))
      relay.database.isFailing = true
      const response = await relay.post(url)
      relay.database.isFailing = false
      expect([response.status, await errorOf(response)]).toEqual([503, 'storage_full'])
    })

    test('all are stored first, with respond: stored', async () => {
      const url = await relay.endpoint({ targets, respond: 'stored' })
      expect((await relay.post(url)).status).toBe(202)
      expect(await relay.list()).toHaveLength(3)
      await relay.pass()
      expect(dispatches()).toHaveLength(3)
    })

    test('belong to one owner, name each workflow once, and need the relay key', async () => {
      const place = { name: 'a', repository: 'octo/shop', workflow: 'a', trigger: 'webhook' }
      for (const wrong of [
        ['evil/shop:a/webhook'],
        ['octo/SHOP:a/webhook'],
        ['octo/x'],
        Array(11).fill('octo/a:b/c'),
      ]) {
        const { status, json } = await relay.admin('POST', '/endpoints', {
          ...place,
          targets: wrong,
        })
        expect([status, json.error.code]).toEqual([400, 'invalid_endpoint'])
      }
    })
  })

  describe('a refused credential', () => {
    test.each([{}, { token: ENDPOINT_TOKEN }])(
      'is heard at the first test: %j',
      async (settings) => {
        const url = await relay.endpoint(settings)
        relay.github.always(REFUSED)
        const response = await relay.post(url)
        expect([response.status, await errorOf(response)]).toEqual([401, 'invalid_token'])
        expect(await relay.list()).toMatchObject([{ state: 'refused', reason: 'invalid_token' }])
      },
    )

    test("of the relay's own: 202 after an accepted event", async () => {
      const url = await relay.endpoint()
      expect((await relay.post(url)).status).toBe(200)
      relay.github.always(REFUSED)
      const response = await relay.post(url)
      expect([response.status, response.headers.get('x-hookline-reason')]).toEqual([
        202,
        'invalid_token',
      ])
      expect(relay.log).toContainEqual(
        expect.objectContaining({ level: 'error', change: 'stored', reason: 'invalid_token' }),
      )
    })

    test("of an endpoint's token: the same", async () => {
      const url = await relay.endpoint({ token: ENDPOINT_TOKEN })
      expect((await relay.post(url)).status).toBe(200)
      await relay.settled()
      relay.github.always(REFUSED)
      expect((await relay.post(url)).status).toBe(202)
      relay.github.reset()
      const { status } = await relay.admin('PATCH', '/endpoints/octo/orders', {
        token: `${ENDPOINT_TOKEN}2`,
      })
      expect(status).toBe(200)
      await relay.pass(HOUR)
      const bearers = relay.github.calls.map(({ headers }) => headers.authorization)
      expect(bearers).toEqual([`Bearer ${ENDPOINT_TOKEN}2`])
    })
  })

  test('with a failing disk, events go to GitHub directly; 503 only if GitHub refuses, too', async () => {
    const url = await relay.endpoint()
    relay.database.isFailing = true
    expect((await relay.post(url)).status).toBe(200)
    relay.github.always(DOWN)
    const response = await relay.post(url)
    relay.database.isFailing = false
    expect([response.status, await errorOf(response), response.headers.get('retry-after')]).toEqual(
      [503, 'storage_full', '60'],
    )
    expect(await relay.list()).toEqual([])
  })

  describe('changes while events wait', () => {
    test('rotate keeps them; the old URL is unknown', async () => {
      const url = await relay.endpoint()
      relay.github.always(DOWN)
      expect((await relay.post(url)).status).toBe(202)
      const { json } = await relay.admin('POST', '/endpoints/octo/orders/rotate')
      expect((await relay.post(url)).status).toBe(401)
      relay.github.always({ status: 204 })
      await relay.pass(MINUTE)
      expect(await relay.list()).toMatchObject([{ state: 'delivered' }])
      expect((await relay.post(relay.url + json.url)).status).toBe(200)
    })

    test('delete makes them dead letters, which a later endpoint of the name does not send', async () => {
      const url = await relay.endpoint({ batch: 60 })
      expect((await relay.post(url)).status).toBe(202)
      const { json } = await relay.admin('DELETE', '/endpoints/octo/orders')
      expect(json).toEqual({ deleted: true, deadLetters: 1 })
      expect(await relay.list()).toMatchObject([
        { state: 'dead', reason: 'endpoint_deleted', endpoint: 'orders', endpointDeleted: true },
      ])
      await relay.endpoint()
      await relay.pass(HOUR)
      expect(dispatches()).toEqual([])
    })

    test('repository, path and mode are those of the receipt', async () => {
      const url = await relay.endpoint()
      relay.github.always(DOWN)
      await relay.post(`${url}/eu`)
      await relay.admin('PATCH', '/endpoints/octo/orders', {
        repository: 'octo/other',
        workflow: 'new',
      })
      relay.github.reset()
      await relay.pass(MINUTE)
      expect(dispatches()).toEqual(['/repos/octo/shop/dispatches'])
      expect(sent()[0]?.path).toBe('orders/webhook/eu')
    })
  })

  test('the last 50 filtered requests of an endpoint stay, and 10 refused ones a minute', async () => {
    const url = await relay.endpoint({
      if: 'body.live',
      verify: [{ scheme: ['token'], header: 'x-key', secret: ['the-secret-of-the-sender'] }],
    })
    const headers = { 'x-key': 'the-secret-of-the-sender' }
    for (let n = 0; n < 60; n++) {
      const response = await relay.post(url, { body: `{"live":false,"n":${n}}`, headers })
      expect(response.headers.get('x-hookline-filtered')).toBe('true')
    }
    for (let n = 0; n < 12; n++) expect((await relay.post(url)).status).toBe(401)
    const { deliveries } = (await relay.admin('GET', '/status')).json
    expect(deliveries).toMatchObject({ filtered: 50, refused: 10 })
    const [newest] = await relay.list('?state=filtered')
    const { json } = await relay.show(newest?.id ?? '')
    expect(json.request).toMatchObject({ body: '{"live":false,"n":59}' })
    // The header that authenticated the sender is not shown.
    expect(json.request.headers).not.toHaveProperty('x-key')
    expect(json.stages.at(-1)).toMatchObject({
      stage: 'filtered',
      state: 'failed',
      wanted: 'body.live',
    })
    const [refused] = await relay.list('?state=refused')
    expect((await relay.show(refused?.id ?? '')).json.stages.at(-1)).toMatchObject({
      stage: 'verified',
      state: 'failed',
      cure: expect.stringContaining('--secret-env'),
    })
    expect(dispatches()).toEqual([])
  })
})
