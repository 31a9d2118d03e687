import type { Bound, DeliveryState } from './delivery-rows.ts'

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

interface Sums {
  events: number
  bytes: number
}

/** Sums of the events and bytes that do not yield. */
interface Usage {
  all: Sums
  readonly owners: Map<string, Sums>
  readonly endpoints: Map<string, Sums>
  /** Waiting and uncertain events of each endpoint, without its dead letters and bodies. */
  readonly open: Map<string, Sums>
  yielding: number
}

/**
 * How much of the database is used: sums in memory, which a count of the rows replaces now and then. Until
 * then, what leaves the database still counts, so that the quota is never exceeded.
 */
export class Room {
  readonly #limits: RoomLimits
  #usage = noUsage()
  /** Requests that took room, and whose rows may not be written yet. */
  readonly #pending = new Set<RoomRequest>()
  /** Changes since the count began that is going on. */
  #since: (() => void)[] | undefined

  constructor(limits: RoomLimits) {
    this.#limits = limits
  }

  /** Events and bytes that do not yield, and bytes that do. */
  get used(): Sums & { readonly yielding: number } {
    return { ...this.#usage.all, yielding: this.#usage.yielding }
  }

  /** True if nobody may store another event. */
  get isFull(): boolean {
    const { events, bytes } = this.#usage.all
    return events >= this.#limits.events || bytes >= this.#limits.bytes
  }

  /** Bytes that have to be deleted, so that everything fits. */
  get excess(): number {
    return this.#usage.all.bytes + this.#usage.yielding - this.#limits.bytes
  }

  /** Replaces the sums by what a query counts. */
  async count(read: () => Promise<readonly CountedRows[]>): Promise<void> {
    const since = [...this.#pending].map((request) => () => this.#add(request, 1))
    this.#since = since
    try {
      const rows = await read()
      this.#usage = noUsage()
      for (const row of rows) this.#count(row)
      for (const change of since) change()
    } finally {
      if (this.#since === since) this.#since = undefined
    }
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
      this.#change(() => this.#add(request, 1))
    }
    return true
  }

  /** Counts a row that was stored in any case. */
  add(request: RoomRequest): void {
    this.#change(() => this.#add(request, 1))
  }

  /** To be told that the rows of requests are written, so that a count finds them. */
  settle(requests: readonly RoomRequest[]): void {
    for (const request of requests) this.#pending.delete(request)
  }

  /** Gives back room that was taken and not used. */
  give(requests: readonly RoomRequest[]): void {
    this.settle(requests)
    for (const request of requests) this.#change(() => this.#add(request, -1))
  }

  /** Counts bytes of rows that yield; negative for deleted ones. */
  addYielding(bytes: number): void {
    this.#change(() => {
      this.#usage.yielding += bytes
    })
  }

  #fits(
    { owner, endpoint, events, bytes, hasToken }: RoomRequest,
    most: Bound | undefined,
  ): boolean {
    const { all, owners, endpoints, open } = this.#usage
    const { limits, name } = { limits: this.#limits, name: endpointKey(owner, endpoint) }
    const free = { events: limits.events - all.events, bytes: limits.bytes - all.bytes }
    const share = {
      events: limits.events * limits.ownerShare,
      bytes: limits.bytes * limits.ownerShare,
    }
    const fits = (used: Sums | undefined, limit: Bound) =>
      (used?.events ?? 0) + events <= limit.events && (used?.bytes ?? 0) + bytes <= limit.bytes
    return (
      fits(endpoints.get(name), free) &&
      (!hasToken || fits(owners.get(owner), share)) &&
      (!most || fits(open.get(name), most))
    )
  }

  #change(change: () => void): void {
    this.#since?.push(change)
    change()
  }

  #add({ owner, endpoint, events, bytes }: RoomRequest, sign: 1 | -1): void {
    const { all, owners, endpoints, open } = this.#usage
    const added = { events: sign * events, bytes: sign * bytes }
    const name = endpointKey(owner, endpoint)
    this.#usage.all = sum(all, added)
    owners.set(owner, sum(owners.get(owner), added))
    endpoints.set(name, sum(endpoints.get(name), added))
    if (events > 0) open.set(name, sum(open.get(name), added))
  }

  #count({ owner, endpoint, state, count, bytes }: CountedRows): void {
    const size = bytes + count * ROW_BYTES
    if (state !== 'body' && YIELDING.includes(state)) {
      this.#usage.yielding += size
      return
    }
    const events = state === 'body' ? 0 : count
    const { all, owners, endpoints, open } = this.#usage
    const name = endpointKey(owner, endpoint)
    const counted = { events, bytes: size }
    this.#usage.all = sum(all, counted)
    owners.set(owner, sum(owners.get(owner), counted))
    endpoints.set(name, sum(endpoints.get(name), counted))
    if (state === 'waiting' || state === 'uncertain') open.set(name, sum(open.get(name), counted))
  }
}

function noUsage(): Usage {
  return {
    all: { events: 0, bytes: 0 },
    owners: new Map(),
    endpoints: new Map(),
    open: new Map(),
    yielding: 0,
  }
}

function sum(a: Sums | undefined, b: Sums): Sums {
  return { events: (a?.events ?? 0) + b.events, bytes: (a?.bytes ?? 0) + b.bytes }
}

function endpointKey(owner: string, endpoint: string | null): string {
  return `${owner}/${endpoint ?? ''}`
}
