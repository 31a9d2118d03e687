import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { readRelayKeys } from '../../../src/relay/store/relay-key.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { VERSION } from '../../../src/wire/version.ts'
import { memoryDatabase } from '../../support/memory-database.ts'
import { type RawRequest, send } from '../../support/raw-http.ts'
import { ADMIN_BEARER, RELAY_KEY } from '../../support/relay-keys.ts'
import { type StoredRelay, startStoredRelay } from '../../support/stored-relay.ts'

const SECRET = 'the-secret-of-the-sender'
const VERIFY = [
  { scheme: 'token', header: 'X-Key', secret: SECRET },
  { scheme: 'token', query: 'key', secret: SECRET },
]
const [{ read }] = await readRelayKeys(new Secret(RELAY_KEY), 'key')
const READ = read.reveal()
const MINE = 'ghp_TokenOfOneCaller000000000000000000000'

let relay: StoredRelay

async function begin() {
  relay = await startStoredRelay(await memoryDatabase(), { HOOKLINE_ALLOW_TOKENS: 'true' })
}

/** Posts an event with exactly these headers. @returns the id of the delivery */
async function post(url: string, headers: RawRequest['headers'] = [], body: string | Buffer = '') {
  const target = url.slice(relay.url.length)
  const { headers: told } = await send(relay.url, { method: 'POST', target, headers, body })
  return told['x-hookline-delivery'] ?? ''
}

