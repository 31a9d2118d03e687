import type { Reply } from '../wire/http.ts'
import { internalError, methodNotAllowed, RelayError } from './errors.ts'
import { RequestLog } from './http/request-log.ts'
import type { RelayPorts, RelayRequest } from './ports.ts'
import {
  errorReply,
  INERT_HEADERS,
  METHODS,
  preflight,
  RELAY_PAGES,
  servePage,
  withStandardHeaders,
} from './request/responses.ts'
import { pathOf } from './request/route.ts'
import { Passage } from './request/webhook.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** With the delivery it is about, and whether that is to be replayed. */
const OPERATOR_ADDRESS = new RegExp(
  `^/(?:metrics|outbox(?:/(?:backup|replay|(${UUID})(/replay)?))?)$`,
  'i',
)

/** Answers one request: forwards it as one event, or says why not. Never throws. */
export async function relay(request: RelayRequest, ports: RelayPorts): Promise<Reply> {
  const log = new RequestLog(ports.newDelivery(), ports.now())
  const path = pathOf(request.target)
  const address = ports.operator && OPERATOR_ADDRESS.exec(path)
  if (ports.operator && address) {
    const operated = await ports.operator(request, address, log.delivery)
    const { stream } = operated
    const reply = withStandardHeaders(operated, request.method, log.delivery, INERT_HEADERS)
    return stream ? { ...reply, stream } : reply
  }
  let reply: Reply
  try {
    reply =
      answerLocally(request, path, ports) ??
      (path === '/readyz' && /^(?:GET|HEAD)$/.test(request.method)
        ? await readinessPage(ports)
        : await new Passage(request, ports, log).run())
  } catch (error) {
    if (!(error instanceof RelayError)) ports.report(error)
    const fault = error instanceof RelayError ? error : internalError(error)
    log.refused(fault)
    reply = errorReply(fault, log.delivery)
  }
  const method = isRelayed(request.method) ? request.method : 'other'
  ports.metrics?.answered(reply.status)
  ports.log(log.entry(method, reply.status, ports.now()))
  return withStandardHeaders(reply, request.method, log.delivery)
}

/** The answer to what is not a webhook. */
function answerLocally({ method, headers }: RelayRequest, path: string, { pages }: RelayPorts) {
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  return preflight(method, headers) ?? servePage(pages ?? RELAY_PAGES, method, path)
}

/** Whether new events can be forwarded, or kept; in one word, since anyone may ask. */
async function readinessPage({ readiness }: RelayPorts): Promise<Reply> {
  const why = await readiness?.why()
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  return { status: why === undefined ? 200 : 503, headers, body: why ?? 'ready' }
}

function isRelayed(method: string): boolean {
  return METHODS.some((relayed) => relayed === method)
}
