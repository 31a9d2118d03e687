import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { readRelayConfig, sharedGitHub, statelessRelay } from '../../src/relay/config.ts'
import type { RelayStore } from '../../src/relay/delivery/accept.ts'
import type { RecordedRequest } from '../../src/relay/delivery/event-record.ts'
import { RelayError } from '../../src/relay/errors.ts'
import { PACK } from '../../src/relay/github/payload.ts'
import type { Dispatch } from '../../src/relay/github/send.ts'
import { serveRelay } from '../../src/relay/node/server.ts'
import { type Relay, respond } from '../../src/relay/relay.ts'
import type { BodyUpload } from '../../src/relay/store/bodies.ts'
import type { Endpoint } from '../../src/relay/store/endpoint-settings.ts'
import { verifiedChecks } from '../../src/relay/webhook/checks.ts'
import { RequestLog } from '../../src/relay/webhook/request-log.ts'
import type { RelayRequest } from '../../src/wire/http.ts'
import { Secret } from '../../src/wire/secret.ts'
import { until } from '../support/until.ts'

const ID = 'AAAAAAAAAAAAAAAAAAAAAA'
const TOKEN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
const ENDPOINT: Endpoint = {
  owner: 'o',
  name: 'orders',
  id: new Secret(ID),
  created: 1,
  repository: 'o/r',
  workflow: 'orders',
  trigger: 'webhook',
  dispatch: 'repository',
  respond: 'github',
  token: new Secret(TOKEN),
}

interface Seen {
  events: Dispatch[][]
  records: RecordedRequest[]
  gone: string[]
  log: object[]
}

/** A relay with one endpoint, whose store only notes what it gets. */
async function relayWith(
  endpoint: Partial<Endpoint> = {},
  deliver: RelayStore['deliver'] = async () => ({ tries: 1, githubStatus: 204 }),
): Promise<{ relay: Relay; seen: Seen }> {
  const seen: Seen = { events: [], records: [], gone: [], log: [] }
  const config = await readRelayConfig({})
  const unused = () => Promise.reject(new Error('the store sends the events'))
  const parts = {
    packers: [PACK],
    loadChecks: () => import('../../src/relay/webhook/verification.ts'),
    isStateless: false,
  }
  const store: RelayStore = {
    endpoints: { find: async () => ({ ...ENDPOINT, ...endpoint }) },
    deliver: async (events, found) => {
      seen.events.push([...events])
      return deliver(events, found)
    },
    record: (request) => void seen.records.push(request),
    clientGone: ({ name }) => void seen.gone.push(name),
    wasAccepted: async () => false,
    isNotification: async () => false,
    largeBodies: undefined,
    admin: async () => ({ status: 200, headers: {}, body: '' }),
  }
  const stateless = statelessRelay(config, sharedGitHub(config, unused), () => {}, parts)
  const relay = { ...stateless, store, log: (entry: object) => void seen.log.push(entry) }
  return { relay, seen }
}

function request(body: string, headers: readonly string[] = []): RelayRequest {
  return {
    method: 'POST',
    target: `/-/o/${ID}/rest?x=1`,
    headers: ['content-type', 'application/json', ...headers],
    readBody: async () => Buffer.from(body),
  }
}

test('one request to an endpoint with two further targets starts three events', async () => {
  const targets = [
    { repository: 'o/a', workflow: 'ci', trigger: 'webhook' },
    { repository: 'o/b', workflow: 'cd', trigger: 'hook' },
  ]
  const { relay, seen } = await relayWith({ targets })
  const { status, headers } = await respond(request('{"a":1}'), relay)
  expect(status).toBe(200)
  const [events = []] = seen.events
  const paths = events.map(({ repository, clientPayload }) => [
    `${repository.owner}/${repository.name}`,
    JSON.parse(clientPayload).path,
  ])
  expect(paths).toEqual([
    ['o/r', 'orders/webhook/rest?x=1'],
    ['o/a', 'ci/webhook/rest?x=1'],
    ['o/b', 'cd/hook/rest?x=1'],
  ])
  const id = headers['x-hookline-delivery']
  expect(events.map((event) => event.request?.id)).toEqual([id, id, id])
  // Each has a delivery of its own, which its payload names.
  const own = events.map(({ delivery }) => delivery)
  expect(new Set([...own, id]).size).toBe(4)
  expect(
    events.map(({ clientPayload }) => JSON.parse(clientPayload).headers['x-hookline-delivery']),
  ).toEqual(own)
})