describe('a delivery in the admin API', () => {
  beforeEach(begin)
  afterEach(() => relay.close())

  test('has its request without the tokens and signatures, and without what the relay adds', async () => {
    const url = await relay.endpoint({ if: 'body.live', verify: VERIFY })
    const token = 't'.repeat(30)
    const target = `${url}/eu?x=1&key=a&%6bey=b&__token=${token}&key2=c&y=2&__response_code=201`
    const headers = [
      ['X-Key', SECRET],
      ['Cookie', 'a=b'],
      ['Authorization', 'Bearer x'],
      ['X-Hookline-Own', '1'],
      ['X-Key2', 'c'],
      ['Proxy-Authorization', 'x'],
    ] as const
    const id = await post(target, headers, '{"live":true}')
    const { status, json } = await relay.show(id)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect([status, json.delivery]).toEqual([
      200,
      {
        ...{ id, request: id, owner: 'octo', endpoint: 'orders', repository: 'octo/shop' },
        ...{ path: 'orders/webhook/eu', method: 'POST', state: 'delivered', reason: null },
        ...{ explanation: null, receivedAt: time, changedAt: time, attempts: 1 },
        ...{ nextAttemptAt: null, waitsFor: null, size: 13, acceptedAt: time },
        ...{ githubMs: expect.any(Number), run: null, outcome: 'pending', outcomeReason: null },
        ...{ conclusion: null, details: null },
      },
    ])
    expect(json.request).toEqual({
      ...{ method: 'POST', path: 'orders/webhook/eu', query: 'x=1&key2=c&y=2' },
      headers: { host: expect.any(String), 'x-key2': 'c', 'content-length': '13' },
      body: '{"live":true}',
    })
    expect(json.stages.map(({ stage, state }: Record<string, string>) => [stage, state])).toEqual([
      ['received', 'ok'],
      ['verified', 'ok'],
      ['filtered', 'ok'],
      ['sent', 'ok'],
      ['run found', 'waiting'],
    ])
  })

  test('has only the names of the headers if it was refused', async () => {
    const url = await relay.endpoint({ verify: VERIFY })
    const id = await post(
      `${url}?x=1&key=bad`,
      [
        ['Cookie', 'a=b'],
        ['X-A', 'b'],
      ],
      'x',
    )
    const { json } = await relay.show(id)
    expect(json.request).toEqual({
      ...{ method: 'POST', path: 'orders/webhook', query: 'x=1' },
      headers: { host: null, 'x-a': null, 'content-length': null },
      body: 'x',
    })
    expect(json.delivery).toMatchObject({ state: 'refused', reason: 'invalid_signature', size: 1 })
  })

  test.each([
    ['no bytes', '', { body: '' }],
    ['text', 'é', { body: 'é' }],
    ['bytes', Buffer.from([0xff, 0]), { body: '/wA=', bodyEncoding: 'base64' }],
    ['text that is packed', 'x'.repeat(100_000), { body: 'x'.repeat(100_000) }],
  ])('has its body: %s', async (_name, sent, shown) => {
    const open = await relay.endpoint()
    const filtered = await relay.endpoint({ name: 'filtered', if: "method == 'GET'" })
    for (const url of [open, filtered]) {
      const { json } = await relay.show(await post(url, [], sent))
      const { body, bodyEncoding, isCut } = json.request
      expect({ body, ...(bodyEncoding && { bodyEncoding }), isCut }).toEqual(shown)
    }
  })

  test('is listed with the other targets under the id of their request', async () => {
    const url = await relay.endpoint({ targets: ['octo/mail:receipt/webhook'] })
    const request = await post(url)
    await relay.settled()
    const { status, json } = await relay.show(request)
    expect([status, Object.keys(json)]).toEqual([200, ['deliveries']])
    const told = json.deliveries.map((one: Record<string, string>) => [one.request, one.repository])
    expect(told.sort()).toEqual([
      [request, 'octo/mail'],
      [request, 'octo/shop'],
    ])
    for (const { id } of json.deliveries)
      expect((await relay.show(id)).json).toHaveProperty('stages')
    const mine = await relay.admin('GET', `/deliveries/octo/${request}`, undefined, MINE)
    expect([mine.status, (await relay.show(crypto.randomUUID())).status]).toEqual([404, 404])
  })

  test('is listed with the other events under the id of their batch', async () => {
    const url = await relay.endpoint({ batch: 10 })
    const ids = [await post(url), await post(url)]
    await relay.pass(11_000)
    const [first, second] = await Promise.all(ids.map((id) => relay.show(id)))
    expect(first?.json.deliveries.map(({ id }: Record<string, string>) => id)).toEqual(ids)
    expect(first?.json.delivery).toMatchObject({ id: ids[0], batch: ids[0] })
    expect(second?.json).not.toHaveProperty('deliveries')
  })

  test('has the name of its deleted endpoint, and no request once its payload is gone', async () => {
    const url = await relay.endpoint()
    const id = await post(url)
    await relay.settled()
    await relay.admin('DELETE', '/endpoints/octo/orders')
    const { json } = await relay.show(id)
    expect(json.delivery).toMatchObject({ endpoint: 'orders', endpointDeleted: true })
    const other = await relay.endpoint({ name: 'other' })
    const kept = await relay.show(await post(other))
    expect(kept.json.delivery).not.toHaveProperty('endpointDeleted')
    expect(kept.json.delivery).not.toHaveProperty('replayOf')
    expect(kept.json.delivery).not.toHaveProperty('batch')
  })

  test('is listed a page at a time, newest first', async () => {
    const url = await relay.endpoint()
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.unshift(await post(url))
    const page = async (query: string) => {
      const { json } = await relay.admin('GET', `/deliveries/octo?${query}`)
      return [json.deliveries.map(({ id }: { id: string }) => id), json.next]
    }
    const [first, next] = await page('limit=2')
    expect([first, next]).toEqual([ids.slice(0, 2), expect.stringMatching(/^\d+$/)])
    expect(await page(`limit=2&after=${next}`)).toEqual([ids.slice(2), null])
    expect(await page('limit=3')).toEqual([ids, null])
    const { json } = await relay.admin('GET', '/deliveries')
    expect(json.deliveries).toHaveLength(3)
  })

  test('of a token URL is shown to an admin, and to no token', async () => {
    const ask = () =>
      post(`${relay.url}/octo/shop/hook/webhook`, [['X-Platform-Authorization', MINE]])
    // The relay stores events only for a token that GitHub has accepted.
    await ask()
    await relay.settled()
    relay.github.always({ status: 503 })
    const id = await ask()
    const listed = await relay.admin('GET', '/deliveries/octo')
    expect(listed.json.deliveries).toMatchObject([{ id, endpoint: null, state: 'waiting' }])
    const [{ nextAttemptAt, changedAt }] = listed.json.deliveries
    expect(Date.parse(nextAttemptAt)).toBeGreaterThan(Date.parse(changedAt))
    expect((await relay.show(id)).status).toBe(200)
    const own = await relay.admin('GET', '/deliveries/octo', undefined, MINE)
    expect(own).toEqual({ status: 200, json: { deliveries: [], next: null } })
    const other = await relay.admin('GET', `/deliveries/octo/${id}`, undefined, MINE)
    expect(other.status).toBe(404)
  })

  test('whose disk fails is not deleted, and the error says what to do', async () => {
    const id = await post(await relay.endpoint())
    await relay.settled()
    relay.database.isFailing = true
    const { status, json } = await relay.admin('DELETE', `/deliveries/octo/${id}`)
    relay.database.isFailing = false
    expect([status, json.error]).toEqual([
      503,
      {
        ...{
          code: 'storage_full',
          message: 'the database of the relay cannot be read or written: disk full',
        },
        hint: "Free space on the disk of the relay's data folder: even a deletion needs some.",
      },
    ])
    expect((await relay.show(id)).status).toBe(200)
  })

  test('can be replayed and deleted, by its id and by a filter', async () => {
    const url = await relay.endpoint()
    const [one, two] = [await post(url), await post(url)]
    await relay.settled()
    const lines = relay.log.length
    const replayed = await relay.replay(one)
    expect([replayed.status, replayed.json]).toEqual([
      200,
      { ids: [expect.any(String)], replayed: 1, declined: 0, missing: 0, left: 0 },
    ])
    const deleted = await relay.admin('DELETE', `/deliveries/octo/${one}`)
    expect(deleted).toEqual({ status: 200, json: { deleted: 1 } })
    const many = await relay.admin('DELETE', '/deliveries/octo?state=delivered')
    expect(many).toEqual({ status: 200, json: { deleted: 1 } })
    expect((await relay.show(two)).status).toBe(404)
    const changes = relay.log.slice(lines).filter(({ change }) => change !== undefined)
    expect(changes.map(({ time: _, ...line }) => line)).toEqual([
      { change: 'replayed', events: 1, delivery: one },
      { change: 'deleted', events: 1, delivery: one },
      { change: 'deleted', events: 1 },
    ])
  })
})

