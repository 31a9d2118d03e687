import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { githubAt } from '../../src/cli/github-client.ts'
import { openRequested } from '../../src/cli/redeliver/requested.ts'
import { createRedelivery, type RedeliveryResult } from '../../src/cli/redeliver.ts'
import { runShared } from '../support/cli.ts'
import { HOUR, MINUTE, START } from '../support/fake-time.ts'
import { type Answer, type GitHub, startGitHub } from '../support/github.ts'
import { rsaKeys } from '../support/rsa.ts'

const HOOK = '/repos/octo/shop/hooks/7'
const DELIVERIES = `${HOOK}/deliveries`

let github: GitHub
let folder: string
/** The attempts that GitHub lists, newest first. */
let listed: object[]
/** The ids of the attempts that were requested again. */
let requested: string[]
/** The status of a request for a redelivery. */
let accepted: Answer

beforeAll(async () => {
  github = await startGitHub()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-redeliver-'))
  github.reset()
  listed = []
  requested = []
  accepted = { status: 202, body: '{}' }
  github.always(({ method, url }) => {
    const [path = '', query = ''] = url.split('?')
    if (method === 'GET' && path === '/repos/octo/shop/hooks') return json([{ id: 7 }])
    if (method === 'GET' && path.endsWith('/deliveries')) return page(path, query)
    const [, id = ''] = /\/deliveries\/(\d+)\/attempts$/.exec(path) ?? []
    if (accepted.status === 202) requested.push(id)
    return accepted
  })
})
// Each request is one of GitHub's own description of its API.
afterEach(async () => {
  await rm(folder, { recursive: true })
  expect(github.calls.flatMap(({ violations }) => violations)).toEqual([])
})
afterAll(() => github.close())

function json(value: unknown, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers, body: JSON.stringify(value) }
}

/** Two attempts a page, as GitHub pages its list: by a cursor in the header `Link`. */
function page(path: string, query: string): Answer {
  const start = Number(new URLSearchParams(query).get('cursor') ?? 0)
  const link = `<${github.url}${path}?per_page=100&cursor=${start + 2}>; rel="next"`
  // The ids are longer than a number can hold, so they are written as text into the JSON.
  const body = JSON.stringify(listed.slice(start, start + 2)).replace(/"id":"(\d+)"/g, '"id":$1')
  return { status: 200, headers: start + 2 < listed.length ? { link } : {}, body }
}

interface Setting {
  readonly status?: number
  readonly minutes?: number
  readonly now?: number
}

/** @param number the last digits of the attempt's id */
function attempt(number: number, guid: string, setting: Setting = {}) {
  const { status = 502, minutes = 60 - number, now = Date.now() } = setting
  return {
    id: `90071992547409${String(number).padStart(3, '0')}`,
    guid,
    delivered_at: new Date(now - minutes * MINUTE).toISOString(),
    redelivery: false,
    status: status === 200 ? 'OK' : 'failed',
    status_code: status,
    event: 'push',
    action: null,
  }
}

const idOf = (number: number) => `90071992547409${String(number).padStart(3, '0')}`

async function redeliver(args: readonly string[] = [], env: Record<string, string> = {}) {
  const all = {
    HOOKLINE_API_URL: github.url,
    GH_TOKEN: 'ghp_the-token-of-the-user',
    XDG_STATE_HOME: folder,
    ...env,
  }
  const where = args.some((each) => /^--(app|org)/.test(each)) ? [] : ['--repository', 'octo/shop']
  const { exitCode, stdout, stderr } = await runShared(['redeliver', ...where, ...args], {
    cwd: folder,
    env: all,
  })
  return { exitCode, stdout, stderr }
}

