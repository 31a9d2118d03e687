/**
 * The states of the ledger. Every event that the relay answered with 202 is in exactly one of them,
 * until GitHub has accepted it or an admin deletes it.
 *
 * - `waiting`: GitHub has not accepted the event, and no attempt is in doubt
 * - `uncertain`: an attempt ended with 500, 502, 504, a reset or no response, so GitHub may have it
 * - `delivered`: an event of a batch that GitHub accepted; a copy for redelivery
 * - `dead`: given up with a reason; an admin can queue it again
 */
export type EventState = 'waiting' | 'uncertain' | 'delivered' | 'dead'

/** An event without its content: nothing in it is secret. Times are milliseconds since 1970. */
export interface OutboxEvent {
  /** UUID of the event. */
  readonly delivery: string
  /** Id under which GitHub is called: `delivery`, or for an event of a batch the id of the batch. */
  readonly unit: string
  /** Order of arrival. */
  readonly seq: number
  /** `owner/name#<holder>` in lower case: all events of a repository and a credential. */
  readonly queue: string
  /** Credential whose quota the event uses: `own`, `app:<owner>`, or the SHA-256 of a token. */
  readonly holder: string
  /** Shown credential: `endpoint:<owner>/<name>` or `token:<8 characters of its hash>`. */
  readonly credential: string
  /** `<workflow>/<trigger>[/<rest>]`, without the query. */
  readonly path: string
  /** Method of the request. */
  readonly method: string
  /** When the request arrived. */
  readonly received: number
  readonly state: EventState
  /** When the relay stored the event, or an admin queued it again. */
  readonly at: number
  /** When the event entered its state. */
  readonly since: number
  /** Calls of GitHub; the retries within one request count as one. */
  readonly attempts: number
  /** Attempts after which GitHub may have the event. */
  readonly doubts: number
  /** No attempt before this time. */
  readonly next: number
  /** Milliseconds between the last attempt and `next`; a restart uses it if the clock has jumped. */
  readonly wait: number
  /** Error code of the last refusal, `queued`, `stored`, `batch`, `replayed`, or why the event is dead. */
  readonly reason: string
  /** Id of the relay key that encrypted the event. */
  readonly key: string
  /** Size of the record. */
  readonly bytes: number
}

export interface StoredEvent extends OutboxEvent {
  /** Payload and credential, as a compact JWE. */
  readonly content: string
}

/** An event that a request asks to store. */
export interface NewEvent
  extends Pick<StoredEvent, 'delivery' | 'queue' | 'holder' | 'credential'>,
    Pick<StoredEvent, 'path' | 'method' | 'received'>,
    Pick<StoredEvent, 'attempts' | 'doubts' | 'wait' | 'reason' | 'key' | 'content'> {
  readonly state: 'waiting' | 'uncertain'
}

export interface OutboxLimits {
  /** Events that are not delivered, dead letters included. */
  readonly events: number
  /** Bytes of all records. */
  readonly bytes: number
  /** Milliseconds until an event that GitHub does not accept becomes a dead letter. */
  readonly age: number
  /** Milliseconds for which copies of delivered batches stay. */
  readonly copies: number
}

/** Events and bytes that count toward the quota, and bytes of copies. */
export interface Usage {
  readonly events: number
  readonly bytes: number
  readonly copies: number
}

/** True if no queue may store another event. */
export function isFull({ events, bytes }: Usage, limits: OutboxLimits): boolean {
  return events >= limits.events || bytes >= limits.bytes
}

/** Numbers of the metrics and of the status. */
export interface OutboxFigures {
  readonly events: Readonly<Record<EventState, number>>
  readonly bytes: number
  /** Seconds since the oldest undelivered event was stored. */
  readonly oldest: number
  /** Undelivered events that no relay key decrypts. */
  readonly unreadable: number
  /** Events answered with 202, minus those in a state, minus those that left the ledger: 0. */
  readonly imbalance: number
}

/** The numbers of an outbox without events. */
export const NO_FIGURES: OutboxFigures = {
  events: { waiting: 0, uncertain: 0, delivered: 0, dead: 0 },
  bytes: 0,
  oldest: 0,
  unreadable: 0,
  imbalance: 0,
}