const ID = '00000000-0000-4000-8000-000000000000'
const GONE = [
  'no delivery has this id',
  'GET /-admin/deliveries/<owner> lists the deliveries. An owner is written in lower case.',
] as const
const QUERY = 'the query is invalid'
const NAMES = 'endpoint, repository, state, outcome, reason, since, until'
const ADDRESSES =
  'See https://github.com/hookline/hookline/blob/v1/docs/reference/admin-api.md. Addresses are case-sensitive.'
const A_TOKEN = 'a GitHub token shows endpoints and deliveries only'
const ADMIN = 'Use the admin bearer: hookline relay key.'

describe('the admin API refuses', () => {
  beforeAll(begin)
  afterAll(() => relay.close())

  type Refused = readonly [
    method: string,
    path: string,
    error: readonly [status: number, code: string, message: string, hint: string],
    body?: object | undefined,
    bearer?: string,
  ]
  const query = (hint: string) => [400, 'invalid_query', QUERY, hint] as const
  const method = (...allowed: string[]) =>
    [405, 'method_not_allowed', 'method not allowed', `Use one of ${allowed.join(', ')}.`] as const
  const rows: readonly Refused[] = [
    ['GET', `/deliveries/octo/${ID}`, [404, 'not_found', ...GONE]],
    ['DELETE', `/deliveries/octo/${ID}`, [404, 'not_found', ...GONE]],
    ['POST', `/deliveries/octo/${ID}/replay`, [404, 'not_found', ...GONE]],
    ['GET', '/deliveries/Octo', [404, 'not_found', ...GONE]],
    [
      'GET',
      `/deliveries/octo/${ID}x`,
      [404, 'not_found', 'the admin API has no such address', ADDRESSES],
    ],
    [
      'GET',
      `/x/deliveries/octo`,
      [404, 'not_found', 'the admin API has no such address', ADDRESSES],
    ],
    ['GET', '/deliveries/octo/replay', method('POST')],
    ['PUT', '/deliveries', method('GET')],
    ['DELETE', '/deliveries', method('GET')],
    ['POST', '/deliveries/octo', method('GET', 'DELETE')],
    ['PUT', `/deliveries/octo/${ID}`, method('GET', 'DELETE')],
    ['POST', '/status', method('GET')],
    ['DELETE', '/metrics', method('GET')],
    ['POST', '/backup', method('GET')],
    [
      'GET',
      '/backup',
      [
        ...[404, 'not_found', 'a database in Durable Objects has no file'],
        'Cloudflare stores it: use point-in-time recovery in place of a backup.',
      ] as [number, string, string, string],
    ],
    ['GET', '/deliveries/octo?limit=0', query('limit must be a whole number from 1 to 1000')],
    ['GET', '/deliveries/octo?after=x', query('after must be the "next" of the previous page')],
    ['GET', '/deliveries/octo?owner=a', query(`"owner" is none of ${NAMES}`)],
    [
      'GET',
      `/deliveries/octo?${'x'.repeat(41)}=`,
      query(`"${'x'.repeat(40)}" is none of ${NAMES}`),
    ],
    ['GET', '/deliveries/octo?endpoint=A', query('endpoint is not the name of an endpoint')],
    [
      'GET',
      '/deliveries/octo?state=gone',
      query('state must be one of delivered, waiting, uncertain, dead, filtered, refused'),
    ],
    [
      'GET',
      '/deliveries/octo?outcome=x',
      query(
        'outcome must be one of running, waiting_for_approval, success, failure, skipped, startup_failure, pending, nothing_fired, no_run, unknown',
      ),
    ],
    ...['since', 'until'].map(
      (name): Refused => [
        'GET',
        `/deliveries/octo?${name}=yesterday`,
        query(`${name} must be a time such as 2026-01-31T12:00:00Z`),
      ],
    ),
    ...[{}, { state: null, since: '' }].map(
      (body): Refused => [
        'POST',
        '/deliveries/octo/replay',
        query('add endpoint, repository, state, outcome, reason, since or until'),
        body,
      ],
    ),
    ['POST', '/deliveries/octo/replay', query('reason must be a string'), { reason: 7 }],
    [
      'POST',
      '/deliveries/octo/replay',
      query('state must be one of delivered, waiting, uncertain, dead, filtered, refused'),
      { state: 7 },
    ],
    ['POST', '/deliveries/octo/replay', query('The body must be a JSON object.'), []],
    [
      'POST',
      '/deliveries/octo/replay',
      query('a refused request has no payload to replay'),
      { state: 'refused' },
    ],
    ['GET', '/status?owner=A', query('owner is not the owner of a repository, in lower case')],
    ['GET', '/metrics?owner=.', query('owner is not the owner of a repository, in lower case')],
    ['GET', '/endpoints?owner=.', query('owner is not an owner')],
    ['GET', '/status', [403, 'not_allowed', A_TOKEN, ADMIN], undefined, MINE],
    ['GET', '/metrics', [403, 'not_allowed', A_TOKEN, ADMIN], undefined, MINE],
    ['GET', '/backup', [403, 'not_allowed', A_TOKEN, ADMIN], undefined, MINE],
    [
      'GET',
      '/deliveries/octo',
      [403, 'not_allowed', 'the read bearer shows the status and the metrics only', ADMIN],
      undefined,
      READ,
    ],
    [
      'GET',
      '/status',
      [
        ...[401, 'invalid_key', 'the bearer of the admin API is wrong or missing'],
        'Send the header Authorization: Bearer <key>, with the output of: hookline relay key. If the relay runs with --allow-tokens, your GitHub token is a bearer too.',
      ] as [number, string, string, string],
      undefined,
      'x',
    ],
    ['PUT', '/endpoints', method('GET', 'POST')],
    [
      'GET',
      '/endpoints/octo/none',
      [
        ...[404, 'not_found', 'there is no such endpoint'],
        'GET /-admin/endpoints lists the endpoints. An owner is written in lower case.',
      ] as [number, string, string, string],
    ],
  ]
  test.each(rows)('%s %s: %j', async (verb, path, error, ...[body, bearer]) => {
    const { status, json } = await relay.admin(verb, path, body, bearer)
    const { code, message, hint } = json.error
    expect([status, code, message, hint]).toEqual(error)
  })
})

