import { describe, expect, test } from '@jest/globals'
import type { NotAccepted } from '../../../src/relay/delivery/answers.ts'
import {
  MOST_DOUBTS,
  nextAttempt,
  pauseAfter,
  reasonOfAge,
} from '../../../src/relay/delivery/retry-policy.ts'
import type { DeliveryState } from '../../../src/relay/store/delivery-rows.ts'
import { HOUR, MINUTE, SECOND } from '../../support/fake-time.ts'

type Failure = NotAccepted

const AT = 1_000_000
const AGE = 72 * HOUR

interface Event {
  readonly state?: DeliveryState
  readonly attempts?: number
  readonly doubts?: number
}

/** @param after milliseconds since the event arrived */
function next(outcome: Failure, event: Event = {}, after = 0, random = 1) {
  const { state = 'waiting', attempts = 0, doubts = 0 } = event
  const time = { now: AT + after, random, age: AGE }
  return nextAttempt({ state, at: AT, attempts, doubts }, outcome, time)
}

const FAILED: Failure = { kind: 'failed', reason: 'github_unavailable' }
const DOUBT: Failure = { kind: 'doubt', reason: 'unknown_outcome', wait: 0 }

describe('an event that GitHub certainly did not take', () => {
  test('waits at most 1 s, then twice as long each time, and never longer than 5 minutes', () => {
    const waits = Array.from({ length: 12 }, (_, attempts) => next(FAILED, { attempts }))
    expect(waits).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => ({
        state: 'waiting',
        wait: seconds * SECOND,
        doubts: 0,
      })),
    )
  })

  test('waits a random part of that time', () => {
    const waits = [0, 0.25, 0.5].map((random) => next(FAILED, { attempts: 3 }, 0, random))
    expect(waits).toMatchObject([{ wait: 0 }, { wait: 2 * SECOND }, { wait: 4 * SECOND }])
  })

  test('is dead as too_old after the maximum age, and not before', () => {
    const event = { attempts: 9 }
    expect(next(FAILED, event, AGE)).toMatchObject({ state: 'waiting' })
    expect(next(FAILED, event, AGE + 1)).toEqual({ state: 'dead', reason: 'too_old', doubts: 0 })
  })

  test('gets ten attempts, however old it is: the relay may have been off', () => {
    expect(next(FAILED, { attempts: 8 }, 2 * AGE)).toMatchObject({ state: 'waiting' })
    const event = { state: 'uncertain', attempts: 3, doubts: 3 } as const
    expect(next(DOUBT, event, 2 * AGE)).toMatchObject({ wait: 30 * MINUTE, doubts: 4 })
    const late = { state: 'uncertain', attempts: 7, doubts: 7 } as const
    expect(next(DOUBT, late, 2 * AGE)).toMatchObject({ wait: 2 * HOUR, doubts: 8 })
    expect(next(DOUBT, late, AGE)).toMatchObject({ wait: 2 * HOUR, doubts: 8 })
  })

  test('stays uncertain if an earlier attempt was in doubt, and is then dead as maybe_accepted', () => {
    const event = { state: 'uncertain', attempts: 9, doubts: 1 } as const
    expect(next(FAILED, event)).toEqual({ state: 'uncertain', wait: expect.any(Number), doubts: 1 })
    expect(next(FAILED, event, AGE + 1)).toMatchObject({ state: 'dead', reason: 'maybe_accepted' })
  })
})

