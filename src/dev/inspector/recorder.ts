import type { Summary, Unlisted } from './wire.ts'

/** What is kept at most, the newest first. */
export const BOUNDS = { requests: 200, bytes: 32 * 1024 * 1024 }

/** Headers that are kept for a replay and shown to nobody, by name. */
export type Withheld = Readonly<Record<string, string>>

/** One event as it is kept. */
export interface Kept {
  readonly summary: Summary
  /** The `Detail`, as JSON in UTF-8: what is kept can be counted, and is what is served. */
  readonly json: Uint8Array
  readonly withheld: Withheld
}

type Listener = (kept: Kept) => void

/** Remembers the last events, within bounds, and tells who listens of each new one. */
export class Recorder {
  readonly #bounds: typeof BOUNDS
  readonly #listeners = new Set<Listener>()
  readonly #kept = new Map<number, Kept>()
  #last = 0
  #bytes = 0

  constructor(bounds: typeof BOUNDS = BOUNDS) {
    this.#bounds = bounds
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** The id of the oldest event that is kept; one more than the last when none is. */
  get oldest(): number {
    return this.#kept.keys().next().value ?? this.#last + 1
  }

  add(unlisted: Unlisted, withheld: Withheld = {}): Summary {
    const detail = { id: ++this.#last, ...unlisted }
    const json = new TextEncoder().encode(JSON.stringify(detail))
    const kept: Kept = { summary: summaryOf(detail), json, withheld }
    this.#kept.set(detail.id, kept)
    this.#bytes += size(kept)
    this.#forget()
    for (const listener of this.#listeners) listener(kept)
    return kept.summary
  }

  find(id: number): Kept | undefined {
    return this.#kept.get(id)
  }

  /** What came after an event, oldest first; all that is kept when that one is 0. */
  after(id: number): Kept[] {
    return [...this.#kept.values()].filter(({ summary }) => summary.id > id)
  }

  /** @returns what ends it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #forget(): void {
    for (const [id, kept] of this.#kept) {
      if (this.#kept.size <= this.#bounds.requests && this.#bytes <= this.#bounds.bytes) return
      this.#kept.delete(id)
      this.#bytes -= size(kept)
    }
  }
}

function summaryOf(detail: Summary): Summary {
  const { id, time, origin, delivery, method, path, workflow, trigger } = detail
  const { outcome, count, reason, milliseconds } = detail
  const named = { id, time, origin, delivery, method, path, workflow, trigger }
  return { ...named, outcome, count, reason, milliseconds }
}

/** The summary repeats a part of the detail, so it counts too; a character takes two bytes. */
function size({ summary, json, withheld }: Kept): number {
  return json.length + 2 * JSON.stringify([summary, withheld]).length
}