test('with one target, the delivery has the id of the request', async () => {
  const { relay, seen } = await relayWith()
  const { headers } = await respond(request('{"a":1}'), relay)
  const id = headers['x-hookline-delivery']
  expect(seen.events[0]).toMatchObject([{ delivery: id, request: { id, size: 7 } }])
})

test('a filtered request is recorded, without its tokens', async () => {
  const { relay, seen } = await relayWith({ if: 'body.a == 2' })
  const given = request('{"a":1}', ['x-token', TOKEN, 'authorization', 'Bearer other'])
  const { headers } = await respond(given, relay)
  expect(headers['x-hookline-filtered']).toBe('true')
  expect(seen.events).toEqual([])
  expect(seen.records).toMatchObject([
    {
      state: 'filtered',
      reason: 'if',
      delivery: headers['x-hookline-delivery'],
      endpoint: { name: 'orders' },
      method: 'POST',
      path: 'orders/webhook/rest?x=1',
      size: 7,
      explanation: expect.stringContaining('body.a'),
    },
  ])
  const [record] = seen.records
  expect(Buffer.from(record?.body ?? []).toString()).toBe('{"a":1}')
  expect(record?.headers.get('x-token')).toBe('***')
})

test.each([
  ['a signature that does not verify', { verify: [{ scheme: 'github', secret: 's' }] }, 401],
  ['a path that names no file', { dispatch: 'workflow', workflow: '..' }, 400],
] as const)('%s is recorded as refused', async (_, settings, status) => {
  const { relay, seen } = await relayWith(settings)
  const response = await respond(request('{"a":1}'), relay)
  expect(response.status).toBe(status)
  const { code } = JSON.parse(response.body).error
  expect(seen.records).toMatchObject([{ state: 'refused', reason: code }])
})

test('a refusal by GitHub is recorded, a body with the GitHub token without the body', async () => {
  const { relay, seen } = await relayWith({}, () => Promise.reject(new RelayError('invalid_token')))
  expect((await respond(request('{"a":1}'), relay)).status).toBe(401)
  expect((await respond(request(`{"a":"${TOKEN}"}`), relay)).status).toBe(400)
  expect(seen.records.map(({ reason, body }) => [reason, body.length])).toEqual([
    ['invalid_token', 7],
    ['token_in_body', 0],
  ])
})

test('an accepted request is not recorded here, since the store has its events', async () => {
  const { relay, seen } = await relayWith()
  await respond(request('{"a":1}'), relay)
  expect(seen.records).toEqual([])
})

test.each([
  ['github', ['orders'], true],
  ['stored', [], undefined],
] as const)(
  'with "respond: %s", the store hears of a sender that hangs up: %j',
  async (how, gone, logged) => {
    let answer = () => {}
    const { relay, seen } = await relayWith({ respond: how }, async () => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return { tries: 1 }
    })
    const server = await serveRelay({ host: '127.0.0.1', port: 0, relay })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(`POST /-/o/${ID} HTTP/1.1\r\nHost: relay\r\nContent-Length: 2\r\n\r\n{}`)
    await until(() => seen.events.length === 1)
    const closed = once(socket, 'close')
    socket.destroy()
    await closed
    // The end of the connection arrives before the next request.
    await fetch(`${server.url}/healthz`)
    await until(() => seen.gone.length === gone.length)
    answer()
    await until(() => seen.log.length === 2)
    expect(seen.gone).toEqual(gone)
    expect(seen.log.at(-1)).toMatchObject({ endpoint: 'orders' })
    expect(seen.log.at(-1)).toHaveProperty('clientGone', logged)
    await server.close()
  },
)

