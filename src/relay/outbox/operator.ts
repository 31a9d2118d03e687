import { headerValue } from '../../wire/headers.ts'
import type { Reply } from '../../wire/http.ts'
import { Secret } from '../../wire/secret.ts'
import { comparison } from '../credentials/credentials.ts'
import type { SealingKey } from '../credentials/seal.ts'
import { gauge, type RelayMetrics } from '../endpoints/metrics.ts'
import { internalError, methodNotAllowed, RelayError } from '../errors.ts'
import type { RelayPorts, RelayRequest } from '../ports.ts'
import { errorReply } from '../request/responses.ts'
import type { DeadFilter } from './actions.ts'
import {
  type OutboxEvent,
  type OutboxFigures,
  type OutboxLine,
  type SealedEvent,
  StorageError,
} from './outbox.ts'
import { openEvent } from './sealed-event.ts'

/** What is listed: events of a batch stand in it. */
export const SHOWN_STATES = ['waiting', 'dead', 'collecting', 'sent'] as const

export interface ListQuery extends DeadFilter {
  /** What `next` of the page before says. */
  readonly cursor: string | undefined
  readonly limit: number
}

/** What an operator can see of an outbox, and do with it. */
export interface OutboxView {
  list(query: ListQuery): Promise<{ events: readonly OutboxEvent[]; next: string | undefined }>
  find(delivery: string): Promise<SealedEvent | undefined>
  /** False when there is no such dead letter. */
  replay(delivery: string): Promise<boolean>
  /** Makes single events of those of a batch, dead or handed over; how many. */
  separate(delivery: string): Promise<number>
  /** Of dead letters alone; how many. */
  replayAll(filter: DeadFilter): Promise<number>
  /** False when there is no such event. */
  drop(delivery: string): Promise<boolean>
  dropAll(filter: DeadFilter): Promise<number>
  figures(): Promise<OutboxFigures>
  /** The bytes of a copy of the file, where there is one. */
  backup?(): Promise<AsyncIterable<Uint8Array>>
}

export interface OperatorOptions {
  /** `HOOKLINE_ADMIN_KEY`; without it the operator's addresses are not there. */
  readonly key: Secret | undefined
  readonly outbox: OutboxView | undefined
  /** Those that open what is shown. */
  readonly keys: readonly SealingKey[]
  log(line: Pick<OutboxLine, 'outbox' | 'delivery' | 'events'>): void
}

/**
 * A relay whose operator sees, at `/outbox`, `/outbox/<delivery>`, `/outbox/<delivery>/replay` and
 * `/metrics`, what it is doing. Every other address is as it was.
 */
export function withOperator(ports: RelayPorts, options: OperatorOptions): RelayPorts {
  const isKey = options.key && comparison([options.key])
  return {
    ...ports,
    operator: (request, address, delivery) =>
      answer(request, address, { ...options, isKey, metrics: ports.metrics }).catch((error) => {
        if (error instanceof RelayError) return errorReply(error, delivery)
        ports.report(error)
        const fault = error instanceof StorageError ? diskFails(error) : internalError(error)
        return errorReply(fault, delivery)
      }),
  }
}

interface AnswerOptions extends OperatorOptions {
  readonly isKey: ((presented: Secret) => Promise<boolean>) | undefined
  readonly metrics: RelayMetrics | undefined
}

async function answer(
  { method, headers, target }: RelayRequest,
  [path, delivery, replay]: RegExpExecArray,
  { isKey, outbox, keys, metrics, log }: AnswerOptions,
): Promise<Reply> {
  if (!isKey) throw noSuchAddress()
  const bearer = /^bearer +(\S+)$/i.exec(headerValue(headers, 'authorization') ?? '')?.[1]
  if (!bearer || !(await isKey(new Secret(bearer)))) throw wrongKey()
  const isRead = method === 'GET' || method === 'HEAD'
  const [, , place] = path.toLowerCase().split('/')
  if (path.toLowerCase() === '/metrics') {
    if (!isRead) throw methodNotAllowed(['GET'])
    return metricsPage(metrics, await outbox?.figures())
  }
  if (!outbox) throw noOutbox()
  const query = new URLSearchParams(target.split('?')[1])
  if (delivery === undefined) return answerAll(outbox, { method, place, query, log })
  const id = delivery.toLowerCase()
  if (replay) {
    if (method !== 'POST') throw methodNotAllowed(['POST'])
    const separate = query.get('separate') ?? 'false'
    if (separate !== 'true' && separate !== 'false') throw badQuery('separate is true or false')
    if (separate === 'true') {
      const events = await outbox.separate(id)
      if (events === 0) throw noSuchEvent('no batch has this id that died or was handed over')
      log({ outbox: 'replayed', delivery: id, events })
      return json({ success: true, events })
    }
    if (!(await outbox.replay(id))) {
      throw noSuchEvent('no dead letter has this delivery id, and no batch that was handed over')
    }
    log({ outbox: 'replayed', delivery: id })
    return json({ success: true })
  }
  if (method === 'DELETE') {
    if (!(await outbox.drop(id))) throw noSuchEvent('no event has this delivery id')
    log({ outbox: 'dropped', delivery: id })
    return json({ success: true })
  }
  if (!isRead) throw methodNotAllowed(['GET', 'DELETE'])
  const event = await outbox.find(id)
  if (!event) throw noSuchEvent('no event has this delivery id')
  return json({ ...shown(event), payload: await payloadOf(event, keys) })
}

