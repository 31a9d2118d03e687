import type { RawHeaders } from '../../wire/headers.ts'
import type { Reply } from '../../wire/http.ts'

/** What a grant asks of an event before it is one: as the relay's own key signed it. */
export interface CheckClaims {
  /** An expression of GitHub's language over `method`, `path`, `query`, `headers` and `body`. */
  readonly if?: unknown
  /** Entries of a trigger's option `verify`, with their secrets, of which one must hold. */
  readonly verify?: unknown
}

/** The names of the claims, by which a grant that has them names them as critical. */
export const CHECK_CLAIMS = ['if', 'verify'] as const

/** One request as it came to the door. */
export interface CheckedRequest {
  /** Upper case. */
  readonly method: string
  /** The raw request target. */
  readonly target: string
  /** What follows the repository, without reserved parameters. */
  readonly path: string
  readonly headers: RawHeaders
  readonly bytes: Uint8Array
  /** `undefined` when the bytes are no text. */
  readonly text: string | undefined
  /** ISO 8601, UTC. */
  readonly receivedAt: string
}

/** The claims of one grant, at one request. */
export interface RequestChecks {
  /** Whether the request proves its sender. */
  verify(): Promise<boolean>
  /** The answer to what its sender asks, and is no event; only for a request that is proved. */
  answer(): Promise<Reply | undefined>
  /** Whether the condition holds; `undefined` where it cannot be judged on this event. */
  passes(): boolean | undefined
  /** What its sender wants to hear of an accepted event, in place of the default. */
  accepted(): Reply | undefined
}

/** Loads the module that judges: nobody pays for it who asks for nothing. */
export type LoadChecks = () => Promise<{
  /**
   * @param publicUrl the relay's address as senders see it, where it is known
   * @throws TypeError for claims that nobody makes
   */
  openChecks(
    claims: CheckClaims,
    request: CheckedRequest,
    publicUrl?: string,
  ): Promise<RequestChecks>
}>
