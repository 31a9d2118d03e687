import { jitter } from '../../wire/http.ts'
import type { Delivery, DeliveryState, FailedState } from '../store/delivery-rows.ts'
import type { NotAccepted } from './answers.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pauses of an event after failures of its own. */
const EVENT_PAUSES = { first: SECOND, longest: 5 * MINUTE }

/** Milliseconds after the first, second, … refusal of a credential, or of the event's own key. */
const PAUSES = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR] as const

/**
 * Milliseconds after the first, second, … attempt that is in doubt; then evenly until the maximum age.
 * Within the first of them nothing is sent again, because a run appears in GitHub's list some seconds late.
 */
const AFTER_DOUBT = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR] as const

/** Each attempt in doubt may have started a run, so an event gets no more of them. */
export const MOST_DOUBTS = 10

/** An old event gets so many attempts, because the relay may have been off for all of its age. */
const LEAST_ATTEMPTS = 10

/** An event at which the relay itself fails is given up after so many attempts. */
const MOST_FAULTS = 5

interface RetryTime {
  /** Milliseconds since 1970. */
  readonly now: number
  /** From 0, less than 1. */
  readonly random: number
  /** Milliseconds until an event that GitHub does not accept becomes a dead letter. */
  readonly age: number
}

/**
 * When to try an event again, and in which state it waits.
 *
 * @param event before the attempt
 */
export function nextAttempt(
  event: Pick<Delivery, 'state' | 'at' | 'attempts' | 'doubts'>,
  outcome: NotAccepted,
  { now, random, age }: RetryTime,
): FailedState {
  const attempts = event.attempts + 1
  const isDoubt = outcome.kind === 'doubt'
  const doubts = event.doubts + (isDoubt ? 1 : 0)
  if (outcome.kind === 'refused') {
    const { reason, explanation } = outcome
    return { state: 'dead', reason, doubts, ...(explanation !== undefined && { explanation }) }
  }
  if (outcome.kind === 'broken' && attempts >= MOST_FAULTS) {
    return { state: 'dead', reason: outcome.reason, doubts }
  }
  const isInDoubt = isDoubt || ('isInDoubt' in outcome && outcome.isInDoubt)
  const isUncertain = isInDoubt || event.state === 'uncertain'
  if (now - event.at > age && attempts >= LEAST_ATTEMPTS) {
    return { state: 'dead', reason: reasonOfAge(isUncertain ? 'uncertain' : 'waiting'), doubts }
  }
  const wait = isDoubt
    ? Math.max(outcome.wait, waitAfterDoubt(doubts, event.at + age - now))
    : waitAfter(outcome, attempts, random)
  return { state: isUncertain ? 'uncertain' : 'waiting', wait, doubts }
}

/** Why an event is dead that reached the maximum age. */
export function reasonOfAge(state: DeliveryState): 'maybe_accepted' | 'too_old' {
  return state === 'uncertain' ? 'maybe_accepted' : 'too_old'
}

function waitAfter(
  outcome: Exclude<NotAccepted, { kind: 'doubt' | 'refused' }>,
  attempts: number,
  random: number,
): number {
  if (outcome.kind === 'limited') return outcome.wait
  // An event whose last call was in doubt, as the refusal of a credential may be, is looked up first.
  const least = 'isInDoubt' in outcome && outcome.isInDoubt ? AFTER_DOUBT[0] : 0
  if (outcome.kind === 'isolated') return Math.max(least, pauseAfter(attempts))
  // The queue pauses for a refused credential, and the events of it are due when it ends.
  if (outcome.kind === 'paused') return least
  return Math.round(jitter(attempts - 1, random, EVENT_PAUSES))
}

/** @param left milliseconds until the maximum age */
function waitAfterDoubt(doubts: number, left: number): number {
  if (doubts >= MOST_DOUBTS) return Math.max(0, left) + 1
  const evenly = left > 0 ? left / (MOST_DOUBTS + 1 - doubts) : 2 * HOUR
  const step = AFTER_DOUBT[doubts - 1] ?? evenly
  return Math.max(AFTER_DOUBT[0], Math.round(Math.min(step, evenly)))
}

/** Milliseconds until a queue whose credential was refused so many times is tried again. */
export function pauseAfter(refusals: number): number {
  return PAUSES[Math.min(refusals, PAUSES.length) - 1] ?? HOUR
}
