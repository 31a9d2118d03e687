import type { WebhookRequest } from '../../wire/request.ts'
import type { Secret } from '../../wire/secret.ts'
import type { TriggerPorts } from '../trigger.ts'
import type { Algorithm } from './algorithms.ts'
import type { Encoding } from './encodings.ts'

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
  readonly algorithm: Algorithm | undefined
  readonly encoding: Encoding | undefined
  readonly template: string | undefined
  readonly timestampHeader: string | undefined
  readonly url: Secret | undefined
  readonly topic: readonly string[] | undefined
}

export type Setting = Exclude<keyof Settings, 'secrets'> | 'secret'

/** Where a request carries what proves its sender: nothing of it may reach the outputs. */
export interface Credentials {
  /** Lower case. */
  readonly headers?: readonly string[]
  readonly query?: readonly string[]
  /** Fields of the body. */
  readonly fields?: readonly string[]
}

/** One way in which senders prove who they are. */
export interface Scheme {
  readonly name: string
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