describe('hookline redeliver', () => {
  test('requests each delivery without a success again, oldest first and once', async () => {
    listed = [
      attempt(5, 'e'),
      attempt(4, 'd', { status: 200 }),
      attempt(3, 'c', { status: 0 }),
      attempt(2, 'b', { status: 404 }),
      attempt(1, 'd'),
    ]
    const { exitCode, stdout, stderr } = await redeliver()
    expect(requested).toEqual([idOf(2), idOf(3), idOf(5)])
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/ {2}b {2}push {2}status 404 {2}1 attempt {2}requested$/),
      expect.stringMatching(/ {2}c {2}push {2}no response {2}1 attempt {2}requested$/),
      expect.stringMatching(/ {2}e {2}push {2}status 502 {2}1 attempt {2}requested$/),
    ])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '3 requested again\n' })
  })

  test('in another process, sends nothing again until GitHub lists a further failure', async () => {
    listed = [attempt(1, 'a')]
    await redeliver()
    const { stderr } = await redeliver()
    expect(stderr).toContain('no failed delivery in the last 3d waits for a redelivery')
    listed = [attempt(2, 'a'), ...listed]
    await redeliver()
    listed = [attempt(3, 'a', { status: 200 }), ...listed]
    await redeliver()
    expect(requested).toEqual([idOf(1), idOf(2)])
  })

  test('stores which attempts were requested for the user alone', async () => {
    listed = [attempt(1, 'a')]
    await redeliver()
    const [file = ''] = (await readdir(folder, { recursive: true })).filter((name) =>
      name.endsWith('.json'),
    )
    expect(Object.keys(JSON.parse(await readFile(join(folder, file), 'utf8')))).toEqual([idOf(1)])
  })

  test('leaves out deliveries that are older than --since', async () => {
    listed = [attempt(2, 'new', { minutes: 10 }), attempt(1, 'old', { minutes: 90 })]
    await redeliver(['--since', '1h'])
    expect(requested).toEqual([idOf(2)])
  })

  test('--dry-run and --json list the deliveries and request nothing', async () => {
    listed = [attempt(2, 'a'), attempt(1, 'a')]
    const { stdout } = await redeliver(['--dry-run', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      delivery: 'a',
      event: 'push',
      status: 502,
      attempts: 2,
      result: 'failed',
    })
    expect(requested).toEqual([])
  })

  test('asks which webhook is meant, and shows no part of a URL but its host', async () => {
    github.always(
      json([
        { id: 7, config: { url: 'https://relay.example.com/octo?__token=secret' }, events: ['*'] },
        { id: 8, config: { url: 'https://ci.example.com/' }, events: ['push'] },
      ]),
    )
    const { exitCode, stderr } = await redeliver()
    expect(exitCode).toBe(1)
    expect(stderr).toContain('Add --hook with one of these ids: 7, 8')
    expect(stderr).toContain('7: relay.example.com')
    expect(stderr).not.toContain('secret')
  })

  test('reads the deliveries of an organization', async () => {
    listed = [attempt(1, 'a')]
    await redeliver(['--organization', 'octo', '--hook', '9'])
    expect(github.calls.map(({ url }) => url)).toEqual([
      '/orgs/octo/hooks/9/deliveries?per_page=100',
      `/orgs/octo/hooks/9/deliveries/${idOf(1)}/attempts`,
    ])
  })

  test('reads the deliveries of an App with a token that the key of the App signs', async () => {
    listed = [attempt(1, 'a')]
    const pem = rsaKeys('app').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const env = { HOOKLINE_APP_ID: '12', HOOKLINE_APP_KEY: pem }
    await redeliver(['--app'], env)
    const [call] = github.calls
    expect(call?.url).toBe('/app/hook/deliveries?per_page=100')
    const [, claims = ''] = call?.headers.authorization?.split('.') ?? []
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: '12' })
    expect(requested).toEqual([idOf(1)])
  })

  test('names the permission that is missing, and sends the delivery once it is there', async () => {
    listed = [attempt(1, 'a')]
    accepted = { status: 403, body: '{"message":"Resource not accessible"}' }
    const { exitCode, stderr } = await redeliver()
    expect(exitCode).toBe(1)
    expect(stderr).toContain('"Webhooks: write" (classic tokens: admin:repo_hook)')
    accepted = { status: 202 }
    await redeliver()
    expect(requested).toEqual([idOf(1)])
  })

  test('names the variable of the token if it is not set', async () => {
    const { exitCode, stderr } = await redeliver([], { GH_TOKEN: '' })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('GH_TOKEN is not set')
    expect(stderr).toContain('"Webhooks: write"')
    expect(github.calls).toEqual([])
  })

  test('reads GH_ENTERPRISE_TOKEN for GitHub Enterprise Server, and says that it ignores GH_TOKEN', async () => {
    const enterprise = {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_SERVER_URL: 'https://ghe.example.com',
    }
    const { stderr } = await redeliver(['--dry-run'], enterprise)
    expect(stderr).toContain('GH_ENTERPRISE_TOKEN is not set')
    expect(stderr).toContain('GH_TOKEN is not used for ghe.example.com')
    expect(github.calls).toEqual([])
    const token = 'ghp_the-token-of-the-enterprise'
    github.next({ status: 403, body: '{"message":"Resource not accessible"}' })
    const refused = await redeliver([], { ...enterprise, GH_ENTERPRISE_TOKEN: token })
    expect(refused.stderr).toContain('set GH_ENTERPRISE_TOKEN to a token with "Webhooks: write"')
    expect(github.calls[0]?.headers.authorization).toBe(`Bearer ${token}`)
  })

  test('names the id and the key of an App that GitHub refuses', async () => {
    const pem = rsaKeys('app').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    github.next({ status: 401, body: '{"message":"A JSON web token could not be decoded"}' })
    const { stderr } = await redeliver(['--app'], { HOOKLINE_APP_ID: '12', HOOKLINE_APP_KEY: pem })
    expect(stderr).toContain('the webhook of the App (status 401)')
    expect(stderr).toContain('HOOKLINE_APP_KEY is one of its private keys')
  })

  test('exits with 1 if GitHub refuses a delivery, and requests the others', async () => {
    listed = [attempt(2, 'b'), attempt(1, 'a')]
    github.next(json([{ id: 7 }]), page(DELIVERIES, ''), { status: 422 })
    const { exitCode, stdout, stderr } = await redeliver()
    expect(stdout).toMatch(/ {2}a .*refused\n.* {2}b .*requested\n/)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: '1 requested again, 1 refused by GitHub\n',
    })
  })

  test.each([
    [['--app', '--organization', 'octo'], 'exclude each other'],
    [['--app', '--hook', '1'], '--hook cannot be combined with --app'],
    [['--hook', 'x'], 'is not an id'],
    [['--since', 'yesterday'], 'invalid duration "yesterday"'],
    [['--since', '9d'], '--since 9d is too long, because GitHub stores deliveries for 3 days'],
  ])('%j is an error', async (args, message) => {
    const { exitCode, stderr } = await redeliver(args)
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain(message)
    expect(github.calls).toEqual([])
  })
})

