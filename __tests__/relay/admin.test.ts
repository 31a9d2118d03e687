import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runCommand } from '../support/command.ts'
import type { FakeOutbox } from '../support/fake-outbox.ts'
import { MINUTE, SECOND, START } from '../support/fake-time.ts'
import { type OperatedRelay, operatedRelay } from '../support/operated-relay.ts'
import { send } from '../support/raw-http.ts'
import { ADMIN_BEARER, RELAY_KEY, relayKeyOf, relayKeys } from '../support/relay-keys.ts'

const [FIRST, SECOND_ID, DEAD, NONE] = [1, 2, 3, 4].map(
  (n) => `00000000-0000-4000-8000-00000000000${n}`,
) as [string, string, string, string]

const [key] = (await relayKeyOf()).keys
const READ = key.read.reveal()
const TOKEN = `ghp_${'t'.repeat(36)}`

/** Two waiting events and a dead letter. */
async function relayWithThree(): Promise<OperatedRelay> {
  const relay = await operatedRelay({ allowsTokens: true })
  const { put, outbox } = relay.fake
  await outbox.stop()
  const reason = 'github_unavailable'
  for (const [at, id] of [FIRST, SECOND_ID, DEAD].entries()) {
    await put(id, { attempts: 2, reason, wait: MINUTE, received: START + at * SECOND })
  }
  await bury(relay.fake, DEAD)
  return relay
}

const bearer = (text: string) => [['Authorization', `Bearer ${text}`]] as const
const authorized = bearer(ADMIN_BEARER)

const ADDRESSES = [
  ['GET', '/-admin/status'],
  ['GET', '/-admin/metrics'],
  ['HEAD', '/-admin/metrics'],
  ['GET', '/-admin/backup'],
  ['GET', '/-admin/endpoints'],
  ['GET', '/-admin/deliveries'],
  ['GET', `/-admin/deliveries/o/${FIRST}`],
  ['POST', `/-admin/deliveries/o/${NONE}/replay`],
  ['DELETE', `/-admin/deliveries/o/${NONE}`],
  ['OPTIONS', '/-admin/deliveries'],
  ['PUT', `/-admin/deliveries/o/${FIRST}?__token=x`],
  ['GET', '/-admin/nothing'],
  ['POST', '/-admin'],
  ['GET', '//-admin/status'],
] as const

/** Makes a waiting event a dead letter. */
async function bury({ ledger }: FakeOutbox, delivery: string) {
  const next = { state: 'dead', reason: 'event_rejected', doubts: 0 } as const
  await ledger.write(ledger.failed(delivery, next, '', 0))
}

