import { headerValue } from '../../wire/headers.ts'
import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import { Secret } from '../../wire/secret.ts'
import { comparison } from '../credentials/credentials.ts'
import type { SealingKey } from '../credentials/seal.ts'
import {
  type OutboxFigures,
  type OutboxLine,
  StorageError,
  type StoredEvent,
} from '../outbox/event.ts'
import type { EventFilter, ListedUnit } from '../outbox/ledger.ts'
import { openEvent } from '../outbox/sealed-event.ts'
import { gauge, type RelayMetrics } from '../pages/metrics.ts'
import type { ReceiptStore } from '../receipts/store.ts'
import { internalError, methodNotAllowed, RelayError } from '../relay-errors.ts'
import type { RelayPorts, RelayRequest } from '../relay-ports.ts'
import { errorResponse } from '../request/responses.ts'
import { respondToEndpoints } from './endpoints.ts'
import { respondToReceipts } from './receipts.ts'

export interface ListQuery {
  readonly filter: EventFilter
  /** `next` of the page before. */
  readonly cursor: string | undefined
  readonly limit: number
}

/** An outbox as an admin sees and changes it. */
export interface OutboxView {
  list(query: ListQuery): Promise<{ events: readonly ListedUnit[]; next: string | undefined }>
  /** The event with an id, or the events of the batch. */
  find(id: string): Promise<readonly StoredEvent[]>
  /** Queues a dead letter or a delivered batch again. @returns how many events */
  replay(id: string, separate: boolean): Promise<number>
  /** Queues dead letters again. */
  replayAll(filter: EventFilter): Promise<number>
  delete(id: string): Promise<number>
  /** Deletes dead letters. */
  deleteAll(filter: EventFilter): Promise<number>
  /**
   * Makes dead letters of the undelivered events of revoked credentials, by their names in records.
   *
   * @returns how many events
   */
  endRevoked(labels: readonly string[]): Promise<number>
  figures(): Promise<OutboxFigures>
  /** A copy of the file, if there is one. */
  backup?(): Promise<AsyncIterable<Uint8Array>>
}

export interface AdminOptions {
  /** `HOOKLINE_ADMIN_KEY`; without it the admin API is disabled. */
  readonly key: Secret | undefined
  readonly outbox: OutboxView | undefined
  /** Followed events and alarms; absent on Workers. */
  readonly receipts?: ReceiptStore | undefined
  /** Sealing keys, to show payloads. */
  readonly keys: readonly SealingKey[]
  /** Whether the relay has a GitHub credential of its own, which endpoints can use. */
  readonly hasCredential: boolean
  log(
    line:
      | Pick<OutboxLine, 'outbox' | 'delivery' | 'events'>
      | { readonly endpoint: string; readonly change: string },
  ): void
}

/**
 * Adds the admin API: `/outbox`, `/outbox/<delivery>`, `/outbox/<delivery>/replay`, `/outbox/replay`,
 * `/outbox/backup`, `/metrics`, `/-/endpoints` and `/-/receipts`.
 */
export function withAdmin(ports: RelayPorts, options: AdminOptions): RelayPorts {
  const isKey = options.key && comparison([options.key])
  const respondOfEndpoints = (request: RelayRequest, { groups = {} }: RegExpExecArray) => {
    const { endpoints } = ports
    if (!endpoints) throw noOutbox()
    const { endpoint: name, rotate } = groups
    const target = { name: name?.toLowerCase(), rotates: rotate !== undefined }
    const hasAlarms = options.receipts !== undefined
    return respondToEndpoints(request, target, endpoints, { ...ports, ...options, hasAlarms })
  }
  const respondOfReceipts = async ({ method, target }: RelayRequest) => {
    if (!isRead(method)) throw methodNotAllowed(['GET'])
    if (!options.receipts) throw noReceipts()
    return respondToReceipts(options.receipts, new URLSearchParams(target.split('?')[1]))
  }
  const respond = async (request: RelayRequest, address: RegExpExecArray, delivery: string) => {
    try {
      await authorize(request, isKey)
      if (address[0].startsWith(ENDPOINTS)) return await respondOfEndpoints(request, address)
      if (address[0].startsWith(RECEIPTS)) return await respondOfReceipts(request)
      return await respondTo(request, address, { ...options, metrics: ports.metrics })
    } catch (error) {
      if (error instanceof RelayError) return errorResponse(error, delivery)
      ports.report(error)
      const fault = error instanceof StorageError ? diskFails(error) : internalError(error)
      return errorResponse(fault, delivery)
    }
  }
  return { ...ports, admin: respond }
}

/** Path of the admin API of endpoints. */
const ENDPOINTS = '/-/endpoints'

/** Path of the admin API of receipts. */
const RECEIPTS = '/-/receipts'

