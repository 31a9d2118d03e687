import { type Bound, type DeliveryState, isOpen } from './delivery-rows.ts'

export interface RoomLimits {
  /** Undelivered events, dead letters included. */
  readonly events: number
  /** Bytes of all deliveries and bodies. */
  readonly bytes: number
  /** Share of both that the events of one owner may take if they come with GitHub tokens. */
  readonly ownerShare: number
}

/** What asks for room. */
export interface RoomRequest {
  /** Owner of the repository, in lower case. */
  readonly owner: string
  /** `null` for token URLs: those of an owner share a quota, as an endpoint's events do. */
  readonly endpoint: string | null
  /** 1 for an event, 0 for a part of a body. */
  readonly events: number
  readonly bytes: number
  /** True if its credential is not the relay's own. */
  readonly hasToken: boolean
}

/** Rows of one owner, endpoint and state, or the bodies of these. */
export interface CountedRows {
  readonly owner: string
  readonly endpoint: string | null
  readonly state: DeliveryState | 'body'
  readonly count: number
  readonly bytes: number
  /** Those that were answered with 202. */
  readonly queued: number
}

/** What a row takes besides its content. */
export const ROW_BYTES = 512

/** Rows in these states are deleted, the oldest first, if undelivered events need their room. */
export const YIELDING: readonly DeliveryState[] = ['delivered', 'filtered', 'refused']

/** Bodies leave the rest of each share to events, which are small. */
const BODIES_SHARE = 3 / 4

/** The name of the sum of all owners; no owner has it. */
const ALL = ''

const NOTHING: Bound = { events: 0, bytes: 0 }

/**
 * How much of the database is used: sums in memory, which a count of the rows replaces now and then. Until
 * then, what leaves the database still counts, so that the quota is never exceeded.
 */
export class Room {
  readonly #limits: RoomLimits
  /** Events and bytes that do not yield: of all, of each owner, of each endpoint, and of its waiting events. */
  readonly #sums = new Map<string, Bound>()
  #yielding = 0
  /** Requests that took room, and whose rows may not be written yet. */
  readonly #pending = new Set<RoomRequest>()

  constructor(limits: RoomLimits) {
    this.#limits = limits
  }

  /** True if nobody may store another event. */
  get isFull(): boolean {
    const { events, bytes } = this.#sumOf(ALL)
    return events >= this.#limits.events || bytes >= this.#limits.bytes
  }

  /** Bytes that have to be deleted, so that everything fits. */
  get excess(): number {
    return this.#sumOf(ALL).bytes + this.#yielding - this.#limits.bytes
  }

  /** Replaces the sums by what a query counted. A database answers in order, so it has no pending rows. */
  count(rows: readonly CountedRows[]): void {
    this.#sums.clear()
    this.#yielding = 0
    for (const { owner, endpoint, state, count, bytes: content } of rows) {
      const bytes = content + count * ROW_BYTES
      const events = state === 'body' ? 0 : count
      if (state !== 'body' && YIELDING.includes(state)) this.#yielding += bytes
      else this.#add(namesOf({ owner, endpoint }, isOpen(state)), { events, bytes })
    }
    for (const request of this.#pending) this.add(request)
  }

  /**
   * Takes room for all of the requests, or for none. As much as stays free may be used by an endpoint: alone, it
   * gets half.
   *
   * @param most that the endpoint may have waiting
   */
  take(requests: readonly RoomRequest[], most?: Bound): boolean {
    for (const [taken, request] of requests.entries()) {
      if (!this.#fits(request, most)) {
        this.give(requests.slice(0, taken))
        return false
      }
      this.#pending.add(request)
      this.add(request)
    }
    return true
  }

  /** Counts a row that was stored in any case. */
  add(request: RoomRequest): void {
    this.#add(namesOf(request, request.events > 0), request)
  }

  /** To be told that the rows of requests are written, so that a count finds them. */
  settle(requests: readonly RoomRequest[]): void {
    for (const request of requests) this.#pending.delete(request)
  }

  /** Gives back room that was taken and not used. */
  give(requests: readonly RoomRequest[]): void {
    this.settle(requests)
    for (const request of requests) {
      const { events, bytes } = request
      this.#add(namesOf(request, events > 0), { events: -events, bytes: -bytes })
    }
  }

  /** Counts bytes of rows that yield; negative for deleted ones. */
  addYielding(bytes: number): void {
    this.#yielding += bytes
  }

  #fits(request: RoomRequest, most: Bound | undefined): boolean {
    const { events, bytes, ownerShare } = this.#limits
    const all = this.#sumOf(ALL)
    const free = { events: events - all.events, bytes: bytes - all.bytes }
    const share = { events: events * ownerShare, bytes: bytes * ownerShare }
    const part = request.events > 0 ? 1 : BODIES_SHARE
    const fits = (name: string, limit: Bound) => {
      const used = this.#sumOf(name)
      const hasBytes = used.bytes + request.bytes <= limit.bytes * part
      return used.events + request.events <= limit.events && hasBytes
    }
    const [, owner = '', endpoint = '', open = ''] = namesOf(request, true)
    return (
      fits(endpoint, free) &&
      (!request.hasToken || fits(owner, share)) &&
      (!most || fits(open, most))
    )
  }

  #add(names: readonly string[], { events, bytes }: Bound): void {
    for (const name of names) {
      const sum = this.#sumOf(name)
      this.#sums.set(name, { events: sum.events + events, bytes: sum.bytes + bytes })
    }
  }

  #sumOf(name: string): Bound {
    return this.#sums.get(name) ?? NOTHING
  }
}

/** The sums that a row is part of; dead letters and bodies do not count as open. */
function namesOf(
  { owner, endpoint }: Pick<RoomRequest, 'owner' | 'endpoint'>,
  counts: boolean,
): readonly string[] {
  const name = `${owner}/${endpoint ?? ''}`
  return [ALL, owner, name, ...(counts ? [`${name} open`] : [])]
}
