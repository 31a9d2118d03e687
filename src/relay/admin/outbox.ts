import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import type { SealingKey } from '../credentials/sealing-key.ts'
import type { OutboxLine } from '../log-lines.ts'
import type { OutboxEvent, OutboxFigures, StoredEvent } from '../outbox/event.ts'
import { openEvent } from '../outbox/sealed-event.ts'
import { methodNotAllowed, RelayError } from '../relay-errors.ts'
import type { RelayRequest } from '../relay-ports.ts'
import { invalidQuery, isoTime, isRead, queryOf, readPage } from './query.ts'

/** Which events a list shows, or an admin changes; an absent field matches all. */
export interface EventFilter {
  /** A queue, or the `owner/name` of all queues of a repository. */
  readonly queue?: string | undefined
  readonly reason?: string | undefined
  readonly credential?: string | undefined
}

/** An event by itself, or a batch as its first event and the number of its events. */
export interface ListedUnit extends OutboxEvent {
  readonly events: number
}

export interface ListQuery {
  readonly filter: EventFilter
  /** `next` of the page before. */
  readonly cursor?: string | undefined
  readonly limit: number
}

export interface ListPage {
  readonly events: readonly ListedUnit[]
  /** `undefined` on the last page. */
  readonly next?: string | undefined
}

/** An outbox as an admin sees and changes it. */
export interface OutboxView {
  list(query: ListQuery): Promise<ListPage>
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
}

/** The part of an address after `/outbox`. */
export interface OutboxTarget {
  /** Lower case; `undefined` for all events. */
  readonly delivery: string | undefined
  readonly action: 'backup' | 'replay' | undefined
}

export interface OutboxAdminPorts {
  /** A copy of the file of the outbox; absent if there is no file. */
  readonly backup?: (() => Promise<AsyncIterable<Uint8Array>>) | undefined
  /** Sealing keys, to show payloads. */
  readonly keys: readonly SealingKey[]
  log(line: Pick<OutboxLine, 'outbox' | 'delivery' | 'events'>): void
}

/**
 * The admin API of the outbox, for a request that brought the admin key: `/outbox`, `/outbox/backup`,
 * `/outbox/replay`, `/outbox/<delivery>` and `/outbox/<delivery>/replay`.
 *
 * @throws RelayError, or StorageError if the disk fails
 */
export async function respondToOutbox(
  { method, target }: RelayRequest,
  { delivery: id, action }: OutboxTarget,
  outbox: OutboxView,
  ports: OutboxAdminPorts,
): Promise<RelayResponse> {
  const query = queryOf(target)
  if (action === 'backup') return backupResponse(method, ports)
  if (id === undefined) {
    if (action === 'replay') return replayAll(outbox, method, query, ports)
    if (method === 'DELETE') return deleteAll(outbox, query, ports)
    return listResponse(outbox, method, query)
  }
  if (action === 'replay') return replayOne(outbox, id, method, query, ports)
  if (method === 'DELETE') return deleteOne(outbox, id, ports)
  return eventResponse(outbox, id, method, ports)
}

async function listResponse(
  outbox: OutboxView,
  method: string,
  query: URLSearchParams,
): Promise<RelayResponse> {
  if (!isRead(method)) throw methodNotAllowed(['GET', 'DELETE'])
  const { limit, cursor } = readPage(query, /^[\w.:-]{1,300}$/)
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

async function eventResponse(
  outbox: OutboxView,
  id: string,
  method: string,
  { keys }: OutboxAdminPorts,
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
  { log }: OutboxAdminPorts,
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
  { log }: OutboxAdminPorts,
): Promise<RelayResponse> {
  if (method !== 'POST') throw methodNotAllowed(['POST'])
  const events = await outbox.replayAll(deadFilter(query))
  log({ outbox: 'replayed', events })
  return jsonResponse({ success: true, events })
}

async function deleteOne(
  outbox: OutboxView,
  id: string,
  { log }: OutboxAdminPorts,
): Promise<RelayResponse> {
  const events = await outbox.delete(id)
  if (events === 0) throw noSuchEvent('no event has this delivery id')
  log({ outbox: 'deleted', delivery: id, events })
  return jsonResponse({ success: true, events })
}

async function deleteAll(
  outbox: OutboxView,
  query: URLSearchParams,
  { log }: OutboxAdminPorts,
): Promise<RelayResponse> {
  const events = await outbox.deleteAll(deadFilter(query))
  log({ outbox: 'deleted', events })
  return jsonResponse({ success: true, events })
}

async function backupResponse(
  method: string,
  { backup }: OutboxAdminPorts,
): Promise<RelayResponse> {
  if (method !== 'GET') throw methodNotAllowed(['GET'])
  if (!backup) throw noBackup()
  const headers = { 'content-type': 'application/vnd.sqlite3' }
  return { status: 200, headers, body: '', stream: await backup() }
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
    at: isoTime(at),
    tries: attempts,
    reason,
    bytes,
    ...(isBatch && { events: event.events }),
    ...(!isBatch && unit !== delivery && { batch: unit }),
    ...((state === 'waiting' || state === 'uncertain') && { next: isoTime(next) }),
    ...(state === 'dead' && { died: isoTime(event.since) }),
    ...(state === 'delivered' && { delivered: isoTime(event.since) }),
  }
}

/** The `client_payload`, never the token; `null` if no key opens it. */
async function payloadOf({ sealed }: StoredEvent, keys: readonly SealingKey[]): Promise<unknown> {
  const opened = await openEvent(sealed, keys).catch(() => undefined)
  return opened ? JSON.parse(opened.event.clientPayload) : null
}

function noBackup(): RelayError {
  return new RelayError(404, 'not_found', 'an outbox in Durable Objects has no file', {
    hint: 'Cloudflare stores it: use point-in-time recovery in place of a backup.',
  })
}

function noSuchEvent(message: string): RelayError {
  return new RelayError(404, 'not_found', message, { hint: 'GET /outbox lists the events.' })
}
