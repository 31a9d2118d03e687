import * as v from 'valibot'
import type { LogEntry } from '../relay/webhook/request-log.ts'
import { bodyBytes, byteString, fromBase64, toBase64, utf8Text } from '../wire/bytes.ts'
import type { Problem } from '../wire/errors.ts'
import type { RelayRequest } from '../wire/http.ts'
import { isObject, jsonOf, record, tryParseJson } from '../wire/json.ts'
import { type ClientPayload, HEADER, RESERVED_HEADER_PREFIX } from '../wire/payload.ts'
import { counted, printable } from '../wire/printable.ts'
import { withoutTokens } from '../wire/tokens.ts'
import { CREDENTIAL_HEADERS } from '../wire/webhook-request.ts'
import { lineAt } from '../workflow/code-frame.ts'
import {
  type Detail,
  type JobsResult,
  type Order,
  type Outcome,
  type OutputReader,
  type ShownJobs,
  type ShownProblem,
  type ShownRequest,
  type Summary,
  type Unlisted,
  VERIFYING,
} from './api.ts'
import { filterMatcher } from './filter.ts'
import type { DevEvent } from './local-engine.ts'

/** Limits of the stored events. */
export const BOUNDS = { requests: 200, bytes: 32 * 1024 * 1024 }

/** Headers that are stored for a replay and never shown, by name. */
type Withheld = Readonly<Record<string, string>>

/** One stored event. */
interface Kept {
  readonly summary: Summary
  /** The `Detail` as JSON in UTF-8, as it is served, so that its size can be counted. */
  readonly json: Uint8Array
  readonly withheld: Withheld
}

/** @param gone ids of the events that it displaced */
type Listener = (kept: Kept, gone: readonly string[]) => void

/** Stores the last events within limits, and notifies listeners of each new one. */
export class Recorder {
  /** Id of this run of `hookline dev`, a part of every event's id. */
  readonly run: string
  readonly #bounds: typeof BOUNDS
  readonly #listeners = new Set<Listener>()
  readonly #kept = new Map<string, Kept>()
  #last = 0
  #bytes = 0

  constructor(run: string, bounds: typeof BOUNDS = BOUNDS) {
    this.run = run
    this.#bounds = bounds
  }

  /** Bytes of all stored events. */
  get bytes(): number {
    return this.#bytes
  }

