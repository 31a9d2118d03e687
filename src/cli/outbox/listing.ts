import { isObject, type Json } from '../../wire/json.ts'
import { printable } from '../../wire/printable.ts'
import { LIST, notARelay, type RelayClient } from '../relay-client.ts'
import { textTable } from '../terminal.ts'

/** Which events are selected; all without a field. */
export interface Filter {
  /** `owner/name` */
  readonly repository?: string
  readonly reason?: string
  readonly credential?: string
}

/** The filter as the admin API reads it. */
export function filterQuery({ repository, ...others }: Filter): Record<string, string | undefined> {
  return { ...others, ...(repository !== undefined && { queue: repository }) }
}

export interface ListedEvent {
  readonly delivery: string
  readonly queue: string
  readonly credential?: string
  /** `waiting`, `uncertain`, `dead` or `delivered` */
  readonly state: string
  readonly at: string
  readonly tries: number
  readonly reason: string
  readonly next?: string
  /** Number of events of a batch. */
  readonly events?: number
}

export interface OutboxListing {
  readonly waiting: readonly ListedEvent[]
  readonly dead: readonly ListedEvent[]
  /** Batches that GitHub accepted. */
  readonly delivered: readonly ListedEvent[]
  /** Events that the ledger does not account for: 0. */
  readonly imbalance: number
}

/** Events of one page: the maximum of a relay. */
const PAGE = '1000'

/** All selected events, page by page. @throws UserError */
export async function readListing(relay: RelayClient, filter: Filter): Promise<OutboxListing> {
  const waiting: ListedEvent[] = []
  const dead: ListedEvent[] = []
  const delivered: ListedEvent[] = []
  let imbalance = 0
  for (let after: string | undefined; ; ) {
    const query = { limit: PAGE, after, ...filterQuery(filter) }
    const page = await relay.ask({ method: 'GET', path: LIST, query })
    const read = listingOf(page)
    waiting.push(...read.waiting)
    dead.push(...read.dead)
    delivered.push(...read.delivered)
    imbalance += read.imbalance
    // A relay that repeats its cursor would be asked for ever.
    if (read.next === undefined || read.next === after) {
      return { waiting, dead, delivered, imbalance }
    }
    after = read.next
  }
}

function listingOf(page: Json): OutboxListing & { readonly next: string | undefined } {
  const { waiting, dead, delivered = [], imbalance = 0, next } = isObject(page) ? page : {}
  if (!areEvents(waiting) || !areEvents(dead) || !areEvents(delivered)) throw notARelay()
  return {
    waiting,
    dead,
    delivered,
    imbalance: Number(imbalance),
    next: typeof next === 'string' ? next : undefined,
  }
}

function areEvents(value: unknown): value is readonly ListedEvent[] {
  if (!Array.isArray(value)) return false
  return value.every((event) => {
    if (!isObject(event)) return false
    const { delivery, queue, state, at, reason, tries } = event
    const strings = [delivery, queue, state, at, reason]
    return strings.every((text) => typeof text === 'string') && typeof tries === 'number'
  })
}

const HEAD = ['', 'REPOSITORY', 'DELIVERY', 'CREDENTIAL', 'SINCE', 'TRIES', 'REASON', 'NEXT']

/** @param most events to show: up to half of them are dead letters and batches, the last ones */
export function listingText(listing: OutboxListing, now: number, most = Infinity): string {
  const { waiting, dead, delivered, imbalance } = listing
  const ended = [...delivered, ...dead]
  const ofEnded = Math.min(ended.length, Math.max(Math.floor(most / 2), most - waiting.length))
  const events = [...waiting.slice(0, most - ofEnded), ...ended.slice(ended.length - ofEnded)]
  const batches = delivered.length === 0 ? '' : `, ${delivered.length} delivered batches`
  const alarm = imbalance === 0 ? '' : `, imbalance ${imbalance}: report this as a bug`
  const summary = `${waiting.length} waiting, ${dead.length} dead${batches}${alarm}`
  if (events.length === 0) return summary
  const lines = printable(textTable([HEAD, ...events.map((event) => cellsOf(event, now))]))
  const left = waiting.length + ended.length - events.length
  return [summary, '', lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n')
}

function cellsOf(event: ListedEvent, now: number): readonly string[] {
  const { queue, delivery, credential = '', state, at, tries, reason, next, events } = event
  return [
    events === undefined ? state : `${state}, ${events} events`,
    queue.split('#')[0] ?? '',
    delivery,
    credential,
    roundedDuration(now - Date.parse(at)),
    String(tries),
    reason,
    next === undefined ? '' : nextTry(Date.parse(next) - now),
  ]
}

function nextTry(wait: number): string {
  return wait > 0 ? `in ${roundedDuration(wait)}` : 'as soon as possible'
}

function roundedDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
