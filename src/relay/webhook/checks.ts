import type { RelayResponse } from '../../wire/http.ts'
import type { ReceivedEvent } from './payload.ts'

/** The checks that an endpoint asks the relay to make for each request. */
export interface CheckClaims {
  /** An expression of GitHub's language over `method`, `path`, `query`, `headers` and `body`. */
  readonly if?: unknown
  /** `allow` forwards an event for which `if` cannot be evaluated; otherwise the relay drops it. */
  readonly ifError?: unknown
  /** Entries of a trigger's option `verify`, with their secrets. One of them must verify the request. */
  readonly verify?: unknown
}

/** A request that is to be checked. */
export interface CheckedRequest {
  /** The raw request target, for schemes that sign the URL. */
  readonly target: string
  readonly event: ReceivedEvent
}

/** The result of the claim `if`: `error` if the expression cannot be evaluated for this event. */
export type IfResult = 'true' | 'false' | 'error'

/** The checks of one endpoint for one request. */
export interface RequestChecks {
  /** Whether the signature of the request is valid, or no signature is required. */
  verify(): Promise<boolean>
  /** The response to a handshake of the sender. Call it only after `verify`. */
  handshake(): Promise<RelayResponse | undefined>
  if(): IfResult
  /**
   * Why `verify` or `if` did not let the request pass, for the log: a sentence that names the condition,
   * and contains no value of the event.
   */
  unmet(): string | undefined
  /** The response that the sender expects to an accepted event, in place of the default. */
  accepted(): RelayResponse | undefined
}

/** Loads the module that makes the checks, so that relays without such endpoints do not load it. */
export type LoadChecks = () => Promise<{
  /**
   * @param publicUrl the relay's address as senders call it, if it is known
   * @throws TypeError for claims that the admin API never stores
   */
  openChecks(
    claims: CheckClaims,
    request: CheckedRequest,
    publicUrl?: string,
  ): Promise<RequestChecks>
  /** Why the relay cannot use claims; `undefined` if it can. */
  claimsMistake(claims: CheckClaims, publicUrl?: string): string | undefined
}>
