/** An event that GitHub could not take yet, as it is shown: nothing in it is secret. */
export interface OutboxEvent {
  /** UUID: the id that its dispatch carries, at every try. */
  readonly delivery: string
  /** What it must keep its order with: the repository, in lower case, and a hash of the credential. */
  readonly lane: string
  /** When it was taken in, or replayed. This and every time here: milliseconds since 1970. */
  readonly at: number
  /** How often GitHub was asked; the request's own tries count as one. */
  readonly tries: number
  /** Not to be tried before. */
  readonly next: number
  /** Code of the last refusal, or of why it died; `queued` when GitHub was not asked yet. */
  readonly reason: string
  /** Id of the key that opens it. */
  readonly key: string
  /** What it takes. */
  readonly bytes: number
  /** When it became a dead letter; `undefined` while it waits. */
  readonly died: number | undefined
}

export interface SealedEvent extends OutboxEvent {
  /** Payload and credential, as a compact JWE. */
  readonly sealed: string
}

/**
 * Where events wait for GitHub. Each method is atomic, and is done when its promise resolves: what it
 * wrote outlives the process then. Those that change an event give it as it is after the change, or
 * `undefined` when there is none.
 *
 * @throws StorageError from all of them when the disk fails; nothing was changed then
 */
export interface Outbox {
  /** Adds an event behind all others of its lane. */
  put(event: SealedEvent): Promise<void>
  /** The first of a lane that waits and that one of these keys opens. */
  due(lane: string, keys: readonly string[]): Promise<SealedEvent | undefined>
  /** Forgets one that GitHub has. */
  done(delivery: string): Promise<OutboxEvent | undefined>
  /** Keeps one, in its place, for later. */
  defer(delivery: string, later: Later): Promise<OutboxEvent | undefined>
  /** Makes a dead letter of one that waits. */
  bury(delivery: string, reason: string, now: number): Promise<OutboxEvent | undefined>
  /** All events, in the order in which they came; one of them with what is sealed is `find`. */
  list(): Promise<readonly OutboxEvent[]>
  find(delivery: string): Promise<SealedEvent | undefined>
  /** Lets a dead letter wait again, behind all others of its lane, as if it had just come. */
  replay(delivery: string, now: number): Promise<OutboxEvent | undefined>
  /** Forgets events that nobody wants any more, waiting or dead. */
  drop(which: Unwanted): Promise<readonly OutboxEvent[]>
}

type Later = Pick<OutboxEvent, 'tries' | 'next' | 'reason'>

/** One, or the dead letters that died before a time or are more than so many, the oldest of them. */
type Unwanted =
  | { readonly delivery: string }
  | { readonly diedBefore: number; readonly beyond: number }

export interface OutboxLimits {
  /** Events that may wait; dead letters count in no bound. */
  readonly events: number
  /** Bytes of those. */
  readonly bytes: number
  /** Milliseconds after which an event that still fails is a dead letter. */
  readonly age: number
  /** Milliseconds from one call of a lane to its next. */
  readonly pace: number
}

export interface OutboxFigures {
  readonly waiting: number
  /** Seconds. */
  readonly oldest: number
  readonly dead: number
  /** Those that no key opens: they wait until one does. */
  readonly unreadable: number
}

/** The disk is full, gone or broken. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly reason: StorageFault

  constructor(reason: StorageFault, options?: ErrorOptions) {
    super(`the outbox cannot be read or written: ${reason}`, options)
    this.reason = reason
  }
}

/** As the log and the operator are told. */
export type StorageFault = 'disk full' | 'disk fails' | 'not writable' | 'damaged' | 'file gone'

/** A line of the log that is not about a request: no payload, no token. */
export interface OutboxLine {
  /** ISO 8601, UTC. */
  readonly time: string
  /**
   * - `delivered`, `deferred`: what a try came to
   * - `dead`: an event became a dead letter
   * - `forgotten`: a dead letter was dropped for its age, or for newer ones
   * - `late`: the oldest event has waited for more than an hour
   * - `unreadable`: events that no key opens are kept
   * - `replayed`, `dropped`: the operator did so
   * - `disk`: with a delivery, GitHub has the event, and the disk did not take that in; without, the
   *   disk fails since now, for the reason that stands there, or is `well` again
   */
  readonly outbox:
    | 'delivered'
    | 'deferred'
    | 'dead'
    | 'forgotten'
    | 'late'
    | 'unreadable'
    | 'replayed'
    | 'dropped'
    | 'disk'
  readonly delivery?: string
  /** `owner/name` in lower case. */
  readonly repository?: string
  readonly tries?: number
  readonly reason?: string
  /** How long it has waited, or until the next try. */
  readonly seconds?: number
  readonly events?: number
}
