import type { Detail, Summary, Unlisted } from './api.ts'
import { matcher } from './filter.ts'

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
  /** Of this run of `hookline dev`; part of every id. */
  readonly run: string
  readonly #bounds: typeof BOUNDS
  readonly #listeners = new Set<Listener>()
  readonly #kept = new Map<number, Kept>()
  #last = 0
  #bytes = 0

  constructor(run: string, bounds: typeof BOUNDS = BOUNDS) {
    this.run = run
    this.#bounds = bounds
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** The number of the oldest event that is kept; one more than the last when none is. */
  get oldest(): number {
    return this.#kept.keys().next().value ?? this.#last + 1
  }

  add(unlisted: Unlisted, withheld: Withheld = {}): Summary {
    const number = ++this.#last
    const detail = { id: `${this.run}-${number}`, number, ...unlisted }
    const json = new TextEncoder().encode(JSON.stringify(detail))
    const kept: Kept = { summary: summaryOf(detail), json, withheld }
    this.#kept.set(number, kept)
    this.#bytes += size(kept)
    this.#forget()
    for (const listener of this.#listeners) listener(kept)
    return kept.summary
  }

  find(id: string): Kept | undefined {
    const kept = this.#kept.get(this.numberOf(id))
    return kept?.summary.id === id ? kept : undefined
  }

  /** The number of an event of this run; 0 for anything else. */
  numberOf(id: string): number {
    const [, run, digits] = /^(.+)-(\d{1,15})$/.exec(id) ?? []
    return run === this.run ? Number(digits) : 0
  }

  /** What came after an event, oldest first; all that is kept when that one is 0. */
  after(number: number): Kept[] {
    return [...this.#kept.values()].filter(({ summary }) => summary.number > number)
  }

  /** The ids of what a filter lets through: its line, headers, body and outputs are looked at. */
  search(filter: string): string[] {
    const isMatch = matcher(filter)
    return this.after(0)
      .filter((kept) => isMatch(searchText(detailOf(kept))))
      .map(({ summary }) => summary.id)
  }

  /** @returns what ends it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #forget(): void {
    for (const [number, kept] of this.#kept) {
      if (this.#kept.size <= this.#bounds.requests && this.#bytes <= this.#bounds.bytes) return
      this.#kept.delete(number)
      this.#bytes -= size(kept)
    }
  }
}

/** An event as it was when it was kept. */
export function detailOf({ json }: Kept): Detail {
  return JSON.parse(new TextDecoder().decode(json))
}

function searchText({ request, ...detail }: Detail): string {
  const { method, path, workflow, trigger, event, outcome, origin, reason, delivery } = detail
  const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const line = [method, path, workflow, trigger, event, outcome, origin, reason, delivery].join(' ')
  // A request that came shows in its outputs too; what was polled shows there alone.
  const body = request ? request.body : JSON.stringify(detail.found)
  return [line, ...headers, body].join('\n')
}

function summaryOf(detail: Summary): Summary {
  const { id, number, time, origin, delivery, method, path, workflow, trigger, event } = detail
  const { outcome, count, reason, milliseconds } = detail
  const named = { id, number, time, origin, delivery, method, path, workflow, trigger, event }
  return { ...named, outcome, count, reason, milliseconds }
}

/** The summary repeats a part of the detail, so it counts too; a character takes two bytes. */
function size({ summary, json, withheld }: Kept): number {
  return json.length + 2 * JSON.stringify([summary, withheld]).length
}
