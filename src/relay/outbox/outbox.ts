/**
 * - `waiting`: for its turn to be handed over
 * - `dead`: given up; an operator sees it, and can let it wait again
 * - `collecting`: a batch that still takes events in
 * - `member`: an event of a batch, handed over with it
 * - `sent`: a batch that GitHub has, kept for a day so that it can be sent again
 */
export type EventState = 'waiting' | 'dead' | 'collecting' | 'member' | 'sent'

/**
 * An event that GitHub could not take yet, or a batch of them, as it is shown: nothing in it is
 * secret. Every time is in milliseconds since 1970.
 */
export interface OutboxEvent {
  /** UUID: the id that its dispatch carries, at every try. */
  readonly delivery: string
  /** Its place among all others. */
  readonly seq: number
  /** What it must keep its order with: the repository, in lower case, and a hash of the credential. */
  readonly lane: string
  /** Who sent it: `grant:<id>`, `key:<kid>`, `sealed:<kid>`, `token:<first 8 of its hash>`. */
  readonly credential: string
  readonly state: EventState
  /** When it was taken in, or replayed. */
  readonly at: number
  /** Since when it is in its state. */
  readonly since: number
  /** How often GitHub was asked; the request's own tries count as one. */
  readonly tries: number
  /** Not to be tried before: `wait` milliseconds after the last try. A clock may jump, a wait does not. */
  readonly next: number
  readonly wait: number
  /** How many of its tries may have been accepted, for all that anyone knows. */
  readonly maybe: number
  /** How often it was tried by itself, out of the others' way; 0 where it is in line. */
  readonly aside: number
  /** Code of the last refusal, or of why it died; `queued` when GitHub was not asked yet. */
  readonly reason: string
  /** Id of the key that opens it. */
  readonly key: string
  /** What it takes. */
  readonly bytes: number
  /** Id of the batch that it is a member of. */
  readonly batch: string | undefined
  /** Of a batch, how many events it has; 0 for an event by itself. */
  readonly count: number
}

export interface SealedEvent extends OutboxEvent {
  /** Payload and credential, as a compact JWE; of a batch, what its members do not tell. */
  readonly sealed: string
}

/** What a request gives to be kept. */
export type NewEvent = Pick<
  SealedEvent,
  'delivery' | 'lane' | 'credential' | 'tries' | 'wait' | 'reason' | 'key' | 'sealed'
>

/** An event as it waits from now on. */
export function newEvent({ sealed, ...given }: NewEvent, seq: number, now: number): OutboxEvent {
  return {
    ...given,
    ...{ state: 'waiting', seq, at: now, since: now, next: now + given.wait },
    ...{ maybe: 0, aside: 0, bytes: sealed.length, batch: undefined, count: 0 },
  }
}

/** One step of what is written at once. */
export type OutboxChange =
  /** Adds an event. */
  | { readonly put: SealedEvent }
  /** Writes all of an event anew; what is sealed only where it is given. Nothing where there is none. */
  | { readonly set: OutboxEvent; readonly sealed?: string }
  /** Forgets an event, and the members of a batch. */
  | { readonly forget: string }
  /** Changes the state of all members of a batch. */
  | { readonly members: string; readonly state: EventState; readonly at: number }
  /** Remembers when GitHub accepted a credential for a repository. */
  | { readonly accepted: string; readonly at: number }

/** Which events are asked for; what is absent is not asked. */
export interface OutboxQuery {
  readonly states: readonly EventState[]
  /** Those behind this place. */
  readonly after?: number | undefined
  readonly limit: number
  /** A lane, or the `owner/name` of all lanes of a repository. */
  readonly lane?: string | undefined
  readonly reason?: string | undefined
  readonly credential?: string | undefined
  readonly batch?: string | undefined
}

/** What the events of one lane and state take together. */
export interface LaneUsage {
  readonly lane: string
  readonly state: EventState
  /** Without those that are batches: their members count. */
  readonly events: number
  readonly bytes: number
  /** The place of the last one. */
  readonly last: number
}

/**
 * Where events wait for GitHub. What a method wrote outlives the process when its promise resolves.
 *
 * @throws StorageError from all of them when the disk fails; nothing was changed then
 */
export interface Outbox {
  /** Writes all of it, or nothing. */
  apply(changes: readonly OutboxChange[]): Promise<void>
  find(delivery: string): Promise<SealedEvent | undefined>
  /** In the order of their places. */
  list(query: OutboxQuery): Promise<readonly OutboxEvent[]>
  /** The events of a batch with what is sealed, in the order in which they came. */
  members(batch: string): Promise<readonly SealedEvent[]>
  usage(): Promise<readonly LaneUsage[]>
  /** When GitHub accepted it last; `undefined` where it never did, or that is forgotten. */
  accepted(name: string): Promise<number | undefined>
}

const PAGE = 1000

/** All events that are asked for, in the order of their places; what comes meanwhile too. */
export async function* allEvents(
  outbox: Pick<Outbox, 'list'>,
  query: Omit<OutboxQuery, 'after' | 'limit'>,
): AsyncGenerator<OutboxEvent> {
  for (let after = -1; ; ) {
    const page = await outbox.list({ ...query, after, limit: PAGE })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.seq
  }
}

export interface OutboxLimits {
  /** Events that may be kept, those that died too. */
  readonly events: number
  /** Bytes of those. */
  readonly bytes: number
  /** Milliseconds after which an event that still fails is a dead letter. */
  readonly age: number
}

export interface OutboxFigures {
  readonly waiting: number
  /** Of all that is kept. */
  readonly bytes: number
  /** Seconds. */
  readonly oldest: number
  readonly dead: number
  /** Those that no key opens: they wait until one does. */
  readonly unreadable: number
  /** Events of batches that GitHub has, and that can be sent again. */
  readonly sent: number
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
  /** `error` where the operator has to mend something. */
  readonly level?: 'error'
  /**
   * - `kept`: the relay's own authority is refused, and its event was kept
   * - `delivered`, `deferred`: what a try came to
   * - `dead`: an event became a dead letter
   * - `forgotten`: a dead letter was dropped for its age
   * - `late`: the oldest event has waited for more than an hour
   * - `unreadable`: events that no key opens are kept
   * - `replayed`, `dropped`: the operator did so
   * - `halved`: a batch that GitHub refused is handed over in two parts
   * - `disk`: with a delivery, GitHub has the event, and the disk did not take that in; without, the
   *   disk fails since now, for the reason that stands there, or is `well` again
   */
  readonly outbox:
    | 'kept'
    | 'halved'
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
  /** Who sent it. */
  readonly credential?: string
  readonly tries?: number
  readonly reason?: string
  /** How long it has waited, or until the next try. */
  readonly seconds?: number
  readonly events?: number
}
