import { LIMITS } from '../../wire/limits.ts'
import type { Collecting, Collection } from '../store/delivery-rows.ts'

/**
 * The events that wait for the end of their batch, by queue and grouping. The database has the events;
 * this knows only when a batch is due.
 */
export class Collections {
  readonly #collecting = new Map<string, Map<string, Collecting>>()

  /** Replaces all by what the database has. */
  read(all: readonly Collecting[], now: number): void {
    this.#collecting.clear()
    for (const collecting of all) {
      // A clock that was ahead must not hold a batch longer than its period.
      const [first, last] = [Math.min(collecting.first, now), Math.min(collecting.last, now)]
      this.#set({ ...collecting, first, last })
    }
  }

  /** To be told of each event that was stored for a batch. */
  add(queue: string, { grouping, period, quiet, length }: Collection, now: number): void {
    const known = this.#collecting.get(queue)?.get(grouping)
    const { first = now, count = 0, length: before = 0 } = known ?? {}
    this.#set({
      ...{ queue, grouping, period, quiet, first },
      ...{ last: now, count: count + 1, length: before + length },
    })
  }

  /** Groupings of a queue whose batch is due: its time has passed, or it is full. */
  due(queue: string, now: number): readonly string[] {
    return this.#of(queue)
      .filter((collecting) => dueAt(collecting) <= now)
      .map(({ grouping }) => grouping)
  }

  /** When the first batch of a queue is due; infinite if it collects nothing. */
  dueAt(queue: string): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#of(queue).map(dueAt))
  }

  #of(queue: string): readonly Collecting[] {
    return [...(this.#collecting.get(queue)?.values() ?? [])]
  }

  #set(collecting: Collecting): void {
    const groupings = this.#collecting.get(collecting.queue) ?? new Map<string, Collecting>()
    this.#collecting.set(collecting.queue, groupings.set(collecting.grouping, collecting))
  }
}

function dueAt(collecting: Collecting): number {
  const { first, last, count, length, period, quiet } = collecting
  const isFull = count >= LIMITS.batchEvents || length >= LIMITS.batchUnpackedLength
  return isFull ? 0 : Math.min(first + period, last + (quiet ?? period))
}
