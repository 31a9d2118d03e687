import { afterEach, describe, expect, test } from '@jest/globals'
import {
  type DeliveryScene,
  type DeliverySetup,
  id,
  startScene,
} from '../../support/delivery-scene.ts'
import { HOUR, MINUTE, SECOND } from '../../support/fake-time.ts'
import { type RunBehavior, RunsAtGitHub } from '../../support/runs-at-github.ts'
import { until } from '../../support/until.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

async function begin(setup: DeliverySetup = {}) {
  const runs = new RunsAtGitHub()
  const scene = await startScene(runs.rule, { notify: { secret: SECRET, all: true }, ...setup })
  scenes.push(scene)
  runs.of(scene)
  const { deliver, table } = scene
  let next = 1
  return {
    ...scene,
    runs,
    /** Sends an event to GitHub, and returns its id. */
    send: async (name = 'r', more = {}): Promise<string> => {
      const delivery = id(next++)
      void deliver(delivery, { name, ...more })
      await scene.time.pass(10 * SECOND)
      return delivery
    },
    /** Lets notifications be signed, which takes no time of the test. */
    drain: async (count: number) => {
      await until(async () => {
        await scene.time.pass(SECOND)
        return scene.received.length >= count
      })
    },
    outcomes: async () => {
      const rows = await table.list({ limit: 10_000 })
      return Object.fromEntries(rows.map(({ id, outcome }) => [id, outcome]))
    },
  }
}

const lines = (scene: Pick<DeliveryScene, 'metrics'>) =>
  scene.metrics.lines().filter((line) => /^hookline_(?:runs_total|alarm)/.test(line))

