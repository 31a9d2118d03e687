import { jitter } from '../../wire/http.ts'
import type { Credential, Credentials, StoredCredential } from '../credentials/credentials.ts'
import type { SealingKey } from '../credentials/seal.ts'
import { RelayError } from '../errors.ts'
import { type Dispatch, type DispatchPort, refusesCredential } from '../github/dispatch.ts'
import { openEvent } from './sealed-event.ts'

/** What a call of GitHub came to. */
export type Outcome =
  | { readonly kind: 'accepted' }
  /** GitHub asks for patience, so many milliseconds. */
  | { readonly kind: 'limited'; readonly reason: string; readonly wait: number }
  /** It failed, or did not answer. `isMaybe`: it may have accepted the event all the same. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isMaybe: boolean }
  /** What it was asked with is refused, whatever the event. */
  | { readonly kind: 'paused'; readonly reason: string }
  /** What this event was sent with, or names, is not there now. */
  | { readonly kind: 'aside'; readonly reason: string }
  /** The event is refused, and always will be. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** A fault of ours, which may pass. */
  | { readonly kind: 'broken'; readonly reason: string }

export interface AttemptPorts {
  /** Those that open what is sealed. */
  readonly keys: readonly SealingKey[]
  readonly credentials: Pick<Credentials, 'restore'>
  /** Asks GitHub once. */
  readonly send: DispatchPort
  /** Is told of faults that are ours. */
  report(error: unknown): void
}

/** What is sealed of an event, ready to be handed over; or why it cannot be. */
export async function openDispatch(
  sealed: string,
  { keys, credentials }: Pick<AttemptPorts, 'keys' | 'credentials'>,
): Promise<Dispatch | Outcome> {
  const content = await openEvent(sealed, keys).catch(() => undefined)
  if (!content) return { kind: 'refused', reason: 'unreadable' }
  const credential = await restored(content.credential, credentials)
  return 'reason' in credential ? credential : { ...content.event, credential }
}

/** Asks GitHub to take an event. */
export async function attempt(
  dispatch: Dispatch,
  { send, report }: Pick<AttemptPorts, 'send' | 'report'>,
): Promise<Outcome> {
  try {
    await send(dispatch)
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof RelayError)) report(error)
    return outcomeOf(error)
  }
}

async function restored(
  kept: StoredCredential,
  credentials: Pick<Credentials, 'restore'>,
): Promise<Credential | Extract<Outcome, { reason: string }>> {
  try {
    return await credentials.restore(kept)
  } catch (error) {
    const isRevoked = error instanceof RelayError && error.code === 'revoked'
    if (isRevoked) return { kind: 'refused', reason: 'revoked' }
    return { kind: 'aside', reason: 'credential_revoked' }
  }
}

const SECOND = 1000

/** GitHub's windows are an hour: a time further ahead was written by a clock that was wrong. */
export const LONGEST_WAIT = 3600 * SECOND

/** GitHub could not take the event now, was not asked, or nobody can tell whether it has it. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'overloaded',
  'rate_limited',
  'github_unavailable',
  'github_timeout',
])

/** True where a later try may be accepted, whoever mends what there is to mend. */
export function isNotNow(error: unknown): error is RelayError {
  return error instanceof RelayError && NOT_NOW.has(error.code) && !isRedirect(error)
}

/** What a setting, or another URL, would mend is for the sender to hear. */
function isRedirect({ attempts }: RelayError): boolean {
  return Math.floor((attempts?.githubStatus ?? 0) / 100) === 3
}

/** True where GitHub may have the event although it did not say so. */
function isMaybe({ code, attempts }: RelayError): boolean {
  const status = attempts?.githubStatus
  if (code === 'github_timeout') return true
  return code === 'github_unavailable' && status !== undefined && status >= 500 && status !== 503
}

export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof RelayError)) return { kind: 'broken', reason: 'internal_error' }
  const { code: reason, retryAfter } = error
  if (refusesCredential(error)) return { kind: 'paused', reason }
  if (reason === 'workflow_not_accessible') return { kind: 'aside', reason }
  if (!NOT_NOW.has(reason)) return { kind: 'refused', reason }
  // "In no time" asks for nothing, and must not turn our own pauses off.
  if (!retryAfter) return { kind: 'failed', reason, isMaybe: isMaybe(error) }
  return { kind: 'limited', reason, wait: Math.min(retryAfter * SECOND, LONGEST_WAIT) }
}

const PAUSE = { first: SECOND, longest: 60 * SECOND }
const PAUSE_ASIDE = { first: SECOND, longest: LONGEST_WAIT }

/** Milliseconds until the next try: a second, doubled with each, and half of it by chance. */
export function backoff(tries: number, random: number, pause = PAUSE): number {
  const retry = Math.max(0, tries - 1)
  return Math.round((jitter(retry, 1, pause) + jitter(retry, random, pause)) / 2)
}

/** The same for an event that is set aside: from a second to an hour. */
export function backoffAside(tries: number, random: number): number {
  return backoff(tries, random, PAUSE_ASIDE)
}
