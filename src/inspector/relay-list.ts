import type { ListChange, Summary } from './api.ts'
import { deliverySummary, type ListedDelivery, readDeliveries } from './relay-delivery.ts'

/** Deliveries that the list takes, the newest ones. */
const MOST_LISTED = 10_000

/** Deliveries of one request: the most that a relay returns, and the newest ones. */
const PAGE = { all: 1000, newest: 100 }

/** Asks a relay for one page of its deliveries, newest first. @throws UserError */
export type AskPage = (query: {
  readonly limit: number
  readonly after?: string
}) => Promise<unknown>

/** A delivery of the list. */
interface Entry {
  readonly summary: Summary
  readonly delivery: ListedDelivery
}

/** A copy of the newest deliveries of a relay. A deletion at the relay is seen when all are read. */
export class RelayList {
  readonly #ask: AskPage
  readonly #tell: (change: ListChange) => void
  readonly #most: number
  readonly #entries = new Map<string, Entry>()

  constructor(ask: AskPage, tell: (change: ListChange) => void, most = MOST_LISTED) {
    this.#ask = ask
    this.#tell = tell
    this.#most = most
  }

  get isFull(): boolean {
    return this.#entries.size >= this.#most
  }

  find(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  /** All deliveries, newest first. */
  summaries(): Summary[] {
    const all = [...this.#entries.values()].map(({ summary }) => summary)
    return all.sort((one, other) => other.number - one.number)
  }

  /**
   * Reads all deliveries, as far as the list takes them, or the newest ones, page by page until one that was
   * known. The first time, each page is shown when it arrives.
   *
   * @throws UserError
   */
  async read(part: 'all' | 'newest'): Promise<void> {
    const isFirst = this.#entries.size === 0
    const rows: ListedDelivery[] = []
    for (let after: string | undefined; ; ) {
      const limit = Math.min(PAGE[part], this.#most)
      const { deliveries, next } = readDeliveries(
        await this.#ask({ limit, ...(after !== undefined && { after }) }),
      )
      rows.push(...deliveries)
      const isKnown = part === 'newest' && deliveries.some(({ id }) => this.#entries.has(id))
      // A relay that repeats its cursor would be asked for ever.
      const isEnd = isKnown || next === null || next === after || rows.length >= this.#most
      if (isFirst || isEnd) this.#take(rows, isEnd && part === 'all')
      if (isEnd) return
      after = next
    }
  }

  /** @param isWhole true if the relay has no others that the list takes */
  #take(rows: readonly ListedDelivery[], isWhole: boolean): void {
    const changed = rows.flatMap((delivery) => {
      const before = this.#entries.get(delivery.id)
      const summary = deliverySummary(delivery)
      this.#entries.set(delivery.id, { summary, delivery })
      return JSON.stringify(before?.delivery) === JSON.stringify(delivery) ? [] : [summary]
    })
    const present = new Set(rows.map(({ id }) => id))
    const all = this.summaries()
    const kept = (isWhole ? all.filter(({ id }) => present.has(id)) : all).slice(0, this.#most)
    const keptIds = new Set(kept.map(({ id }) => id))
    const gone = all.flatMap(({ id }) => (keptIds.has(id) ? [] : [id]))
    for (const id of gone) this.#entries.delete(id)
    const summaries = changed.filter(({ id }) => keptIds.has(id))
    if (summaries.length + gone.length > 0) this.#tell({ summaries, gone })
  }
}