describe('an accepted event', () => {
  test.each<[RunBehavior, string, string | null, string | null]>([
    ['success', 'success', 'success', null],
    [
      'failure',
      'failure',
      'failure',
      'job hook, step Deploy: the secret WEBHOOK_SECRET is not set',
    ],
    ['skipped', 'skipped', 'skipped', null],
    ['startup_failure', 'startup_failure', 'startup_failure', null],
    ['held', 'waiting_for_approval', null, null],
    ['none', 'no_run', null, null],
    ['unnamed', 'unknown', null, 'no_delivery_id'],
    ['nothing_fired', 'nothing_fired', 'success', 'method: post is not among put'],
    ['other_workflow', 'no_run', null, 'other_workflow'],
  ])('whose run is %s has the outcome %s', async (behavior, outcome, conclusion, reason) => {
    const scene = await begin()
    const { runs, send, time, received, log, table, drain } = scene
    runs.behavior.set('o/r', behavior)
    const delivery = await send('R')
    await time.pass(4 * MINUTE)
    await drain(1)
    const [row] = await table.list({ limit: 1 })
    expect(row).toMatchObject({ id: delivery, outcome, conclusion, outcomeReason: reason })
    expect(received).toMatchObject([{ type: `run.${outcome}`, data: { delivery, outcome } }])
    expect(received[0]?.data).toMatchObject({ repository: 'o/r', endpoint: 'o/e1' })
    // Words of the action and errors of a job may quote the event.
    const quoting: Record<string, string | undefined> = {
      nothing_fired: 'method',
      failure: undefined,
    }
    const told = outcome in quoting ? quoting[outcome] : (reason ?? undefined)
    expect(received[0]?.data.reason).toBe(told)
    expect(JSON.stringify(log)).not.toContain('WEBHOOK_SECRET')
    expect(JSON.stringify(log)).not.toContain('not among put')
    expect(JSON.stringify(received)).not.toContain('hook/webhook')
    expect(lines(scene)).toEqual([`hookline_runs_total{outcome="${outcome}"} 1`])
    expect(log).toContainEqual(
      expect.objectContaining({ change: 'run', outcome, delivery, endpoint: 'e1' }),
    )
  })

  test('is found although filtered listings are stale, and behind 50 and 950 newer runs', async () => {
    const { runs, send, time, outcomes, calls } = await begin()
    const first = await send()
    runs.addOthers('o/r', 50)
    const second = await send()
    runs.addOthers('o/r', 900)
    await time.pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [first]: 'success', [second]: 'success' })
    expect(calls.filter(({ url }) => /[?&](?:event|created|status)=/.test(url))).toEqual([])
  })

  test('is unknown behind 1,000 newer runs, and not "no run"', async () => {
    const { runs, send, time, table } = await begin()
    await send()
    runs.addOthers('o/r', 1000)
    await time.pass(4 * MINUTE)
    const [row] = await table.list({ limit: 1 })
    expect(row).toMatchObject({ outcome: 'unknown', outcomeReason: 'too_many_runs' })
  })

  test('is unknown if the credential may not read runs', async () => {
    const { runs, send, time, table } = await begin()
    runs.listingStatus = 403
    await send()
    await time.pass(4 * MINUTE)
    const [row] = await table.list({ limit: 1 })
    expect(row).toMatchObject({ outcome: 'unknown', outcomeReason: 'repository_not_accessible' })
    expect(runs.listings).toHaveLength(2)
  })

  test('outlasts 5 minutes in which GitHub lists nothing', async () => {
    const { runs, send, time, outcomes } = await begin()
    const delivery = await send()
    runs.listingStatus = 503
    await time.pass(5 * MINUTE)
    runs.listingStatus = 200
    await time.pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'success' })
  })

  test.each([-8, 0, 8])(
    'has a run although GitHub responds after 2.4 s, and its clock differs by %i s',
    async (seconds) => {
      const { runs, send, time, outcomes } = await begin()
      runs.clockAhead = seconds * SECOND
      runs.delay = 2400
      const delivery = await send()
      await time.pass(4 * MINUTE)
      expect(await outcomes()).toEqual({ [delivery]: 'success' })
    },
  )

  test('that GitHub accepted after 6.5 s has its run', async () => {
    const { runs, send, time, outcomes } = await begin()
    runs.delay = 6500
    const delivery = await send()
    await time.pass(4 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'success' })
  })

  test('that a run follows after 10 minutes gets a second notification', async () => {
    const { runs, send, time, received, drain } = await begin()
    runs.behavior.set('o/r', 'none')
    const delivery = await send()
    await time.pass(10 * MINUTE)
    runs.add('o/r', `hook ${delivery}`, 'success')
    await time.pass(10 * MINUTE)
    await drain(2)
    expect(received.map(({ type }) => type)).toEqual(['run.no_run', 'run.success'])
  })

  test('of several runs has the outcome of the run that failed', async () => {
    const { runs, send, time, outcomes } = await begin()
    runs.behavior.set('o/r', 'skipped')
    const delivery = await send()
    runs.add('o/r', `hook ${delivery}`, 'failure')
    runs.add('o/r', `hook ${delivery}`, 'success')
    await time.pass(MINUTE / 4)
    expect(await outcomes()).toEqual({ [delivery]: 'running' })
    await time.pass(2 * MINUTE)
    expect(await outcomes()).toEqual({ [delivery]: 'failure' })
  })

  test('that a notification started, and an event of a token URL, are not followed', async () => {
    const { send, time, runs, received } = await begin()
    await send('r', { isNotification: true })
    await send('r', { kind: 'token' })
    await time.pass(4 * MINUTE)
    expect([runs.listings, received]).toEqual([[], []])
  })

  test('of a batch is followed once, by the id of the batch, and all members have its outcome', async () => {
    const { time, put, outcomes, received, runs, drain } = await begin()
    const collection = { grouping: 'g', period: SECOND, quiet: null, length: 600 }
    for (let n = 1; n <= 3; n++) await put(id(n), { collection })
    await time.pass(3 * MINUTE)
    expect(await outcomes()).toEqual({ [id(1)]: 'success', [id(2)]: 'success', [id(3)]: 'success' })
    await drain(1)
    expect(received).toHaveLength(1)
    expect(runs.listings.length).toBeLessThanOrEqual(3)
  })

  test('is followed across a restart', async () => {
    const { send, time, database, kill, runs } = await begin()
    const delivery = await send()
    await kill()
    const again = await startScene(runs.rule, { database, time })
    scenes.push(again)
    runs.of(again)
    await time.pass(3 * MINUTE)
    expect(await again.table.list({ limit: 5 })).toMatchObject([
      { id: delivery, outcome: 'success' },
    ])
  })
})

