import type { LaneUsage, OutboxLimits } from './outbox.ts'

/** What may be kept, and by whom. */
export interface Room {
  /** Takes room for an event of a lane; false where there is none left for it. */
  take(lane: string, bytes: number): boolean | Promise<boolean>
  /** Gives room of a lane back. */
  give(lane: string, events: number, bytes: number): void
  /** Takes in what is kept, in place of what was known of it. */
  reset(usage: readonly LaneUsage[]): void | Promise<void>
  /** Bytes of all that is kept. */
  readonly bytes: number
}

interface Share {
  events: number
  bytes: number
}

/** The room of a whole relay: each lane may hold as much as is still free. */
export class SharedRoom implements Room {
  readonly #limits: Pick<OutboxLimits, 'events' | 'bytes'>
  readonly #lanes = new Map<string, Share>()
  #events = 0
  #bytes = 0

  constructor(limits: Pick<OutboxLimits, 'events' | 'bytes'>) {
    this.#limits = limits
  }

  take(lane: string, bytes: number): boolean {
    const { events: most, bytes: mostBytes } = this.#limits
    const own = this.#lanes.get(lane) ?? { events: 0, bytes: 0 }
    if (own.events + 1 > most - this.#events) return false
    if (own.bytes + bytes > mostBytes - this.#bytes) return false
    this.give(lane, -1, -bytes)
    return true
  }

  give(lane: string, events: number, bytes: number): void {
    const own = this.#lanes.get(lane) ?? { events: 0, bytes: 0 }
    own.events -= events
    own.bytes -= bytes
    this.#events -= events
    this.#bytes -= bytes
    if (own.events > 0 || own.bytes > 0) this.#lanes.set(lane, own)
    else this.#lanes.delete(lane)
  }

  reset(usage: readonly LaneUsage[]): void {
    this.#lanes.clear()
    this.#events = 0
    this.#bytes = 0
    for (const { lane, state, events, bytes } of usage) {
      // A batch that GitHub has takes nothing but its bytes.
      this.give(lane, state === 'sent' ? 0 : -events, -bytes)
    }
  }

  get bytes(): number {
    return this.#bytes
  }

  /** True when not even a lane of its own would find room. */
  get isFull(): boolean {
    return this.#events >= this.#limits.events || this.#bytes >= this.#limits.bytes
  }
}

/** Bytes of room that a lane of its own is given at once. */
export const CHUNK = 1024 * 1024

/** The room of one lane that is alone where it is, and asks elsewhere for more. */
export class LeasedRoom implements Room {
  readonly #limits: Pick<OutboxLimits, 'events' | 'bytes'>
  readonly #lease: (lane: string, chunks: number) => Promise<boolean>
  #chunks = 0
  #events = 0
  #bytes = 0

  /** @param lease asks for so many chunks in all */
  constructor(
    limits: Pick<OutboxLimits, 'events' | 'bytes'>,
    lease: (lane: string, chunks: number) => Promise<boolean>,
  ) {
    this.#limits = limits
    this.#lease = lease
  }

  async take(lane: string, bytes: number): Promise<boolean> {
    const needed = this.#neededFor(this.#events + 1, this.#bytes + bytes)
    if (needed > this.#chunks) {
      if (!(await this.#lease(lane, needed))) return false
      this.#chunks = Math.max(needed, this.#chunks)
    }
    this.give(lane, -1, -bytes)
    return true
  }

  give(_lane: string, events: number, bytes: number): void {
    this.#events = Math.max(0, this.#events - events)
    this.#bytes = Math.max(0, this.#bytes - bytes)
  }

  /** What is kept stays, whoever would grant it; only more must be asked for. */
  async reset(usage: readonly LaneUsage[]): Promise<void> {
    this.#events = 0
    this.#bytes = 0
    for (const { state, events, bytes } of usage) {
      this.give('', state === 'sent' ? 0 : -events, -bytes)
    }
    const needed = this.#neededFor(this.#events, this.#bytes)
    const [lane] = usage
    // Nothing is leased by who has nothing; the rest is asked for when it is needed.
    this.#chunks = lane && this.#chunks > 0 ? Math.max(needed, this.#chunks) : 0
  }

  get bytes(): number {
    return this.#bytes
  }

  /** A chunk is room for its share of the events too. */
  #neededFor(events: number, bytes: number): number {
    const eventsOfChunk = Math.max(1, (this.#limits.events * CHUNK) / this.#limits.bytes)
    return Math.max(Math.ceil(bytes / CHUNK), Math.ceil(events / eventsOfChunk))
  }
}
