import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runCommand, runCommands, startCommand } from '../../support/command.ts'
import { MINUTE, SECOND, START } from '../../support/fake-lanes.ts'
import { type OperatedRelay, operatedRelay } from '../../support/operated-relay.ts'
import { OPERATOR_KEY } from '../../support/outbox-relays.ts'
import { send } from '../../support/raw-http.ts'

const [FIRST, SECOND_ID, DEAD, NONE] = [1, 2, 3, 4].map(
  (n) => `00000000-0000-4000-8000-00000000000${n}`,
) as [string, string, string, string]

let relay: OperatedRelay
beforeAll(async () => {
  relay = await operatedRelay()
  const { put, queue, time } = relay.lanes
  for (const id of [FIRST, SECOND_ID, DEAD]) await put(id)
  await time.pass(MINUTE)
  await queue.stop()
  await bury(relay.lanes, DEAD)
  await time.pass(0)
})
afterAll(() => relay.close())

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

/** More than one answer of a relay holds. */
const MANY = 1010

async function* brokenCopy(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('SQLite format 3')
  throw new Error('the disk is gone')
}

/** Makes a dead letter of an event that waits. */
async function bury({ outbox, time }: OperatedRelay['lanes'], delivery: string) {
  const found = await outbox.find(delivery)
  if (!found) throw new Error('it was put')
  const dead = { state: 'dead', since: time.now, reason: 'rejected' } as const
  await outbox.apply([{ set: { ...found, ...dead } }])
}

