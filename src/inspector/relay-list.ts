import type { ListChange, Summary } from './api.ts'
import { deliverySummary, type ListedDelivery, readDeliveries } from './relay-delivery.ts'

/** Deliveries that the list takes, the newest ones: the most that a relay returns for one request. */
const MOST_LISTED = 1000

/** Deliveries of a request for news. */
const NEWS = 100

/** Asks a relay for its newest deliveries, newest first. @throws UserError */
export type AskNewest = (limit: number) => Promise<unknown>

/** A delivery of the list. */
interface Entry {
  readonly summary: Summary
  readonly delivery: ListedDelivery
}

/** A copy of the newest deliveries of a relay. A deletion at the relay is seen when all are read. */
export class RelayList {
  readonly #ask: AskNewest
  readonly #tell: (change: ListChange) => void
  readonly #most: number
  readonly #entries = new Map<string, Entry>()

  constructor(ask: AskNewest, tell: (change: ListChange) => void, most = MOST_LISTED) {
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

  /** Reads all deliveries that the list takes; or the newest ones, if one of them was known. @throws UserError */
  async read(part: 'all' | 'newest'): Promise<void> {
    const rows = readDeliveries(await this.#ask(part === 'all' ? this.#most : NEWS))
    const isConnected = part === 'all' || rows.some(({ id }) => this.#entries.has(id))
    if (isConnected) this.#take(rows, part === 'all')
    else await this.read('all')
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