describe('an event that GitHub may have taken', () => {
  test('waits 10 s, 1 minute, 5 minutes, 30 minutes and 2 hours, then evenly until the maximum age', () => {
    let passed = 0
    const waits: number[] = []
    for (let doubts = 0; doubts < MOST_DOUBTS; doubts++) {
      const event = { state: 'uncertain', attempts: doubts, doubts } as const
      const result = next(DOUBT, event, passed)
      if (result.state === 'dead') throw new Error(`dead after ${doubts} doubts`)
      expect(result).toMatchObject({ state: 'uncertain', doubts: doubts + 1 })
      waits.push(result.wait)
      passed += result.wait
    }
    const first = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]
    expect(waits.slice(0, 5)).toEqual(first)
    const left = AGE - first.reduce((sum, wait) => sum + wait, 0)
    for (const wait of waits.slice(5)) expect(Math.abs(wait - left / 5)).toBeLessThanOrEqual(5)
    // After the tenth it only waits for its end.
    expect(passed).toBe(AGE + 1)
  })

  test('is not sent again within 10 s, whatever the last answer was', () => {
    expect(next(DOUBT, { doubts: 8 }, AGE - 1)).toMatchObject({ wait: 10 * SECOND })
    const refused: Failure = { kind: 'paused', reason: 'invalid_token', isInDoubt: true }
    expect(next(refused)).toMatchObject({ state: 'uncertain', wait: 10 * SECOND })
  })

  test('waits shorter at once if little is left of the maximum age', () => {
    expect(next(DOUBT, { doubts: 3 }, AGE - 14 * MINUTE)).toMatchObject({ wait: 2 * MINUTE })
  })

  test('is dead as maybe_accepted after the maximum age', () => {
    expect(next(DOUBT, { attempts: 9, doubts: 2 }, AGE + 1)).toEqual({
      state: 'dead',
      reason: 'maybe_accepted',
      doubts: 3,
    })
  })
})

describe('an event', () => {
  test('that GitHub refuses is dead immediately, with the reason', () => {
    const outcome: Failure = { kind: 'refused', reason: 'event_rejected' }
    expect(next(outcome)).toStrictEqual({ state: 'dead', reason: 'event_rejected', doubts: 0 })
    expect(next({ ...outcome, explanation: 'status 422' }, { doubts: 2 })).toStrictEqual({
      ...{ state: 'dead', reason: 'event_rejected', doubts: 2, explanation: 'status 422' },
    })
  })

  test('at which the relay fails is dead after the fifth attempt', () => {
    const outcome: Failure = { kind: 'broken', reason: 'internal_error' }
    expect(next(outcome, { attempts: 3 })).toEqual({
      state: 'waiting',
      wait: 8 * SECOND,
      doubts: 0,
    })
    expect(next(outcome, { attempts: 4 })).toEqual({
      state: 'dead',
      reason: 'internal_error',
      doubts: 0,
    })
  })
})

describe('the wait of an event', () => {
  test('is what GitHub asked for, or none while its queue pauses', () => {
    expect(next({ kind: 'limited', reason: 'rate_limited', wait: 1234 })).toMatchObject({
      state: 'waiting',
      wait: 1234,
    })
    expect(
      next({ kind: 'paused', reason: 'token_rejected', isInDoubt: false }, { attempts: 5 }),
    ).toMatchObject({
      state: 'waiting',
      wait: 0,
    })
  })

  test('whose own key or workflow is missing is 1, 5, 15 and then 60 minutes', () => {
    const outcome: Failure = {
      kind: 'isolated',
      reason: 'workflow_not_accessible',
      isInDoubt: false,
    }
    const waits = [0, 1, 2, 3, 4].map((attempts) => next(outcome, { attempts }))
    expect(waits).toMatchObject([1, 5, 15, 60, 60].map((minutes) => ({ wait: minutes * MINUTE })))
  })
})

test('a refused credential is tried after 1, 5, 15 and then every 60 minutes', () => {
  expect([1, 2, 3, 4, 5, 9].map(pauseAfter)).toEqual(
    [1, 5, 15, 60, 60, 60].map((minutes) => minutes * MINUTE),
  )
})

test('the reason of an event that reached the maximum age', () => {
  expect([reasonOfAge('waiting'), reasonOfAge('uncertain')]).toEqual(['too_old', 'maybe_accepted'])
})
