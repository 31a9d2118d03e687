import { isObject, type Json } from '../../wire/json.ts'
import { printable } from '../../wire/printable.ts'
import { LIST, notARelay, type RelayClient } from './relay-client.ts'

/** Which events are meant; all where nothing is named. */
export interface Filter {
  /** `owner/name`, or one of its lanes. */
  readonly lane?: string
  readonly reason?: string
  readonly credential?: string
}

export interface OutboxEvent {
  readonly delivery: string
  readonly lane: string
  /** Who sent it; older relays do not tell. */
  readonly credential?: string
  readonly at: string
  readonly tries: number
  readonly reason: string
  readonly next?: string
  readonly died?: string
  /** When it was handed over: a batch is kept for a day, and can be sent again. */
  readonly sent?: string
  /** `collecting`: a batch that still takes events in. */
  readonly state?: string
  /** Of a batch, how many it holds. */
  readonly events?: number
}

export interface Listing {
  readonly waiting: readonly OutboxEvent[]
  readonly dead: readonly OutboxEvent[]
  /** Batches that GitHub has. */
  readonly sent: readonly OutboxEvent[]
}

/** Events of one answer: as many as a relay gives. */
const PAGE = '1000'

/** All that is asked for, page by page. @throws UserError */
export async function readListing(relay: RelayClient, filter: Filter): Promise<Listing> {
  const waiting: OutboxEvent[] = []
  const dead: OutboxEvent[] = []
  const sent: OutboxEvent[] = []
  for (let after: string | undefined; ; ) {
    const query = { limit: PAGE, after, ...filter }
    const page = await relay.ask({ method: 'GET', path: LIST, query })
    const read = listingOf(page)
    waiting.push(...read.waiting)
    dead.push(...read.dead)
    sent.push(...read.sent)
    // A relay that says the same again would be asked for ever.
    if (read.next === undefined || read.next === after) return { waiting, dead, sent }
    after = read.next
  }
}

function listingOf(page: Json): Listing & { readonly next: string | undefined } {
  const { waiting, dead, sent = [], next } = isObject(page) ? page : {}
  if (!areEvents(waiting) || !areEvents(dead) || !areEvents(sent)) throw notARelay()
  return { waiting, dead, sent, next: typeof next === 'string' ? next : undefined }
}

function areEvents(value: unknown): value is readonly OutboxEvent[] {
  if (!Array.isArray(value)) return false
  return value.every((event) => {
    if (!isObject(event)) return false
    const { delivery, lane, at, reason, tries } = event
    const texts = [delivery, lane, at, reason].every((text) => typeof text === 'string')
    return texts && typeof tries === 'number'
  })
}

const HEAD = ['', 'REPOSITORY', 'DELIVERY', 'CREDENTIAL', 'SINCE', 'TRIES', 'REASON', 'NEXT']

/** @param most events to show: half of them may be what waits no more, the last ones, even where many wait */
export function listingText({ waiting, ...ended }: Listing, now: number, most = Infinity): string {
  const { dead, sent } = ended
  const over = [...sent, ...dead]
  const ofOver = Math.min(over.length, Math.max(Math.floor(most / 2), most - waiting.length))
  const events = [...waiting.slice(0, most - ofOver), ...over.slice(over.length - ofOver)]
  const batches = sent.length === 0 ? '' : `, ${sent.length} sent as batches`
  const summary = `${waiting.length} waiting, ${dead.length} dead${batches}`
  if (events.length === 0) return summary
  const table = [HEAD, ...events.map((event) => cellsOf(event, now))]
  const widths = HEAD.map((_, at) =>
    table.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), 0),
  )
  const lines = table.map((row) =>
    printable(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).trimEnd(),
  )
  const left = waiting.length + over.length - events.length
  return [summary, '', ...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n')
}

function cellsOf(event: OutboxEvent, now: number): readonly string[] {
  const { lane, delivery, credential = '', at, tries, reason, next = '', events } = event
  const state = stateOf(event)
  const wait = Date.parse(next) - now
  const turn = wait > 0 ? `in ${duration(wait)}` : 'in its turn'
  return [
    events === undefined ? state : `${state}, ${events} events`,
    lane.split('#')[0] ?? '',
    delivery,
    credential,
    duration(now - Date.parse(at)),
    String(tries),
    reason,
    event.next === undefined ? '' : turn,
  ]
}

function stateOf({ died, sent, state = 'waiting' }: OutboxEvent): string {
  if (died !== undefined) return 'dead'
  return sent === undefined ? state : 'sent'
}

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
