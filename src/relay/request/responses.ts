import { visible } from '../../triggers/handshake.ts'
import { HANDSHAKE } from '../../triggers/lists/handshake.ts'
import type { Asking, Handshake } from '../../triggers/sender.ts'
import { headerValue, type RawHeaders } from '../../wire/headers.ts'
import type { Reply } from '../../wire/http.ts'
import { LIMITS } from '../../wire/limits.ts'
import { PARAMETER, type ReservedParameters } from '../../wire/path.ts'
import { HEADER } from '../../wire/payload.ts'
import { invalidResponseOption, type RelayError } from '../errors.ts'

/**
 * On every answer. A caller chooses the content of a custom response, so whatever a browser is
 * shown from this origin must stay inert.
 */
export const INERT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // `same-origin` would make a page's `no-cors` call fail although it was dispatched.
  'cross-origin-resource-policy': 'cross-origin',
}

/** On every answer: any page may call, none may use a visitor's cookies. */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'X-Hookline-Delivery, X-Hookline-Run, X-Hookline-Queued, X-Hookline-Reason, X-Hookline-Filtered, X-Hookline-Batch, X-Hookline-Hint, Retry-After',
} as const

const EVERY_ANSWER = { ...CORS_HEADERS, ...INERT_HEADERS }

/** RFC 9110: answers of these statuses have no content. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * A reply with what every answer of the relay carries, without a body where there can be none.
 *
 * @param shared headers on top of the reply's own: none that let a foreign page read what only the
 *   operator may see
 */
export function withStandardHeaders(
  reply: Reply,
  method: string,
  delivery: string,
  shared: Readonly<Record<string, string>> = EVERY_ANSWER,
): Reply {
  const { status } = reply
  // Assigned, not spread: a spread costs several times as much, and this is done for every answer.
  const headers: Record<string, string> = Object.assign({}, reply.headers, shared)
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

/** What an accepted request is answered by default. */
export const ACCEPTED: Reply = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"success":true}',
}

/** What an event is answered that the grant's condition declined. */
export const FILTERED = { [HEADER.filtered]: 'true' }

/** What an event is answered that the outbox has, and GitHub not yet. */
export const QUEUED: Reply = {
  ...ACCEPTED,
  status: 202,
  headers: { ...ACCEPTED.headers, [HEADER.queued]: 'true' },
}

const STATUS = /^[2-5]\d\d$/

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"

const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[\\w !#-\\[\\]-~]*"))*$`,
)

const MEDIA_TYPE_LENGTH = 255

/**
 * What an accepted request is answered instead: the default, each part of it replaced by its own
 * parameter. An empty parameter counts as absent; `undefined` when all are.
 *
 * @param standard the default
 * @throws RelayError 400 for a value that cannot be answered
 */
export function customReply(reserved: ReservedParameters, standard = ACCEPTED): Reply | undefined {
  const status = reserved.get(PARAMETER.responseCode)
  const contentType = reserved.get(PARAMETER.responseContentType)
  const body = reserved.get(PARAMETER.responseBody)
  if (!status && !contentType && !body) return undefined
  return {
    status: status ? checkedStatus(status) : standard.status,
    headers: contentType
      ? { ...standard.headers, 'content-type': checkedContentType(contentType) }
      : standard.headers,
    body: body ? checkedBody(body) : standard.body,
  }
}

function checkedStatus(text: string): number {
  if (STATUS.test(text)) return Number(text)
  throw invalidResponseOption(PARAMETER.responseCode, 'give a whole number from 200 to 599')
}

function checkedContentType(text: string): string {
  if (text.length <= MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(text)) return text
  throw invalidResponseOption(PARAMETER.responseContentType, 'give a media type such as text/plain')
}

function checkedBody(text: string): string {
  if (new TextEncoder().encode(text).length <= LIMITS.responseBodyBytes) return text
  const hint = `give at most ${LIMITS.responseBodyBytes} bytes`
  throw invalidResponseOption(PARAMETER.responseBody, hint)
}

/** The methods that are relayed. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

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

const TEXT = 'text/plain; charset=utf-8'

const HELP = `This is a Hookline relay. It forwards a request to

  /<owner>/<repo>/<workflow>/<trigger>

as a repository_dispatch event, and so starts the GitHub Actions workflow that waits for it.
The token belongs in the header X-Platform-Authorization.
`

export interface Page {
  readonly contentType: string
  readonly body: string
}

/** Pages by their path. */
export type Pages = ReadonlyMap<string, Page>

export const RELAY_PAGES: Pages = new Map([
  ['/', { contentType: TEXT, body: HELP }],
  ['/healthz', { contentType: TEXT, body: 'ok' }],
])

/** The page that a request asks for; `undefined` when it asks for none. */
export function servePage(pages: Pages, method: string, path: string): Reply | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const found = pages.get(path)
  if (!found) return undefined
  return { status: 200, headers: { 'content-type': found.contentType }, body: found.body }
}

/** https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md#4-abuse-protection */
const CLOUD_EVENTS: Handshake = {
  method: 'OPTIONS',
  challenge: ({ headers }) => visible(headerValue(headers, 'webhook-request-origin')),
  answer: (origin) => ({
    status: 200,
    headers: { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' },
    body: '',
  }),
}

const ALL: readonly Handshake[] = [...Object.values(HANDSHAKE), CLOUD_EVENTS]

/** Those with more marks than another first. */
const HANDSHAKES: readonly Handshake[] = [
  ...ALL.filter(({ isNarrow }) => isNarrow),
  ...ALL.filter(({ isNarrow, isEvent }) => !isNarrow && !isEvent),
]

const ECHOES = ALL.filter(({ isEvent }) => isEvent)

/**
 * Some senders ask, before they send a first event, whether a URL is ours, and want their challenge
 * back at once. That is not an event, so nothing is dispatched. A token has to be there, as for every
 * request; whether it is good is not asked, since only the platform could tell.
 */
export function handshake(asking: Asking, which = HANDSHAKES): Reply | undefined {
  for (const { method, challenge, answer } of which) {
    const value = method === asking.method ? challenge(asking) : undefined
    if (isEchoed(value)) return answer(value)
  }
  return undefined
}

/** The same of those alone that nobody signs: before any signature is looked at. */
export function unsignedHandshake(asking: Asking): Reply | undefined {
  return handshake(
    asking,
    HANDSHAKES.filter(({ isSigned }) => !isSigned),
  )
}

/** What an accepted event is answered with besides, where it is a handshake too. */
export function echoedHeaders(asking: Asking): Reply['headers'] | undefined {
  return handshake(asking, ECHOES)?.headers
}

/** UTF-8 bytes of an echoed value: nobody needs more, and the relay is not a place to keep files at. */
const ECHO_BYTES = 1024

function isEchoed(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > ECHO_BYTES) return false
  return new TextEncoder().encode(value).length <= ECHO_BYTES
}
