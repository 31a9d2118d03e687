import type { Runtime } from '../runtime.ts'
import type { Database } from './database.ts'
import { type Bound, type DeliveryState, isOpen } from './delivery-rows.ts'

export interface RoomLimits {
  /** Undelivered events, dead letters included. */
  readonly events: number
  /** Bytes of all deliveries and bodies. */
  readonly bytes: number
  /** Share of both that the events of one owner may take if they come with GitHub tokens. */
  readonly ownerShare: number
}

export interface RoomRequest {
  /** Owner of the repository, in lower case. */
  readonly owner: string
  /** `null` for token URLs: those of an owner share a quota, as an endpoint's events do. */
  readonly endpoint: string | null
  /** 0 for a part of a body. */
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

/** Milliseconds between two counts of the rows because there seems to be no room. */
const COUNT_INTERVAL = 1000

const NOTHING: Bound = { events: 0, bytes: 0 }

interface RoomParts extends Pick<Runtime, 'now'> {
  readonly database: Database
  readonly limits: RoomLimits
  /** Deletes rows that yield: about so many bytes. */
  free(bytes: number): Promise<void>
}

/**
 * How much of the database is used: sums in memory, which a count of the rows replaces now and then. Until
 * then, what leaves the database still counts, so that the quota is never exceeded.
 */
export class Room {
  readonly #parts: RoomParts
  readonly #limits: RoomLimits
  /** Events and bytes that do not yield: of all, of each owner, of each endpoint, and of its waiting events. */
  readonly #sums = new Map<string, Bound>()
  #yielding = 0
  /** Requests that took room, and whose rows may not be written yet. */
  readonly #pending = new Set<RoomRequest>()
  #counting: Promise<void> | undefined
  #countedAt = Number.NEGATIVE_INFINITY
  #making: Promise<void> | undefined

  constructor(parts: RoomParts) {
    this.#parts = parts
    this.#limits = parts.limits
  }

  /** True if nobody may store another event. */
  get isFull(): boolean {
    const { events, bytes } = this.#sumOf(ALL)
    return events >= this.#limits.events || bytes >= this.#limits.bytes
  }

  /**
   * Takes room while rows or bytes of a body are written, and gives it back if they are not.
   *
   * @param most that the endpoint may have waiting
   * @param write stores them; false if it stored nothing
   * @returns false if there is no room, or nothing was stored
   * @throws StorageError
   */
  async within(
    request: RoomRequest,
    most: Bound | undefined,
    write: () => Promise<boolean>,
  ): Promise<boolean> {
    if (!(await this.#takeCounted(request, most))) return false
    let isWritten = false
    try {
      await this.make()
      isWritten = await write()
    } finally {
      this.#pending.delete(request)
      if (!isWritten) this.give(request)
    }
    return isWritten
  }

  /** Deletes what yields, oldest first, if all together is larger than the quota. */
  async make(): Promise<void> {
    const excess = this.#sumOf(ALL).bytes + this.#yielding - this.#limits.bytes
    if (excess <= 0) return
    // Some more, so that not each of the next events has to make room for itself.
    this.#making ??= this.#parts.free(excess + this.#limits.bytes / 64).finally(() => {
      this.#making = undefined
    })
    await this.#making
  }

  /** Counts the rows, so that what left the database counts no longer. To be called once a minute. */
  count(): Promise<void> {
    this.#countedAt = this.#parts.now()
    this.#counting ??= this.countedRows()
      .then((rows) => this.#replace(rows))
      .finally(() => {
        this.#counting = undefined
      })
    return this.#counting
  }

  async countedRows(): Promise<readonly CountedRows[]> {
    const rows = await this.#parts.database.read(
      `SELECT owner, endpoint, state, count(*) AS count, sum(bytes) AS bytes, sum(queued) AS queued
          FROM delivery GROUP BY owner, endpoint, state
        UNION ALL SELECT owner, endpoint, 'body', count(*), sum(bytes), 0 FROM body
          GROUP BY owner, endpoint`,
    )
    // The columns are the fields.
    return rows as unknown as readonly CountedRows[]
  }

  /** Replaces the sums by what a query counted. A database answers in order, so it has no pending rows. */
  #replace(rows: readonly CountedRows[]): void {
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

  async #takeCounted(request: RoomRequest, most: Bound | undefined): Promise<boolean> {
    if (this.#countedAt === Number.NEGATIVE_INFINITY) await this.count()
    if (this.#take(request, most)) return true
    const isCounted = this.#parts.now() - this.#countedAt < COUNT_INTERVAL
    if (isCounted && !this.#counting) return false
    await this.count()
    return this.#take(request, most)
  }

  /** As much as stays free may be used by an endpoint: alone, it gets half. */
  #take(request: RoomRequest, most: Bound | undefined): boolean {
    if (!this.#fits(request, most)) return false
    this.#pending.add(request)
    this.add(request)
    return true
  }

  /** Counts a row that was stored in any case. */
  add(request: RoomRequest): void {
    this.#add(namesOf(request, request.events > 0), request)
  }

  /** Gives back room that was not used, or of a deleted body. */
  give(request: RoomRequest): void {
    const { events, bytes } = request
    this.#add(namesOf(request, events > 0), { events: -events, bytes: -bytes })
  }

  /** Counts bytes of rows that yield; negative for deleted ones. */
  addYielding(bytes: number): void {
    this.#yielding += bytes
  }

  #fits(request: RoomRequest, most: Bound | undefined): boolean {
    const { events, bytes, ownerShare } = this.#limits
    const all = this.#sumOf(ALL)
    // The last of several rows may use half of what the others leave; they are about equally large.
    const others = Math.max(0, request.events - 1)
    const free = {
      events: events - all.events - others,
      bytes: bytes - all.bytes - (others * request.bytes) / Math.max(1, request.events),
    }
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