describe('the admin API', () => {
  let relay: OperatedRelay
  beforeAll(async () => {
    relay = await relayWithThree()
  })
  afterAll(() => relay.close())

  test.each(ADDRESSES)('%s %s needs a bearer, and dispatches nothing', async (method, target) => {
    const before = relay.calls()
    for (const headers of [
      [],
      bearer('not-the-key'),
      bearer(RELAY_KEY.slice(0, 19)),
      [['Authorization', `Basic ${ADMIN_BEARER}`]],
      [['X-Platform-Authorization', ADMIN_BEARER]],
    ] as const) {
      const answer = await send(relay.url, { method, target, headers })
      expect(answer.status).toBe(401)
    }
    expect(relay.calls()).toBe(before)
  })

  test.each(ADDRESSES)('%s %s has no CORS headers', async (method, target) => {
    const cors = [
      ['Origin', 'https://elsewhere.example'],
      ['Access-Control-Request-Method', 'GET'],
    ] as const
    const { headers } = await send(relay.url, { method, target, headers: [...authorized, ...cors] })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toContain('sandbox')
    expect(headers['cache-control']).toBe('no-store')
  })

  test('without a relay key, as on Workers without the secret, is 503 with the command', async () => {
    const other = await operatedRelay({ hasKey: false })
    for (const [method, target] of ADDRESSES) {
      const headers = [...authorized, ['X-Platform-Authorization', 'ghp_token'] as const]
      const answer = await send(other.url, { method, target, headers })
      expect([target, answer.status]).toEqual([target, 503])
      if (method !== 'HEAD') expect(answer.body).toContain('wrangler secret put HOOKLINE_RELAY_KEY')
    }
    expect(other.calls()).toBe(0)
    await other.close()
  })

  test.each([
    '/-Admin/status',
    '/-ADMIN/endpoints',
    '/-administrator/status',
    '/outbox',
    '/metrics',
  ])('is at no other address: %s', async (target) => {
    const answer = await send(relay.url, { target, headers: authorized })
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([404, 'not_found'])
  })

  test('the read bearer shows status and metrics alone; a GitHub token neither', async () => {
    const statuses = async (text: string, targets: readonly string[]) => {
      const all = targets.map((target) => send(relay.url, { target, headers: bearer(text) }))
      return (await Promise.all(all)).map(({ status }) => status)
    }
    const figures = ['/-admin/status', '/-admin/metrics']
    const others = ['/-admin/backup', '/-admin/endpoints', '/-admin/deliveries/o', '/-admin/x']
    expect(await statuses(READ, figures)).toEqual([200, 200])
    expect(await statuses(READ, others)).toEqual([403, 403, 403, 403])
    expect(await statuses(TOKEN, [...figures, '/-admin/backup'])).toEqual([403, 403, 403])
    const { body } = await send(relay.url, { target: '/-admin/endpoints', headers: bearer(READ) })
    expect(JSON.parse(body).error.code).toBe('not_allowed')
  })

  test('status counts deliveries, room and rows, and names credential, alarms and warnings', async () => {
    const { body } = await send(relay.url, { target: '/-admin/status', headers: authorized })
    expect(JSON.parse(body)).toMatchObject({
      version: expect.stringMatching(/^\d/),
      uptime: 5,
      deliveries: { waiting: 2, uncertain: 0, delivered: 0, dead: 1 },
      imbalance: 0,
      storage: { bytes: expect.any(Number), limitBytes: 1024 },
      keys: { [key.id]: 0 },
      credential: { kind: 'token' },
      alarms: [{ alarm: 'silent', subject: 'endpoint:o/e1', since: '1970-01-01T00:00:00.000Z' }],
      warnings: ['the folder is full'],
    })
  })

  const list = async (query: string, text = ADMIN_BEARER) => {
    const target = `/-admin/deliveries${query}`
    const { body } = await send(relay.url, { target, headers: bearer(text) })
    const { deliveries, next } = JSON.parse(body)
    return { ids: deliveries.map(({ id }: { id: string }) => id), deliveries, next }
  }

  test('lists deliveries, newest first, in pages', async () => {
    const { deliveries } = await list('/o')
    const common = {
      ...{ owner: 'o', endpoint: null, repository: 'o/r', path: 'hook/webhook', method: 'POST' },
      ...{ attempts: 2, size: expect.any(Number), run: null, outcome: null, conclusion: null },
      credential: expect.stringMatching(/^token:[0-9a-f]{8}$/),
    }
    const waiting = {
      ...{ ...common, state: 'waiting', reason: 'github_unavailable' },
      nextAttemptAt: new Date(START + MINUTE).toISOString(),
    }
    const at = (seconds: number) => new Date(START + seconds * SECOND).toISOString()
    expect(deliveries).toEqual([
      {
        ...{ ...common, id: DEAD, state: 'dead', reason: 'event_rejected' },
        ...{ nextAttemptAt: null, receivedAt: at(2) },
      },
      { ...waiting, id: SECOND_ID, receivedAt: at(1) },
      { ...waiting, id: FIRST, receivedAt: at(0) },
    ])
    const first = await list('/o?limit=2')
    expect(first.ids).toEqual([DEAD, SECOND_ID])
    expect(await list(`/o?limit=2&after=${first.next}`)).toMatchObject({ ids: [FIRST], next: null })
  })

  test('selects deliveries by owner, repository, endpoint, state, reason, outcome and time', async () => {
    await relay.fake.put(NONE, { wait: MINUTE, credential: 'endpoint:o/shop', received: START })
    const time = (seconds: number) => new Date(START + seconds * SECOND).toISOString()
    const all = [DEAD, SECOND_ID, NONE, FIRST]
    for (const [query, ids] of [
      ['', all],
      ['/o', all],
      ['/other', []],
      ['?repository=O/R', all],
      ['?repository=o/x', []],
      ['/o?endpoint=shop', [NONE]],
      ['?endpoint=shop', [NONE]],
      ['/o?endpoint=sho', []],
      ['/o?state=dead', [DEAD]],
      ['/o?reason=event_rejected', [DEAD]],
      ['/o?outcome=success', []],
      [`/o?since=${time(1)}`, [DEAD, SECOND_ID]],
      [`/o?since=${time(1)}&until=${time(2)}`, [SECOND_ID]],
    ] as const) {
      expect([query, (await list(query)).ids]).toEqual([query, ids])
    }
    await relay.fake.outbox.delete(NONE)
  })

  test('shows one delivery with its payload, and no token', async () => {
    const target = `/-admin/deliveries/o/${FIRST}`
    const { body } = await send(relay.url, { target, headers: authorized })
    expect(JSON.parse(body)).toMatchObject({
      delivery: { id: FIRST, state: 'waiting' },
      payload: { path: 'hook/webhook', method: 'POST' },
    })
    expect(body).not.toContain('ghp_')
  })

  test('a caller with a GitHub token sees and changes the deliveries of its endpoints alone', async () => {
    const body = JSON.stringify({
      ...{ name: 'mine', repository: 'o/r', workflow: 'hook', trigger: 'webhook' },
    })
    const target = '/-admin/endpoints'
    const created = { method: 'POST', target, headers: bearer(TOKEN), body }
    expect((await send(relay.url, created)).status).toBe(201)
    await relay.fake.put(NONE, { wait: MINUTE, credential: 'endpoint:o/mine' })
    await bury(relay.fake, NONE)
    expect((await list('/o', TOKEN)).ids).toEqual([NONE])
    expect((await list('', TOKEN)).ids).toEqual([NONE])
    const other = `ghp_${'o'.repeat(36)}`
    expect((await list('/o', other)).ids).toEqual([])
    for (const [method, path] of [
      ['GET', `/${DEAD}`],
      ['DELETE', `/${DEAD}`],
      ['POST', `/${DEAD}/replay`],
    ] as const) {
      const request = { method, target: `/-admin/deliveries/o${path}`, headers: bearer(TOKEN) }
      expect((await send(relay.url, request)).status).toBe(404)
    }
    const all = { method: 'DELETE', target: '/-admin/deliveries/o?state=dead' }
    const foreign = await send(relay.url, { ...all, headers: bearer(other) })
    expect(JSON.parse(foreign.body)).toEqual({ deleted: 0 })
    const own = await send(relay.url, { ...all, headers: bearer(TOKEN) })
    expect(JSON.parse(own.body)).toEqual({ deleted: 1 })
    expect((await list('/o')).ids).toEqual([DEAD, SECOND_ID, FIRST])
  })

  test('of a deleted endpoint, a later endpoint of the same name does not show the deliveries', async () => {
    const own = await operatedRelay({ allowsTokens: true })
    const target = '/-admin/endpoints'
    const create = async (token: string) => {
      const body = '{"name":"shop","repository":"o/r","workflow":"hook","trigger":"webhook"}'
      await send(own.url, { method: 'POST', target, headers: bearer(token), body })
    }
    await create(TOKEN)
    await own.fake.put(FIRST, { wait: MINUTE, credential: 'endpoint:o/shop' })
    const gone = { method: 'DELETE', target: `${target}/o/shop`, headers: authorized }
    expect(JSON.parse((await send(own.url, gone)).body)).toEqual({ deleted: true, deadLetters: 1 })
    const other = `ghp_${'o'.repeat(36)}`
    await create(other)
    const seen = { target: '/-admin/deliveries/o', headers: bearer(other) }
    expect(JSON.parse((await send(own.url, seen)).body).deliveries).toEqual([])
    const { body } = await send(own.url, { ...seen, headers: authorized })
    expect(JSON.parse(body).deliveries).toMatchObject([
      { endpoint: 'shop', state: 'dead', reason: 'endpoint_deleted' },
    ])
    await own.close()
  })

  test('replays and deletes by id, and by a filter in the query or the body', async () => {
    const change = async (method: string, path: string, body?: object) => {
      const target = `/-admin/deliveries/o${path}`
      const text = body && { body: JSON.stringify(body) }
      const answer = await send(relay.url, { method, target, headers: authorized, ...text })
      return JSON.parse(answer.body)
    }
    expect(await change('POST', `/${DEAD}/replay`)).toEqual({ replayed: 1 })
    await bury(relay.fake, DEAD)
    expect(await change('POST', '/replay', { reason: 'too_old' })).toEqual({ replayed: 0 })
    expect(await change('POST', '/replay', { reason: 'event_rejected' })).toEqual({ replayed: 1 })
    await bury(relay.fake, DEAD)
    expect(await change('DELETE', '?state=delivered')).toEqual({ deleted: 0 })
    expect(await change('DELETE', '', { state: 'dead' })).toEqual({ deleted: 1 })
    expect(await change('DELETE', `/${SECOND_ID}`)).toEqual({ deleted: 1 })
    expect(relay.log.join()).toContain(`{"outbox":"deleted","events":1,"delivery":"${SECOND_ID}"}`)
    for (const id of [SECOND_ID, DEAD]) await relay.fake.put(id, { wait: MINUTE })
    await bury(relay.fake, DEAD)
  })

  test.each([
    ['GET', `/deliveries/o/${NONE}`, 404],
    ['GET', `/deliveries/other/${FIRST}`, 404],
    ['GET', `/deliveries/O/${FIRST}`, 404],
    ['GET', '/deliveries/o/not-an-id', 404],
    ['GET', `/deliveries/o/${FIRST.replaceAll('0', 'A')}`, 404],
    ['POST', `/deliveries/o/${NONE}/replay`, 404],
    ['POST', `/deliveries/o/${FIRST}/replay`, 404],
    ['DELETE', `/deliveries/o/${NONE}`, 404],
    ['POST', '/deliveries', 405],
    ['DELETE', '/deliveries', 405],
    ['DELETE', '/metrics', 405],
    ['GET', '/deliveries/o/replay', 405],
    ['PUT', `/deliveries/o/${DEAD}`, 405],
    ['POST', '/deliveries/o/replay', 400],
    ['DELETE', '/deliveries/o', 400],
    ['DELETE', '/deliveries/o?all=true', 400],
    ['DELETE', '/deliveries/o?state=waiting', 400],
    ['GET', '/deliveries?limit=0', 400],
    ['GET', '/deliveries?after=%20', 400],
    ['GET', '/deliveries?since=yesterday', 400],
    ['GET', '/deliveries?state=lost', 400],
    ['GET', '/deliveries?sort=up', 400],
    ['GET', "/deliveries?endpoint=' OR 1=1 --".replaceAll(' ', '%20'), 400],
    ['POST', '/backup', 405],
    ['GET', '/status/x', 404],
  ])('refuses %s /-admin%s with %i', async (method, path, status) => {
    const target = `/-admin${path}`
    const answer = await send(relay.url, { method, target, headers: authorized })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ success: false })
  })

  test('has metrics in the format of Prometheus, all documented', async () => {
    const fresh = await operatedRelay()
    for (const target of ['/o/r/hook/webhook', '/o/r/hook/webhook', '/nothing']) {
      const headers = [['X-Platform-Authorization', 'ghp_token'] as const]
      await send(fresh.url, { method: 'POST', target, headers })
    }
    await fresh.fake.put(FIRST, { wait: MINUTE * 10 })
    await fresh.fake.time.pass(90 * SECOND)
    const answer = await send(fresh.url, { target: '/-admin/metrics', headers: authorized })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = answer.body.trimEnd().split('\n')
    const buckets = /^hookline_github_seconds_(?:bucket|sum)/
    expect(lines.filter((line) => !line.startsWith('#') && !buckets.test(line))).toEqual([
      'hookline_responses_total{status="200"} 2',
      'hookline_responses_total{status="404"} 1',
      'hookline_github_seconds_count 2',
      'hookline_github_calls_total{outcome="accepted"} 2',
      'hookline_deliveries{state="waiting"} 1',
      'hookline_deliveries{state="uncertain"} 0',
      'hookline_deliveries{state="delivered"} 0',
      'hookline_deliveries{state="dead"} 0',
      'hookline_imbalance 0',
      'hookline_oldest_waiting_seconds 90',
      expect.stringMatching(/^hookline_storage_bytes \d+$/),
    ])
    const named = lines
      .filter((line) => line.startsWith('# TYPE'))
      .map((line) => line.split(' ')[2])
    expect(named).toHaveLength(10)
    const page = await readFile(
      join(import.meta.dirname, '../../docs/reference/admin-api.md'),
      'utf8',
    )
    const documented = [...page.matchAll(/`((?:[a-z]+_)+[a-z]+)(?:\{[a-z,]+\})?`/g)].map(
      ([, name]) => name,
    )
    // The last two metrics exist after the first response of GitHub, and after the first event of an endpoint.
    const all = [...named, 'hookline_github_remaining', 'hookline_endpoint_responses_total']
    expect(documented).toEqual(expect.arrayContaining(all))
    const queried = await queriedMetrics()
    expect(queried.length).toBeGreaterThan(10)
    expect(queried.filter((name) => !all.includes(name))).toEqual([])
    await fresh.close()
  })

  /** The metrics in the dashboard of Grafana and in the alerts of the docs. */
  async function queriedMetrics(): Promise<string[]> {
    const root = join(import.meta.dirname, '../..')
    const dashboard = JSON.parse(await readFile(join(root, 'deploy/grafana.json'), 'utf8'))
    const queries: string[] = dashboard.panels.flatMap(
      ({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr),
    )
    const page = await readFile(join(root, 'docs/host/monitoring.md'), 'utf8')
    const names = [...queries, page].flatMap((text) => text.match(/\bhookline_[a-z_]+/g) ?? [])
    // A histogram has series of its own.
    return [...new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))]
  }
})

