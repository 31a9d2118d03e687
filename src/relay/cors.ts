import { headerValue, type RawHeaders } from '../wire/headers.ts'
import type { Reply } from '../wire/reply.ts'

/** The methods that are relayed. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** On every answer: any page may call, none may use a visitor's cookies. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Hookline-Delivery, Retry-After',
} as const

const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/
const HEADER_LIST_LENGTH = 1024

/** The answer to a browser that asks before it calls; `undefined` for every other request. */
export function preflight(method: string, headers: RawHeaders): Reply | undefined {
  if (method !== 'OPTIONS') return undefined
  if (headerValue(headers, 'origin') === undefined) return undefined
  if (headerValue(headers, 'access-control-request-method') === undefined) return undefined
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': METHODS.join(', '),
      ...allowedHeaders(headerValue(headers, 'access-control-request-headers')),
      'access-control-max-age': '86400',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: '',
  }
}

function allowedHeaders(requested: string | undefined): Record<string, string> {
  if (!requested || requested.length > HEADER_LIST_LENGTH) return {}
  return HEADER_LIST.test(requested) ? { 'access-control-allow-headers': requested } : {}
}
