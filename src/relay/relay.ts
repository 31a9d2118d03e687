import type { RelayResponse } from '../wire/http.ts'
import { internalError, methodNotAllowed, RelayError } from './errors.ts'
import { preflight, RELAY_PAGES, servePage } from './pages.ts'
import type { RelayPorts, RelayRequest } from './relay-ports.ts'
import { BODY_PATH } from './store/bodies.ts'
import { handleWebhook } from './webhook/receive.ts'
import { RequestLog } from './webhook/request-log.ts'
import { errorResponse, INERT_HEADERS, METHODS, withStandardHeaders } from './webhook/responses.ts'
import { targetPath } from './webhook/url.ts'

/** The paths of the admin API: no owner begins with `-`. */
const ADMIN_PATH = /^\/+-admin(?:\/|$)/

/** Answers one request: an admin address, a page, or a webhook. Never throws. */
export async function relay(request: RelayRequest, ports: RelayPorts): Promise<RelayResponse> {
  const log = new RequestLog(ports.newDelivery(), ports.now())
  const path = targetPath(request.target)
  if (ports.admin && ADMIN_PATH.test(path)) {
    const reply = await ports.admin(request, log.delivery)
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
  const fault = reason === undefined ? await readiness?.degraded() : undefined
  return {
    status: reason === undefined ? 200 : 503,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: reason ?? (fault === undefined ? 'ready' : `degraded: ${fault}`),
  }
}

function isRelayed(method: string): boolean {
  return METHODS.some((relayed) => relayed === method)
}