describe('hookline relay backup', () => {
  let relay: OperatedRelay
  beforeAll(async () => {
    relay = await operatedRelay()
  })
  afterAll(() => relay.close())
  const backup = (file: string, at = relay.url, keys = RELAY_KEY) =>
    runCommand('relay', {
      arguments: ['backup', file, '--relay', at],
      env: { HOOKLINE_RELAY_KEY: keys },
    })

  let folder: string
  let copy: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-'))
    copy = join(folder, 'copy.db')
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('writes a new file for the user alone, and replaces no other', async () => {
    const { output } = await backup(copy)
    expect(output).toContain(copy)
    expect((await stat(copy)).mode & 0o777).toBe(0o600)
    expect(await readFile(copy, 'utf8')).toBe('SQLite format 3 and more')
    const again = await backup(copy)
    expect(again).toMatchObject({ code: 1, errors: expect.stringContaining(copy) })
    const nowhere = await backup(join(folder, 'none', 'copy.db'))
    expect(nowhere).toMatchObject({ code: 1, errors: expect.stringContaining('ENOENT') })
    const refused = await backup(`${copy}.2`, relay.url, relayKeys())
    expect(refused.code).toBe(1)
    expect(await readdir(folder)).toEqual(['copy.db'])
  })

  test('that breaks off leaves no file, and the relay goes on', async () => {
    const broken = await operatedRelay({
      copy: async function* () {
        yield Buffer.from('SQLite format 3')
        throw new Error('the disk is gone')
      },
    })
    const { code, errors } = await backup(copy, broken.url)
    expect([code, errors]).toEqual([1, expect.stringContaining(new URL(broken.url).host)])
    expect(await readdir(folder)).toEqual([])
    expect((await send(broken.url, { target: '/healthz' })).status).toBe(200)
    await broken.close()
  })
})
