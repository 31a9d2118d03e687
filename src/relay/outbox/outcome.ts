import { RelayError } from '../errors.ts'

/** What a call of GitHub came to. */
export type Outcome =
  | { readonly kind: 'accepted' }
  /** Not now. `wait`: milliseconds that GitHub asks for. */
  | { readonly kind: 'later'; readonly reason: string; readonly wait?: number }
  | { readonly kind: 'refused'; readonly reason: string }
  /** A fault of ours, which may pass. */
  | { readonly kind: 'failed'; readonly reason: string }

const SECOND = 1000
const LONGEST_BACKOFF = 60 * SECOND

const NOT_NOW: ReadonlySet<string> = new Set([
  'rate_limited',
  'platform_unavailable',
  'platform_timeout',
])

/** What the operator mends, while those who sent the events can do nothing. */
const OPERATOR_MENDS: ReadonlySet<string> = new Set(['invalid_token', 'app_not_installed'])

/** @param own whether the relay asked with an authority of its own */
export function outcomeOf(error: unknown, own: boolean): Outcome {
  if (!(error instanceof RelayError)) return { kind: 'failed', reason: 'internal_error' }
  const { code: reason, retryAfter } = error
  if (!NOT_NOW.has(reason) && !(own && OPERATOR_MENDS.has(reason)))
    return { kind: 'refused', reason }
  return { kind: 'later', reason, ...(retryAfter !== undefined && { wait: retryAfter * SECOND }) }
}

/** Milliseconds until the next try: a second, doubled with each, with jitter. */
export function backoff(tries: number, random: number): number {
  const whole = Math.min(LONGEST_BACKOFF, SECOND * 2 ** Math.max(0, tries - 1))
  return Math.round(whole * (0.5 + random / 2))
}
