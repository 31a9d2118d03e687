import { jitter } from '../../wire/http.ts'
import type { Credential, Credentials, KeptCredential } from '../credentials.ts'
import type { DispatchPort } from '../dispatch.ts'
import { RelayError } from '../errors.ts'
import type { SealKey } from '../seal.ts'
import { isOwn } from './lane.ts'
import type { SealedEvent } from './outbox.ts'
import { openEvent } from './sealed-event.ts'

/** What a call of GitHub came to. */
export type Outcome =
  | { readonly kind: 'accepted' }
  /** Not now. `wait`: milliseconds that GitHub asks for, more than none and an hour at most. */
  | { readonly kind: 'later'; readonly reason: string; readonly wait?: number }
  | { readonly kind: 'refused'; readonly reason: string }
  /** A fault of ours, which may pass. */
  | { readonly kind: 'failed'; readonly reason: string }

export interface AttemptPorts {
  /** Those that open what is sealed. */
  readonly keys: readonly SealKey[]
  readonly credentials: Pick<Credentials, 'restore'>
  /** Asks GitHub once. */
  readonly send: DispatchPort
  /** Is told of faults that are ours. */
  report(error: unknown): void
}

/** Opens an event, and asks GitHub to take it. */
export async function attempt(
  { sealed }: SealedEvent,
  { keys, credentials, send, report }: AttemptPorts,
): Promise<Outcome> {
  const opened = await openEvent(sealed, keys).catch(() => undefined)
  if (!opened) return { kind: 'refused', reason: 'unreadable' }
  const credential = restored(opened.credential, credentials)
  if (!credential) return { kind: 'refused', reason: 'revoked' }
  try {
    await send({ ...opened.event, credential })
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof RelayError)) report(error)
    return outcomeOf(error, credential)
  }
}

/** `undefined` when it is revoked, or stands for an authority that the relay has no more. */
function restored(
  kept: KeptCredential,
  credentials: Pick<Credentials, 'restore'>,
): Credential | undefined {
  try {
    return credentials.restore(kept)
  } catch {
    return undefined
  }
}

const SECOND = 1000

/** GitHub's windows are an hour: a time further ahead was written by a clock that was wrong. */
export const LONGEST_WAIT = 3600 * SECOND

/** GitHub could not take the event now, was not asked, or nobody can tell whether it has it. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'overloaded',
  'rate_limited',
  'platform_unavailable',
  'platform_timeout',
])

/** True where a later try may be accepted, whoever mends what there is to mend. */
export function isNotNow(error: unknown): error is RelayError {
  return error instanceof RelayError && NOT_NOW.has(error.code)
}

/** What the operator mends, while those who sent the events can do nothing. */
const OPERATOR_MENDS: ReadonlySet<string> = new Set([
  'invalid_token',
  'app_not_installed',
  'app_key_rejected',
  'app_clock_off',
])

/** @param credential what GitHub was asked with */
export function outcomeOf(error: unknown, credential: Credential): Outcome {
  if (!(error instanceof RelayError)) return { kind: 'failed', reason: 'internal_error' }
  const { code: reason, retryAfter } = error
  if (!isNotNow(error) && !(isOwn(credential) && OPERATOR_MENDS.has(reason)))
    return { kind: 'refused', reason }
  // "In no time" asks for nothing, and must not turn our own pauses off.
  if (!retryAfter) return { kind: 'later', reason }
  return { kind: 'later', reason, wait: Math.min(retryAfter * SECOND, LONGEST_WAIT) }
}

const PAUSE = { first: SECOND, longest: 60 * SECOND }

/** Milliseconds until the next try: a second, doubled with each, and half of it by chance. */
export function backoff(tries: number, random: number): number {
  const retry = Math.max(0, tries - 1)
  return Math.round((jitter(retry, 1, PAUSE) + jitter(retry, random, PAUSE)) / 2)
}