test('a sender that stays until the response is not gone', async () => {
  const { relay, seen } = await relayWith()
  const server = await serveRelay({ host: '127.0.0.1', port: 0, relay })
  await fetch(`${server.url}/-/o/${ID}`, { method: 'POST', body: '{}' })
  await server.close()
  expect(seen.gone).toEqual([])
})

test('a large body is searched for the token in pieces, with a pause after each', async () => {
  const bytes = new Uint8Array(4 * 1024 * 1024).fill(0x78)
  // The token is in two pieces.
  bytes.set(Buffer.from(TOKEN), 3 * 1024 * 1024 - 10)
  let pauses = 0
  const { relay } = await relayWith()
  const paused = { ...relay, pause: async () => void pauses++ }
  const credential = await relay.credentials.ofEndpoint(ENDPOINT)
  const upload: Pick<BodyUpload, 'inspect'> = { inspect: (use) => use(bytes) }
  const event = {
    path: 'orders/webhook',
    method: 'POST',
    headers: new Map<string, string>(),
    body: { bytes: new Uint8Array(), text: undefined },
    delivery: 'd',
    receivedAt: '2026-01-01T00:00:00.000Z',
  }
  const checked = verifiedChecks(
    { target: '/', event },
    credential,
    upload as BodyUpload, // only `inspect` is called
    paused,
    new RequestLog('d', new Date(0)),
  )
  await expect(checked).rejects.toMatchObject({ code: 'token_in_body' })
  expect(pauses).toBe(11)
})

/** The headers of a response, without those of every response. */
function ownHeaders(headers: Readonly<Record<string, string>>) {
  const own = Object.entries(headers).filter(
    ([name]) => name.startsWith('x-hookline-') && name !== 'x-hookline-delivery',
  )
  return Object.fromEntries(own)
}

describe('the response to an accepted event', () => {
  const BODY = '{"success":true}'
  const RUN = 'https://github.com/o/r/actions/runs/1'
  const ASKS = '&__response_code=299&__response_body=ok'
  const QUEUED = { 'x-hookline-queued': 'true', 'x-hookline-reason': 'github_unavailable' }

  test.each<
    [name: string, attempts: object, query: string, status: number, body: string, headers: object]
  >([
    ['plain', {}, '', 200, BODY, {}],
    ['as the URL asks for', {}, ASKS, 299, 'ok', {}],
    ['with its run', { run: RUN }, '', 200, BODY, { 'x-hookline-run': RUN }],
    [
      'that fired nothing',
      { isIdle: true, idleReason: 'filter: a' },
      ASKS,
      299,
      'ok',
      { 'x-hookline-hint': 'nothing_fired', 'x-hookline-reason': 'filter: a' },
    ],
    [
      'that fired nothing, without a reason',
      { isIdle: true },
      '',
      200,
      BODY,
      {
        'x-hookline-hint': 'nothing_fired',
      },
    ],
    ['that is queued', { queued: 'github_unavailable' }, '', 202, BODY, QUEUED],
    [
      'that is queued, as the URL asks for',
      { queued: 'github_unavailable' },
      ASKS,
      299,
      'ok',
      QUEUED,
    ],
  ])('%s', async (_name, attempts, query, status, body, headers) => {
    const { relay } = await relayWith({}, async () => ({ tries: 1, ...attempts }))
    const given = { ...request('{}'), target: `/-/o/${ID}?x=1${query}` }
    const response = await respond(given, relay)
    expect([response.status, response.body]).toEqual([status, body])
    expect(ownHeaders(response.headers)).toEqual(headers)
  })

  test.each([
    [{ isIdle: true }, 200],
    [{ queued: 'stored' }, 202],
  ])('of a path without a trigger has one hint: %j', async (attempts, status) => {
    const { relay } = await relayWith({}, async () => ({ tries: 1, ...attempts }))
    const headers = ['X-Platform-Authorization', TOKEN, 'X-Hook-Secret', 'of-asana']
    const response = await respond({ ...request('{}', headers), target: '/o/r/hook' }, relay)
    expect(response.status).toBe(status)
    expect(response.headers).toMatchObject({ 'x-hook-secret': 'of-asana' })
    expect(ownHeaders(response.headers)).toEqual({
      'x-hookline-hint': 'no_trigger',
      ...(status === 202 && { 'x-hookline-queued': 'true', 'x-hookline-reason': 'stored' }),
    })
  })
})

