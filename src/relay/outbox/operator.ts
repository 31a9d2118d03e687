import { headerValue } from '../../wire/headers.ts'
import type { Reply } from '../../wire/http.ts'
import { Secret } from '../../wire/secret.ts'
import { errorReply } from '../answers.ts'
import { comparison } from '../credentials.ts'
import { internalError, methodNotAllowed, RelayError } from '../errors.ts'
import { gauge, type RelayMetrics } from '../metrics.ts'
import type { RelayPorts, RelayRequest } from '../ports.ts'
import type { SealKey } from '../seal.ts'
import {
  type OutboxEvent,
  type OutboxFigures,
  type OutboxLine,
  type SealedEvent,
  StorageError,
} from './outbox.ts'
import { openEvent } from './sealed-event.ts'

/** What an operator can see of an outbox, and do with it. */
export interface OutboxView {
  list(): Promise<readonly OutboxEvent[]>
  find(delivery: string): Promise<SealedEvent | undefined>
  /** False when there is no such dead letter. */
  replay(delivery: string): Promise<boolean>
  /** False when there is no such event. */
  drop(delivery: string): Promise<boolean>
  figures(): Promise<OutboxFigures>
}

export interface OperatorOptions {
  /** `HOOKLINE_OPERATOR_KEY`; without it the operator's addresses are not there. */
  readonly key: Secret | undefined
  readonly outbox: OutboxView | undefined
  /** Those that open what is shown. */
  readonly keys: readonly SealKey[]
  log(line: Pick<OutboxLine, 'outbox' | 'delivery'>): void
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
  { method, headers }: RelayRequest,
  [path, delivery, replay]: RegExpExecArray,
  { isKey, outbox, keys, metrics, log }: AnswerOptions,
): Promise<Reply> {
  if (!isKey) throw noSuchAddress()
  const bearer = /^bearer +(\S+)$/i.exec(headerValue(headers, 'authorization') ?? '')?.[1]
  if (!bearer || !(await isKey(new Secret(bearer)))) throw wrongKey()
  const isRead = method === 'GET' || method === 'HEAD'
  if (path.toLowerCase() === '/metrics') {
    if (!isRead) throw methodNotAllowed(['GET'])
    return metricsPage(metrics, await outbox?.figures())
  }
  if (!outbox) throw noOutbox()
  if (delivery === undefined) {
    if (!isRead) throw methodNotAllowed(['GET'])
    return json(listed(await outbox.list()))
  }
  const id = delivery.toLowerCase()
  if (replay) {
    if (method !== 'POST') throw methodNotAllowed(['POST'])
    if (!(await outbox.replay(id))) throw noSuchEvent('no dead letter has this delivery id')
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

function listed(events: readonly OutboxEvent[]) {
  return {
    waiting: events.filter(({ died }) => died === undefined).map(shown),
    dead: events.filter(({ died }) => died !== undefined).map(shown),
  }
}

function shown({ delivery, lane, at, tries, next, reason, bytes, died }: OutboxEvent) {
  const common = { delivery, lane, at: iso(at), tries, reason, bytes }
  return died === undefined ? { ...common, next: iso(next) } : { ...common, died: iso(died) }
}

/** The `client_payload`, never the token; `null` where no key opens it. */
async function payloadOf({ sealed }: SealedEvent, keys: readonly SealKey[]): Promise<unknown> {
  const opened = await openEvent(sealed, keys).catch(() => undefined)
  return opened ? JSON.parse(opened.event.clientPayload) : null
}

function metricsPage(metrics: RelayMetrics | undefined, figures: OutboxFigures | undefined): Reply {
  const lines = [...(metrics?.lines() ?? []), ...(figures ? gauges(figures) : [])]
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}

function gauges({ waiting, oldest, dead, unreadable }: OutboxFigures): string[] {
  const values = { waiting, oldest_seconds: oldest, dead, unreadable }
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
  return new RelayError(404, 'not_found', 'there is nothing at this address', {
    hint: 'set HOOKLINE_OPERATOR_KEY',
  })
}

function noOutbox(): RelayError {
  return new RelayError(404, 'no_outbox', 'this relay has no outbox', {
    hint: 'see --outbox, or the binding OUTBOX',
  })
}

function noSuchEvent(message: string): RelayError {
  return new RelayError(404, 'not_found', message, { hint: 'GET /outbox lists them' })
}

function wrongKey(): RelayError {
  return new RelayError(401, 'invalid_key', "this is not the operator's key", {
    hint: 'send Authorization: Bearer <HOOKLINE_OPERATOR_KEY>',
  })
}

function diskFails(error: StorageError): RelayError {
  return new RelayError(503, 'outbox_full', error.message, {
    hint: 'look at its disk and make room: even to forget an event takes some',
    retryAfter: 60,
    cause: error,
  })
}
