import { describe, expect, test } from '@jest/globals'
import { RunFollower } from '../../../src/relay/delivery/follow-runs.ts'
import type { ChangeLine } from '../../../src/relay/delivery/log-lines.ts'
import { CallBudget } from '../../../src/relay/delivery/schedule.ts'
import { RelayError } from '../../../src/relay/errors.ts'
import type { FoundRuns, RunDetails } from '../../../src/relay/github/runs.ts'
import type { DeliveryTable } from '../../../src/relay/store/deliveries.ts'
import type {
  FollowedDelivery,
  RunOutcome,
  RunStep,
} from '../../../src/relay/store/delivery-rows.ts'
import type { WorkflowRun } from '../../../src/wire/run-lookup.ts'
import { id } from '../../support/delivery-scene.ts'
import { HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'

const URL_1 = 'https://github.com/o/r/actions/runs/1'

/** An event that GitHub accepted at the start. */
function eventOf(changes: Partial<FollowedDelivery> = {}): FollowedDelivery {
  return {
    ...{ seq: 1, id: id(1), request: id(1), replayOf: null, batch: null, owner: 'o' },
    ...{ repository: 'o/r', queue: 'o/r#own', endpoint: 'e1', path: 'hook/webhook/x' },
    ...{ method: 'POST', received: 0, size: 2, state: 'delivered', reason: '', since: 0 },
    ...{ queued: false, at: 0, attempts: 1, doubts: 0, next: 0, wait: 0, accepted: START },
    ...{ githubMs: 1, run: null, outcome: 'pending', outcomeReason: null, conclusion: null },
    ...{ details: null, failures: 0, explanation: null, key: null, bytes: 0 },
    ...changes,
  }
}

/** The run of that event, which succeeded. */
function runOf(changes: Partial<WorkflowRun> = {}): WorkflowRun {
  return {
    ...{ id: 1, delivery: id(1), workflow: 'hook', event: 'repository_dispatch', url: URL_1 },
    ...{ state: 'completed', conclusion: 'success', started: new Date(START).toISOString() },
    ...changes,
  }
}

interface Given {
  readonly events?: readonly FollowedDelivery[]
  readonly found?: Partial<FoundRuns>
  /** Milliseconds since the acceptance. */
  readonly age?: number
  readonly details?: Partial<RunDetails> | 'fails'
  readonly lookupsUsed?: number
  readonly last?: readonly RunOutcome[]
  readonly notify?: { readonly all: boolean }
  readonly credential?: () => Promise<never>
}

function begin({
  events = [eventOf()],
  found,
  age = 0,
  details = {},
  lookupsUsed = 0,
  last = [],
  notify,
  credential,
}: Given) {
  const time = { now: START + age }
  const steps: (RunStep & { readonly id: string })[] = []
  const statements: string[] = []
  const [log, reported, counted, alarms, asked]: [
    ChangeLine[],
    unknown[],
    string[],
    unknown[],
    unknown[],
  ] = [[], [], [], [], []]
  const next: { run: number | undefined; fault?: Error } = { run: undefined }
  const counts: { read: string[]; notified: number } = { read: [], notified: 0 }
  const table = {
    dueRuns: async () => {
      if (next.fault) throw next.fault
      return events
    },
    progress: (event: FollowedDelivery, step: RunStep) => {
      const { outcome, outcomeReason, conclusion, details: of, run, failures, next: at } = step
      steps.push({
        id: event.id,
        outcome,
        outcomeReason,
        conclusion,
        details: of,
        run,
        failures,
        next: at,
      })
      return ['progress']
    },
    write: async (all: readonly (readonly string[])[]) => {
      statements.push(
        ...all.map(([text = '', ...values]) =>
          text === 'progress' ? text : String(values.at(-1)),
        ),
      )
    },
    nextRun: async () => next.run,
    lastOutcomes: async () => last,
    // The other methods are not called.
  } as unknown as DeliveryTable
  const follower = new RunFollower({
    table,
    limiters: { of: () => ({ lookupsUsed }) as never },
    credentialOf:
      credential ??
      (async () => ({ kind: 'endpoint', isOwn: true, secrets: [], token: async () => undefined })),
    readRuns: async ({ repository }, since) => {
      asked.push([repository, since - START])
      return { runs: [], isComplete: true, ...found }
    },
    readDetails: async (_, { url }) => {
      counts.read.push(url)
      if (details === 'fails') throw new Error('no details')
      return { jobs: 1, skipped: [], ...details }
    },
    alarms: { change: async (...change) => void alarms.push(change) },
    notify,
    notified: () => counts.notified++,
    counted: (outcome) => counted.push(outcome),
    log: (line) => log.push(line),
    now: () => time.now,
    report: (error) => reported.push(error),
  })
  const run = (calls?: number) => follower.run(new CallBudget(calls))
  return {
    follower,
    run,
    time,
    steps,
    statements,
    log,
    reported,
    counted,
    alarms,
    asked,
    next,
    counts,
  }
}

const NONE = { outcomeReason: null, conclusion: null, details: null, run: null, failures: 0 }
const ENDED = { ...NONE, conclusion: 'success', run: URL_1, next: null }
const UNNAMED = runOf({ delivery: null, url: 'x' })
const DOWN = new RelayError('github_unavailable')
const REFUSED = new RelayError('repository_not_accessible')

/** Milliseconds from now to the next lookup. */
const later = (age: number, milliseconds: number) => START + age + milliseconds

test.each<[name: string, given: Given, step: Partial<RunStep>]>([
  ['a run that succeeded', { found: { runs: [runOf()] } }, { ...ENDED, outcome: 'success' }],
  [
    'a run that failed',
    { found: { runs: [runOf({ conclusion: 'cancelled' })] }, details: { failed: 'step Deploy' } },
    { ...ENDED, outcome: 'failure', conclusion: 'cancelled', outcomeReason: 'step Deploy' },
  ],
  [
    'a run in which nothing fired',
    { found: { runs: [runOf()] }, details: { nothingFired: 'method: post' } },
    { ...ENDED, outcome: 'nothing_fired', outcomeReason: 'method: post' },
  ],
  [
    'a run whose details fail',
    { found: { runs: [runOf()] }, details: 'fails' },
    { ...ENDED, outcome: 'success', details: 'not_read' },
  ],
  [
    'a run while half of the lookups is used up',
    { found: { runs: [runOf()] }, details: { failed: 'x' }, lookupsUsed: 0.5 },
    { ...ENDED, outcome: 'success', details: 'not_read' },
  ],
  [
    'a run while less than half of the lookups is used up',
    { found: { runs: [runOf()] }, details: { failed: 'x' }, lookupsUsed: 0.49 },
    { ...ENDED, outcome: 'success', outcomeReason: 'x' },
  ],
  [
    'an invalid workflow',
    { found: { runs: [runOf({ conclusion: 'startup_failure' })] } },
    { ...ENDED, outcome: 'startup_failure', conclusion: 'startup_failure' },
  ],
  [
    'a run that was skipped within 2 minutes',
    { found: { runs: [runOf({ conclusion: 'skipped' })] }, age: 2 * MINUTE - 1 },
    { ...ENDED, outcome: 'running', conclusion: 'skipped', next: later(2 * MINUTE - 1, MINUTE) },
  ],
  [
    'a run that is skipped after 2 minutes',
    { found: { runs: [runOf({ conclusion: 'skipped' })] }, age: 2 * MINUTE },
    { ...ENDED, outcome: 'skipped', conclusion: 'skipped' },
  ],
  [
    'a run that goes on after 10 minutes',
    { found: { runs: [runOf({ conclusion: null, state: 'queued' })] }, age: 10 * MINUTE },
    { ...NONE, outcome: 'running', run: URL_1, next: later(10 * MINUTE, MINUTE) },
  ],
  [
    'a run that goes on after 20 minutes',
    { found: { runs: [runOf({ conclusion: null, state: 'queued' })] }, age: 20 * MINUTE + 4 },
    { ...NONE, outcome: 'running', run: URL_1, next: later(20 * MINUTE + 4, 2 * MINUTE) },
  ],
  [
    'a run that waits for a person for 7 days',
    { found: { runs: [runOf({ conclusion: null, state: 'waiting' })] }, age: 168 * HOUR },
    { ...NONE, outcome: 'waiting_for_approval', run: URL_1, next: later(168 * HOUR, 16.8 * HOUR) },
  ],
  [
    'a run that waits for more than 7 days',
    { found: { runs: [runOf({ conclusion: null, state: 'waiting' })] }, age: 168 * HOUR + 1 },
    { ...NONE, outcome: 'unknown', outcomeReason: 'too_long', next: null },
  ],
  [
    'the run of a batch, by its id',
    { events: [eventOf({ batch: id(7) })], found: { runs: [runOf({ delivery: id(7) })] } },
    { ...ENDED, outcome: 'success' },
  ],
  [
    'a run that began 5 s earlier by another clock',
    { found: { runs: [runOf({ started: new Date(START - 5 * SECOND).toISOString() })] } },
    { ...ENDED, outcome: 'success' },
  ],
  [
    'a run from before a replay',
    { found: { runs: [runOf({ started: new Date(START - 5001).toISOString() })] } },
    { ...NONE, outcome: 'pending', next: later(0, MINUTE) },
  ],
  [
    'no run yet',
    { age: 2 * MINUTE - 1 },
    { ...NONE, outcome: 'pending', next: later(2 * MINUTE - 1, MINUTE) },
  ],
  [
    'no run within 2 minutes',
    { age: 2 * MINUTE },
    { ...NONE, outcome: 'no_run', next: later(2 * MINUTE, MINUTE) },
  ],
  [
    'no run within an hour',
    { age: HOUR - 1 },
    { ...NONE, outcome: 'no_run', next: later(HOUR - 1, 6 * MINUTE) },
  ],
  ['no run after an hour', { age: HOUR }, { ...NONE, outcome: 'no_run', next: null }],
  [
    'a run that is known, but not listed',
    { events: [eventOf({ run: URL_1, outcome: 'running' })], age: 3 * MINUTE },
    { ...NONE, outcome: 'running', run: URL_1, next: later(3 * MINUTE, MINUTE) },
  ],
  [
    'more runs than can be listed',
    { found: { isComplete: false }, age: 3 * MINUTE },
    { ...NONE, outcome: 'unknown', outcomeReason: 'too_many_runs', next: null },
  ],
  [
    'a run without a delivery id',
    { found: { runs: [UNNAMED] }, age: 3 * MINUTE },
    { ...NONE, outcome: 'unknown', outcomeReason: 'no_delivery_id', next: null },
  ],
  [
    'a run without a delivery id that began 5 s earlier by another clock',
    {
      found: { runs: [{ ...UNNAMED, started: new Date(START - 5 * SECOND).toISOString() }] },
      age: 3 * MINUTE,
    },
    { ...NONE, outcome: 'unknown', outcomeReason: 'no_delivery_id', next: null },
  ],
  [
    'a run without a delivery id, of workflow_dispatch',
    { found: { runs: [{ ...UNNAMED, event: 'workflow_dispatch' }] }, age: 3 * MINUTE },
    { ...NONE, outcome: 'unknown', outcomeReason: 'no_delivery_id', next: null },
  ],
  [
    'runs without a delivery id that are not of the event',
    {
      found: {
        runs: [
          { ...UNNAMED, event: 'push' },
          { ...UNNAMED, workflow: 'other' },
          { ...UNNAMED, started: new Date(START - 5001).toISOString() },
          runOf({ delivery: id(2), url: 'x' }),
        ],
      },
      age: 3 * MINUTE,
    },
    { ...NONE, outcome: 'no_run', next: later(3 * MINUTE, MINUTE) },
  ],
  [
    'a run of another workflow',
    { found: { runs: [runOf({ workflow: 'other' })] }, age: 3 * MINUTE },
    {
      ...NONE,
      outcome: 'no_run',
      outcomeReason: 'other_workflow',
      next: later(3 * MINUTE, MINUTE),
    },
  ],
  [
    'a failed lookup, the ninth in a row',
    { events: [eventOf({ failures: 8, run: URL_1 })], found: { error: DOWN } },
    { ...NONE, outcome: 'pending', failures: 9, run: URL_1, next: later(0, MINUTE) },
  ],
  [
    'a failed lookup, the tenth in a row',
    { events: [eventOf({ failures: 9, run: URL_1 })], found: { error: DOWN } },
    { ...NONE, outcome: 'unknown', outcomeReason: 'github_unavailable', run: URL_1, next: null },
  ],
  [
    'a refused lookup',
    { found: { error: REFUSED } },
    { ...NONE, outcome: 'pending', failures: 1, next: later(0, MINUTE) },
  ],
  [
    'a refused lookup, the second in a row',
    { events: [eventOf({ failures: 1 })], found: { error: REFUSED } },
    { ...NONE, outcome: 'unknown', outcomeReason: 'repository_not_accessible', next: null },
  ],
  [
    'an endpoint without a credential',
    {
      events: [eventOf({ failures: 1 })],
      credential: async () => {
        throw new RelayError('endpoint_deleted')
      },
    },
    { ...NONE, outcome: 'unknown', outcomeReason: 'endpoint_deleted', next: null },
  ],
])('after %s', async (_, given, step) => {
  const { run, steps, reported } = begin(given)
  await run()
  expect([steps, reported]).toEqual([[{ id: id(1), ...step }], []])
})

describe('a new outcome', () => {
  test('is logged, counted and told once', async () => {
    const { run, log, counted, statements, alarms, counts } = begin({
      events: [eventOf(), eventOf({ id: id(2), endpoint: 'e2', outcome: 'no_run' })],
      found: {
        runs: [
          runOf({ conclusion: 'failure' }),
          runOf({ delivery: id(2), url: 'x', conclusion: 'startup_failure' }),
        ],
      },
      details: { failed: 'the payload' },
      notify: { all: false },
      last: ['failure'],
    })
    await run()
    const line = { change: 'run', level: 'error', repository: 'o/r' }
    expect(log).toStrictEqual([
      { ...line, outcome: 'failure', delivery: id(1), endpoint: 'e1', run: URL_1 },
      { ...line, outcome: 'startup_failure', delivery: id(2), endpoint: 'e2', run: 'x' },
    ])
    expect([counted, counts]).toEqual([
      ['failure', 'startup_failure'],
      { read: [URL_1], notified: 1 },
    ])
    expect(statements.map((text) => (text === 'progress' ? text : JSON.parse(text)))).toEqual([
      'progress',
      {
        ...{ type: 'run.failure', timestamp: new Date(START).toISOString() },
        data: {
          ...{ delivery: id(1), repository: 'o/r', endpoint: 'o/e1', outcome: 'failure' },
          ...{ accepted_at: new Date(START).toISOString(), conclusion: 'failure', run: URL_1 },
        },
      },
      'progress',
      expect.objectContaining({ type: 'run.startup_failure' }),
    ])
    expect(alarms).toEqual([
      ['no_runs', 'o/e1 o/r', false],
      ['no_runs', 'o/e2 o/r', false],
    ])
  })

  test.each<[outcome: RunOutcome, details: Partial<RunDetails>, told: object]>([
    ['nothing_fired', { nothingFired: 'method: post is not among put' }, { reason: 'method' }],
    ['success', {}, {}],
  ])('%s is told if all are to be told', async (outcome, details, reason) => {
    const { run, statements, log } = begin({
      found: { runs: [runOf()] },
      details,
      notify: { all: true },
    })
    await run()
    const told = JSON.parse(statements[1] ?? '')
    expect(told).toMatchObject({ type: `run.${outcome}`, data: { outcome, ...reason } })
    expect('reason' in told.data).toBe('reason' in reason)
    expect(log).toMatchObject([{ outcome, ...reason }])
    expect(log[0]).not.toHaveProperty('level')
  })

  test('of an event without a run, or that is unknown, is told with what is known', async () => {
    for (const [found, outcome, reason] of [
      [{}, 'no_run', {}],
      [{ isComplete: false }, 'unknown', { reason: 'too_many_runs' }],
    ] as const) {
      const { run, log, statements } = begin({ found, age: 3 * MINUTE, notify: { all: false } })
      await run()
      const level = outcome === 'no_run' ? { level: 'error' } : {}
      const names = { repository: 'o/r', delivery: id(1) }
      expect(log).toStrictEqual([
        { change: 'run', ...level, outcome, ...names, endpoint: 'e1', ...reason },
      ])
      expect(JSON.parse(statements[1] ?? '').data).toEqual({
        ...{ ...names, endpoint: 'o/e1', outcome, ...reason },
        accepted_at: new Date(START).toISOString(),
      })
    }
  })

  test.each([
    ['success', { all: false }],
    ['failure', undefined],
  ])('%s is not told with %j', async (conclusion, notify) => {
    const { run, statements, counts } = begin({
      found: { runs: [runOf({ delivery: id(2), url: 'x' }), runOf({ conclusion })] },
      ...(notify && { notify }),
    })
    await run()
    expect([statements, counts.read]).toEqual([['progress'], [URL_1]])
  })

  test('that is on the way, or that was known, is not told', async () => {
    for (const given of [
      { found: { runs: [runOf({ conclusion: null })] } },
      { events: [eventOf({ outcome: 'no_run' })], age: 3 * MINUTE },
      { events: [eventOf({ outcome: 'success' })], found: { runs: [runOf()] } },
    ]) {
      const { run, log, counted, statements, counts } = begin({
        ...given,
        notify: { all: true },
      } as Given)
      await run()
      expect([log, counted, statements, counts.read]).toEqual([[], [], ['progress'], []])
    }
  })

  test.each<[last: readonly RunOutcome[], changes: readonly unknown[]]>([
    [['no_run', 'no_run', 'no_run'], [['no_runs', 'o/e1 o/r', true]]],
    [['no_run', 'no_run', 'success'], []],
    [['no_run', 'no_run'], []],
    [['success', 'no_run', 'no_run'], [['no_runs', 'o/e1 o/r', false]]],
    [[], [['no_runs', 'o/e1 o/r', false]]],
  ])('after which the last ones are %j changes the alarm: %j', async (last, changes) => {
    const { run, alarms } = begin({ age: 3 * MINUTE, last })
    await run()
    expect(alarms).toEqual(changes)
  })
})

describe('lookups', () => {
  test('of a queue are a minute apart, each for all its events since the oldest', async () => {
    const events = [
      eventOf({ accepted: START + 7 }),
      eventOf({ id: id(2), accepted: START + 3 }),
      eventOf({ id: id(3), queue: 'o/other#own', repository: 'o/other', accepted: START + 9 }),
    ]
    const { run, asked, time, follower, next } = begin({ events, age: 10 })
    expect(follower.next()).toBe(0)
    await run()
    const once = [
      [{ owner: 'o', name: 'r' }, 3],
      [{ owner: 'o', name: 'other' }, 9],
    ]
    expect([asked, follower.next()]).toEqual([once, undefined])
    time.now += MINUTE - 1
    next.run = time.now
    await run()
    // What is overdue waits for the next lookup of its queue.
    expect([asked.length, follower.next()]).toEqual([2, START + 10 + MINUTE])
    next.run = time.now + 7
    await run()
    expect([asked.length, follower.next()]).toEqual([2, time.now + 7])
    time.now += 1
    await run()
    expect(asked).toEqual([...once, ...once])
  })

  test('of what is overdue wait for the first queue that may be looked up', async () => {
    const events = [eventOf()]
    const { run, asked, time, follower, next } = begin({ events })
    await run()
    time.now += 30 * SECOND
    events.push(eventOf({ id: id(2), queue: 'o/other#own', repository: 'o/other' }))
    next.run = time.now
    await run()
    expect([asked.length, follower.next()]).toEqual([2, START + MINUTE])
  })

  test.each([
    [undefined, 8],
    [8, 2],
    [15, 3],
  ])('with %p calls are at most %i at a time', async (calls, most) => {
    const events = Array.from({ length: 20 }, (_, n) =>
      eventOf({ id: id(n), queue: `o/r${n}#own` }),
    )
    let [open, peak] = [0, 0]
    const credential = async () => {
      peak = Math.max(peak, ++open)
      await new Promise((resolve) => setImmediate(resolve))
      open--
      throw DOWN
    }
    const { run, steps } = begin({ events, credential })
    await run(calls)
    expect([peak, steps.length]).toEqual([most, 20])
  })

  test('end when the calls are used up, and go on in the next run', async () => {
    const events = [1, 2, 3].map((n) => eventOf({ id: id(n), queue: `o/r${n}#own` }))
    const { run, asked, follower, next, time } = begin({ events })
    next.run = START
    await run(3)
    expect([asked.length, follower.next()]).toEqual([0, START])
    // Four calls are reserved for each.
    const { budget } = follower
    await run(8)
    expect(asked).toHaveLength(3)
    expect(budget).not.toBe(follower.budget)
    expect(follower.next()).toBe(time.now + MINUTE)
  })

  test('go on a minute after the database failed', async () => {
    const { run, follower, next, reported, counts } = begin({})
    next.fault = new Error('disk fails')
    await run()
    expect([reported, follower.next(), counts.notified]).toEqual([[next.fault], START + MINUTE, 0])
    follower.follows(START + 2 * MINUTE)
    expect(follower.next()).toBe(START + MINUTE)
    follower.follows(START + 5)
    expect(follower.next()).toBe(START + 5)
  })

  test('of one queue may fail, which is reported', async () => {
    const fault = new Error('a bug')
    const { run, steps, reported } = begin({
      credential: async () => {
        throw fault
      },
    })
    await run()
    expect([steps, reported]).toEqual([[], [fault]])
  })
})