describe('the event of a request', () => {
  test('to an endpoint is complete', async () => {
    const { relay, seen } = await relayWith({ dispatch: 'workflow', ref: 'v1' })
    const given = request('{"a":1}', ['X-Platform-Authorization', 'of-the-sender-0123456789'])
    const { headers } = await respond(given, relay)
    const [[event] = []] = seen.events
    const id = headers['x-hookline-delivery']
    const { clientPayload, credential, ...others } = event as Dispatch
    expect(others).toEqual({
      repository: { owner: 'o', name: 'r' },
      target: { event: 'workflow_dispatch', workflow: 'orders', ref: 'v1' },
      delivery: id,
      request: {
        ...{ id, path: 'orders/webhook/rest?x=1', method: 'POST', size: 7 },
        receivedAt: expect.stringMatching(/^2/),
      },
      ...{ isNotification: false, hasStoredBody: false },
    })
    expect(JSON.parse(clientPayload)).toEqual({
      ...{ path: 'orders/webhook/rest?x=1', method: 'POST', body: '{"a":1}' },
      headers: {
        'content-type': 'application/json',
        'x-hookline-delivery': id,
        'x-hookline-received-at': others.request?.receivedAt,
      },
    })
    expect(credential.secrets.map((secret) => secret.reveal())).toEqual([
      ...[ID, TOKEN],
      'of-the-sender-0123456789',
    ])
  })

  test('to a token URL starts all workflows that listen', async () => {
    const { relay, seen } = await relayWith()
    const given = request('', ['X-Platform-Authorization', TOKEN])
    await respond({ ...given, target: '/Own/rep/hook/webhook?a' }, relay)
    expect(seen.events).toMatchObject([
      [
        {
          ...{ repository: { owner: 'Own', name: 'rep' } },
          ...{ target: { event: 'repository_dispatch' }, isNotification: false },
        },
      ],
    ])
    expect(seen.log).toMatchObject([{ owner: 'Own', repo: 'rep', workflow: 'hook', bytes: 0 }])
  })

  test.each([
    [[], false],
    [['webhook-id', 'msg_1'], true],
  ])(
    'is a notification of the relay if it says so and is signed: %j',
    async (headers, expected) => {
      const { relay, seen } = await relayWith()
      const store = { ...relay.store, isNotification: async () => true } as RelayStore
      await respond(request('{}', headers), { ...relay, store })
      expect(seen.events[0]?.[0]?.isNotification).toBe(expected)
    },
  )
})

