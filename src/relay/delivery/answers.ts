// What GitHub's answers mean: one table for the request path, the delivery loop, the follower of runs,
// and the page about retries.

import { type Attempts, isAmbiguous, RelayError } from '../errors.ts'
import { LONGEST_RETRY_AFTER } from '../github/rate-limiter.ts'
import { refusesCredential } from '../github/send.ts'
import type { Accepted } from '../store/delivery-rows.ts'

/**
 * - `accepted`: GitHub has the event
 * - `ambiguous`: GitHub may have the event; it is looked up before it is sent again
 * - `not_now`: GitHub does not have the event, and may accept it later
 * - `credential`: GitHub refuses the credential, whatever the event
 * - `workflow`: GitHub cannot start this workflow; others of the repository may start
 * - `misdirected`: something else answered, or the repository is elsewhere; a setting is wrong
 * - `refused`: GitHub refuses the event itself
 */
type AnswerKind =
  | 'accepted'
  | 'ambiguous'
  | 'not_now'
  | 'credential'
  | 'workflow'
  | 'misdirected'
  | 'refused'

interface Answer {
  readonly kind: AnswerKind
  /** GitHub's answer, in Markdown, for the page about retries. */
  readonly answer: string
  /** The relay's conclusion, for that page. */
  readonly conclusion: string
  /** True for the error that this answer becomes; absent for an answer that is no error. */
  readonly is?: (error: RelayError) => boolean
}

/** GitHub could not accept the event now, or the relay could not ask. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'overloaded',
  'rate_limited',
  'github_unavailable',
  'github_timeout',
])

/** The first row that fits an error counts. */
export const ANSWERS: readonly Answer[] = [
  {
    kind: 'accepted',
    answer: '204; 200 or 201 with the run',
    conclusion: 'marks the event as delivered.',
  },
  {
    kind: 'credential',
    answer: '401, 403 without a rate limit, 404 of the repository',
    conclusion: 'pauses the queue, and tries one event after 1, 5, 15 and then every 60 minutes.',
    is: refusesCredential,
  },
  {
    kind: 'workflow',
    answer: '404 of a workflow',
    conclusion:
      'tries this event again after 1, 5, 15 and then every 60 minutes. The others of its queue go on.',
    is: ({ code }) => code === 'workflow_not_accessible',
  },
  {
    kind: 'misdirected',
    answer: '3xx that does not lead to the renamed repository',
    conclusion: 'returns the error to the sender. An event that waits already is sent again later.',
    is: isRedirect,
  },
  {
    kind: 'refused',
    answer: 'every other 4xx',
    conclusion:
      'makes the event a dead letter, because no retry changes the response. A batch is divided.',
    is: ({ code }) => !NOT_NOW.has(code),
  },
  {
    kind: 'ambiguous',
    answer: '500, 502, 504 and other 5xx; no response; a 2xx that does not come from GitHub',
    conclusion:
      'looks for the run of the event, because GitHub may have the event, and sends the event again only if there is no run.',
    is: isAmbiguous,
  },
  {
    kind: 'not_now',
    answer: '408, 409, 429, 503, 403 with a rate limit; no connection',
    conclusion:
      'sends the event again later. A rate limit holds the credential; all else holds the queue alone.',
    is: () => true,
  },
]

/** The kind of GitHub's last answer; `undefined` for a fault of the relay itself. */
export function kindOf(error: unknown): AnswerKind | undefined {
  if (!(error instanceof RelayError)) return undefined
  return ANSWERS.find(({ is }) => is?.(error))?.kind
}

/** True if a later attempt may be accepted, so that the event may be stored. */
export function mayComeLater(error: unknown): error is RelayError {
  const kind = kindOf(error)
  return kind === 'not_now' || kind === 'ambiguous'
}

function isRedirect({ attempts }: RelayError): boolean {
  return Math.floor((attempts?.githubStatus ?? 0) / 100) === 3
}

/** The result of an attempt, as JSON. */
export type AttemptOutcome =
  | ({ readonly kind: 'accepted' } & Accepted)
  /** GitHub asks to wait, in milliseconds. */
  | { readonly kind: 'limited'; readonly reason: string; readonly wait: number }
  /** GitHub did not accept the event, for certain. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** GitHub may have accepted the event, in any try. */
  | { readonly kind: 'doubt'; readonly reason: string; readonly wait: number }
  /** GitHub refuses the credential, whatever the event. An earlier try may leave a doubt. */
  | { readonly kind: 'paused'; readonly reason: string; readonly isInDoubt: boolean }
  /** Only this event cannot be delivered now: its key, or its workflow, is missing. */
  | { readonly kind: 'isolated'; readonly reason: string; readonly isInDoubt: boolean }
  /** GitHub refuses the event itself, or a batch is too large: it fits in so many parts. */
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly parts?: number
      /** GitHub's reason. */
      readonly explanation?: string
    }
  /** The relay itself failed. */
  | { readonly kind: 'broken'; readonly reason: string }

export type NotAccepted = Exclude<AttemptOutcome, { kind: 'accepted' }>

export function outcomeOf(error: unknown): NotAccepted {
  const kind = kindOf(error)
  if (kind === undefined || !(error instanceof RelayError)) {
    return { kind: 'broken', reason: 'internal_error' }
  }
  const { code: reason, retryAfter } = error
  const wait = Math.min((retryAfter ?? 0) * 1000, LONGEST_RETRY_AFTER)
  switch (kind) {
    case 'credential':
      return { kind: 'paused', reason, isInDoubt: isAmbiguous(error) }
    case 'workflow':
      return { kind: 'isolated', reason, isInDoubt: isAmbiguous(error) }
    case 'ambiguous':
      return { kind: 'doubt', reason, wait }
    case 'misdirected':
    case 'not_now':
      // A wait of 0 asks for nothing, and must not disable the relay's own back-off.
      return wait > 0 ? { kind: 'limited', reason, wait } : { kind: 'failed', reason }
    default:
      return { kind: 'refused', reason, explanation: error.message }
  }
}

/**
 * The outcome of an attempt that GitHub accepted.
 *
 * @param began when the first call began, by the relay's clock; GitHub's clock is better if it is known
 */
export function acceptedOutcome(
  attempts: Attempts & { readonly acceptedAt?: number; readonly githubMs?: number },
  { began, follows }: { readonly began: number; readonly follows: boolean },
): AttemptOutcome & { readonly kind: 'accepted' } {
  const { acceptedAt = began, githubMs = null, run = null } = attempts
  return { kind: 'accepted', accepted: acceptedAt, githubMs, run, follows }
}
