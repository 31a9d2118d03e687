import { afterEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { Alarms } from '../../../src/relay/delivery/alarms-old.ts'
import { listDeliveries } from '../../../src/relay/delivery/delivery-list.ts'
import { RunFollower } from '../../../src/relay/delivery/follow-runs-old.ts'
import { ReceiptSender } from '../../../src/relay/delivery/notify-old.ts'
import { isReceiptId, newReceipt, receiptHeaders } from '../../../src/relay/delivery/receipt.ts'
import { ReceiptStore } from '../../../src/relay/delivery/receipt-store.ts'
import { githubConnectionPool } from '../../../src/relay/github/connection-pool.ts'
import { createCredentials } from '../../../src/relay/github/credential.ts'
import { runReader } from '../../../src/relay/github/find-run.ts'
import { RateLimiters } from '../../../src/relay/github/rate-limiter.ts'
import { type Dispatch, dispatchTo } from '../../../src/relay/github/send.ts'
import type { ReceiptLine } from '../../../src/relay/log-lines.ts'
import { RelayMetrics } from '../../../src/relay/metrics.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { dispatchOf } from '../../support/fake-outbox.ts'
import { HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'
import { type GitHubRuns, startGitHubRuns } from '../../support/github-runs.ts'
import { type MemoryDatabase, memoryDatabase } from '../../support/memory-database.ts'
import { encryptionOf } from '../../support/relay-keys.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Scene {
  readonly github: GitHubRuns
  readonly store: ReceiptStore
  readonly database: MemoryDatabase
  readonly metrics: RelayMetrics
  readonly log: ReceiptLine[]
  readonly follower: RunFollower
  /** Bodies of the receipts that the receiver accepted. */
  readonly received: { type: string; data: Record<string, unknown> }[]
  /** Status of the receiver's responses. */
  receiverStatus: number
  readonly ids: string[]
  /** Sends an event to GitHub, and follows it. */
  send(repository: string, more?: Partial<Dispatch>): Promise<string>
  /** Lets time pass in steps of 5 seconds, in each of which the relay checks what is due. */
  pass(milliseconds: number): Promise<void>
  outcomes(): Promise<Record<string, string>>
  close(): Promise<void>
}

let scene: Scene | undefined
afterEach(async () => {
  await scene?.close()
  scene = undefined
})

/** The relay's own parts, in front of a stand-in on a real socket, on a clock of the test. */
async function startScene(): Promise<Scene> {
  let now = START
  const github = await startGitHubRuns(() => now)
  const pool = githubConnectionPool(new URL(github.url))
  const metrics = new RelayMetrics()
  const after = () => () => {}
  const limiters = new RateLimiters(
    { now: () => now, after, date: () => new Date(now), minInterval: 0, metrics },
    false,
  )
  const clock = { now: () => new Date(now), sleep: async () => {}, random: () => 0.5 }
  const options = {
    call: pool.call,
    apiUrl: new URL(github.url),
    budget: 8000,
    clock,
    retryTime: 0,
    forge: 'github' as const,
  }
  const credentials = createCredentials({
    githubCredential: { token: async () => new Secret('ghp_own-token-of-the-relay') },
  })
  const database = await memoryDatabase()
  const store = new ReceiptStore(database)
  const log: ReceiptLine[] = []
  const report = (error: unknown) => {
    throw error
  }
  const shared = {
    store,
    now: () => now,
    sends: true,
    log: (line: ReceiptLine) => void log.push(line),
    report,
  }
  const alarms = new Alarms({
    ...shared,
    endpoints: { versions: async () => [], list: async () => [] },
    encryption: await encryptionOf(),
    shown: (kind, subject, isActive) => metrics.alarm(kind, subject, isActive),
  })
  const follower = new RunFollower({
    ...shared,
    readRuns: runReader({ ...options, govern: limiters.lookup }),
    credential: () => credentials.own(),
    reportsSuccess: true,
    changeAlarm: alarms.change,
    counted: (outcome) => metrics.ran(outcome),
  })
  const received: Scene['received'] = []
  const ids: string[] = []
  const sender = new ReceiptSender({
    ...shared,
    secret: new Secret(SECRET),
    post: async (headers, body) => {
      if (made.receiverStatus === 200) {
        received.push(JSON.parse(body))
        ids.push(headers['webhook-id'] ?? '')
      }
      return made.receiverStatus
    },
  })
  const dispatch = dispatchTo({ ...options, govern: limiters.granted })
  const made: Scene = {
    github,
    store,
    database,
    metrics,
    log,
    follower,
    received,
    receiverStatus: 200,
    ids,
    send: async (repository, more = {}) => {
      const [owner = '', name = ''] = repository.split('/')
      const delivery = crypto.randomUUID()
      const headers = { 'x-hookline-delivery': delivery }
      const event: Dispatch = {
        repository: { owner, name },
        target: { event: 'repository_dispatch' },
        clientPayload: JSON.stringify({
          path: 'hook/webhook',
          method: 'POST',
          headers,
          body: '{}',
        }),
        delivery,
        credential: {
          ...(await credentials.own()),
          endpoint: { owner: 'o', name: 'e1', created: 0 },
        },
        ...more,
      }
      const attempts = await dispatch(event)
      await follower.follow(event, attempts)
      return delivery
    },
    pass: async (milliseconds) => {
      const end = now + milliseconds
      while (now < end) {
        now += 5 * SECOND
        await follower.check()
        await sender.check()
      }
    },
    outcomes: async () => {
      const events = await listDeliveries(database, { limit: 10_000 })
      return Object.fromEntries(events.map(({ id, outcome }) => [id, outcome ?? '']))
    },
    close: async () => {
      await pool.close()
      await github.close()
    },
  }
  scene = made
  return made
}

const lines = (metrics: RelayMetrics) =>
  metrics.lines().filter((line) => /^hookline_(?:runs_total|alarm)/.test(line))

describe('an accepted event', () => {
  test.each([
    ['success', 'success', 'success'],
    ['failure', 'failure', 'failure'],
    ['skipped', 'skipped', 'skipped'],
    ['startup_failure', 'startup_failure', 'startup_failure'],
    ['held', 'waiting_for_approval', undefined],
    ['none', 'no_run', undefined],
    ['unnamed', 'unknown', undefined],
  ] as const)('whose run is %s has the outcome %s', async (behavior, outcome, conclusion) => {
    const { github, send, pass, outcomes, received, metrics, log } = await startScene()
    github.behavior.set('o/r', behavior)
    const delivery = await send('o/R')
    await pass(4 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: outcome })
    expect(received).toHaveLength(1)
    expect(received).toMatchObject([{ type: `run.${outcome}`, data: { delivery, outcome } }])
    const data = received[0]?.data
    expect(data?.conclusion).toBe(conclusion)
    expect(data).toMatchObject({ repository: 'o/r', credential: 'endpoint:o/e1' })
    expect(JSON.stringify(received)).not.toContain('hook/webhook')
    expect(lines(metrics)).toEqual([`hookline_runs_total{outcome="${outcome}"} 1`])
    expect(log).toMatchObject([{ receipts: outcome, delivery }])
  })

  test('is found although filtered listings are stale, and behind 50 and 950 newer runs', async () => {
    const { github, send, pass, outcomes } = await startScene()
    const first = await send('o/r')
    github.addOthers('o/r', 50)
    const second = await send('o/r')
    github.addOthers('o/r', 900)
    await pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [first]: 'success', [second]: 'success' })
    expect(github.calls.filter(({ url }) => /[?&](?:event|created|status)=/.test(url))).toEqual([])
  })

  test('is unknown behind 1,000 newer runs, and not "no run"', async () => {
    const { github, send, pass, outcomes, log } = await startScene()
    const delivery = await send('o/r')
    github.addOthers('o/r', 1000)
    await pass(4 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'unknown' })
    expect(log).toMatchObject([{ receipts: 'unknown', reason: 'too_many_runs' }])
  })

  test('is unknown if the credential may not read runs', async () => {
    const { github, send, pass, log } = await startScene()
    github.listingStatus = 403
    await send('o/r')
    await pass(4 * MINUTE)
    expect(log).toMatchObject([{ receipts: 'unknown', reason: 'repository_not_accessible' }])
  })

  test('outlasts 5 minutes in which GitHub lists nothing', async () => {
    const { github, send, pass, outcomes } = await startScene()
    const delivery = await send('o/r')
    github.listingStatus = 503
    await pass(5 * MINUTE)
    github.listingStatus = 200
    await pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'success' })
  })

  test('that a run follows after 10 minutes gets a second receipt', async () => {
    const { github, send, pass, received } = await startScene()
    github.behavior.set('o/r', 'none')
    const delivery = await send('o/r')
    await pass(10 * MINUTE)
    github.behavior.set('o/r', 'success')
    const headers = { 'x-hookline-delivery': delivery }
    await fetch(`${github.url}/repos/o/r/dispatches`, {
      method: 'POST',
      body: JSON.stringify({ client_payload: { headers } }),
    })
    await pass(10 * MINUTE)
    expect(received.map(({ type }) => type)).toEqual(['run.no_run', 'run.success'])
  })

  test('of the mode workflow is followed by the run that GitHub named', async () => {
    const { github, send, follower, pass, outcomes, received } = await startScene()
    const other = await send('o/r')
    const run = 'https://github.com/o/r/actions/runs/1'
    const delivery = crypto.randomUUID()
    await follower.follow(dispatchOf(delivery, { kind: 'endpoint' }), { run })
    expect(await outcomes()).toMatchObject({ [delivery]: 'running' })
    await pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'success', [other]: 'success' })
    expect(received).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ delivery, run }) }),
    )
    expect(github.listings.length).toBeLessThanOrEqual(3)
  })

  test('of several runs has the outcome of the run that failed', async () => {
    const { github, send, pass, outcomes } = await startScene()
    github.behavior.set('o/r', 'skipped')
    const delivery = await send('o/r')
    const again = async (behavior: 'success' | 'failure') => {
      github.behavior.set('o/r', behavior)
      const client_payload = { headers: { 'x-hookline-delivery': delivery } }
      const body = JSON.stringify({ client_payload })
      await fetch(`${github.url}/repos/o/r/dispatches`, { method: 'POST', body })
    }
    await again('failure')
    await again('success')
    await pass(MINUTE / 2)
    expect(await outcomes()).toEqual({ [delivery]: 'running' })
    await pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'failure' })
  })

  test('that is replayed is followed anew, and not by its earlier run', async () => {
    const { github, send, follower, pass, outcomes } = await startScene()
    const delivery = await send('o/r')
    await pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'success' })
    github.behavior.set('o/r', 'none')
    await follower.follow(dispatchOf(delivery, { kind: 'endpoint' }), {})
    expect(await outcomes()).toEqual({ [delivery]: 'pending' })
    await pass(4 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'no_run' })
  })

  test('that a receipt started, and an event of a token URL, are not followed', async () => {
    const { send, pass, outcomes, received } = await startScene()
    await send('o/r', { isNotification: true })
    const token = new Secret('ghp_token-of-a-sender')
    await send('o/r', {
      credential: { kind: 'token', isOwn: false, secrets: [], token: async () => token },
    })
    await pass(4 * MINUTE)
    expect([await outcomes(), received]).toEqual([{}, []])
  })
})