test('steps and annotations are read while half of the lookups is left; then details are not read', async () => {
  const { runs, send, time, table, calls } = await begin()
  // A tenth of 200 calls are lookups.
  runs.limit = 200
  runs.behavior.set('o/r', 'nothing_fired')
  for (let n = 0; n < 12; n++) await send()
  await time.pass(50 * MINUTE)
  const rows = await table.list({ limit: 20 })
  const read = rows.filter(({ outcome }) => outcome === 'nothing_fired')
  const unread = rows.filter(({ details }) => details === 'not_read')
  expect(read.length).toBeGreaterThan(0)
  expect(unread.length).toBeGreaterThan(0)
  expect(unread.every(({ outcome }) => outcome === 'success')).toBe(true)
  expect(calls.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(20)
})

test('1,000 events of 10 repositories: each outcome is right, and one listing a repository and minute', async () => {
  const { runs, deliver, time, outcomes, received, receiver, metrics, drain, calls } = await begin({
    notify: { secret: SECRET, all: true },
  })
  const behaviors = [
    'success',
    'failure',
    'skipped',
    'held',
    'startup_failure',
    'none',
    'nothing_fired',
    'other_workflow',
  ] as const
  const expected = {
    success: 'success',
    failure: 'failure',
    skipped: 'skipped',
    held: 'waiting_for_approval',
    startup_failure: 'startup_failure',
    none: 'no_run',
    nothing_fired: 'nothing_fired',
    other_workflow: 'no_run',
  }
  // Details of each run are more than the limit of a usual token allows.
  runs.limit = 30_000
  const wanted: Record<string, string> = {}
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 50; n++) {
      const repository = `r${n % 10}`
      const behavior = behaviors[(n % 10) % behaviors.length] ?? 'success'
      runs.behavior.set(`o/${repository}`, behavior)
      const delivery = id(1000 + round * 50 + n)
      wanted[delivery] = expected[behavior]
      void deliver(delivery, { name: repository })
    }
    // Newer runs of other events in every repository.
    if (round === 5) for (let n = 0; n < 10; n++) runs.addOthers(`o/r${n}`, 50)
    await time.pass(30 * SECOND)
  }
  await time.pass(5 * MINUTE)
  expect(await outcomes()).toEqual(wanted)
  await drain(1000)
  // Each event has one notification, and each notification is sent once.
  const reported = received.filter(({ type }) => type.startsWith('run.'))
  expect(new Set(reported.map(({ data }) => data.delivery)).size).toBe(1000)
  expect(new Set(receiver.ids).size).toBe(receiver.ids.length)
  const gaps = runs.listings.map(({ repository, at }, index) => {
    const before = runs.listings.slice(0, index).findLast((one) => one.repository === repository)
    return before ? at - before.at : MINUTE
  })
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(MINUTE)
  // A tenth of the limit are lookups.
  const lookups = calls.filter(({ method }) => method === 'GET').length
  expect(lookups).toBeLessThanOrEqual(runs.limit / 10)
  expect(calls.filter(({ url }) => /[?&](?:event|created|status)=/.test(url))).toEqual([])
  expect(metrics.lines().join('\n')).toContain('hookline_runs_total{outcome="success"} 200')
})

test('a lookup of a repository that does not answer holds up no other one', async () => {
  const { runs, send, stand, time, outcomes } = await begin()
  stand.rule = (call) =>
    call.method === 'GET' && call.repository.startsWith('o/silent') ? 'silent' : runs.rule(call)
  const silent: string[] = []
  for (let n = 0; n < 6; n++) silent.push(await send(`silent-${n}`))
  const healthy = await send('healthy')
  await time.pass(3 * MINUTE)
  expect((await outcomes())[healthy]).toBe('success')
  expect((await outcomes())[silent[0] ?? '']).toBe('pending')
  await time.pass(HOUR)
  expect((await outcomes())[silent[0] ?? '']).toBe('unknown')
})