describe('the condition of an endpoint that cannot be evaluated', () => {
  const IF = 'fromJSON(body.a) == 1'
  const UNMET = `if: ${IF} cannot be evaluated`

  test('drops the event', async () => {
    const { relay, seen } = await relayWith({ if: IF })
    const response = await respond(request('{"a":"{"}'), relay)
    expect([response.status, ownHeaders(response.headers)]).toEqual([
      200,
      { 'x-hookline-filtered': 'error' },
    ])
    expect(seen.events).toEqual([])
    const logged = { filtered: 'error', condition: 'error', reason: UNMET }
    expect(seen.log).toMatchObject([logged])
    expect(seen.records).toMatchObject([{ state: 'filtered', reason: 'if', explanation: UNMET }])
  })

  test('lets the event pass with "ifError": "allow", and is in the log', async () => {
    const { relay, seen } = await relayWith({ if: IF, ifError: 'allow' })
    const response = await respond(request('{"a":"{"}'), relay)
    expect([response.status, ownHeaders(response.headers)]).toEqual([200, {}])
    expect(seen.events).toHaveLength(1)
    expect(seen.log).toMatchObject([{ condition: 'error', status: 200 }])
    expect(seen.log[0]).toHaveProperty('filtered', undefined)
  })

  test('has a response as the URL asks for', async () => {
    const { relay } = await relayWith({ if: IF })
    const target = `/-/o/${ID}?__response_code=299`
    const response = await respond({ ...request('{"a":"{"}'), target }, relay)
    expect([response.status, ownHeaders(response.headers)]).toEqual([
      299,
      { 'x-hookline-filtered': 'error' },
    ])
  })
})

test('a stateless relay has no endpoints', async () => {
  const { relay, seen } = await relayWith()
  const response = await respond(request('{}'), { ...relay, store: undefined })
  expect([response.status, JSON.parse(response.body).error]).toEqual([
    404,
    {
      ...{ code: 'not_found', message: 'not a webhook URL' },
      hint: 'Use a URL of the form /<owner>/<repo>/<workflow>/<trigger>: this relay has no endpoints.',
    },
  ])
  expect(seen.records).toEqual([])
})

test('a bug is reported, and the response tells nothing of it', async () => {
  const reports: unknown[] = []
  const bug = new TypeError('broken')
  const { relay, seen } = await relayWith({}, () => Promise.reject(bug))
  const report = (error: unknown) => void reports.push(error)
  const { status, body } = await respond(request('{}'), { ...relay, report })
  expect([status, JSON.parse(body).error.code, reports]).toEqual([500, 'internal_error', [bug]])
  expect(seen.log).toMatchObject([{ status: 500, code: 'internal_error' }])
  expect(seen.records).toEqual([])
})

test('what GitHub says of a rejected event is in the log, and its calls are', async () => {
  const error = new RelayError('event_rejected', { message: 'no' }).after({
    ...{ tries: 3, githubStatus: 422 },
  })
  const { relay, seen } = await relayWith({}, () => Promise.reject(error))
  await respond(request('{}'), relay)
  expect(seen.log).toMatchObject([
    { status: 422, code: 'event_rejected', reason: 'no', tries: 3, githubStatus: 422 },
  ])
})

test('a body for which there is no room is counted, and /readyz says so', async () => {
  const { relay } = await relayWith({}, () => Promise.reject(new RelayError('bodies_full')))
  const ready = async (method = 'GET') => {
    const { status, body } = await respond({ ...request(''), method, target: '/readyz' }, relay)
    return [status, body]
  }
  expect(await ready()).toEqual([200, 'ready'])
  expect((await respond(request('{}'), relay)).status).toBe(503)
  expect(relay.metrics.lines()).toContain('hookline_bodies_refused_total 1')
  expect(await ready()).toEqual([200, 'degraded: bodies_full'])
  expect((await ready('PUT'))[0]).toBe(404)
})

test('an unknown method has no name in the log', async () => {
  const { relay, seen } = await relayWith()
  const { status } = await respond({ ...request('{}'), method: 'PROPFIND' }, relay)
  expect(status).toBe(405)
  expect(seen.log).toMatchObject([{ method: 'other', status: 405 }])
})

test.each([
  ['/-admin', true],
  ['//-admin/status', true],
  ['/-admin/', true],
  ['/-administration', false],
  ['/x/-admin/', false],
])('%s is an address of the admin API: %p', async (target, isAdmin) => {
  const { relay, seen } = await relayWith()
  const response = await respond({ ...request(''), method: 'PUT', target }, relay)
  expect([response.status, seen.log.length]).toEqual(isAdmin ? [200, 0] : [404, 1])
  expect(response.headers['access-control-allow-origin']).toBe(isAdmin ? undefined : '*')
})
