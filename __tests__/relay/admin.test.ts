import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runCommand, startCommand } from '../support/command.ts'
import type { FakeOutbox } from '../support/fake-outbox.ts'
import { MINUTE, SECOND, START } from '../support/fake-time.ts'
import { type OperatedRelay, operatedRelay } from '../support/operated-relay.ts'
import { OPERATOR_KEY } from '../support/outbox-relays.ts'
import { send } from '../support/raw-http.ts'

const [FIRST, SECOND_ID, DEAD, NONE] = [1, 2, 3, 4].map(
  (n) => `00000000-0000-4000-8000-00000000000${n}`,
) as [string, string, string, string]

/** Two waiting events and a dead letter. */
async function relayWithThree(): Promise<OperatedRelay> {
  const relay = await operatedRelay()
  const { put, outbox } = relay.fake
  await outbox.stop()
  const reason = 'github_unavailable'
  for (const id of [FIRST, SECOND_ID, DEAD]) await put(id, { attempts: 2, reason, wait: MINUTE })
  await bury(relay.fake, DEAD)
  return relay
}

const authorized = [['Authorization', `Bearer ${OPERATOR_KEY}`]] as const

const ADDRESSES = [
  ['GET', '/outbox'],
  ['GET', `/outbox/${FIRST}`],
  ['POST', `/outbox/${NONE}/replay`],
  ['DELETE', `/outbox/${NONE}`],
  ['GET', '/metrics'],
  ['HEAD', '/metrics'],
  ['OPTIONS', '/outbox'],
  ['PUT', `/outbox/${FIRST.toUpperCase()}?__token=x`],
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

  test.each(ADDRESSES)('%s %s needs the key, and dispatches nothing', async (method, target) => {
    const before = relay.calls()
    for (const headers of [
      [],
      [['Authorization', 'Bearer not-the-key']],
      [['Authorization', `Basic ${OPERATOR_KEY}`]],
      [['X-Platform-Authorization', OPERATOR_KEY]],
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

  test('is disabled without HOOKLINE_ADMIN_KEY, and dispatches nothing', async () => {
    const other = await operatedRelay({ key: '' })
    for (const [method, target] of ADDRESSES) {
      const headers = [...authorized, ['X-Platform-Authorization', 'ghp_token'] as const]
      const answer = await send(other.url, { method, target, headers })
      expect([target, answer.status]).toEqual([target, 404])
    }
    expect(other.calls()).toBe(0)
    await other.close()
  })

  test.each([
    '/outbox/repository/hook/webhook',
    `/outbox/${FIRST}x/hook`,
    `/outbox/${FIRST}/hook`,
    `/outbox/${FIRST}/replay/now`,
    '/metrics/repository/hook',
  ])('does not include %s, which is a webhook', async (target) => {
    const before = relay.calls()
    const headers = [['X-Platform-Authorization', 'ghp_token'] as const]
    expect((await send(relay.url, { method: 'POST', target, headers })).status).toBe(200)
    expect(relay.calls()).toBe(before + 1)
  })

  test('lists queued events and dead letters, oldest first', async () => {
    const { body } = await send(relay.url, { target: '/outbox', headers: authorized })
    const at = new Date(START).toISOString()
    const queue = expect.stringMatching(/^o\/r#[0-9a-f]{64}$/)
    const credential = expect.stringMatching(/^token:[0-9a-f]{8}$/)
    const common = { queue, credential, at, bytes: expect.any(Number), tries: 2 }
    const next = new Date(START + MINUTE).toISOString()
    const reason = 'github_unavailable'
    expect(JSON.parse(body)).toEqual({
      waiting: [
        { ...common, delivery: FIRST, state: 'waiting', reason, next },
        { ...common, delivery: SECOND_ID, state: 'waiting', reason, next },
      ],
      dead: [{ ...common, delivery: DEAD, state: 'dead', reason: 'event_rejected', died: at }],
      imbalance: 0,
    })
  })

  test('lists by repository, reason and credential', async () => {
    const list = async (query: string) => {
      const { body } = await send(relay.url, { target: `/outbox?${query}`, headers: authorized })
      const { waiting, dead } = JSON.parse(body)
      return [...waiting, ...dead].map(({ delivery }: { delivery: string }) => delivery)
    }
    expect(await list('reason=event_rejected')).toEqual([DEAD])
    expect(await list('queue=O/R')).toHaveLength(3)
    expect(await list('queue=o/other')).toEqual([])
  })

  test.each([
    ['GET', `/outbox/${NONE}`, 404],
    ['POST', `/outbox/${NONE}/replay`, 404],
    ['POST', `/outbox/${FIRST}/replay`, 404],
    ['DELETE', `/outbox/${NONE}`, 404],
    ['POST', '/outbox', 405],
    ['DELETE', '/metrics', 405],
    ['GET', '/outbox/replay', 405],
    ['GET', `/outbox/${DEAD}/replay`, 405],
    ['PUT', `/outbox/${DEAD}`, 405],
    ['POST', '/outbox/replay', 400],
    ['DELETE', '/outbox', 400],
    ['GET', '/outbox?limit=0', 400],
    ['GET', '/outbox?after=%20', 400],
    ['POST', '/outbox/backup', 405],
  ])('refuses %s %s with %i', async (method, target, status) => {
    const answer = await send(relay.url, { method, target, headers: authorized })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ success: false })
  })

  test('has /metrics in the format of Prometheus, all documented', async () => {
    const fresh = await operatedRelay()
    for (const target of ['/o/r/hook/webhook', '/o/r/hook/webhook', '/nothing']) {
      const headers = [['X-Platform-Authorization', 'ghp_token'] as const]
      await send(fresh.url, { method: 'POST', target, headers })
    }
    await fresh.fake.put(FIRST, { wait: MINUTE * 10 })
    await fresh.fake.time.pass(90 * SECOND)
    const answer = await send(fresh.url, { target: '/metrics', headers: authorized })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = answer.body.trimEnd().split('\n')
    const buckets = /^hookline_github_seconds_(?:bucket|sum)/
    expect(lines.filter((line) => !line.startsWith('#') && !buckets.test(line))).toEqual([
      'hookline_answers_total{status="200"} 2',
      'hookline_answers_total{status="404"} 1',
      'hookline_filtered_total 0',
      'hookline_filter_errors_total 0',
      'hookline_github_seconds_count 2',
      'hookline_github_tries_total{outcome="accepted"} 2',
      'hookline_outbox_waiting 1',
      expect.stringMatching(/^hookline_outbox_bytes \d+$/),
      'hookline_outbox_oldest_seconds 90',
      'hookline_outbox_dead 0',
      'hookline_outbox_unreadable 0',
      'hookline_outbox_imbalance 0',
      'hookline_outbox_events{state="waiting"} 1',
      'hookline_outbox_events{state="uncertain"} 0',
      'hookline_outbox_events{state="delivered"} 0',
      'hookline_outbox_events{state="dead"} 0',
    ])
    const named = lines
      .filter((line) => line.startsWith('# TYPE'))
      .map((line) => line.split(' ')[2])
    expect(named).toHaveLength(15)
    const page = await readFile(
      join(import.meta.dirname, '../../docs/reference/admin-api.md'),
      'utf8',
    )
    const documented = [...page.matchAll(/`((?:[a-z]+_)+[a-z]+)(?:\{[a-z,]+\})?`/g)].map(
      ([, name]) => name,
    )
    // The last two metrics exist after the first response of GitHub, and after the first event of an endpoint.
    const all = [...named, 'hookline_github_remaining', 'hookline_endpoint_answers_total']
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

  test('of a relay without outbox has only metrics', async () => {
    const without = await operatedRelay({ hasOutbox: false })
    const metrics = await send(without.url, { target: '/metrics', headers: authorized })
    expect(metrics.status).toBe(200)
    expect(metrics.body).not.toContain('outbox')
    const list = await send(without.url, { target: '/outbox', headers: authorized })
    expect(list.status).toBe(404)
    expect(JSON.parse(list.body).error.code).toBe('no_outbox')
    await without.close()
  })
})

describe('hookline outbox', () => {
  let relay: OperatedRelay
  beforeAll(async () => {
    relay = await relayWithThree()
  })
  afterAll(() => relay.close())

  const env = { HOOKLINE_ADMIN_KEY: OPERATOR_KEY }
  const outbox = (
    args: readonly string[],
    at = relay.url,
    settings: Record<string, string> = env,
  ) => runCommand('outbox', { arguments: [...args, '--relay', at], env: settings })

  test('list prints a line for each event, with its reason', async () => {
    const { output } = await outbox(['list'])
    expect(output).toMatch(/^2 waiting, 1 dead\n/)
    expect(output).toMatch(new RegExp(`waiting +o/r +${FIRST} .* 2 +github_unavailable`))
    expect(output).toMatch(new RegExp(`dead +o/r +${DEAD} .* 2 +event_rejected`))
    expect((await outbox(['list', '--reason', 'too_old'])).output).toBe('0 waiting, 0 dead')
    const { output: json } = await outbox(['list', '--json'])
    expect(JSON.parse(json)).toMatchObject({ waiting: [{}, {}], dead: [{ delivery: DEAD }] })
  })

  test('show prints the payload, and no token', async () => {
    const { output } = await outbox(['show', FIRST])
    expect(output).toContain('"path": "hook/webhook"')
    expect(output).not.toContain('ghp_')
  })

  test('replay queues a dead letter again, once; delete deletes the event', async () => {
    const id = NONE
    await relay.fake.put(id)
    await bury(relay.fake, id)
    const state = async () => (await relay.fake.outbox.find(id))[0]?.state
    expect((await outbox(['replay', id])).output).toContain(id)
    expect(await state()).toBe('waiting')
    expect(await outbox(['replay', id])).toMatchObject({
      ...{ code: 1, errors: expect.stringContaining('dead letter') },
    })
    expect((await outbox(['delete', id])).output).toContain(id)
    expect(await state()).toBeUndefined()
    expect(relay.log.join()).toContain(`{"outbox":"replayed","delivery":"${id}","events":1}`)
    expect(relay.log.join()).toContain(`{"outbox":"deleted","delivery":"${id}","events":1}`)
  })

  test.each([
    [['show', 'x'], 1, '"x"'],
    [['replay'], 2, '--all'],
    [['delete', DEAD, '--all'], 2, 'delivery id'],
    [['replay', FIRST, '--separate'], 1, 'batch'],
    [['replay', '--all', '--separate'], 2, 'delivery id'],
  ])('%j is refused', async (args, code, term) => {
    expect(await outbox(args)).toMatchObject({ code, errors: expect.stringContaining(term) })
  })

  test('a wrong address, key or relay is named', async () => {
    const [keyless, without] = [
      await operatedRelay({ key: '' }),
      await operatedRelay({ hasOutbox: false }),
    ]
    const list = ['list']
    const { host } = new URL(relay.url)
    const refusals = [
      [await outbox(list, 'nowhere'), '--relay'],
      [await outbox(list, 'http://127.0.0.1:9'), '127.0.0.1:9'],
      [await outbox(list, relay.url, { HOOKLINE_ADMIN_KEY: 'another-key' }), host],
      [await outbox(list, relay.url, {}), 'HOOKLINE_ADMIN_KEY'],
      [await outbox(list, keyless.url), 'HOOKLINE_ADMIN_KEY'],
      [await outbox(list, without.url), 'no outbox'],
    ] as const
    await Promise.all([keyless.close(), without.close()])
    for (const [{ code, errors }, term] of refusals) {
      expect([code, errors]).toEqual([1, expect.stringContaining(term)])
    }
  })

  test('1,010 events are listed, and changed by reason, credential and repository', async () => {
    const crowded = await operatedRelay()
    const place = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    for (let n = 0; n < 1010; n++) await crowded.fake.put(place(n))
    for (const n of [1007, 1008, 1009]) await bury(crowded.fake, place(n))
    const listed = await outbox(['list', '--json'], crowded.url)
    const { waiting, dead } = JSON.parse(listed.output)
    expect([waiting.length, dead.length]).toEqual([1007, 3])
    for (const [args, first] of [
      [['list', '--repository', 'o/other'], '0 waiting, 0 dead'],
      [['replay', '--reason', 'no_such'], '0 '],
      [['replay', '--reason', 'event_rejected'], '3 '],
      [['list', '--reason', 'replayed', '--repository', 'O/R'], '3 waiting, 0 dead'],
      [['delete', '--all'], '0 '],
    ] as const) {
      const { output } = await outbox(args, crowded.url)
      expect([args, output.slice(0, first.length)]).toEqual([args, first])
    }
    await crowded.close()
  })

  describe('backup', () => {
    let folder: string
    let copy: string
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'backup-'))
      copy = join(folder, 'copy.db')
    })
    afterEach(() => rm(folder, { recursive: true }))

    test('writes a new file for the user alone, and replaces no other', async () => {
      const { output } = await outbox(['backup', '--out', copy])
      expect(output).toContain(copy)
      expect((await stat(copy)).mode & 0o777).toBe(0o600)
      expect(await readFile(copy, 'utf8')).toBe('SQLite format 3 and more')
      const again = await outbox(['backup', '--out', copy])
      expect(again).toMatchObject({ code: 1, errors: expect.stringContaining(copy) })
      const nowhere = await outbox(['backup', '--out', join(folder, 'none', 'copy.db')])
      expect(nowhere).toMatchObject({ code: 1, errors: expect.stringContaining('ENOENT') })
      const other = { HOOKLINE_ADMIN_KEY: 'another-key' }
      const refused = await outbox(['backup', '--out', `${copy}.2`], relay.url, other)
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
      const { code, errors } = await outbox(['backup', '--out', copy], broken.url)
      expect([code, errors]).toEqual([1, expect.stringContaining(new URL(broken.url).host)])
      expect(await readdir(folder)).toEqual([])
      expect((await send(broken.url, { target: '/healthz' })).status).toBe(200)
      await broken.close()
    })
  })

  test('list --watch prints each change', async () => {
    const args = ['list', '--watch', '--json', '--relay', relay.url]
    const child = startCommand('outbox', { arguments: args, env })
    const lines: string[] = []
    child.stdout?.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n')))
    const line = async (count: number) => {
      for (let n = 0; n < 1000 && lines.length < count; n++) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return JSON.parse(lines[count - 1] ?? '')
    }
    expect(await line(1)).toMatchObject({ waiting: [{ delivery: FIRST }, { delivery: SECOND_ID }] })
    await relay.fake.outbox.delete(SECOND_ID)
    expect(await line(2)).toMatchObject({ waiting: [{ delivery: FIRST }] })
    child.kill()
  })

  test('list --watch on a terminal prints as many events as fit', async () => {
    const crowded = await operatedRelay()
    const { put } = crowded.fake
    for (let n = 0; n < 30; n++) await put(`00000000-0000-4000-8000-0000000000${10 + n}`)
    for (const id of [FIRST, SECOND_ID]) await put(id)
    await bury(crowded.fake, SECOND_ID)
    const terminal = 'process.stdout.isTTY=true;process.stdout.rows=12;process.stdout.columns=100'
    const NODE_OPTIONS = `--import data:text/javascript,${terminal}`
    const args = ['list', '--watch', '--relay', crowded.url]
    const child = startCommand('outbox', { arguments: args, env: { ...env, NODE_OPTIONS } })
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    const screens = () => output.split('\u001b[H\u001b[2J\u001b[3J').slice(1)
    for (let n = 0; n < 1000 && screens().length < 3; n++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const lines = screens()[1]?.trimEnd().split('\n') ?? []
    expect(lines[1]).toBe('31 waiting, 1 dead')
    expect(lines[3]).toMatch(/^ +REPOSITORY +DELIVERY +CREDENTIAL +SINCE +TRIES +REASON/)
    expect(lines.slice(4, -1).map((line) => line.split(' ')[0])).toEqual([
      ...Array(5).fill('waiting'),
      'dead',
    ])
    expect(lines.at(-1)).toBe('and 26 more')
    child.kill()
    await crowded.close()
  })
})