test('1,000 events of 10 repositories: each outcome is right, and one lookup a repository and minute', async () => {
  const { github, send, pass, outcomes, received, ids, metrics } = await startScene()
  const behaviors = ['success', 'failure', 'skipped', 'held', 'startup_failure', 'none'] as const
  const expected = {
    success: 'success',
    failure: 'failure',
    skipped: 'skipped',
    held: 'waiting_for_approval',
    startup_failure: 'startup_failure',
    none: 'no_run',
  }
  const wanted: Record<string, string> = {}
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 50; n++) {
      const repository = `o/r${n % 10}`
      const behavior = behaviors[(n % 10) % 6] ?? 'success'
      github.behavior.set(repository, behavior)
      wanted[await send(repository)] = expected[behavior]
    }
    await pass(30 * SECOND)
  }
  await pass(5 * MINUTE)
  expect(await outcomes()).toEqual(wanted)
  // Each event has one receipt, and each receipt is sent once.
  const receipts = received.filter(({ type }) => type.startsWith('run.'))
  const reported = receipts.map(({ data }) => [data.delivery, data.outcome])
  expect([receipts.length, Object.fromEntries(reported)]).toEqual([1000, wanted])
  // The last one is the alarm of the repository without runs.
  expect([received.length, new Set(ids).size]).toEqual([1001, 1001])
  for (let n = 0; n < 10; n++) {
    const times = github.listings.filter((one) => one.repository === `o/r${n}`).map(({ at }) => at)
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0))
    // A second page follows the first at the same time.
    expect(gaps.filter((gap) => gap > 0).every((gap) => gap >= MINUTE)).toBe(true)
  }
  expect(github.listings.length).toBeLessThanOrEqual(500)
  expect(lines(metrics).filter((line) => line.includes('runs_total'))).toHaveLength(6)
})

