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
  readonly prefix: string | undefined
  readonly algorithm: Hash | undefined
  readonly encoding: Encoding | undefined
  readonly template: string | undefined
  readonly timestampHeader: string | undefined
  readonly timestampPart: string | undefined
  readonly signaturePart: string | undefined
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

/** A service that people ask for: what is known of it, in one place. */
export interface Sender {
  /** As in `init --sender stripe` and `send --as stripe`. */
  readonly name: string
  readonly title: string
  /** Its trigger; `webhook` when left out. */
  readonly trigger?: string
  /** The scheme that proves it; its name when left out. */
  readonly scheme?: string
  /** Options of `verify` besides `scheme`, `secret` and `url`. */
  readonly options?: Readonly<Record<string, string>>
  /** A name for the secret in the repository; none where it needs none. */
  readonly secret?: string
  /** What is kept under that name, and where the sender shows it. */
  readonly shown: string
  /**
   * How it makes sure that a URL is ours, where it does: `relay`: the relay answers; `both`: the
   * relay answers and the workflow gets it too; `workflow`: the first run has to act; `none`: nobody
   * answers, since that would need the secret at the relay.
   */
  readonly handshake?: 'relay' | 'both' | 'workflow' | 'none'
  /** How often it tries again. */
  readonly retries: string
  /** What is the same in a repeated request, as a path; the hash of the request when left out. */
  readonly repeat?: string
  /** Where its kind of event stands in the item, and the kinds that are most asked for. */
  readonly events?: readonly [path: string, ...usual: string[]]
}

/** Seconds, both ways: what Standard Webhooks, Stripe and Slack ask for. */
export const DEFAULT_TOLERANCE = 300

export const NO_TIME = 'the timestamp is not a time'

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

/** Senders write seconds, milliseconds, or ISO 8601. */
function milliseconds(text: string): number | undefined {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000
  if (/^\d{12,14}$/.test(text)) return Number(text)
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : time
}
