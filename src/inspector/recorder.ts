import * as v from 'valibot'
import type { LogEntry } from '../relay/http/request-log.ts'
import type { RelayRequest } from '../relay/ports.ts'
import { bodyBytes, byteString, fromBase64, toBase64, utf8Text } from '../wire/bytes.ts'
import { isObject, record } from '../wire/json.ts'
import { type ClientPayload, HEADER, RESERVED_HEADER_PREFIX } from '../wire/payload.ts'
import { CREDENTIAL_HEADERS } from '../wire/request.ts'
import type { Detail, Order, Reader, ShownJobs, ShownRequest, Summary, Unlisted } from './api.ts'
import { matcher } from './filter.ts'
import type { DevEvent } from './local-engine.ts'
import { preview, requestPreview } from './preview.ts'
import { shownProblem } from './shown-problem.ts'

/** What is kept at most, the newest first. */
export const BOUNDS = { requests: 200, bytes: 32 * 1024 * 1024 }

/** Headers that are kept for a replay and shown to nobody, by name. */
type Withheld = Readonly<Record<string, string>>

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
  const { outcome, count, reason, milliseconds, preview } = detail
  const named = { id, number, time, origin, delivery, method, path, workflow, trigger, event }
  return { ...named, outcome, count, reason, milliseconds, preview }
}

/** The summary repeats a part of the detail, so it counts too; a character takes two bytes. */
function size({ summary, json, withheld }: Kept): number {
  return json.length + 2 * JSON.stringify([summary, withheld]).length
}

/** Stands for what authenticates the sender: kept for a replay, never shown. */
const HIDDEN = '***'

/** How an event came: of a replay, the event whose request was sent again. */
export type Cause = Pick<Unlisted, 'origin' | 'of'>

/** How an event came, when, and who can read what it brought. */
export interface EventContext extends Cause {
  readonly time: Date
  readonly readers: readonly Reader[]
  /** What the workflow's jobs do with it; none where nothing tells. */
  readonly jobs?: readonly ShownJobs[]
}

/**
 * An event and its request, as the inspector keeps them.
 *
 * @param secretHeaders those that this trigger takes for what authenticates its sender, beside the known
 */
export async function requestRecord(
  event: DevEvent,
  payload: ClientPayload,
  context: EventContext,
  secretHeaders: readonly string[] = [],
): Promise<{ readonly unlisted: Unlisted; readonly withheld: Withheld }> {
  const { request, withheld } = await shownRequest(payload, secretHeaders)
  const named = { request, event: eventName(request), preview: requestPreview(request) }
  return { unlisted: { ...eventRecord(event, context), ...named }, withheld }
}

/** An event that no request brought. */
export function eventRecord(event: DevEvent, context: EventContext): Unlisted {
  const { delivery, method, path, workflow, trigger, milliseconds } = event
  const { decisions, items, found, fields, messages, count, problems } = event
  // Of a workflow file's mistakes the first says more than that there are some.
  const mistake = problems.find(({ position }) => position !== undefined)
  const reason = mistake?.message ?? event.reason ?? null
  const said = { event: null, preview: preview(found[0]) }
  const named = { delivery, method, path, workflow, trigger, milliseconds, ...said }
  const { origin, of, readers, jobs = [] } = context
  const outcome = count > 0 ? 'fired' : problems.length > 0 ? 'mistaken' : 'skipped'
  const result = { decisions, items, found, fields, count, outcome, reason } as const
  const told = { messages, problems: problems.map(shownProblem) }
  const came = { time: context.time.toISOString(), origin, of, readers, jobs }
  return { ...named, ...came, ...result, ...told, request: null }
}

/** Why the relay takes no request of a status. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, 'the URL, a __response_… parameter or the request itself is malformed'],
  [401, 'the key is missing or unknown'],
  [404, 'the address is /webhook/<workflow>/<trigger>'],
  [405, 'a webhook takes GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS'],
  [413, 'the body is too large for an event of GitHub'],
  [500, 'a fault of Hookline itself: the terminal says more'],
])

/** A request that the relay did not take; its address and content were not looked at. */
export function refusalRecord(entry: LogEntry, cause: Cause): Unlisted {
  const { time, delivery, method, status, workflow = '', trigger = '', ms } = entry
  const why = REFUSALS.get(status)
  const reason = `answered ${status}${why ? `: ${why}` : ''}`
  const nothing = { decisions: [], found: [], items: [], fields: [], jobs: [] }
  const messages = { messages: [], problems: [] }
  const named = { time, delivery, method, workflow, trigger, milliseconds: ms, path: '' }
  const result = {
    outcome: 'refused',
    count: 0,
    reason,
    event: null,
    preview: null,
    request: null,
  } as const
  return { ...named, ...result, ...nothing, ...messages, ...cause, readers: [] }
}

/** The request of a payload, and what of it is not shown. */
export async function shownRequest(
  payload: ClientPayload,
  secretHeaders: readonly string[] = [],
): Promise<{ readonly request: ShownRequest; readonly withheld: Withheld }> {
  const { method, path } = payload
  const headers = Object.entries(payload.headers).filter(
    ([name]) => !name.startsWith(RESERVED_HEADER_PREFIX),
  )
  const isSecret = (name: string) => isHidden(name, secretHeaders)
  const shown = headers.map(([name, value]) => [name, isSecret(name) ? HIDDEN : value] as const)
  const withheld = record(headers.filter(([name]) => isSecret(name)))
  return { request: { method, path, headers: record(shown), ...(await body(payload)) }, withheld }
}