test('lookups of 20 repositories use at most 500 calls an hour; the others are unknown', async () => {
  const { github, send, pass, log } = await startScene()
  for (let n = 0; n < 20; n++) {
    github.behavior.set(`o/r${n}`, 'endless')
    for (let event = 0; event < 2; event++) await send(`o/r${n}`)
  }
  for (let minute = 0; minute < 59; minute++) {
    await send(`o/r${minute % 20}`)
    await send(`o/r${(minute + 7) % 20}`)
    await pass(MINUTE)
  }
  expect(github.listings.length).toBe(500)
  const reasons = new Set(log.map(({ receipts, reason }) => `${receipts} ${reason}`))
  expect([...reasons]).toEqual(['unknown rate_limited'])
})

test('three events in a row without a run begin an alarm, which a run ends', async () => {
  const { github, send, pass, received, metrics, log } = await startScene()
  github.behavior.set('o/r', 'none')
  for (let n = 0; n < 2; n++) await send('o/r')
  await pass(4 * MINUTE)
  expect(lines(metrics).some((line) => line.startsWith('hookline_alarm'))).toBe(false)
  await send('o/r')
  await pass(4 * MINUTE)
  expect(lines(metrics)).toContain('hookline_alarm{alarm="no_runs",subject="o/r endpoint:o/e1"} 1')
  github.behavior.set('o/r', 'success')
  await send('o/r')
  await pass(4 * MINUTE)
  expect(lines(metrics).some((line) => line.startsWith('hookline_alarm'))).toBe(false)
  const alarms = received.filter(({ type }) => type.startsWith('alarm.'))
  expect(alarms.map(({ type }) => type)).toEqual(['alarm.no_runs', 'alarm.no_runs.ended'])
  expect(alarms[0]?.data).toMatchObject({ subject: 'o/r endpoint:o/e1', active: true })
  expect(log).toContainEqual(expect.objectContaining({ receipts: 'no_runs', level: 'error' }))
})

