import { describe, expect, test } from '@jest/globals'
import type { AttemptOutcome } from '../../../src/relay/delivery/answers.ts'
import {
  mostCalls,
  noteFailedRequest,
  noteOutcome,
  Queue,
} from '../../../src/relay/delivery/queue.ts'
import { MINUTE, SECOND } from '../../support/fake-time.ts'

const NOW = 1_000_000

const ACCEPTED: AttemptOutcome = {
  ...{ kind: 'accepted', accepted: 0, githubMs: null, run: null, follows: false },
}
const FAILED: AttemptOutcome = { kind: 'failed', reason: 'github_unavailable' }
const DOUBT: AttemptOutcome = { kind: 'doubt', reason: 'github_timeout', wait: 0 }
const PAUSED: AttemptOutcome = { kind: 'paused', reason: 'invalid_token', isInDoubt: false }
const limited = (wait: number): AttemptOutcome => ({
  kind: 'limited',
  reason: 'rate_limited',
  wait,
})

type Outcomes = readonly (readonly [outcome: AttemptOutcome, at?: number])[]

/** The state of a queue after outcomes, each with its time; the rest is in milliseconds from then. */
function after(outcomes: Outcomes) {
  const queue = new Queue('octo/shop#own')
  let now = NOW
  for (const [outcome, at = 0] of outcomes) {
    now = NOW + at
    noteOutcome(queue, outcome, { now: () => now, random: () => 0.5 })
  }
  const { failures, refusals, isRefused, failsSince, restUntil, restsFor } = queue
  return {
    ...{ failures, refusals, isRefused, restsFor, calls: mostCalls(queue) },
    since: failsSince - NOW,
    rest: restUntil === 0 ? 0 : restUntil - now,
  }
}

const FRESH = { failures: 0, refusals: 0, isRefused: false, restsFor: '', calls: 4 }
const NEVER = Number.POSITIVE_INFINITY

describe('a queue', () => {
  test.each<[name: string, outcomes: Outcomes, state: object]>([
    ['that is new sends four events', [], { ...FRESH, since: NEVER, rest: 0 }],
    [
      'with two failures goes on, and remembers the first',
      [[FAILED], [FAILED, 7]],
      { ...FRESH, failures: 2, restsFor: 'github_unavailable', since: 0, rest: 0 },
    ],
    [
      'with three failures rests for a random part of a second, and sends one event',
      [[FAILED], [FAILED], [FAILED]],
      { ...FRESH, failures: 3, restsFor: 'github_unavailable', calls: 1, since: 0, rest: 500 },
    ],
    [
      'with more failures rests twice as long each time',
      [[FAILED], [FAILED], [FAILED], [FAILED], [FAILED]],
      { ...FRESH, failures: 5, restsFor: 'github_unavailable', calls: 1, since: 0, rest: 2000 },
    ],
    [
      'rests for a minute at most',
      Array.from({ length: 30 }, () => [FAILED] as const),
      {
        ...FRESH,
        failures: 30,
        restsFor: 'github_unavailable',
        calls: 1,
        since: 0,
        rest: MINUTE / 2,
      },
    ],
    [
      'with one event in doubt sends one event',
      [[DOUBT]],
      { ...FRESH, failures: 3, restsFor: 'github_timeout', calls: 1, since: 0, rest: 500 },
    ],
    [
      'with another event in doubt fails once more',
      [[DOUBT], [DOUBT]],
      { ...FRESH, failures: 4, restsFor: 'github_timeout', calls: 1, since: 0, rest: 1000 },
    ],
    [
      'rests as long as GitHub asks for, also for an event in doubt',
      [[{ ...DOUBT, wait: 9000 }]],
      { ...FRESH, failures: 3, restsFor: 'github_timeout', calls: 1, since: 0, rest: 9000 },
    ],
    [
      'that GitHub limits does not fail',
      [[limited(5000)]],
      { ...FRESH, restsFor: 'rate_limited', since: NEVER, rest: 5000 },
    ],
    [
      'rests until the later end of two limits',
      [[limited(5000)], [limited(1000), 10]],
      { ...FRESH, restsFor: 'rate_limited', since: NEVER, rest: 4990 },
    ],
    [
      'whose credential is refused pauses for a minute',
      [[PAUSED]],
      {
        ...FRESH,
        refusals: 1,
        isRefused: true,
        restsFor: 'invalid_token',
        calls: 1,
        since: 0,
        rest: MINUTE,
      },
    ],
    [
      'whose credential is refused during a limit pauses for a minute from then',
      [[limited(5000)], [PAUSED, 10]],
      {
        ...{ ...FRESH, refusals: 1, isRefused: true, restsFor: 'invalid_token', calls: 1 },
        ...{ since: 10, rest: MINUTE },
      },
    ],
    [
      'whose overlapping calls are refused counts one refusal',
      [[PAUSED], [PAUSED, MINUTE - 1]],
      {
        ...FRESH,
        refusals: 1,
        isRefused: true,
        restsFor: 'invalid_token',
        calls: 1,
        since: 0,
        rest: MINUTE,
      },
    ],
    [
      'whose credential is refused again after its pause pauses for 5 minutes',
      [[PAUSED], [PAUSED, MINUTE]],
      {
        ...FRESH,
        refusals: 2,
        isRefused: true,
        restsFor: 'invalid_token',
        calls: 1,
        since: 0,
        rest: 5 * MINUTE,
      },
    ],
    [
      'goes on after an accepted event as if it were new',
      [[FAILED], [DOUBT], [PAUSED], [limited(5000)], [ACCEPTED]],
      { ...FRESH, restsFor: 'rate_limited', since: NEVER, rest: 0 },
    ],
    [
      'in which GitHub refuses an event does not fail, and may have failed before',
      [[FAILED], [FAILED], [{ kind: 'refused', reason: 'event_rejected' }], [FAILED, SECOND]],
      { ...FRESH, failures: 1, restsFor: 'github_unavailable', since: 0, rest: 0 },
    ],
    [
      'is unchanged by an event that waits alone, or at which the relay fails',
      [
        [FAILED],
        [{ kind: 'isolated', reason: 'unreadable', isInDoubt: false }],
        [{ kind: 'broken', reason: 'internal_error' }],
      ],
      { ...FRESH, failures: 1, restsFor: 'github_unavailable', since: 0, rest: 0 },
    ],
  ])('%s', (_, outcomes, state) => {
    expect(after(outcomes)).toEqual(state)
  })

  test('counts requests that fail together once, and one in doubt as three', () => {
    const queue = new Queue('octo/shop#own')
    const { isCalled, hasDue, isSelecting, selectsAt, turnAt, lookupAt } = queue
    expect([queue.name, queue.repository]).toEqual(['octo/shop#own', 'octo/shop'])
    expect([isCalled, hasDue, isSelecting]).toEqual([false, false, false])
    expect([selectsAt, turnAt, lookupAt]).toEqual([0, 0, 0])
    for (const [isDoubt, failures] of [
      [false, 1],
      [false, 1],
      [true, 3],
      [false, 3],
    ] as const) {
      noteFailedRequest(queue, isDoubt)
      expect(queue.failures).toBe(failures)
    }
  })
})
