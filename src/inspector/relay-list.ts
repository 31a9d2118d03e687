import type { Summary } from './api.ts'
import { deliverySummary, type ListedDelivery, readPage } from './relay-delivery.ts'

/** Deliveries that the list takes, the newest ones. */
export const MOST_LISTED = 10_000

/** Deliveries of one request: the most that a relay returns, and the newest ones. */
const PAGE = { whole: 1000, newest: 100 }

/** A change of the list. */
export interface ListChange {
  /** New and changed deliveries. */
  readonly summaries: readonly Summary[]
  /** Ids of deliveries that the relay has no longer, or for which the list has no room. */
  readonly gone: readonly string[]
}

/** Asks a relay for one page of its deliveries, newest first. @throws UserError */
export type AskPage = (query: {
  readonly limit: number
  readonly after?: string
}) => Promise<unknown>

/** A delivery of the list. */
export interface Entry {
  readonly summary: Summary
  readonly delivery: ListedDelivery
}

/** A copy of the newest deliveries of a relay, which is compared with the relay again and again. */
export class RelayList {
  readonly #ask: AskPage
  readonly #tell: (change: ListChange) => void
  readonly #most: number
  readonly #entries = new Map<string, Entry>()
  /** The number of the newest delivery. Older ones have smaller numbers, also negative ones. */
  #top = 0

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

  /** Reads the newest deliveries, page by page until one that was known. @throws UserError */
  async readNewest(): Promise<void> {
    const rows: ListedDelivery[] = []
    for (let after: string | undefined; ; ) {
      const page = await this.#page(PAGE.newest, after)
      rows.push(...page.deliveries)
      const isKnown = page.deliveries.some(({ id }) => this.#entries.has(id))
      const isEnd = page.next === null || rows.length >= this.#most
      if (isKnown || isEnd) return this.#compare(rows, page.next === null)
      after = page.next ?? undefined
    }
  }

  /**
   * Reads all deliveries, as far as the list takes them. The first time, each page is shown when it arrives.
   *
   * @throws UserError
   */
  async readAll(): Promise<void> {
    const isFirst = this.#entries.size === 0
    const rows: ListedDelivery[] = []
    for (let after: string | undefined; ; ) {
      const page = await this.#page(Math.min(PAGE.whole, this.#most), after)
      rows.push(...page.deliveries)
      // A relay that repeats its cursor would be asked for ever.
      const isEnd = page.next === null || page.next === after || rows.length >= this.#most
      if (isFirst || isEnd) this.#compare(rows, page.next === null)
      if (isEnd) return
      after = page.next ?? undefined
    }
  }

  async #page(limit: number, after: string | undefined) {
    return readPage(await this.#ask({ limit, ...(after !== undefined && { after }) }))
  }

  /**
   * @param rows the newest deliveries of the relay, newest first
   * @param isEverything true if the relay has no others
   */
  #compare(rows: readonly ListedDelivery[], isEverything: boolean): void {
    const numbers = this.#numbersOf(rows)
    const changed = rows.flatMap((delivery, at) => {
      const before = this.#entries.get(delivery.id)
      const summary = deliverySummary(delivery, numbers[at] ?? 0)
      this.#entries.set(delivery.id, { summary, delivery })
      const isSame = before && JSON.stringify(before.delivery) === JSON.stringify(delivery)
      return isSame ? [] : [summary]
    })
    const missing = this.#missing(rows, isEverything, numbers.at(-1))
    for (const id of missing) this.#entries.delete(id)
    const surplus = this.#surplus()
    for (const id of surplus) this.#entries.delete(id)
    const gone = [...missing, ...surplus]
    const summaries = changed.filter(({ id }) => this.#entries.has(id))
    if (summaries.length + gone.length > 0) this.#tell({ summaries, gone })
  }

  /** A known delivery keeps its number; new ones get numbers between their neighbors. */
  #numbersOf(rows: readonly ListedDelivery[]): number[] {
    const known = rows.map(({ id }) => this.#entries.get(id)?.summary.number)
    const first = known.findIndex((number) => number !== undefined)
    const fresh = first < 0 ? rows.length : first
    const below = belowEach(known)
    const numbers: number[] = []
    for (const [at, number] of known.entries()) {
      const above = numbers[at - 1] ?? 0
      const next = below[at]
      if (at < fresh) numbers.push(this.#top + fresh - at)
      else if (number !== undefined) numbers.push(number)
      else numbers.push(next === undefined ? above - 1 : (above + next) / 2)
    }
    this.#top += fresh
    return numbers
  }

  /** Known deliveries among those that were read, which the relay has no longer. */
  #missing(
    rows: readonly ListedDelivery[],
    isEverything: boolean,
    oldest = Number.NEGATIVE_INFINITY,
  ): string[] {
    const present = new Set(rows.map(({ id }) => id))
    return [...this.#entries.values()].flatMap(({ summary: { id, number } }) =>
      !present.has(id) && (isEverything || number > oldest) ? [id] : [],
    )
  }

  #surplus(): string[] {
    const surplus = this.#entries.size - this.#most
    return surplus > 0
      ? this.summaries()
          .slice(-surplus)
          .map(({ id }) => id)
      : []
  }
}

/** For each position, the next known number. */
function belowEach(known: readonly (number | undefined)[]): (number | undefined)[] {
  let next: number | undefined
  return known
    .toReversed()
    .map((number) => {
      next = number ?? next
      return next
    })
    .reverse()
}