describe('the state of a relay', () => {
  beforeEach(begin)
  afterEach(() => relay.close())

  test('is one object, and lines for Prometheus', async () => {
    const url = await relay.endpoint()
    await post(url)
    await relay.settled()
    relay.github.always({ status: 401, body: '{"message":"Bad credentials"}' })
    await post(url)
    await relay.settled()
    const { json } = await relay.admin('GET', '/status?owner=octo')
    const { deliveries, storage, keys, ...others } = json
    expect(others).toEqual({
      ...{ version: VERSION, uptime: 1, oldestWaitingSeconds: expect.any(Number), imbalance: 0 },
      credential: { kind: 'token', failing: 'invalid_token' },
      ...{ alarms: expect.any(Array), warnings: [] },
    })
    expect(storage).toEqual({ bytes: expect.any(Number), limitBytes: 1024 * 1024 * 1024 })
    expect(Object.values(keys)).toEqual([3])
    expect(deliveries).toEqual({
      ...{ delivered: 1, waiting: 1, uncertain: 0, dead: 0, filtered: 0, refused: 0 },
    })
    const headers = { authorization: `Bearer ${ADMIN_BEARER}` }
    const metrics = await fetch(`${relay.url}/-admin/metrics`, { headers })
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = (await metrics.text()).split('\n')
    const from = lines.indexOf('# TYPE hookline_deliveries gauge')
    expect(lines.slice(from, from + 13)).toEqual([
      '# TYPE hookline_deliveries gauge',
      'hookline_deliveries{state="delivered"} 1',
      'hookline_deliveries{state="waiting"} 1',
      ...['uncertain', 'dead', 'filtered', 'refused'].map(
        (state) => `hookline_deliveries{state="${state}"} 0`,
      ),
      '# TYPE hookline_imbalance gauge',
      'hookline_imbalance 0',
      '# TYPE hookline_oldest_waiting_seconds gauge',
      expect.stringMatching(/^hookline_oldest_waiting_seconds \d/),
      '# TYPE hookline_storage_bytes gauge',
      `hookline_storage_bytes ${storage.bytes}`,
    ])
    expect(lines[from + 13]).toBe('# TYPE hookline_alarm gauge')
    const head = await fetch(`${relay.url}/-admin/status`, { method: 'HEAD', headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