describe('while it watches', () => {
  let time: { now: number }
  let results: RedeliveryResult[]

  beforeEach(() => {
    time = { now: START }
    results = []
  })

  function start() {
    const ask = githubAt(new URL(github.url), undefined)
    const webhook = { owner: 'octo/shop', host: 'x', path: DELIVERIES, ask, refusalHint: '' }
    const look = createRedelivery({
      webhook,
      requested: openRequested(join(folder, 'requested.json')),
      age: 72 * HOUR,
      dryRun: false,
      report: (result) => results.push(result),
      now: () => new Date(time.now),
      sleep: async (milliseconds) => {
        time.now += milliseconds
      },
    })
    return () => look({ patient: true })
  }

  test('a delivery that fails again waits 5, 10, 20 … minutes, at most 6 hours, also after a restart', async () => {
    const begin = time.now
    const failures = [begin]
    const list = () => {
      listed = failures.map((at, n) => attempt(n, 'a', { now: at, minutes: 0 })).toReversed()
    }
    list()
    let look = start()
    for (let n = 0; n < (48 * HOUR) / (5 * MINUTE); n++) {
      const before = requested.length
      await look()
      if (requested.length > before) {
        failures.push(time.now)
        list()
      }
      if (n % 50 === 49) look = start()
      time.now += 5 * MINUTE
    }
    const waits = failures.slice(1).map((at, n) => (at - (failures[n] ?? 0)) / MINUTE)
    expect(waits).toEqual([0, 5, 10, 20, 40, 80, 160, 320, 360, 360, 360, 360, 360, 360])
    expect(requested).toEqual(failures.slice(0, -1).map((_, n) => idOf(n)))
  })

  test('a rate limit of GitHub is waited for, and the delivery is requested once', async () => {
    listed = [attempt(1, 'a', { now: time.now, minutes: 1 })]
    github.next(page(DELIVERIES, ''), { status: 429, headers: { 'retry-after': '90' } })
    const begin = time.now
    await start()()
    expect(requested).toEqual([idOf(1)])
    expect(time.now - begin).toBe(90_000)
  })

  test('a request without an answer is not sent again', async () => {
    listed = [attempt(1, 'a', { now: time.now, minutes: 1 })]
    github.next(page(DELIVERIES, ''), { status: 502 })
    const look = start()
    await look()
    await look()
    expect(results.map(({ result }) => result)).toEqual(['unknown'])
    expect(requested).toEqual([])
  })

  test('later looks read only what is new', async () => {
    listed = Array.from({ length: 9 }, (_, n) =>
      attempt(9 - n, `${n}`, { status: 200, now: time.now, minutes: 20 + n }),
    )
    const look = start()
    await look()
    expect(github.calls).toHaveLength(5)
    time.now += 5 * MINUTE
    await look()
    expect(github.calls).toHaveLength(6)
  })
})