describe('the operator’s addresses', () => {
  test.each(ADDRESSES)('%s %s needs the key, and dispatches nothing', async (method, target) => {
    const { calls } = relay
    const before = calls()
    for (const headers of [
      [],
      [['Authorization', 'Bearer not-the-key']],
      [['Authorization', `Basic ${OPERATOR_KEY}`]],
      [['X-Platform-Authorization', OPERATOR_KEY]],
    ] as const) {
      const answer = await send(relay.url, { method, target, headers })
      expect(answer.status).toBe(401)
    }
    expect(calls()).toBe(before)
  })

  test.each(ADDRESSES)('%s %s tells no other origin anything', async (method, target) => {
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

  test('are not there without HOOKLINE_OPERATOR_KEY, and dispatch nothing then', async () => {
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
  ])('are no others: %s is a webhook', async (target) => {
    const before = relay.calls()
    const headers = [['X-Platform-Authorization', 'ghp_token'] as const]
    expect((await send(relay.url, { method: 'POST', target, headers })).status).toBe(200)
    expect(relay.calls()).toBe(before + 1)
  })

  test('list what waits and what died, oldest first', async () => {
    const { body } = await send(relay.url, { target: '/outbox', headers: authorized })
    const at = new Date(START).toISOString()
    const lane = 'o/r#1234'
    const credential = 'token:1234'
    expect(JSON.parse(body)).toEqual({
      waiting: [
        {
          ...{ delivery: FIRST, lane, credential, at, bytes: expect.any(Number) },
          ...{ tries: 6, reason: 'platform_unavailable' },
          next: new Date(START + 63.7 * SECOND).toISOString(),
        },
        {
          ...{ delivery: SECOND_ID, lane, credential, at, bytes: expect.any(Number) },
          // At every third failure of the first one others are tried, at once after it.
          ...{ tries: 2, reason: 'platform_unavailable' },
          next: new Date(START + 64.05 * SECOND).toISOString(),
        },
      ],
      dead: [
        {
          ...{ delivery: DEAD, lane, credential, at, bytes: expect.any(Number) },
          ...{ tries: 2, reason: 'rejected', died: new Date(START + MINUTE).toISOString() },
        },
      ],
    })
  })

  test('list page by page, and by what is asked for', async () => {
    const list = async (query: string) => {
      const { body } = await send(relay.url, { target: `/outbox?${query}`, headers: authorized })
      const { waiting, dead, next } = JSON.parse(body)
      const ids = [...waiting, ...dead].map(({ delivery }: { delivery: string }) => delivery)
      return { ids, next }
    }
    const first = await list('limit=2')
    expect(first).toEqual({ ids: [FIRST, SECOND_ID], next: expect.any(String) })
    expect(await list(`limit=2&after=${first.next}`)).toEqual({ ids: [DEAD], next: undefined })
    expect((await list('reason=rejected')).ids).toEqual([DEAD])
    expect((await list('lane=O/R&credential=token:1234')).ids).toHaveLength(3)
    expect((await list('lane=o/other')).ids).toEqual([])
  })

  test('give a copy of the file', async () => {
    const answer = await send(relay.url, { target: '/outbox/backup', headers: authorized })
    expect(answer).toMatchObject({ status: 200, body: 'SQLite format 3 and more' })
  })

  test('show one with its payload, and no token', async () => {
    const target = `/outbox/${FIRST}`
    const { body } = await send(relay.url, { target, headers: authorized })
    expect(JSON.parse(body)).toMatchObject({
      delivery: FIRST,
      payload: { path: 'hook/webhook', delivery: FIRST },
    })
    expect(body).not.toContain('ghp_')
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
  ])('refuse %s %s with %i', async (method, target, status) => {
    const answer = await send(relay.url, { method, target, headers: authorized })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ success: false })
  })

  test('count: /metrics as Prometheus reads it', async () => {
    const fresh = await operatedRelay()
    for (const target of ['/o/r/hook/webhook', '/o/r/hook/webhook', '/nothing']) {
      const headers = [['X-Platform-Authorization', 'ghp_token'] as const]
      await send(fresh.url, { method: 'POST', target, headers })
    }
    await fresh.lanes.put(FIRST)
    await fresh.lanes.time.pass(90 * SECOND)
    const answer = await send(fresh.url, { target: '/metrics', headers: authorized })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = answer.body.trimEnd().split('\n')
    const buckets = /^hookline_platform_seconds_(?:bucket|sum)/
    expect(lines.filter((line) => !line.startsWith('#') && !buckets.test(line))).toEqual([
      'hookline_answers_total{status="200"} 2',
      'hookline_answers_total{status="404"} 1',
      'hookline_filtered_total 0',
      'hookline_platform_seconds_count 2',
      'hookline_platform_tries_total{outcome="accepted"} 2',
      'hookline_outbox_waiting 1',
      expect.stringMatching(/^hookline_outbox_bytes \d+$/),
      'hookline_outbox_oldest_seconds 90',
      'hookline_outbox_dead 0',
      'hookline_outbox_unreadable 0',
    ])
    const named = lines
      .filter((line) => line.startsWith('# TYPE'))
      .map((line) => line.split(' ')[2])
    expect(named).toHaveLength(11)
    const page = await readFile(join(import.meta.dirname, '../../../docs/outbox.md'), 'utf8')
    const documented = [...page.matchAll(/`((?:[a-z]+_)+[a-z]+)(?:\{[a-z]+\})?`/g)].map(
      ([, name]) => name,
    )
    // What GitHub said last is there once it did.
    const all = [...named, 'hookline_platform_remaining'].map((name) =>
      name?.slice('hookline_'.length),
    )
    expect(documented).toEqual(expect.arrayContaining(all))
    await fresh.close()
  })

  test('of a relay without outbox: metrics alone', async () => {
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
  const env = { HOOKLINE_OPERATOR_KEY: OPERATOR_KEY }
  let printed: readonly string[]
  beforeAll(async () => {
    const toRelay = [
      ['list'],
      ['list', '--json'],
      ['show', FIRST],
      ['replay', DEAD],
      ['replay', DEAD],
      ['drop', DEAD],
      ['show', 'x'],
      ['list', '--reason', 'rejected'],
      ['replay'],
      ['drop', DEAD, '--all'],
      ['replay', FIRST, '--separate'],
      ['replay', '--all', '--separate'],
    ].map((args) => [...args, '--relay', relay.url])
    const elsewhere = ['nowhere', 'http://127.0.0.1:9'].map((url) => ['list', '--relay', url])
    const list = ['list', '--relay', relay.url]
    const runs = [
      ...[...toRelay, ...elsewhere].map((args) => ({ arguments: args, env })),
      { arguments: list, env: { HOOKLINE_OPERATOR_KEY: 'another-key-of-somebody' } },
    ]
    const results = await runCommands('outbox', runs)
    printed = results.map(({ output, errors }) => output || errors)
  })

  test('list: a line for each, and why', () => {
    expect(printed[0]).toMatch(/^2 waiting, 1 dead\n/)
    expect(printed[0]).toMatch(new RegExp(`waiting +o/r +${FIRST} .* 6 +platform_unavailable`))
    expect(printed[0]).toMatch(new RegExp(`dead +o/r +${DEAD} .* 2 +rejected`))
  })

  test('list --json: what the relay answers', () => {
    const listing = { waiting: [{}, {}], dead: [{ delivery: DEAD }] }
    expect(JSON.parse(printed[1] ?? '')).toMatchObject(listing)
  })

  test('show: the payload, and no token', () => {
    expect(printed[2]).toContain('"path": "hook/webhook"')
    expect(printed[2]).not.toContain('ghp_')
  })

  test('replay and drop', () => {
    expect(printed.slice(3, 6)).toEqual([
      `${DEAD} waits again`,
      expect.stringContaining('no dead letter has this delivery id'),
      `${DEAD} is forgotten`,
    ])
    expect(relay.log.join()).toContain(`{"outbox":"replayed","delivery":"${DEAD}"}`)
    expect(relay.log.join()).toContain(`{"outbox":"dropped","delivery":"${DEAD}"}`)
  })

  test('what is no id, no address, or no relay is refused with a reason', () => {
    expect(printed.slice(6)).toEqual([
      expect.stringContaining('"x" is not a delivery id'),
      expect.stringMatching(/^0 waiting, 0 dead$/),
      expect.stringContaining('it is not said which events are meant'),
      expect.stringContaining('a delivery id stands beside what names several events'),
      expect.stringContaining('no batch has this id that died or was handed over'),
      expect.stringContaining('it is not said which events are meant'),
      expect.stringContaining('--relay is not the address of a relay'),
      expect.stringContaining('127.0.0.1:9: no connection'),
      expect.stringMatching(
        /the relay at 127\.0\.0\.1:\d+ does not accept the key in HOOKLINE_OPERATOR_KEY/,
      ),
    ])
  })

  test('list: all pages of them, and not the first alone', async () => {
    const crowded = await operatedRelay()
    const place = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    for (let n = 0; n < MANY; n++) await crowded.lanes.put(place(n))
    for (let n = 0; n < 3; n++) await bury(crowded.lanes, place(MANY - 1 - n))
    const relay = ['--relay', crowded.url]
    const runs = [
      ['list', '--json'],
      ['list', '--lane', 'o/other'],
      ['replay', '--reason', 'no_such'],
      ['replay', '--reason', 'rejected'],
      ['list', '--reason', 'replayed', '--credential', 'token:1234', '--lane', 'O/R'],
      ['drop', '--all'],
    ].map((args) => ({ arguments: [...args, ...relay], env }))
    const [listed, ...others] = await runCommands('outbox', runs)
    await crowded.close()
    const { waiting, dead } = JSON.parse(listed?.output ?? '')
    expect([waiting.length, dead.length]).toEqual([MANY - 3, 3])
    expect(others.map(({ output, errors }) => output || errors)).toEqual([
      '0 waiting, 0 dead',
      '0 dead letters wait again',
      '3 dead letters wait again',
      expect.stringMatching(/^3 waiting, 0 dead\n/),
      '0 dead letters are forgotten',
    ])
  })

  test('a relay without the operator’s key, and one without outbox, are told apart', async () => {
    const [keyless, without] = await Promise.all([
      operatedRelay({ key: '' }),
      operatedRelay({ hasOutbox: false }),
    ])
    const lists = [keyless, without].map(({ url }) => ({
      arguments: ['list', '--relay', url],
      env,
    }))
    const results = await runCommands('outbox', lists)
    await Promise.all([keyless.close(), without.close()])
    expect(results.map(({ errors }) => errors)).toEqual([
      expect.stringMatching(/shows an operator nothing[\s\S]*start it with HOOKLINE_OPERATOR_KEY/),
      expect.stringContaining('this relay has no outbox'),
    ])
  })

  test('backup: a new file for the user alone, never in place of another', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backup-'))
    const copy = join(folder, 'copy.db')
    const args = (out: string) => ['backup', '--relay', relay.url, '--out', out]
    const files = [copy, copy, join(folder, 'none', 'copy.db')]
    const runs = files.map((file) => ({ arguments: args(file), env }))
    const foreign = { HOOKLINE_OPERATOR_KEY: 'another-key-of-somebody' }
    runs.push({ arguments: args(join(folder, 'refused.db')), env: foreign })
    const results = await runCommands('outbox', runs)
    expect(results.map(({ output, errors }) => output || errors)).toEqual([
      `${copy}: 24 bytes`,
      expect.stringContaining('copy.db is there already'),
      expect.stringContaining('cannot be written (ENOENT)'),
      expect.stringContaining('does not accept the key'),
    ])
    expect(await readdir(folder)).toEqual(['copy.db'])
    expect((await stat(copy)).mode & 0o777).toBe(0o600)
    expect(await readFile(copy, 'utf8')).toBe('SQLite format 3 and more')
    await rm(folder, { recursive: true })
  })

  test('backup: one that breaks off leaves no file, and the relay serves on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backup-'))
    const broken = await operatedRelay({ copy: brokenCopy })
    const args = ['backup', '--relay', broken.url, '--out', join(folder, 'copy.db')]
    const [result] = await runCommands('outbox', [{ arguments: args, env }])
    expect(result?.errors).toMatch(/127\.0\.0\.1:\d+: no connection/)
    expect(await readdir(folder)).toEqual([])
    expect((await send(broken.url, { target: '/healthz' })).status).toBe(200)
    await broken.close()
    await rm(folder, { recursive: true })
  })

  test('without the key it says so, and fails', async () => {
    const args = ['list', '--relay', relay.url]
    const { errors, code } = await runCommand('outbox', { arguments: args })
    expect(errors).toContain('HOOKLINE_OPERATOR_KEY is not set')
    expect(code).not.toBe(0)
  })

  test('list --watch: what changes, as it does', async () => {
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
    await relay.lanes.actions.drop(SECOND_ID)
    expect(await line(2)).toMatchObject({ waiting: [{ delivery: FIRST }] })
    child.kill()
  })

  test('list --watch on a terminal: as much as fits, drawn anew each time', async () => {
    const crowded = await operatedRelay()
    const { put } = crowded.lanes
    for (let n = 0; n < 30; n++) await put(`00000000-0000-4000-8000-0000000000${10 + n}`)
    for (const id of [FIRST, SECOND_ID]) await put(id)
    await bury(crowded.lanes, SECOND_ID)
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
