import type { RelayRequest, RelayResponse } from '../wire/http.ts'
import { methodNotAllowed, RelayError } from './errors.ts'
import type { RelayMetrics } from './metrics.ts'
import { type Pages, preflight, servePage } from './pages.ts'
import type { Readiness } from './readiness.ts'
import { BODY_PATH } from './store/bodies.ts'
import { handleWebhook, type WebhookRelay } from './webhook/receive.ts'
import { type LogEntry, RequestLog } from './webhook/request-log.ts'
import { errorResponse, INERT_HEADERS, METHODS, withStandardHeaders } from './webhook/responses.ts'
import { targetPath } from './webhook/url.ts'

/** A relay, as the wiring of each runtime builds it. */
export interface Relay extends WebhookRelay {
  /** Responds at other paths than webhooks. */
  readonly pages: Pages
  readonly readiness: Readiness
  readonly metrics: RelayMetrics
  now(): Date
  log(entry: LogEntry): void
  report(error: unknown): void
}

/** The paths of the admin API: no owner begins with `-`. */
const ADMIN_PATH = /^\/+-admin(?:\/|$)/

/** Answers one request: an admin address, a stored body, a page, or a webhook. Never throws. */
export async function respond(request: RelayRequest, relay: Relay): Promise<RelayResponse> {
  const { method } = request
  const { store, metrics } = relay
  const log = new RequestLog(relay.newDelivery(), relay.now())
  const path = targetPath(request.target)
  // Other pages must not read these.
  if (store && ADMIN_PATH.test(path)) {
    const answer = await store.admin(request, log.delivery)
    return withStandardHeaders(answer, method, log.delivery, INERT_HEADERS)
  }
  if (store?.largeBodies && BODY_PATH.test(path)) {
    const stored = await store.largeBodies.serve(method, path)
    return withStandardHeaders(stored, method, log.delivery, INERT_HEADERS)
  }
  let reply: RelayResponse
  try {
    // No page takes a POST.
    const page = method === 'POST' ? undefined : await pageResponse(request, path, relay)
    reply = page ?? (await handleWebhook(request, relay, log))
  } catch (error) {
    if (!(error instanceof RelayError)) relay.report(error)
    const refusal = error instanceof RelayError ? error : new RelayError('internal_error')
    if (refusal.code === 'bodies_full') {
      relay.readiness.bodiesFull()
      metrics.bodyRefused()
    }
    log.code = refusal.code
    if (refusal.code === 'event_rejected') log.reason = refusal.message
    log.attempts = refusal.attempts
    reply = errorResponse(refusal, log.delivery)
  }
  metrics.answered(reply.status, log.endpoint)
  relay.log(log.entry(isRelayed(method) ? method : 'other', reply.status, relay.now()))
  if (store) {
    const record = log.record(request, reply.status)
    if (record) store.record(record)
  }
  return withStandardHeaders(reply, method, log.delivery)
}

/** The response to a request that is no webhook; `undefined` for a webhook. */
async function pageResponse(
  { method, headers }: RelayRequest,
  path: string,
  { pages, readiness }: Relay,
): Promise<RelayResponse | undefined> {
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  const page = preflight(method, headers) ?? servePage(pages, method, path)
  if (page || path !== '/readyz' || !/^(?:GET|HEAD)$/.test(method)) return page
  // Anyone may ask, so the reason is one word.
  const reason = await readiness.why()
  const fault = reason === undefined ? await readiness.degraded() : undefined
  return {
    status: reason === undefined ? 200 : 503,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: reason ?? (fault === undefined ? 'ready' : `degraded: ${fault}`),
  }
}

function isRelayed(method: string): boolean {
  return METHODS.some((relayed) => relayed === method)
}
