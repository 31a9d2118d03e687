import { HEADER } from '../wire/payload.ts'
import type { Reply } from '../wire/reply.ts'
import { CORS_HEADERS, METHODS } from './cors.ts'
import type { RelayError } from './errors.ts'

/**
 * On every answer. A caller chooses the content of a custom response, so whatever a browser is
 * shown from this origin must stay inert.
 */
const INERT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // `same-origin` would make a page's `no-cors` call fail although it was dispatched.
  'cross-origin-resource-policy': 'cross-origin',
}

const EVERY_ANSWER = { ...CORS_HEADERS, ...INERT_HEADERS }

/** RFC 9110: answers of these statuses have no content. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** A reply with what every answer of the relay carries, without a body where there can be none. */
export function completed(reply: Reply, method: string, delivery: string): Reply {
  const { status } = reply
  // Assigned, not spread: a spread costs several times as much, and this is done for every answer.
  const headers: Record<string, string> = Object.assign({}, reply.headers, EVERY_ANSWER)
  headers[HEADER.delivery] = delivery
  const bare = WITHOUT_BODY.has(status)
  if (bare) delete headers['content-type']
  return { status, headers, body: bare || method === 'HEAD' ? '' : reply.body }
}

export function errorReply(error: RelayError, delivery: string): Reply {
  const { code, message, hint, retryAfter, status } = error
  return {
    status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(status === 405 && { allow: METHODS.join(', ') }),
    },
    body: JSON.stringify({ success: false, error: { code, message, hint }, delivery }),
  }
}