describe('a receipt', () => {
  test('is retried after 5 s and 5 min with the same id, and given up after 10 attempts', async () => {
    const made = await startScene()
    made.receiverStatus = 503
    await made.send('o/r')
    await made.pass(2 * MINUTE)
    expect(await made.store.counts()).toEqual({ open: 0, receipts: 1 })
    made.receiverStatus = 200
    await made.pass(6 * MINUTE)
    expect([made.received.length, await made.store.counts()]).toEqual([1, { open: 0, receipts: 0 }])
    made.receiverStatus = 301
    await made.send('o/r')
    await made.pass(4 * 24 * HOUR)
    expect(made.log.at(-1)).toMatchObject({ receipts: 'given_up', reason: '301' })
    expect(await made.store.counts()).toEqual({ open: 0, receipts: 0 })
  })

  test('is signed as the package standardwebhooks verifies it', async () => {
    const now = Date.now()
    const receipt = newReceipt('run.success', { delivery: 'd' }, now)
    const headers = await receiptHeaders(receipt, new Secret(SECRET), now)
    expect(new Webhook(SECRET).verify(receipt.body, headers)).toMatchObject({ type: 'run.success' })
    expect(isReceiptId(headers['webhook-id'])).toBe(true)
    expect(isReceiptId('msg_1')).toBe(false)
  })
})
