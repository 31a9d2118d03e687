// The state of a queue in memory: when the delivery loop may send its next event. The events themselves are in
// the database. After a restart, a queue begins without failures.

import { jitter } from '../../wire/http.ts'
import type { Collecting, Delivery } from '../store/delivery-rows.ts'
import { repositoryOf } from '../store/queue-name.ts'
import type { AttemptOutcome } from './answers.ts'
import { pauseAfter } from './retry-policy.ts'

const MINUTE = 60_000

/** Calls of one queue that may overlap. */
const MOST_CALLS = 4

/** After so many failures in a row, or one after which GitHub may have the event, one event is sent at a time. */
const FAILURES = 3

/** How long a failing queue rests between two events. */
const RESTS = { first: 1000, longest: MINUTE }

/** Until when all events of a queue wait, even those that are due, and the error code that caused it. */
export interface Rest {
  readonly until: number
  readonly reason: string
}

/** A queue with undelivered events. `noteOutcome` and the delivery loop change its fields. */
export class Queue {
  readonly name: string
  readonly repository: string
  /** Ids of the events whose call to GitHub is open; of a batch, its id. */
  readonly open = new Set<string>()
  /** True after the first call, which may need further calls, for example for a token. */
  isCalled = false
  /** Uncertain events whose run was looked for since their last attempt. */
  readonly lookedUp = new Set<string>()
  /** Failures in a row, without rate limits and refused credentials. A failure in doubt counts as `FAILURES`. */
  failures = 0
  /** True from a refusal of the credential, in the loop or in a request, until GitHub accepts an event. */
  isRefused = false
  /** Refusals of the credential in a row, in the loop alone; overlapping calls count once. */
  refusals = 0
  /** When the first failure or refusal since the last accepted event was; infinite if there was none. */
  failsSince = Number.POSITIVE_INFINITY
  /** No attempt before this time. */
  restUntil = 0
  /** The error code that set `restUntil`. */
  restsFor = ''
  /** True if an event is due, so that a new one must wait behind it. */
  hasDue = false
  /** At most so many events, and characters of them, are collected for one batch; `undefined` if there are none. */
  collected: Pick<Collecting, 'count' | 'length'> | undefined
  /** When to read the next due event from the database. */
  selectsAt = 0
  /** True while the loop selects the next event, which may include a lookup of runs. */
  isSelecting = false
  /** The due event that was read, and is sent when its repository has a turn. */
  ready: Delivery | undefined
  /** No turn of the repository before this time, by the rate limiter. */
  turnAt = 0
  /** No further lookup of runs before this time. */
  lookupAt = 0

  constructor(name: string) {
    this.name = name
    this.repository = repositoryOf(name)
  }
}

/** How many calls of a queue may be open now. */
export function mostCalls({ failures, refusals }: Queue): number {
  return failures >= FAILURES || refusals > 0 ? 1 : MOST_CALLS
}

/** Records the failed call of a webhook request. Concurrent requests fail together, so they count as one failure. */
export function noteFailedRequest(queue: Queue, isDoubt: boolean): void {
  queue.failures = Math.max(queue.failures, isDoubt ? FAILURES : 1)
}

/** Records the outcome of an attempt: whether the queue fails, and until when it rests. */
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
      // For a rate limit, the limiter holds the credential too; a 503 with `Retry-After` holds this queue alone.
      queue.restUntil = Math.max(queue.restUntil, now + outcome.wait)
      break
    case 'paused':
      queue.restsFor = outcome.reason
      queue.isRefused = true
      queue.failsSince = Math.min(now, queue.failsSince)
      // Overlapping calls are refused together, so count them once.
      if (queue.refusals === 0 || now >= queue.restUntil) queue.refusals++
      queue.restUntil = now + pauseAfter(queue.refusals)
      break
    case 'failed':
    case 'doubt':
      queue.restsFor = outcome.reason
      // Each attempt in doubt may have started a run, so go on with one event at a time.
      queue.failures = Math.max(queue.failures + 1, outcome.kind === 'doubt' ? FAILURES : 1)
      queue.failsSince = Math.min(now, queue.failsSince)
      if (queue.failures >= FAILURES) {
        const rest = jitter(queue.failures - FAILURES, ports.random(), RESTS)
        queue.restUntil = now + Math.round(rest)
      }
      if (outcome.kind === 'doubt') {
        queue.restUntil = Math.max(queue.restUntil, now + outcome.wait)
      }
      break
    case 'refused':
      // GitHub refuses this event alone, and may accept the others.
      queue.failures = 0
      break
    default:
      break
  }
}