/** @throws RelayError 401, or 404 if the admin API is disabled */
async function authorize(
  { headers }: RelayRequest,
  isKey: ((presented: Secret) => Promise<boolean>) | undefined,
): Promise<void> {
  if (!isKey) throw adminDisabled()
  const bearer = /^bearer +(\S+)$/i.exec(headerValue(headers, 'authorization') ?? '')?.[1]
  if (!bearer || !(await isKey(new Secret(bearer)))) throw wrongKey()
}

interface ResponseOptions extends AdminOptions {
  readonly metrics: RelayMetrics | undefined
}

async function respondTo(
  { method, target }: RelayRequest,
  [path, delivery, replay]: RegExpExecArray,
  options: ResponseOptions,
): Promise<RelayResponse> {
  const { outbox, metrics } = options
  const [, , action] = path.toLowerCase().split('/')
  if (path.toLowerCase() === '/metrics') {
    if (!isRead(method)) throw methodNotAllowed(['GET'])
    return metricsPage(metrics, await outbox?.figures())
  }
  if (!outbox) throw noOutbox()
  const query = new URLSearchParams(target.split('?')[1])
  if (delivery === undefined) {
    if (action === 'backup') return backupResponse(outbox, method)
    if (action === 'replay') return replayAll(outbox, method, query, options)
    if (method === 'DELETE') return deleteAll(outbox, query, options)
    return listResponse(outbox, method, query)
  }
  const id = delivery.toLowerCase()
  if (replay) return replayOne(outbox, id, method, query, options)
  if (method === 'DELETE') return deleteOne(outbox, id, options)
  return eventResponse(outbox, id, method, options)
}

async function listResponse(
  outbox: OutboxView,
  method: string,
  query: URLSearchParams,
): Promise<RelayResponse> {
  if (!isRead(method)) throw methodNotAllowed(['GET', 'DELETE'])
  const limit = Number(query.get('limit') ?? 100)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED)) {
    throw invalidQuery(`limit must be a whole number from 1 to ${MOST_LISTED}`)
  }
  const cursor = query.get('after') ?? undefined
  if (cursor !== undefined && !/^[\w.:-]{1,300}$/.test(cursor)) {
    throw invalidQuery('after must be the "next" of the previous page')
  }
  const { events, next } = await outbox.list({ filter: queryFilter(query), cursor, limit })
  const isFirst = cursor === undefined
  const copies = events.filter(({ state }) => state === 'delivered')
  return jsonResponse({
    waiting: events
      .filter(({ state }) => state === 'waiting' || state === 'uncertain')
      .map((event) => shownEvent(event)),
    dead: events.filter(({ state }) => state === 'dead').map((event) => shownEvent(event)),
    ...(copies.length > 0 && { delivered: copies.map((event) => shownEvent(event)) }),
    ...(isFirst && { imbalance: (await outbox.figures()).imbalance }),
    ...(next !== undefined && { next }),
  })
}

const MOST_LISTED = 1000

async function eventResponse(
  outbox: OutboxView,
  id: string,
  method: string,
  { keys }: AdminOptions,
): Promise<RelayResponse> {
  if (!isRead(method)) throw methodNotAllowed(['GET', 'DELETE'])
  const events = await outbox.find(id)
  const [first] = events
  if (!first) throw noSuchEvent('no event has this delivery id')
  const isBatch = first.unit === id && first.unit !== first.delivery
  const payloads = await Promise.all(events.map((event) => payloadOf(event, keys)))
  const payload = isBatch ? payloads : payloads[0]
  return jsonResponse({
    ...shownEvent({ ...first, events: isBatch ? events.length : 0 }, isBatch),
    payload,
  })
}

async function replayOne(
  outbox: OutboxView,
  id: string,
  method: string,
  query: URLSearchParams,
  { log }: AdminOptions,
): Promise<RelayResponse> {
  if (method !== 'POST') throw methodNotAllowed(['POST'])
  const separate = query.get('separate') ?? 'false'
  if (separate !== 'true' && separate !== 'false') {
    throw invalidQuery('separate must be true or false')
  }
  const events = await outbox.replay(id, separate === 'true')
  if (events === 0) throw noSuchEvent('no dead letter and no delivered batch has this delivery id')
  log({ outbox: 'replayed', delivery: id, events })
  return jsonResponse({ success: true, events })
}

async function replayAll(
  outbox: OutboxView,
  method: string,
  query: URLSearchParams,
  { log }: AdminOptions,
): Promise<RelayResponse> {
  if (method !== 'POST') throw methodNotAllowed(['POST'])
  const events = await outbox.replayAll(deadFilter(query))
  log({ outbox: 'replayed', events })
  return jsonResponse({ success: true, events })
}

async function deleteOne(
  outbox: OutboxView,
  id: string,
  { log }: AdminOptions,
): Promise<RelayResponse> {
  const events = await outbox.delete(id)
  if (events === 0) throw noSuchEvent('no event has this delivery id')
  log({ outbox: 'deleted', delivery: id, events })
  return jsonResponse({ success: true, events })
}