interface Asked {
  readonly method: string
  /** `replay`, `backup`, or nothing. */
  readonly place: string | undefined
  readonly query: URLSearchParams
  log(line: Pick<OutboxLine, 'outbox' | 'events'>): void
}

/** What is about no event by its id. */
async function answerAll(outbox: OutboxView, { method, place, query, log }: Asked): Promise<Reply> {
  const isRead = method === 'GET' || method === 'HEAD'
  if (place === 'backup') {
    if (method !== 'GET') throw methodNotAllowed(['GET'])
    if (!outbox.backup) throw noBackup()
    const headers = { 'content-type': 'application/vnd.sqlite3' }
    return { status: 200, headers, body: '', stream: await outbox.backup() }
  }
  if (place === 'replay') {
    if (method !== 'POST') throw methodNotAllowed(['POST'])
    const events = await outbox.replayAll(deadFilter(query))
    log({ outbox: 'replayed', events })
    return json({ success: true, events })
  }
  if (method === 'DELETE') {
    const events = await outbox.dropAll(deadFilter(query))
    log({ outbox: 'dropped', events })
    return json({ success: true, events })
  }
  if (!isRead) throw methodNotAllowed(['GET', 'DELETE'])
  const limit = Number(query.get('limit') ?? 100)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED)) {
    throw badQuery(`limit is a whole number from 1 to ${MOST_LISTED}`)
  }
  const cursor = query.get('after') ?? undefined
  if (cursor !== undefined && !/^[\w.:-]{1,300}$/.test(cursor)) {
    throw badQuery('after is what "next" of the page before says')
  }
  const { events, next } = await outbox.list({ ...filterOf(query), cursor, limit })
  return json({
    waiting: events.filter(({ state }) => state !== 'dead' && state !== 'sent').map(shown),
    dead: events.filter(({ state }) => state === 'dead').map(shown),
    ...(events.some(({ state }) => state === 'sent') && {
      sent: events.filter(({ state, count }) => state === 'sent' && count > 0).map(shown),
    }),
    ...(next !== undefined && { next }),
  })
}

const MOST_LISTED = 1000

function filterOf(query: URLSearchParams): DeadFilter {
  return {
    lane: query.get('lane')?.toLowerCase(),
    reason: query.get('reason') ?? undefined,
    credential: query.get('credential') ?? undefined,
  }
}

/** @throws RelayError 400 where nothing is named: all of them must be asked for */
function deadFilter(query: URLSearchParams): DeadFilter {
  const filter = filterOf(query)
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  if (isFiltered || query.get('all') === 'true') return filter
  throw badQuery('name lane, reason or credential; or all=true for every dead letter')
}

function shown(event: OutboxEvent) {
  const { delivery, lane, credential, at, tries, next, reason, bytes, state, since } = event
  const { batch, count } = event
  return {
    ...{ delivery, lane, credential, at: iso(at), tries, reason, bytes },
    ...(count > 0 && { events: count }),
    ...(state === 'collecting' && { state }),
    ...(batch !== undefined && { batch }),
    ...(state === 'waiting' || state === 'collecting' ? { next: iso(next) } : {}),
    ...(state === 'dead' && { died: iso(since) }),
    ...(state === 'sent' && { sent: iso(since) }),
  }
}

/** The `client_payload`, never the token; `null` where no key opens it. */
async function payloadOf({ sealed }: SealedEvent, keys: readonly SealingKey[]): Promise<unknown> {
  const opened = await openEvent(sealed, keys).catch(() => undefined)
  return opened ? JSON.parse(opened.event.clientPayload) : null
}

function metricsPage(metrics: RelayMetrics | undefined, figures: OutboxFigures | undefined): Reply {
  const lines = [...(metrics?.lines() ?? []), ...(figures ? gauges(figures) : [])]
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}

function gauges({ waiting, bytes, oldest, dead, unreadable }: OutboxFigures): string[] {
  const values = { waiting, bytes, oldest_seconds: oldest, dead, unreadable }
  return Object.entries(values).flatMap(([name, value]) => gauge(`hookline_outbox_${name}`, value))
}

function json(value: unknown): Reply {
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: JSON.stringify(value) }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

function noSuchAddress(): RelayError {
  return new RelayError(404, 'not_found', 'this relay shows an operator nothing', {
    hint: 'start it with HOOKLINE_ADMIN_KEY',
  })
}

function noOutbox(): RelayError {
  return new RelayError(404, 'no_outbox', 'this relay has no outbox', {
    hint: 'see --outbox, or the binding OUTBOX',
  })
}

function noBackup(): RelayError {
  return new RelayError(404, 'not_found', 'this outbox is no file', {
    hint: 'its platform keeps it, and backs it up',
  })
}

function badQuery(hint: string): RelayError {
  return new RelayError(400, 'invalid_query', 'the query cannot be read', { hint })
}

function noSuchEvent(message: string): RelayError {
  return new RelayError(404, 'not_found', message, { hint: 'GET /outbox lists them' })
}

function wrongKey(): RelayError {
  return new RelayError(401, 'invalid_key', "this is not the operator's key", {
    hint: 'send Authorization: Bearer <HOOKLINE_ADMIN_KEY>',
  })
}

function diskFails(error: StorageError): RelayError {
  return new RelayError(503, 'outbox_full', error.message, {
    hint: 'look at its disk and make room: even to forget an event takes some',
    retryAfter: 60,
    cause: error,
  })
}