  add(unlisted: Unlisted, withheld: Withheld = {}): Summary {
    const number = ++this.#last
    const detail = { id: `${this.run}-${number}`, number, ...unlisted }
    const json = new TextEncoder().encode(JSON.stringify(detail))
    const kept: Kept = { summary: summaryOf(detail), json, withheld }
    this.#kept.set(detail.id, kept)
    this.#bytes += storedSize(kept)
    const gone = this.#forget()
    for (const listener of this.#listeners) listener(kept, gone)
    return kept.summary
  }

  find(id: string): Kept | undefined {
    return this.#kept.get(id)
  }

  /** Oldest first. */
  all(): readonly Kept[] {
    return [...this.#kept.values()]
  }

  /** Ids of the events whose line, headers, body or outputs match a filter. */
  search(filter: string): string[] {
    const isMatch = filterMatcher(filter)
    return this.all()
      .filter((kept) => isMatch(searchText(detailOf(kept))))
      .map(({ summary }) => summary.id)
  }

  /** @returns a function that removes the listener */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @returns the ids of the events that are no longer stored */
  #forget(): readonly string[] {
    const gone: string[] = []
    for (const [id, kept] of this.#kept) {
      if (this.#kept.size <= this.#bounds.requests && this.#bytes <= this.#bounds.bytes) break
      this.#kept.delete(id)
      this.#bytes -= storedSize(kept)
      gone.push(id)
    }
    return gone
  }
}

/** An event as it was stored. */
function detailOf({ json }: Kept): Detail {
  return JSON.parse(new TextDecoder().decode(json))
}

function searchText({ request, ...detail }: Detail): string {
  const { method, path, workflow, trigger, event, outcome, origin, reason, delivery } = detail
  const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const line = [method, path, workflow, trigger, event, outcome, origin, reason, delivery].join(' ')
  // The outputs of a webhook repeat its request; a polled event has only outputs.
  const body = request ? request.body : JSON.stringify(detail.found)
  return [line, ...headers, body].join('\n')
}

function summaryOf(detail: Summary): Summary {
  const { id, number, time, origin, delivery, method, path, workflow, trigger, event } = detail
  const { outcome, count, reason, milliseconds, jobsResult, relay } = detail
  const named = { id, number, time, origin, delivery, method, path, workflow, trigger, event }
  return { ...named, outcome, count, reason, milliseconds, jobsResult, relay }
}

/** The summary is stored too; a character takes two bytes. */
function storedSize({ summary, json, withheld }: Kept): number {
  return json.length + 2 * JSON.stringify([summary, withheld]).length
}

/** Replaces a value that authenticates the sender, which is stored for a replay and never shown. */
const HIDDEN = '***'

/** The origin of an event; for a replay, also the replayed event. */
export type Cause = Pick<Unlisted, 'origin' | 'of'>

interface EventContext extends Cause {
  readonly time: Date
  readonly readers: readonly OutputReader[]
  /** Explained jobs of the workflow. */
  readonly jobs: readonly ShownJobs[]
}

/**
 * An event with its request, as the inspector stores them.
 *
 * @param secretHeaders headers by which this trigger authenticates its sender, in addition to known ones
 */
export async function requestRecord(
  event: DevEvent,
  payload: ClientPayload,
  context: EventContext,
  secretHeaders: readonly string[],
): Promise<{ readonly unlisted: Unlisted; readonly withheld: Withheld }> {
  const { request, withheld } = await hideSecrets(payload, secretHeaders)
  const named = { request, event: eventName(request) }
  return { unlisted: { ...eventRecord(event, context), ...named }, withheld }
}

/** An event without a request: a poll or a batch. */
export function eventRecord(event: DevEvent, context: EventContext): Unlisted {
  const { delivery, method, path, workflow, trigger, milliseconds } = event
  const { decisions, items, found, fields, messages, count, problems } = event
  // The first mistake says more than the fact that mistakes exist.
  const mistake = problems.find(({ position }) => position !== undefined)
  const filters = event.explanations.filter(({ condition }) => condition === 'filter')
  const dropped = filters.map(({ sentence }) => sentence).join('; ')
  const reason = mistake?.message ?? (dropped || (event.reason ?? null))
  const named = { delivery, method, path, workflow, trigger, milliseconds, event: null }
  const { origin, of, readers, jobs } = context
  const outcome = outcomeOf(event)
  const jobsResult = outcome === 'fired' ? resultOf(jobs) : null
  const result = { decisions, items, found, fields, count, outcome, reason, jobsResult } as const
  const shownMessages = { messages, problems: problems.map(shownProblem) }
  const came = { time: context.time.toISOString(), origin, of, readers, jobs }
  return { ...named, ...came, ...result, ...shownMessages, ...HERE }
}

/** A mistake for the page: its position as numbers, without secrets and control characters. */
export function shownProblem({ message, position, hint, notes = [] }: Problem): ShownProblem {
  const shown = (text: string) => printable(withoutTokens(text))
  return {
    text: shown(message),
    place: position
      ? {
          file: position.source.name,
          line: position.line,
          column: position.column,
          length: position.length,
          text: shown(lineAt(position)),
        }
      : null,
    notes: [...(hint === undefined ? [] : [hint]), ...notes].map(shown),
  }
}

/** An event of `hookline dev` has no request if it was polled, and no relay. */
const HERE = { request: null, missing: null, stages: [], values: [], relay: null } as const

function outcomeOf({ count, problems, decisions }: DevEvent): Outcome {
  if (count > 0) return 'fired'
  if (problems.length > 0) return 'mistaken'
  const failed = decisions.flatMap(({ checks }) => checks.filter(({ held }) => !held))
  return failed.some(({ option }) => VERIFYING.has(option)) ? 'unverified' : 'skipped'
}

/** `2 jobs run, 1 skipped`; `null` for a workflow without known jobs. */
function resultOf(files: readonly ShownJobs[]): JobsResult | null {
  const jobs = files.flatMap((file) => file.jobs)
  const count = (verdict: (typeof jobs)[number]['verdict']) =>
    jobs.filter((job) => job.verdict === verdict).length
  const [runs, fails, skipped, unknown] = [
    count('runs'),
    count('fails'),
    count('skipped'),
    count('unknown'),
  ]
  const parts = [
    ...(fails > 0 ? [`${counted(fails, 'job')} ${fails === 1 ? 'fails' : 'fail'}`] : []),
    ...(runs > 0 ? [`${counted(runs, 'job')} ${runs === 1 ? 'runs' : 'run'}`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(unknown > 0 ? [`${unknown} not known here`] : []),
  ]
  if (parts.length === 0) return null
  return { text: parts.join(', '), kind: fails > 0 ? 'bad' : runs > 0 ? 'good' : 'open' }
}

/** The reason for a status of the relay. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, 'the URL, a __response_… parameter or the request itself is malformed'],
  [401, 'the key is missing or unknown'],
  [404, 'the address is /webhook/<workflow>/<trigger>'],
  [405, 'a webhook takes GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS'],
  [413, 'the body is too large for an event of GitHub'],
  [500, 'a fault of Hookline itself: the terminal says more'],
])

/** A request that the relay refused before it read address and content. */
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
    jobsResult: null,
  } as const
  return { ...named, ...result, ...nothing, ...messages, ...cause, ...HERE, readers: [] }
}

/** The request in a payload, and its hidden headers. */
export async function hideSecrets(
  payload: ClientPayload,
  secretHeaders: readonly string[],
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
  // The relay wrote this payload, so the body is text or absent.
  const text = typeof body === 'string' ? body : ''
  const bytes = await bodyBytes(text, headers[HEADER.bodyEncoding])
  const read = utf8Text(bytes)
  return read === undefined
    ? { body: toBase64(bytes), encoding: 'base64' }
    : { body: read, encoding: 'text' }
}

/** `x-github-event`, `x-shopify-topic`, `x-event-key`, `ce-type`, `x-amz-sns-message-type`, … */
const EVENT_HEADER = /^(?:.*-)?(?:event|topic)(?:-type|-key|-name)?$|^ce-type$|-message-type$/
/** Body fields that contain the name, the best first. */
const EVENT_FIELDS = ['event_type', 'eventType', 'event_name', 'object_kind', 'type', 'event']

/**
 * The sender's name for an event: its header (`issues`, followed by `action` of the body), or a common
 * field of the body.
 */
export function eventName({ headers, body }: ShownRequest): string | null {
  const header = Object.entries(headers).find(([name]) => EVENT_HEADER.test(name))?.[1]
  const parsed = tryParseJson(body)
  const action = isObject(parsed) ? short(parsed.action) : undefined
  if (header) return short(action ? `${header}.${action}` : header) ?? null
  if (!isObject(parsed)) return short(new URLSearchParams(body).get('command')) ?? null
  // Slack wraps its event, Trello has the name in `action`, and Telegram uses a key as the name.
  if (parsed.type === 'event_callback' && isObject(parsed.event)) {
    return short(parsed.event.type) ?? null
  }
  const named = EVENT_FIELDS.flatMap((field) => short(parsed[field]) ?? [])[0]
  if (named) return action ? `${named}.${action}` : named
  if (isObject(parsed.action)) return short(parsed.action.type) ?? null
  if (typeof parsed.update_id !== 'number') return action ?? null
  return Object.keys(parsed).find((key) => key !== 'update_id') ?? null
}

/** A longer text is no name. */
function short(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 80 ? value : undefined
}

/** A request that the page sends: a replayed, edited or composed one. */
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

/** Returns `undefined` for an order that the page never sends. */
export function readOrder(text: string): Order | undefined {
  const order = v.safeParse(orderSchema, jsonOf(text))
  return order.success ? order.output : undefined
}

/**
 * The request as the relay would receive it. Hidden headers are filled in only if the target trigger hides
 * them too, because the same name may be an ordinary header elsewhere.
 *
 * @param secretHeaders headers by which the target trigger authenticates its sender
 */
export function replayRequest(
  order: ShownRequest,
  withheld: Withheld,
  secretHeaders: readonly string[],
): RelayRequest {
  const bytes = shownBytes(order)
  const hidden = (name: string) => (isHidden(name, secretHeaders) && withheld[name]) || ''
  const headers = Object.entries(order.headers)
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .flatMap(([name, value]) => [name, byteString(value === HIDDEN ? hidden(name) : value)])
  const length = bytes.length > 0 ? ['content-length', String(bytes.length)] : []
  return {
    method: order.method,
    target: `/webhook/${order.path}`,
    headers: [...headers, ...length],
    readBody: async () => bytes,
  }
}

/** The bytes of a shown body; none if the base64 is invalid. */
export function shownBytes({
  body,
  encoding,
}: Pick<ShownRequest, 'body' | 'encoding'>): Uint8Array {
  if (encoding === 'text') return new TextEncoder().encode(body)
  try {
    return fromBase64(body)
  } catch {
    return new Uint8Array()
  }
}
