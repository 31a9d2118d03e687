// What the last attempts taught about a queue: it is lost with the process, and the table has the rest.

import type { RateLimiters } from '../github/rate-limiter.ts'
import type { Dispatch } from '../github/send.ts'
import type { Delivery } from '../store/delivery-rows.ts'
import { repositoryOf } from '../store/queue-name.ts'
import type { AttemptOutcome } from './answers.ts'
import { backoff, pauseAfter } from './retry-policy.ts'

const MINUTE = 60_000

/** Calls of one queue that may overlap. */
const MOST_CALLS = 4

/** After so many failures in a row, or one that is in doubt, a queue is tried with one event at a time. */
const FAILURES = 3

/** Milliseconds that a failing queue rests between two events, at most; the first rest is that of `backoff`. */
const LONGEST_REST = MINUTE

/** Names the queue of an event. */
export type NameQueue = (event: Pick<Dispatch, 'repository' | 'credential'>) => Promise<string>

/** GitHub's names do not distinguish upper from lower case. */
export function queueNames(limiters: Pick<RateLimiters, 'holderOf'>): NameQueue {
  return async ({ repository: { owner, name }, credential }) =>
    `${`${owner}/${name}`.toLowerCase()}#${await limiters.holderOf(credential)}`
}

/** Until when the events of a queue wait, whatever their own times, and the error code of its last attempt. */
export interface Rest {
  readonly until: number
  readonly reason: string
}

/** A queue that has undelivered events. */
export class Queue {
  readonly name: string
  readonly repository: string
  /** Events whose call is open, or a batch by its id. */
  readonly open = new Set<string>()
  /** True after the first attempt. */
  isCalled = false
  /** Uncertain events whose run was looked for since their last attempt. */
  readonly lookedUp = new Set<string>()
  /** Attempts in a row that failed by themselves or by GitHub. */
  failures = 0
  /** True after a refusal of the credential, until GitHub accepts an event. */
  isRefused = false
  /** Refusals of the credential in a row. */
  refusals = 0
  /** When the first of these was; infinite for a queue that does not fail. */
  failsSince = Number.POSITIVE_INFINITY
  /** No attempt before this time. */
  restUntil = 0
  /** The error code of the attempt after which the queue rests. */
  restsFor = ''
  /** An event is due: a new one must wait behind it. */
  hasDue = false
  /** When the table is read again. */
  looksAt = 0
  isLooking = false
  /** The event that is due, and waits for the turn of its repository. */
  ready: Delivery | undefined
  /** When the repository may have a turn. */
  turnAt = 0
  nextLookup = 0

  constructor(name: string) {
    this.name = name
    this.repository = repositoryOf(name)
  }
}

/** Calls of a queue that may be open. */
export function mostCalls({ failures, refusals }: Queue): number {
  return failures >= FAILURES || refusals > 0 ? 1 : MOST_CALLS
}

/** To be told that a request failed, perhaps with others at the same time. */
export function noteFailedRequest(queue: Queue, isDoubt: boolean): void {
  queue.failures = Math.max(queue.failures, isDoubt ? FAILURES : 1)
}

/** Draws the conclusions of an outcome for the whole queue. */
export function noteOutcome(
  queue: Queue,
  outcome: AttemptOutcome,
  ports: { now(): number; random(): number },
): void {
  const now = ports.now()
  switch (outcome.kind) {
    case 'accepted':
      queue.failures = 0
      queue.isRefused = false
      queue.refusals = 0
      queue.failsSince = Number.POSITIVE_INFINITY
      queue.restUntil = 0
      break
    case 'limited':
      queue.restsFor = outcome.reason
      // The rate limiter holds the credential; a 503 that names a time holds the queue.
      queue.restUntil = Math.max(queue.restUntil, now + outcome.wait)
      break
    case 'paused':
      queue.restsFor = outcome.reason
      queue.isRefused = true
      queue.failsSince = Math.min(now, queue.failsSince)
      // Calls that overlap are refused together.
      if (queue.refusals === 0 || now >= queue.restUntil) queue.refusals++
      queue.restUntil = now + pauseAfter(queue.refusals)
      break
    case 'failed':
    case 'doubt':
      queue.restsFor = outcome.reason
      // Few events should be in doubt.
      queue.failures = Math.max(queue.failures + 1, outcome.kind === 'doubt' ? FAILURES : 1)
      queue.failsSince = Math.min(now, queue.failsSince)
      if (queue.failures >= FAILURES) {
        const rest = backoff(queue.failures - FAILURES + 1, ports.random(), LONGEST_REST)
        queue.restUntil = now + rest
      }
      if (outcome.kind === 'doubt') {
        queue.restUntil = Math.max(queue.restUntil, now + outcome.wait)
      }
      break
    case 'refused':
      // GitHub responds, and other events may be accepted.
      queue.failures = 0
      break
    default:
      break
  }
}
