import type { WebhookRequest } from '../../wire/request.ts'
import type { Secret } from '../../wire/secret.ts'
import type { TriggerPorts } from '../trigger.ts'
import type { Encoding, Hash } from './algorithms.ts'

/** The options of one `verify` entry, checked. */
export interface Settings {
  /** Any of them may hold: so a secret is rotated without a gap. */
  readonly secrets: readonly Secret[]
  /** Seconds between the sender's clock and the receipt, either way. */
  readonly tolerance: number | undefined
  readonly header: string | undefined
  readonly query: string | undefined
  readonly field: string | undefined
  readonly signaturePrefix: string | undefined
  readonly algorithm: Hash | undefined
  /** How `secret` stands for the key. */
  readonly secretEncoding: 'text' | 'base64' | 'hex' | undefined
  readonly signatureEncoding: Encoding | undefined
  readonly signedPayload: string | undefined
  readonly timestampHeader: string | undefined
  readonly timestampFormat: TimestampFormat | undefined
  readonly timestampField: string | undefined
  readonly signatureField: string | undefined
  readonly separator: string | undefined
  readonly url: Secret | undefined
  readonly topic: readonly string[] | undefined
}

export type Setting = Exclude<keyof Settings, 'secrets'> | 'secret'

/** Where a request carries what proves its sender: nothing of it may reach the outputs. */
export interface Credentials {
  /** Lower case. */
  readonly headers?: readonly string[]
  readonly query?: readonly string[]
  /** Fields of the body, by name or by path: `token`, `value[*].clientState`. */
  readonly fields?: readonly string[]
}

/** One way in which senders prove who they are. */
export interface Scheme {
  readonly name: string
  /** The page of its vendor, or the standard, that describes it. */
  readonly page?: string
  /** Options it cannot do without. */
  readonly needs: readonly Setting[]
  /** Options it understands besides. */
  readonly takes?: readonly Setting[]
  /** What is wrong with a set of options, beyond one of them missing; without showing a value. */
  readonly mistake?: (settings: Settings) => string | undefined
  readonly credentials: (settings: Settings) => Credentials
  /** Why the request is not verified, in words that say nothing a forger could use. */
  check(request: WebhookRequest, settings: Settings, ports: TriggerPorts): Promise<Refusal>
}

/** Nothing: the request is who it says it is. */
export type Refusal = string | undefined

export const MISMATCH = 'the signature does not match'

export function missing(header: string): string {
  return `the header ${header} is missing`
}

/** Seconds, both ways: what Standard Webhooks, Stripe and Slack ask for. */
export const DEFAULT_TOLERANCE = 300

export const NO_TIME = 'the timestamp is invalid'

/**
 * Why a signed time is too far from the receipt, so that the request may be a replay. The receipt is
 * the relay's, since a run may start long after it; without a relay it is now.
 */
export function timeRefusal(
  text: string,
  tolerance: number,
  request: WebhookRequest,
  ports: Pick<TriggerPorts, 'now'>,
): Refusal {
  const time = milliseconds(text)
  if (time === undefined) return NO_TIME
  const distance = Math.abs(receivedAt(request, ports) - time)
  return distance <= tolerance * 1000
    ? undefined
    : `the timestamp is more than ${tolerance} seconds away from the receipt`
}

/** Milliseconds since 1970. */
export function receivedAt(request: WebhookRequest, { now }: Pick<TriggerPorts, 'now'>): number {
  const time = Date.parse(request.receivedAt ?? '')
  return Number.isNaN(time) ? now() : time
}

/** True for what senders write as a time. */
export function isTime(text: string): boolean {
  return milliseconds(text) !== undefined
}

/** The forms in which a time is signed; each ends where it ends, and begins where it begins. */
export const TIMESTAMP_FORMATS = {
  seconds: /^\d{10}$/,
  milliseconds: /^\d{13}$/,
  rfc3339: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/,
} as const

export type TimestampFormat = keyof typeof TIMESTAMP_FORMATS

/** Senders write seconds, milliseconds, or ISO 8601. */
function milliseconds(text: string): number | undefined {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000
  if (/^\d{12,14}$/.test(text)) return Number(text)
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : time
}
