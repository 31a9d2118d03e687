import type { RelayResponse } from '../wire/http.ts'
import { BODY_PATH } from './bodies/large-bodies.ts'
import { ENDPOINT_NAME } from './endpoints/address.ts'
import { RequestLog } from './http/request-log.ts'
import { preflight, RELAY_PAGES, servePage } from './pages/pages.ts'
import { internalError, methodNotAllowed, RelayError } from './relay-errors.ts'
import type { RelayPorts, RelayRequest } from './relay-ports.ts'
import { errorResponse, INERT_HEADERS, METHODS, withStandardHeaders } from './request/responses.ts'
import { targetPath } from './request/route.ts'
import { handleWebhook } from './request/webhook.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/**
 * The addresses of the admin API. Group 1 is a delivery id, group 2 is set for its replay; the groups
 * `endpoint` and `rotate` are those of an endpoint.
 */
const ADMIN_ADDRESS = new RegExp(
  [
    `^/metrics$`,
    `^/outbox(?:/(?:backup|replay|(${UUID})(/replay)?))?$`,
    `^/-/receipts$`,
    `^/-/endpoints(?:/(?<endpoint>${ENDPOINT_NAME})(?<rotate>/rotate)?)?$`,
  ].join('|'),
  'i',
)

/** Answers one request: an admin address, a page, or a webhook. Never throws. */
export async function relay(request: RelayRequest, ports: RelayPorts): Promise<RelayResponse> {
  const log = new RequestLog(ports.newDelivery(), ports.now())
  const path = targetPath(request.target)
  const address = ports.admin && ADMIN_ADDRESS.exec(path)
  if (ports.admin && address) {
    const reply = await ports.admin(request, address, log.delivery)
    const { stream } = reply
    const whole = withStandardHeaders(reply, request.method, log.delivery, INERT_HEADERS)
    return stream ? { ...whole, stream } : whole
  }
  if (ports.largeBodies && BODY_PATH.test(path)) {
    const stored = await ports.largeBodies.serve(request.method, path)
    const { stream } = stored
    const whole = withStandardHeaders(stored, request.method, log.delivery, INERT_HEADERS)
    return stream ? { ...whole, stream } : whole
  }
  let reply: RelayResponse
  try {
    reply = (await pageResponse(request, path, ports)) ?? (await handleWebhook(request, ports, log))
  } catch (error) {
    if (!(error instanceof RelayError)) ports.report(error)
    const refusal = error instanceof RelayError ? error : internalError(error)
    log.refused(refusal)
    reply = errorResponse(refusal, log.delivery)
  }
  const method = isRelayed(request.method) ? request.method : 'other'
  ports.metrics?.answered(reply.status, log.endpoint)
  ports.log(log.entry(method, reply.status, ports.now()))
  return withStandardHeaders(reply, request.method, log.delivery)
}

/** The response to a request that is no webhook; `undefined` for a webhook. */
async function pageResponse(
  { method, headers }: RelayRequest,
  path: string,
  { pages = RELAY_PAGES, readiness }: RelayPorts,
): Promise<RelayResponse | undefined> {
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  const page = preflight(method, headers) ?? servePage(pages, method, path)
  if (page || path !== '/readyz' || !/^(?:GET|HEAD)$/.test(method)) return page
  // Anyone may ask, so the reason is one word.
  const reason = await readiness?.why()
  return {
    status: reason === undefined ? 200 : 503,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: reason ?? 'ready',
  }
}

function isRelayed(method: string): boolean {
  return METHODS.some((relayed) => relayed === method)
}
