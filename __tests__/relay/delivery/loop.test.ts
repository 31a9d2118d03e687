import { afterEach, describe, expect, test } from '@jest/globals'
import {
  collectionOf,
  type DeliveryScene,
  type DeliverySetup,
  type GitHubRule,
  id,
  type Reply,
  startScene,
} from '../../support/delivery-scene.ts'
import { HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'
import { encryptionOf, relayKeys } from '../../support/relay-keys.ts'

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

async function start(rule: GitHubRule, setup: DeliverySetup = {}): Promise<DeliveryScene> {
  const scene = await startScene(rule, setup)
  scenes.push(scene)
  return scene
}

const NO_RUNS: Reply = { status: 200, body: '{"total_count":0,"workflow_runs":[]}' }

/** Answers events by a rule, and lists no runs. */
const events =
  (reply: (call: Parameters<GitHubRule>[0]) => Reply): GitHubRule =>
  (call) =>
    call.method === 'POST' ? reply(call) : NO_RUNS

/** A list with the run of a delivery. */
const runOf = (delivery: string, at: number, more: object = {}) => ({
  id: 1,
  event: 'repository_dispatch',
  path: '.github/workflows/hook.yml',
  display_title: `hook ${delivery}`,
  status: 'completed',
  conclusion: 'success',
  created_at: new Date(at).toISOString(),
  html_url: 'https://github.com/o/r/actions/runs/1',
  ...more,
})

const listed = (...runs: object[]): Reply => ({
  status: 200,
  body: JSON.stringify({ total_count: runs.length, workflow_runs: runs }),
})

describe('an event that GitHub certainly does not have', () => {
  test.each([408, 409, 503])(
    'is sent again after a %i until GitHub accepts it, and then is delivered',
    async (status) => {
      let isDown = true
      const { put, time, states, posts, log } = await start(
        events(() => ({ status: isDown ? status : 204 })),
      )
      for (let n = 1; n <= 20; n++) await put(id(n))
      await time.pass(10 * MINUTE)
      expect(await states()).toMatchObject({ waiting: 20, delivered: 0 })
      // 3 immediately, then 1, 2, 4, … 60 s apart.
      expect(posts().length).toBeLessThan(40)
      isDown = false
      await time.pass(7 * MINUTE)
      expect(await states()).toMatchObject({ waiting: 0, delivered: 20, dead: 0 })
      expect(log).toContainEqual(expect.objectContaining({ change: 'delivered', delivery: id(1) }))
      expect(log).toContainEqual(expect.objectContaining({ change: 'deferred', delivery: id(1) }))
    },
  )

  test('of a token URL leaves the table when GitHub accepts it, and the sum is right', async () => {
    const { put, time, deliveries } = await start(events(() => ({ status: 204 })))
    for (let n = 1; n <= 5; n++) await put(id(n), { event: { kind: 'token' } })
    await time.pass(MINUTE)
    expect(await deliveries.table.figures()).toMatchObject({
      states: { waiting: 0, delivered: 0 },
      imbalance: 0,
    })
  })

  test.each([
    [
      'a 429 with Retry-After holds the credential',
      { status: 429, headers: { 'retry-after': '90' } },
      0,
    ],
    [
      'a 403 with Retry-After holds the credential',
      { status: 403, headers: { 'retry-after': '90' } },
      0,
    ],
    [
      'a 503 with Retry-After holds the queue alone',
      { status: 503, headers: { 'retry-after': '90' } },
      1,
    ],
  ])('%s', async (_name, reply, others) => {
    let isFirst = true
    const { put, time, posts } = await start(
      events(({ repository }) => {
        if (repository === 'o/other' || !isFirst) return { status: 204 }
        isFirst = false
        return reply
      }),
    )
    await put(id(1))
    await time.pass(SECOND)
    await put(id(2))
    await put(id(3), { event: { name: 'other' } })
    await time.pass(88 * SECOND)
    expect([posts(id(1)).length, posts(id(2)).length, posts(id(3)).length]).toEqual([1, 0, others])
    await time.pass(2 * MINUTE)
    expect([posts(id(1)).length, posts(id(2)).length, posts(id(3)).length]).toEqual([2, 1, 1])
  })

  /** The second line of such a message quotes the payload. */
  const REJECTION = JSON.stringify({ message: 'Invalid request.\n\n{"a":1} is not a string.' })

  test('a refused event is dead with its reason; an admin can queue it again', async () => {
    let isRefused = true
    const { put, time, rows, deliveries, states, posts } = await start(
      events(() => ({ status: isRefused ? 422 : 204, body: REJECTION })),
    )
    await put(id(1))
    await time.pass(SECOND)
    const [dead] = await rows()
    expect(dead).toMatchObject({ id: id(1), state: 'dead', reason: 'event_rejected', attempts: 1 })
    expect(dead?.explanation).toMatch(/422: Invalid request\.$/)
    isRefused = false
    expect(await deliveries.replay([id(1)], 'dead')).toBe(1)
    await time.pass(SECOND)
    expect(posts()).toHaveLength(2)
    expect(await states()).toMatchObject({ dead: 0, delivered: 1 })
    expect((await deliveries.table.figures()).imbalance).toBe(0)
  })

  test('a refused credential is tried after 1, 5, 15 and every 60 minutes', async () => {
    const { put, time, posts, log } = await start(
      events(() => ({ status: 401, body: '{}' })),
      { age: 1000 * HOUR },
    )
    for (let n = 1; n <= 5; n++) await put(id(n))
    await time.pass(4 * HOUR)
    const times = posts().map(({ at }) => at)
    const gaps = times.map((time, at) => Math.round((time - (times[at - 1] ?? time)) / MINUTE))
    expect(gaps.filter((gap) => gap > 0)).toEqual([1, 5, 15, 60, 60, 60])
    expect(log.some((line) => 'level' in line && line.level === 'error')).toBe(true)
  })

  test('a call that was open meanwhile, and is refused too, does not lengthen the rest', async () => {
    let isRefused = true
    const { put, time, posts, deliveries } = await start(
      events(() => ({ status: isRefused ? 401 : 204, body: '{}' })),
    )
    await put(id(1))
    await time.pass(SECOND)
    await put(id(2), { state: 'uncertain', reason: 'github_unavailable', wait: SECOND })
    const outcome = { kind: 'paused', reason: 'token_rejected', isInDoubt: false } as const
    const [open] = await deliveries.table.members(id(2))
    await deliveries.settle({ id: id(2), queue: open?.queue ?? '' }, outcome)
    isRefused = false
    await time.pass(75 * SECOND)
    // The first attempt makes two calls, because a refused token is asked for anew.
    expect([posts(id(1)).length, posts(id(2)).length]).toEqual([3, 1])
  })
})

const AMBIGUOUS: [name: string, reply: Reply][] = [
  ['500', { status: 500 }],
  ['502', { status: 502 }],
  ['504', { status: 504 }],
  ['a proxy that answers 200', { status: 200, body: '<html>' }],
  ['silence', 'silent'],
  ['a reset', 'reset'],
]

describe.each(AMBIGUOUS)('after %s GitHub may have the event', (_name, reply) => {
  test.each(['a stored event', 'a request'] as const)(
    'the relay sends %s once, looks for its run, and is done if there is one',
    async (path) => {
      const { put, deliver, time, calls, posts, states, rows, stand } = await start(NO_RULE)
      const begin = time.now
      stand.rule = ({ method }) => (method === 'POST' ? reply : listed(runOf(id(1), begin + 2000)))
      if (path === 'a request') deliver(id(1))
      else await put(id(1))
      await time.pass(9 * SECOND)
      expect(posts(id(1))).toHaveLength(1)
      await time.pass(2 * MINUTE)
      expect(posts(id(1))).toHaveLength(1)
      expect(await states()).toMatchObject({ delivered: 1, uncertain: 0, waiting: 0 })
      const [row] = await rows()
      expect(row).toMatchObject({ accepted: begin + 2000, run: expect.stringMatching('/runs/1$') })
      expect(calls.findIndex(({ method }) => method === 'GET')).toBe(1)
    },
  )

  test('without a run it is sent again after a lookup, at most once an attempt', async () => {
    const { put, time, calls, posts } = await start(events(() => reply))
    await put(id(1))
    await time.pass(30 * MINUTE)
    // After 10 s, 1, 5 and 30 minutes: a lookup before each.
    expect(posts().length).toBeGreaterThanOrEqual(3)
    expect(posts().length).toBeLessThanOrEqual(5)
    const order = calls.map(({ method }) => method).join(' ')
    expect(order).toMatch(/^POST GET POST GET POST/)
    expect(order).not.toMatch(/POST POST/)
  })
})

const NO_RULE: GitHubRule = () => ({ status: 204 })

describe('an uncertain event', () => {
  test('is tried ten times, spread over the maximum age, and then dead as maybe_accepted', async () => {
    const { put, time, posts, rows } = await start(
      ({ method }) => (method === 'POST' ? { status: 502 } : { status: 403, body: '{}' }),
      { age: 72 * HOUR },
    )
    await put(id(1))
    await time.pass(73 * HOUR)
    const times = posts().map(({ at }) => at)
    const minutes = times.map((time) => Math.round((time - (times[0] ?? 0)) / MINUTE))
    expect(times).toHaveLength(10)
    expect(minutes.slice(0, 6)).toEqual([0, 0, 1, 6, 36, 156])
    expect(minutes.at(-1)).toBeGreaterThan(50 * 60)
    expect(await rows()).toMatchObject([{ state: 'dead', reason: 'maybe_accepted' }])
  })

  test('lets the others of its queue pass while it waits for a lookup', async () => {
    let isDown = true
    const { put, time, states } = await start(
      events(({ delivery }) => ({ status: isDown && delivery === id(1) ? 502 : 204 })),
    )
    await put(id(1))
    await time.pass(SECOND)
    isDown = false
    for (let n = 2; n <= 6; n++) await put(id(n))
    await time.pass(5 * SECOND)
    expect(await states()).toMatchObject({ delivered: 5, uncertain: 1 })
  })

  test('of a repository is looked up with all others, at most once a minute', async () => {
    const { put, time, calls } = await start(events(() => ({ status: 502 })))
    for (let n = 1; n <= 10; n++) await put(id(n))
    await time.pass(10 * MINUTE)
    expect(calls.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(11)
  })
})

test('a slow GitHub: 202 after 2.5 s, one POST, and the event is delivered when it is accepted', async () => {
  const { deliver, time, posts, states } = await start(
    events(() => ({ status: 204, delay: 5 * SECOND })),
  )
  const sent = deliver(id(1))
  await time.pass(3 * SECOND)
  expect(await sent).toMatchObject({ queued: 'github_timeout' })
  expect(await states()).toMatchObject({ uncertain: 1 })
  await time.pass(3 * SECOND)
  expect(await states()).toMatchObject({ uncertain: 0, delivered: 1 })
  await time.pass(MINUTE)
  expect(posts()).toHaveLength(1)
})

test('a request makes no call whose refusal could come after its response, so that no event is in doubt', async () => {
  const { deliver, time, states, posts } = await start(
    events(() => ({ status: 503, delay: 300 })),
    // Calls after 0, 0.5 and 1.2 s; the next one would begin after 2.3 s, and end after 2.6 s.
    { random: () => 0.8 },
  )
  const sent = deliver(id(1))
  await time.pass(3 * SECOND)
  expect(await sent).toMatchObject({ queued: 'github_unavailable', tries: 3 })
  expect(await states()).toMatchObject({ uncertain: 0, waiting: 1 })
  expect(
    posts(id(1))
      .slice(0, 3)
      .map(({ at }) => at - START),
  ).toEqual([0, 500, 1200])
})

describe('age', () => {
  test('no event dies in an outage that is shorter than the maximum age', async () => {
    let isDown = true
    const { put, time, states } = await start(
      events(() => ({ status: isDown ? 503 : 204 })),
      { age: 12 * HOUR },
    )
    for (let n = 1; n <= 20; n++) await put(id(n))
    await time.pass(11 * HOUR)
    expect(await states()).toMatchObject({ waiting: 20, dead: 0 })
    isDown = false
    await time.pass(10 * MINUTE)
    expect(await states()).toMatchObject({ delivered: 20, dead: 0 })
  })

  test('events of a queue that fails until their maximum age are dead as too_old', async () => {
    const { put, time, states, rows } = await start(
      events(() => ({ status: 503 })),
      { age: HOUR },
    )
    for (let n = 1; n <= 50; n++) await put(id(n))
    await time.pass(HOUR + 3 * MINUTE)
    expect(await states()).toMatchObject({ waiting: 0, dead: 50 })
    expect((await rows())[0]).toMatchObject({ reason: 'too_old' })
  })

  test('a backlog that is too old, because the relay was off, survives a minute without network', async () => {
    const off = await start(events(() => ({ status: 503 })))
    for (let n = 1; n <= 100; n++) await off.put(id(n), { wait: 73 * HOUR })
    await off.kill()
    off.time.now += 73 * HOUR
    let isDown = true
    const { time, states } = await start(
      events(() => ({ status: isDown ? 503 : 204 })),
      { database: off.database, time: off.time },
    )
    await time.pass(MINUTE)
    isDown = false
    await time.pass(10 * MINUTE)
    expect(await states()).toMatchObject({ waiting: 0, dead: 0, delivered: 100 })
  })
})

describe('a restart', () => {
  test('goes on from the rows, and does not trust a clock that was ahead', async () => {
    const before = await start(events(() => ({ status: 503 })))
    before.time.now += 1000 * HOUR
    for (let n = 1; n <= 3; n++) await before.put(id(n), { wait: MINUTE, attempts: 1 })
    await before.kill()
    before.time.now -= 1000 * HOUR
    const { time, posts } = await start(NO_RULE, { database: before.database, time: before.time })
    await time.pass(2 * MINUTE)
    expect(
      posts()
        .map(({ delivery }) => delivery)
        .sort(),
    ).toEqual([1, 2, 3].map(id))
  })

  test('during a call: the event is uncertain, looked for, and not sent again', async () => {
    const before = await start(events(() => 'silent'))
    before.deliver(id(1))
    await before.time.pass(3 * SECOND)
    expect(await before.states()).toMatchObject({ uncertain: 1 })
    await before.kill()
    const at = before.time.now
    const { time, posts, states } = await start(
      ({ method }) => (method === 'POST' ? { status: 204 } : listed(runOf(id(1), at))),
      { database: before.database, time: before.time },
    )
    await time.pass(2 * MINUTE)
    expect([posts().length, await states()]).toMatchObject([0, { delivered: 1, uncertain: 0 }])
  })

  test('keeps events whose relay key is missing, counts them, and delivers them once it is back', async () => {
    const before = await start(events(() => ({ status: 503 })))
    await before.put(id(1), { wait: MINUTE })
    await before.kill()
    const { database, time } = before
    const encryption = await encryptionOf(relayKeys())
    const other = await start(NO_RULE, { database, time, encryption })
    await time.pass(5 * HOUR)
    expect(await other.deliveries.table.figures()).toMatchObject({ unreadable: 1 })
    expect(other.log).toContainEqual({ change: 'unreadable', events: 1 })
    expect(other.posts()).toEqual([])
    await other.kill()
    const again = await start(NO_RULE, { database, time })
    await time.pass(MINUTE)
    expect(again.posts(id(1))).toHaveLength(1)
  })
})

describe('a failing disk', () => {
  test('an event that GitHub has is not sent again while the disk fails, and is recorded afterwards', async () => {
    const { put, time, database, posts, log, deliveries } = await start(NO_RULE)
    await put(id(1), { event: { kind: 'token' } })
    database.isFailing = true
    await time.pass(MINUTE)
    expect(posts()).toHaveLength(1)
    expect(log).toContainEqual(expect.objectContaining({ change: 'disk', delivery: id(1) }))
    database.isFailing = false
    await time.pass(MINUTE)
    expect(await deliveries.table.figures()).toMatchObject({ states: { waiting: 0 }, imbalance: 0 })
    expect(posts()).toHaveLength(1)
  })

  test('a request is sent to GitHub, also behind waiting events; 503 only if GitHub fails too', async () => {
    let isDown = true
    const { put, deliver, time, database } = await start(
      events(() => ({ status: isDown ? 503 : 204 })),
    )
    await put(id(1), { wait: HOUR })
    database.isFailing = true
    const refused = deliver(id(2))
    await time.pass(10 * SECOND)
    await expect(refused).rejects.toMatchObject({ code: 'storage_full' })
    isDown = false
    const sent = deliver(id(3))
    await time.pass(10 * SECOND)
    expect(await sent).toMatchObject({ tries: 1 })
  })
})

test('with 40 calls a run, as on Workers, a backlog goes on in the next run, and none is sent twice', async () => {
  const { put, time, posts, states } = await start(NO_RULE, { mostCalls: 40 })
  for (let n = 1; n <= 100; n++) await put(id(n))
  await time.pass(2 * MINUTE)
  expect(await states()).toMatchObject({ delivered: 100, waiting: 0 })
  expect(new Set(posts().map(({ delivery }) => delivery)).size).toBe(100)
  expect(posts()).toHaveLength(100)
})

test('with 40 calls a run, the first events of many repositories leave calls for their tokens', async () => {
  const { put, time, posts, states, deliveries } = await start(
    events(() => ({ status: 204 })),
    { mostCalls: 40, minInterval: 0 },
  )
  const { schedule } = deliveries
  const run = schedule.run.bind(schedule)
  let most = 0
  schedule.run = async (options) => {
    const before = posts().length
    await run(options)
    most = Math.max(most, posts().length - before)
  }
  for (let n = 1; n <= 40; n++) {
    await put(id(n), { event: { name: `r${n}`, isNotification: true } })
  }
  await time.pass(5 * MINUTE)
  // An installation, its token, the default branch, and the event.
  expect(most * 4).toBeLessThanOrEqual(50)
  expect(await states()).toMatchObject({ delivered: 40, waiting: 0 })
})

test('with 40 calls a run, the lookups of many queues take several runs, and nothing is sent twice', async () => {
  const { put, time, posts, states, calls, deliveries } = await start(
    events(() => ({ status: 204 })),
    { mostCalls: 40 },
  )
  const { schedule } = deliveries
  const run = schedule.run.bind(schedule)
  let most = 0
  schedule.run = async (options) => {
    const before = calls.length
    await run(options)
    most = Math.max(most, calls.length - before)
  }
  for (let n = 1; n <= 100; n++) {
    const event = { name: `r${n}`, isNotification: true }
    await put(id(n), { event, state: 'uncertain', wait: MINUTE })
  }
  await time.pass(5 * MINUTE)
  expect(most).toBeLessThanOrEqual(50)
  expect(await states()).toMatchObject({ delivered: 100, uncertain: 0 })
  expect(posts()).toHaveLength(100)
})

test('a batch whose first members are deleted, also during its call, is sent once', async () => {
  let isDown = true
  const { put, time, deliveries, posts, states } = await start(
    events(() => (isDown ? { status: 503 } : { status: 204, delay: 5 * SECOND })),
  )
  for (const n of [1, 2, 3]) await put(id(n), { collection: collectionOf(1) })
  await time.pass(2 * SECOND)
  await deliveries.delete({ id: id(1) })
  isDown = false
  const before = posts().length
  for (let waited = 0; posts().length === before && waited < 600; waited++) await time.pass(SECOND)
  await deliveries.delete({ id: id(2) })
  // The queue is looked at because of another event.
  await put(id(4))
  await time.pass(10 * MINUTE)
  expect(posts().length - before).toBe(2)
  expect(await states()).toMatchObject({ delivered: 2, waiting: 0 })
})

test('an admin deletes a waiting event; a deleted endpoint ends its events', async () => {
  const { put, time, deliveries, posts, rows } = await start(events(() => ({ status: 503 })))
  await put(id(1))
  await put(id(2))
  await time.pass(SECOND)
  expect(await deliveries.delete({ id: id(1) })).toBe(1)
  expect(await deliveries.endDeleted('o', 'e1')).toBe(1)
  const sent = posts().length
  await time.pass(HOUR)
  expect(posts()).toHaveLength(sent)
  expect(await rows()).toMatchObject([{ id: id(2), state: 'dead', reason: 'endpoint_deleted' }])
})

test('while GitHub refuses the token of an endpoint, 1,000 of its events are stored, also after a restart', async () => {
  const refuses = events(() => ({ status: 401, body: '{}' }))
  const first = await start(refuses)
  const { database, encryption, time } = first
  const queue = 'o/r#0123456789abcdef'
  for (let n = 1; n <= 998; n++) expect(await first.put(id(n), { queue })).toBe(true)
  await first.kill()
  const { put } = await start(refuses, { database, encryption, time })
  await time.pass(SECOND)
  for (const [n, isStored] of [true, true, false].entries()) {
    expect(await put(id(999 + n), { queue })).toBe(isStored)
  }
  // Events of another credential are stored.
  expect(await put(id(2000))).toBe(true)
})