function isHidden(name: string, secretHeaders: readonly string[]): boolean {
  return CREDENTIAL_HEADERS.has(name) || secretHeaders.includes(name)
}

async function body({
  body,
  headers,
}: ClientPayload): Promise<Pick<ShownRequest, 'body' | 'encoding'>> {
  // Here a payload comes from the relay, which writes text or nothing.
  const text = typeof body === 'string' ? body : ''
  const bytes = await bodyBytes(text, headers[HEADER.bodyEncoding])
  const read = utf8Text(bytes)
  return read === undefined
    ? { body: toBase64(bytes), encoding: 'base64' }
    : { body: read, encoding: 'text' }
}

/** `x-github-event`, `x-shopify-topic`, `x-event-key`, `ce-type`, `x-amz-sns-message-type`, … */
const EVENT_HEADER = /^(?:.*-)?(?:event|topic)(?:-type|-key|-name)?$|^ce-type$|-message-type$/
/** Fields in which senders write it, the surest first. */
const EVENT_FIELDS = ['event_type', 'eventType', 'event_name', 'object_kind', 'type', 'event']

/**
 * What the sender calls an event: by its header (`issues`, with the body's `action` behind it), or by
 * the field of the body that most senders have for it.
 */
export function eventName({ headers, body }: ShownRequest): string | null {
  const [, header] = Object.entries(headers).find(([name]) => EVENT_HEADER.test(name)) ?? []
  const parsed = parsedBody(body)
  const action = isObject(parsed) ? short(parsed.action) : undefined
  if (header) return short(action ? `${header}.${action}` : header) ?? null
  if (!isObject(parsed)) return short(new URLSearchParams(body).get('command')) ?? null
  // Slack wraps its event, Trello names it within its action, Telegram by the key that is there.
  if (parsed.type === 'event_callback' && isObject(parsed.event)) {
    return short(parsed.event.type) ?? null
  }
  const named = EVENT_FIELDS.flatMap((field) => short(parsed[field]) ?? [])[0]
  if (named) return action ? `${named}.${action}` : named
  if (isObject(parsed.action)) return short(parsed.action.type) ?? null
  if (typeof parsed.update_id !== 'number') return action ?? null
  return Object.keys(parsed).find((key) => key !== 'update_id') ?? null
}

function parsedBody(body: string): unknown {
  if (!/^\s*\{/.test(body)) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** A name is not a sentence. */
function short(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 80 ? value : undefined
}

/** What the page asks to be sent: a request that came, changed or not, or one of its own. */
const orderSchema = v.object({
  of: v.nullable(v.string()),
  sign: v.boolean(),
  method: v.pipe(v.string(), v.regex(/^[A-Z]{1,20}$/)),
  path: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,8192}$/)),
  headers: v.record(
    v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/)),
    v.pipe(v.string(), v.maxLength(8192), v.regex(/^[^\r\n\0]*$/)),
  ),
  body: v.string(),
  encoding: v.picklist(['text', 'base64']),
})

/** `undefined` for what the page would not send. */
export function readOrder(text: string): Order | undefined {
  try {
    const order = v.safeParse(orderSchema, JSON.parse(text))
    return order.success ? order.output : undefined
  } catch {
    return undefined
  }
}

/**
 * The request as the relay would receive it from its sender. What was withheld is filled in where it is
 * withheld again: a header of the user's own choice may be an ordinary one elsewhere.
 *
 * @param secretHeaders those that the trigger takes for what authenticates its sender to which it goes
 */
export function replayRequest(
  order: ShownRequest,
  withheld: Withheld,
  secretHeaders: readonly string[] = [],
): RelayRequest {
  const bytes = bodyOf(order)
  const isSecret = (name: string) => isHidden(name.toLowerCase(), secretHeaders)
  const headers = Object.entries(order.headers)
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => [
      name,
      value === HIDDEN ? (isSecret(name) && withheld[name]) || '' : value,
    ])
  const length = bytes.length > 0 ? [['content-length', String(bytes.length)]] : []
  return {
    method: order.method,
    target: `/webhook/${order.path}`,
    headers: [...headers, ...length].flatMap(([name = '', value = '']) => [
      name,
      byteString(value),
    ]),
    readBody: async () => bytes,
  }
}

/** The newest request that is kept, ready to be sent again; `undefined` when there was none. */
export function newestRequest(
  kept: readonly Kept[],
  secretHeadersAt: (path: string) => readonly string[],
): { readonly request: RelayRequest; readonly of: string } | undefined {
  for (const one of kept.toReversed()) {
    const { id, request } = detailOf(one)
    if (!request) continue
    const secretHeaders = secretHeadersAt(request.path)
    return { request: replayRequest(request, one.withheld, secretHeaders), of: id }
  }
  return undefined
}

/** The bytes of a body as it is shown; none for what is not base64. */
export function bodyOf({ body, encoding }: Pick<ShownRequest, 'body' | 'encoding'>): Uint8Array {
  if (encoding === 'text') return new TextEncoder().encode(body)
  try {
    return fromBase64(body)
  } catch {
    return new Uint8Array()
  }
}
