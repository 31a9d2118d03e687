import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type DatabaseServer, SERVERS } from '../../support/real-databases.ts'
import { type StoredRelay, sentPayload, startStoredRelay } from '../../support/stored-relay.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const DOWN = { status: 503 }

const SECRET = 'the-secret-of-the-sender'

/** Two callers of a relay with `--allow-tokens`. */
const MINE = 'ghp_TokenOfOneCaller000000000000000000000'
const FOREIGN = 'ghp_TokenOfAnotherCaller00000000000000000'

let count = 0

describe.each(SERVERS)('replays, with %s', (_, startServer) => {
  let server: DatabaseServer
  let relay: StoredRelay
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    relay = await startStoredRelay(server.open(`replay-${++count}`), {
      HOOKLINE_ALLOW_TOKENS: 'true',
    })
  })
  afterEach(async () => {
    const imbalance = await relay.imbalance()
    await relay.close()
    expect([imbalance, relay.faults]).toEqual([0, []])
  })
  const sent = () => relay.github.calls.map(sentPayload)
  const idOf = (response: Response) => response.headers.get('x-hookline-delivery') ?? ''

  test('a delivered event is a new delivery, whose payload names the old one', async () => {
    const url = await relay.endpoint()
    const old = idOf(await relay.post(url, { body: '{"order":7}', headers: { 'x-a': 'b' } }))
    await relay.settled()
    const { status, json } = await relay.replay(old)
    expect([status, json]).toMatchObject([200, { replayed: 1, declined: 0, missing: 0, left: 0 }])
    const [id] = json.ids
    expect(id).not.toBe(old)
    await relay.pass()
    const [first, again] = sent()
    expect(again).toEqual({
      ...first,
      headers: { ...first?.headers, 'x-hookline-delivery': id, 'x-hookline-replay-of': old },
    })
    expect(await relay.list()).toMatchObject([
      { id, state: 'delivered', replayOf: old },
      { id: old, state: 'delivered' },
    ])
  })

  test('each replay of a delivered event is one of its own, and a replay can be replayed', async () => {
    const old = idOf(await relay.post(await relay.endpoint()))
    const first = (await relay.replay(old)).json.ids[0]
    const second = (await relay.replay(old)).json.ids[0]
    await relay.pass()
    const third = (await relay.replay(first)).json.ids[0]
    await relay.pass()
    const of = new Map(
      sent().map(({ headers }) => [
        headers['x-hookline-delivery'],
        headers['x-hookline-replay-of'],
      ]),
    )
    expect(Object.fromEntries(of)).toEqual({
      [old]: undefined,
      [first]: old,
      [second]: old,
      [third]: first,
    })
  })

  test('a dead letter keeps its id, also if it is replayed twice', async () => {
    const url = await relay.endpoint({ targets: ['octo/mail:receipt/webhook'] })
    relay.github.always(({ url: path }) =>
      path.includes('/mail/') ? { status: 422, body: '{"message":"no"}' } : { status: 204 },
    )
    await relay.post(url)
    const dead = (await relay.list('?state=dead'))[0]?.id ?? ''
    relay.github.always(DOWN)
    expect((await relay.replay(dead)).json).toMatchObject({ replayed: 1, ids: [dead] })
    await relay.pass()
    // During an outage it waits; another replay tries it sooner, and there is one event.
    expect((await relay.replay(dead)).status).toBe(200)
    relay.github.always({ status: 204 })
    await relay.pass(HOUR)
    const headers = sent()
      .filter(({ path }) => path.startsWith('receipt'))
      .at(-1)?.headers
    expect(headers).toMatchObject({ 'x-hookline-delivery': dead })
    expect(headers).not.toHaveProperty('x-hookline-replay-of')
    expect((await relay.list()).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })

  test('a waiting event is tried before its time', async () => {
    const url = await relay.endpoint()
    relay.github.always({ status: 429, headers: { 'retry-after': '600' } })
    const id = idOf(await relay.post(url))
    expect((await relay.replay(id)).json).toMatchObject({ replayed: 1, ids: [id] })
  })

  test('a filtered request passes verification and condition again: with the settings of now, at the time then', async () => {
    const url = await relay.endpoint({
      if: 'body.live',
      verify: [{ scheme: ['stripe'], secret: [SECRET] }],
    })
    const body = '{"live":false,"n":1}'
    const time = Math.floor(Date.now() / 1000)
    const v1 = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')
    const headers = { 'stripe-signature': `t=${time},v1=${v1}` }
    const response = await relay.post(`${url}/eu?x=1`, { body, headers })
    expect(response.headers.get('x-hookline-filtered')).toBe('true')
    const id = idOf(response)
    // The window of the signature is over by far.
    await relay.pass(24 * HOUR)
    const declined = await relay.replay(id)
    expect([declined.status, declined.json]).toMatchObject([
      200,
      { replayed: 0, declined: 1, explanation: expect.stringContaining('body.live') },
    ])
    expect(
      (await relay.admin('PATCH', '/endpoints/octo/orders', { if: 'body.n == 1' })).status,
    ).toBe(200)
    expect((await relay.replay(id)).json).toMatchObject({ replayed: 1, ids: [id] })
    await relay.pass()
    expect(sent()).toMatchObject([
      { path: 'orders/webhook/eu?x=1', body, headers: { ...headers, 'x-hookline-delivery': id } },
    ])
    expect(await relay.list()).toMatchObject([{ id, state: 'delivered' }])
  })

  test('a filtered request whose secret changed is declined again', async () => {
    const verify = (secret: string) => [{ scheme: ['token'], header: 'x-key', secret: [secret] }]
    const url = await relay.endpoint({ if: 'body.live', verify: verify(SECRET) })
    const id = idOf(await relay.post(url, { headers: { 'x-key': SECRET } }))
    await relay.admin('PATCH', '/endpoints/octo/orders', { if: null, verify: verify(`${SECRET}2`) })
    const { json } = await relay.replay(id)
    expect(json).toMatchObject({
      replayed: 0,
      declined: 1,
      explanation: expect.stringContaining('verify'),
    })
    expect(sent()).toEqual([])
  })

  test('a filtered request starts all targets that its endpoint has now', async () => {
    const url = await relay.endpoint({ if: 'body.live' })
    const id = idOf(await relay.post(url))
    await relay.admin('PATCH', '/endpoints/octo/orders', {
      if: null,
      targets: ['octo/mail:receipt/webhook'],
    })
    expect((await relay.replay(id)).json.replayed).toBe(2)
    await relay.pass()
    const paths = sent().map(({ path, headers }) => [path, headers['x-hookline-delivery'] === id])
    expect(paths.sort()).toEqual([
      ['orders/webhook', true],
      ['receipt/webhook', false],
    ])
  })

  test.each([
    ['outcome=succes', 'outcome must be one of running, waiting_for_approval, success'],
    ['state=gone', 'state must be one of delivered, waiting'],
    ['since=yesterday', 'since must be a time such as'],
    ['stage=sent', '"stage" is none of endpoint, repository'],
  ])('a filter that names nothing is refused: %s', async (query, message) => {
    const { status, json } = await relay.admin('GET', `/deliveries/octo?${query}`)
    expect([status, json.error.code]).toEqual([400, 'invalid_query'])
    expect(json.error.hint.toLowerCase()).toContain(message)
  })

  test('a refused request cannot be replayed, nor one without an endpoint', async () => {
    const url = await relay.endpoint({
      verify: [{ scheme: ['token'], header: 'x-key', secret: [SECRET] }],
    })
    const refused = idOf(await relay.post(url))
    expect((await relay.replay(refused)).json.error.code).toBe('not_replayable')
    const many = await relay.admin('POST', '/deliveries/octo/replay', { state: 'refused' })
    expect([many.status, many.json.error.code]).toEqual([400, 'invalid_query'])
    const unknown = await relay.replay('00000000-0000-4000-8000-000000000000')
    expect(unknown.status).toBe(404)
  })

  describe.each([
    ['delivered', 2, {}, { status: 204 }],
    ['dead', 1, {}, { status: 422, body: '{"message":"no"}' }],
    ['waiting', 1, {}, DOWN],
    ['filtered', 1, { if: 'body.live' }, { status: 204 }],
  ] as const)('two replays of a %s event during an outage', (state, wanted, settings, first) => {
    test(`are ${wanted} at GitHub, none lost and none twice`, async () => {
      // With two targets, the relay stores an event that GitHub refuses.
      const url = await relay.endpoint({ targets: ['octo/mail:receipt/webhook'], ...settings })
      const accepted: string[] = []
      let answer: typeof DOWN | typeof first = first
      relay.github.always((call) => {
        const isMail = call.url.includes('/mail/')
        if (!isMail && answer.status === 204) {
          accepted.push(sentPayload(call).headers['x-hookline-delivery'] ?? '')
        }
        return isMail ? { status: 204 } : answer
      })
      await relay.post(url)
      await relay.settled()
      const before = (await relay.list(`?state=${state}`)).find(
        ({ repository }) => repository === 'octo/shop',
      )
      const id = before?.id ?? ''
      expect(accepted).toEqual(state === 'delivered' ? [id] : [])
      answer = DOWN
      if (state === 'filtered') await relay.admin('PATCH', '/endpoints/octo/orders', { if: null })
      expect((await relay.replay(id)).json.replayed).toBeGreaterThan(0)
      await relay.pass(MINUTE)
      const again = await relay.replay(id)
      expect(again.json.replayed).toBe(1)
      answer = { status: 204 }
      await relay.pass(24 * HOUR)
      const sent = accepted.slice(state === 'delivered' ? 1 : 0)
      expect([sent.length, new Set(sent).size]).toEqual([wanted, wanted])
      expect(sent.includes(id)).toBe(state !== 'delivered')
      const states = (await relay.list()).map((delivery) => delivery.state)
      expect(new Set(states)).toEqual(new Set(['delivered']))
    })
  })

  /** Sends an event that waits behind another, whose credential GitHub refused. @returns its id */
  async function behindRefusedCredential(): Promise<string> {
    const url = await relay.endpoint()
    await relay.post(url)
    await relay.settled()
    relay.github.always({ status: 401, body: '{"message":"Bad credentials"}' })
    await relay.post(url)
    await relay.pass(1000)
    return idOf(await relay.post(url))
  }

  test('an event behind a refused credential says what it waits for, until when, and the cure', async () => {
    const behind = await behindRefusedCredential()
    const [delivery] = await relay.list()
    expect(delivery).toMatchObject({ id: behind, state: 'waiting', reason: 'queued' })
    expect(delivery).toMatchObject({ waitsFor: 'invalid_token', attempts: 0 })
    const wait = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.receivedAt ?? '')
    expect([wait > 30_000, wait <= MINUTE]).toEqual([true, true])
    const { json } = await relay.admin('GET', `/deliveries/octo/${behind}`)
    expect(json.stages.at(-1)).toMatchObject({ stage: 'sent', state: 'waiting' })
    expect(json.stages.at(-1).found).toContain('queued behind invalid_token')
    expect(json.stages.at(-1).cure).toContain('HOOKLINE_GITHUB_TOKEN')
    relay.github.reset()
    await relay.pass(2 * MINUTE)
    expect((await relay.list()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'))
  })

  test('immediately tries the events that wait because GitHub refused their credential', async () => {
    const behind = await behindRefusedCredential()
    relay.github.reset()
    await relay.pass()
    const states = async () => (await relay.list()).map(({ state }) => state)
    expect(await states()).toEqual(['waiting', 'waiting', 'delivered'])
    const many = await relay.admin('POST', '/deliveries/octo/replay', { state: 'waiting' })
    expect(many.json).toMatchObject({ replayed: 2, missing: 0 })
    await relay.pass()
    expect(await states()).toEqual(Array(3).fill('delivered'))
    expect(sent().map(({ headers }) => headers['x-hookline-delivery'])).toContain(behind)
  })

  test('immediately sends a batch that still collects', async () => {
    const url = await relay.endpoint({ batch: 3600 })
    const ids: string[] = []
    for (const body of ['1', '2']) ids.push(idOf(await relay.post(url, { body })))
    await relay.pass()
    expect(sent()).toEqual([])
    expect((await relay.replay(ids[1] ?? '')).json.replayed).toBe(1)
    await relay.pass()
    expect(sent().map(({ headers }) => headers['x-hookline-batch'])).toEqual(['2'])
    expect((await relay.list()).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })

  test('an event keeps the path of its receipt after its endpoint got another workflow', async () => {
    const url = await relay.endpoint()
    const old = idOf(await relay.post(`${url}/eu`))
    await relay.settled()
    const change = { workflow: 'invoices', trigger: 'webhook' }
    expect((await relay.admin('PATCH', '/endpoints/octo/orders', change)).status).toBe(200)
    expect((await relay.replay(old)).json.replayed).toBe(1)
    await relay.pass()
    expect(sent().map(({ path }) => path)).toEqual(['orders/webhook/eu', 'orders/webhook/eu'])
  })

  test('an event of a deleted endpoint cannot be replayed, and its deliveries are listed by its name, also with a later endpoint', async () => {
    const url = await relay.endpoint({ if: 'body.live' })
    const filtered = idOf(await relay.post(url))
    const delivered = idOf(await relay.post(url, { body: '{"live":true}' }))
    await relay.pass()
    relay.github.always(DOWN)
    const dead = idOf(await relay.post(url, { body: '{"live":1}' }))
    await relay.admin('DELETE', '/endpoints/octo/orders')
    for (const id of [filtered, delivered, dead]) {
      const { status, json } = await relay.replay(id)
      expect([status, json.error.code]).toEqual([409, 'not_replayable'])
      expect(json.error.message).toContain('its endpoint was deleted')
      expect(json.error.hint).toContain('hookline endpoint create')
    }
    const named = await relay.list('?endpoint=orders')
    expect(named.map(({ id, endpoint }) => [id, endpoint])).toEqual(
      [dead, delivered, filtered].map((id) => [id, 'orders']),
    )
    for (const state of ['dead', 'delivered', 'filtered']) {
      const { json } = await relay.admin('POST', '/deliveries/octo/replay', {
        endpoint: 'orders',
        state,
      })
      expect(json).toMatchObject({ replayed: 0, missing: 1 })
    }
    relay.github.reset()
    await relay.endpoint()
    expect(await relay.list('?endpoint=orders')).toEqual(named)
  })

  test('many by filter: in order of their arrival, each once, and no replay of a replay', async () => {
    const url = await relay.endpoint()
    const ids: string[] = []
    for (let n = 0; n < 60; n++) ids.push(idOf(await relay.post(url, { body: `{"n":${n}}` })))
    const { json } = await relay.admin('POST', '/deliveries/octo/replay', {
      endpoint: 'orders',
      state: 'delivered',
    })
    expect(json.replayed).toBe(60)
    await relay.pass()
    const again = sent().slice(60)
    expect(again.map(({ headers }) => headers['x-hookline-replay-of']).sort()).toEqual(ids.sort())
    expect(await relay.list('?limit=1000')).toHaveLength(120)
    const none = await relay.admin('POST', '/deliveries/octo/replay', { endpoint: 'orders' })
    expect(none.json.replayed).toBe(0)
    const without = await relay.admin('POST', '/deliveries/octo/replay', {})
    expect(without.status).toBe(400)
  })

  test('a delivered batch is sent as one event again, and one of its events by itself', async () => {
    const url = await relay.endpoint({ batch: 10 })
    const ids = [
      idOf(await relay.post(url)),
      idOf(await relay.post(url)),
      idOf(await relay.post(url)),
    ]
    await relay.pass(11_000)
    const [batch = ''] = ids
    expect((await relay.replay(batch)).json.replayed).toBe(3)
    await relay.pass(1000)
    expect(sent().map(({ headers }) => headers['x-hookline-batch'])).toEqual(['3', '3'])
    expect((await relay.replay(ids[1] ?? '')).json.replayed).toBe(1)
    await relay.pass()
    const last = sent().at(-1)?.headers
    expect(last).toMatchObject({ 'x-hookline-replay-of': ids[1] })
    expect(last).not.toHaveProperty('x-hookline-batch')
  })

  describe('a caller with another GitHub token', () => {
    const place = { repository: 'octo/shop', workflow: 'orders', trigger: 'webhook' }

    test.each([
      ['sees', 'GET', ''],
      ['replays', 'POST', '/replay'],
      ['deletes', 'DELETE', ''],
    ] as const)('%s no delivery', async (_verb, method, path) => {
      const url = await relay.endpoint({ name: 'mine', ...place }, MINE)
      await relay.endpoint({ name: 'foreign', ...place }, FOREIGN)
      const id = idOf(await relay.post(url))
      await relay.settled()
      const one = await relay.admin(method, `/deliveries/octo/${id}${path}`, undefined, FOREIGN)
      expect([one.status, one.json.error.code]).toEqual([404, 'not_found'])
      const own = await relay.admin('GET', `/deliveries/octo/${id}`, undefined, MINE)
      expect(own.status).toBe(200)
      expect(
        (await relay.admin('GET', '/deliveries/octo', undefined, FOREIGN)).json.deliveries,
      ).toEqual([])
      expect(
        (await relay.admin('GET', '/deliveries/octo', undefined, MINE)).json.deliveries,
      ).toHaveLength(1)
    })

    test('changes none by a filter, whatever it names', async () => {
      const url = await relay.endpoint({ name: 'mine', ...place }, MINE)
      await relay.post(url)
      await relay.settled()
      for (const filter of [
        { state: 'delivered' },
        { state: 'delivered', endpoint: 'mine' },
        { state: 'delivered', repository: 'octo/shop' },
        { state: 'delivered', since: '2020-01-01' },
      ]) {
        const replay = await relay.admin('POST', '/deliveries/octo/replay', filter, FOREIGN)
        expect([replay.status, replay.json]).toMatchObject([200, { replayed: 0, ids: [] }])
        const query = new URLSearchParams(filter as Record<string, string>)
        const deletion = await relay.admin(
          'DELETE',
          `/deliveries/octo?${query}`,
          undefined,
          FOREIGN,
        )
        expect(deletion.json).toEqual({ deleted: 0 })
      }
      for (const name of ['owner', 'endpoints', 'after', 'limit', '__proto__']) {
        const body = JSON.parse(`{"state":"dead","${name}":"octo"}`)
        const { status } = await relay.admin('POST', '/deliveries/octo/replay', body, FOREIGN)
        expect([name, status]).toEqual([name, name === '__proto__' ? expect.any(Number) : 400])
      }
      expect(sent()).toHaveLength(1)
      expect(await relay.list()).toHaveLength(1)
    })

    test('gets no targets, no credential of the relay, and no deliveries of a name that was free', async () => {
      for (const more of [
        { targets: ['octo/mail:receipt/webhook'] },
        { anyWorkflow: true, workflow: null, trigger: null },
        { credential: 'relay' },
      ]) {
        const { status, json } = await relay.admin(
          'POST',
          '/endpoints',
          { name: 'a', ...place, ...more },
          FOREIGN,
        )
        expect([status, json.error.code]).toEqual([403, 'not_allowed'])
      }
      const url = await relay.endpoint({ name: 'mine', ...place }, MINE)
      await relay.post(url)
      await relay.settled()
      await relay.admin('DELETE', '/endpoints/octo/mine', undefined, MINE)
      await relay.endpoint({ name: 'mine', ...place }, FOREIGN)
      expect(
        (await relay.admin('GET', '/deliveries/octo', undefined, FOREIGN)).json.deliveries,
      ).toEqual([])
    })
  })
})