async function deleteAll(
  outbox: OutboxView,
  query: URLSearchParams,
  { log }: AdminOptions,
): Promise<RelayResponse> {
  const events = await outbox.deleteAll(deadFilter(query))
  log({ outbox: 'deleted', events })
  return jsonResponse({ success: true, events })
}

async function backupResponse(outbox: OutboxView, method: string): Promise<RelayResponse> {
  if (method !== 'GET') throw methodNotAllowed(['GET'])
  if (!outbox.backup) throw noBackup()
  const headers = { 'content-type': 'application/vnd.sqlite3' }
  return { status: 200, headers, body: '', stream: await outbox.backup() }
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function queryFilter(query: URLSearchParams): EventFilter {
  return {
    queue: query.get('queue')?.toLowerCase(),
    reason: query.get('reason') ?? undefined,
    credential: query.get('credential') ?? undefined,
  }
}

/** @throws RelayError 400 without a filter, so that nobody changes all dead letters by accident */
function deadFilter(query: URLSearchParams): EventFilter {
  const filter = queryFilter(query)
  const hasFilter = Object.values(filter).some((value) => value !== undefined)
  if (hasFilter || query.get('all') === 'true') return filter
  throw invalidQuery('add queue, reason or credential; or all=true for every dead letter')
}

/** @param isBatch true if the batch is shown, and not one of its events */
function shownEvent(event: ListedUnit, isBatch = event.events > 0) {
  const { delivery, unit, queue, credential, at, attempts, next, reason, bytes, state } = event
  return {
    delivery: isBatch ? unit : delivery,
    queue,
    credential,
    state,
    at: iso(at),
    tries: attempts,
    reason,
    bytes,
    ...(isBatch && { events: event.events }),
    ...(!isBatch && unit !== delivery && { batch: unit }),
    ...((state === 'waiting' || state === 'uncertain') && { next: iso(next) }),
    ...(state === 'dead' && { died: iso(event.since) }),
    ...(state === 'delivered' && { delivered: iso(event.since) }),
  }
}

/** The `client_payload`, never the token; `null` if no key opens it. */
async function payloadOf({ sealed }: StoredEvent, keys: readonly SealingKey[]): Promise<unknown> {
  const opened = await openEvent(sealed, keys).catch(() => undefined)
  return opened ? JSON.parse(opened.event.clientPayload) : null
}

function metricsPage(
  metrics: RelayMetrics | undefined,
  figures: OutboxFigures | undefined,
): RelayResponse {
  const lines = [...(metrics?.lines() ?? []), ...(figures ? outboxLines(figures) : [])]
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}

function outboxLines({ events, bytes, oldest, unreadable, imbalance }: OutboxFigures): string[] {
  const name = 'hookline_outbox_events'
  const states = Object.entries(events).map(
    ([state, count]) => `${name}{state="${state}"} ${count}`,
  )
  return [
    ...gauge('hookline_outbox_waiting', events.waiting + events.uncertain),
    ...gauge('hookline_outbox_bytes', bytes),
    ...gauge('hookline_outbox_oldest_seconds', oldest),
    ...gauge('hookline_outbox_dead', events.dead),
    ...gauge('hookline_outbox_unreadable', unreadable),
    ...gauge('hookline_outbox_imbalance', imbalance),
    `# TYPE ${name} gauge`,
    ...states,
  ]
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

function adminDisabled(): RelayError {
  return new RelayError(404, 'not_found', 'the admin API is disabled', {
    hint: 'Set HOOKLINE_ADMIN_KEY and restart the relay.',
  })
}

function noOutbox(): RelayError {
  return new RelayError(404, 'no_outbox', 'this relay has no outbox', {
    hint: 'Start the relay with --outbox <file>; on Workers, add the binding OUTBOX.',
  })
}

function noReceipts(): RelayError {
  return new RelayError(404, 'no_outbox', 'this relay follows no events', {
    hint: 'Start the relay on Node with --outbox <file> and --receipts.',
  })
}

function noBackup(): RelayError {
  return new RelayError(404, 'not_found', 'an outbox in Durable Objects has no file', {
    hint: 'Cloudflare stores it: use point-in-time recovery in place of a backup.',
  })
}

function invalidQuery(hint: string): RelayError {
  return new RelayError(400, 'invalid_query', 'the query is invalid', { hint })
}

function noSuchEvent(message: string): RelayError {
  return new RelayError(404, 'not_found', message, { hint: 'GET /outbox lists the events.' })
}

function wrongKey(): RelayError {
  return new RelayError(401, 'invalid_key', 'the admin key is wrong or missing', {
    hint: 'Send the header Authorization: Bearer <HOOKLINE_ADMIN_KEY>.',
  })
}

function diskFails(error: StorageError): RelayError {
  return new RelayError(503, 'outbox_full', error.message, {
    hint: 'Free space on the disk of the outbox: even a deletion needs some.',
    retryAfter: 60,
    cause: error,
  })
}
