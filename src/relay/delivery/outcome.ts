import { isAmbiguous, RelayError } from '../errors.ts'
import { LONGEST_RETRY_AFTER } from '../github/rate-limiter.ts'
import { type Dispatch, type DispatchPort, refusesCredential } from '../github/send.ts'

/** The result of an attempt. */
export type AttemptOutcome =
  | { readonly kind: 'accepted' }
  /** GitHub asks to wait, in milliseconds. */
  | { readonly kind: 'limited'; readonly reason: string; readonly wait: number }
  /** GitHub did not accept the event, for certain. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** 500, 502, 504, a reset, no response, in any try: GitHub may have accepted the event. */
  | { readonly kind: 'doubt'; readonly reason: string; readonly wait?: number }
  /** GitHub refuses the credential, whatever the event. An earlier try may leave a doubt. */
  | { readonly kind: 'paused'; readonly reason: string; readonly isInDoubt?: boolean }
  /** Only this event cannot be delivered now: its key, or its workflow, is missing. */
  | { readonly kind: 'isolated'; readonly reason: string; readonly isInDoubt?: boolean }
  /** GitHub refuses the event itself, or a batch is too large: it fits in so many parts. */
  | { readonly kind: 'refused'; readonly reason: string; readonly parts?: number }
  /** The relay itself failed. */
  | { readonly kind: 'broken'; readonly reason: string }

export type NotAccepted = Exclude<AttemptOutcome, { kind: 'accepted' }>

/** GitHub could not accept the event now, was not asked, or did not respond. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'overloaded',
  'rate_limited',
  'github_unavailable',
  'github_timeout',
])

/** True if a later attempt may be accepted. A redirect needs another setting or URL: the sender hears it. */
export function isNotNow(error: unknown): error is RelayError {
  if (!(error instanceof RelayError)) return false
  const isRedirect = Math.floor((error.attempts?.githubStatus ?? 0) / 100) === 3
  return NOT_NOW.has(error.code) && !isRedirect
}

export function outcomeOf(error: unknown): AttemptOutcome {
  if (!(error instanceof RelayError)) return { kind: 'broken', reason: 'internal_error' }
  const { code: reason, retryAfter } = error
  const isInDoubt = isAmbiguous(error)
  if (refusesCredential(error)) return { kind: 'paused', reason, isInDoubt }
  if (reason === 'workflow_not_accessible') return { kind: 'isolated', reason, isInDoubt }
  if (!NOT_NOW.has(reason)) return { kind: 'refused', reason }
  const wait = Math.min((retryAfter ?? 0) * 1000, LONGEST_RETRY_AFTER)
  if (isInDoubt) return { kind: 'doubt', reason, wait }
  // A wait of 0 asks for nothing, and must not disable the relay's own back-off.
  return wait > 0 ? { kind: 'limited', reason, wait } : { kind: 'failed', reason }
}

/** Asks GitHub to accept an event. */
export async function attempt(
  dispatch: Dispatch,
  { send, report }: { readonly send: DispatchPort; report(error: unknown): void },
): Promise<AttemptOutcome> {
  try {
    await send(dispatch)
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof RelayError)) report(error)
    return outcomeOf(error)
  }
}
