import {
  jsonValue,
  LARGEST_BODY,
  only,
  queryWith,
  visibleAscii,
} from '../../triggers/handshake-values.ts'
import * as handshakes from '../../triggers/lists/handshake.ts'
import type { Handshake, HandshakeMark, HandshakeRequest } from '../../triggers/sender.ts'
import { headerValue } from '../../wire/headers.ts'
import type { RelayResponse } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { RelayError } from '../errors.ts'
import { ACCEPTED } from './responses.ts'

/** https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md#4-abuse-protection */
const CLOUD_EVENTS: Handshake = {
  method: 'OPTIONS',
  mark: { header: 'webhook-request-origin' },
  challenge: ({ headers }) => visibleAscii(headerValue(headers, 'webhook-request-origin')),
  answer: (origin) => ({
    status: 200,
    headers: { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' },
    body: '',
  }),
}

const ALL: readonly Handshake[] = [...Object.values(handshakes), CLOUD_EVENTS]

/** The narrow ones come first, because their requests also look like another sender's. */
const HANDSHAKES: readonly Handshake[] = [
  ...ALL.filter(({ isNarrow }) => isNarrow),
  ...ALL.filter(({ isNarrow, isEvent }) => !isNarrow && !isEvent),
]

const UNSIGNED_HANDSHAKES = HANDSHAKES.filter(({ isSigned }) => !isSigned)

const EVENT_HANDSHAKES = ALL.filter(({ isEvent }) => isEvent)

/**
 * The response to a handshake: before the first event, some senders ask whether the URL belongs to the
 * user, and expect their challenge in the response. A handshake is no event, so the relay does not call
 * GitHub, and does not check whether GitHub accepts the token.
 */
export function handshakeResponse(request: HandshakeRequest): RelayResponse | undefined {
  return replyOf(HANDSHAKES, request)
}

/** The response to a handshake that its sender does not sign. */
export function unsignedHandshakeResponse(request: HandshakeRequest): RelayResponse | undefined {
  return replyOf(UNSIGNED_HANDSHAKES, request)
}

/** The headers that a sender expects if the event is a handshake too. */
export function eventHandshakeHeaders(
  request: HandshakeRequest,
): RelayResponse['headers'] | undefined {
  return replyOf(EVENT_HANDSHAKES, request)?.headers
}

function replyOf(
  handshakes: readonly Handshake[],
  request: HandshakeRequest,
): RelayResponse | undefined {
  for (const handshake of handshakes) {
    const isLike = handshake.method === request.method && hasMark(request, handshake.mark)
    const value = isLike ? handshake.challenge(request) : undefined
    if (isChallenge(value)) return handshake.answer(value)
  }
  return undefined
}

function hasMark({ headers, path, body }: HandshakeRequest, mark: HandshakeMark): boolean {
  if ('header' in mark) return headerValue(headers, mark.header) !== undefined
  if ('body' in mark) return bodyHas(body, mark.body)
  return path.toLowerCase().includes(mark.path)
}

function bodyHas(body: string | undefined, text: string): boolean {
  return body !== undefined && body.length <= LARGEST_BODY && body.includes(text)
}

/** UTF-8 bytes. Challenges are short, and the relay must not serve content of a caller's choice. */
const CHALLENGE_BYTES = 1024

function isChallenge(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > CHALLENGE_BYTES) return false
  return new TextEncoder().encode(value).length <= CHALLENGE_BYTES
}

/** Senders whose handshake needs a secret, or a key, that the relay does not have. */
const UNSUPPORTED: readonly {
  readonly sender: string
  readonly isHandshake: (request: HandshakeRequest) => boolean
}[] = [
  // https://docs.x.com/x-api/webhooks/quickstart
  { sender: 'X', isHandshake: hasQuery({ crc_token: /./ }) },
  // https://developer.ebay.com/develop/guides-v2/marketplace-user-account-deletion
  { sender: 'eBay', isHandshake: hasQuery({ challenge_code: /./ }) },
  // https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation
  { sender: 'LinkedIn', isHandshake: hasQuery({ challengeCode: /./ }) },
  // https://developers.weixin.qq.com/doc/offiaccount/en/Basic_Information/Access_Overview.html
  { sender: 'WeChat', isHandshake: hasQuery({ echostr: /./, nonce: /./, timestamp: /^\d+$/ }) },
  // https://developer.paypal.com/braintree/docs/guides/webhooks/create
  { sender: 'Braintree', isHandshake: hasQuery({ bt_challenge: /./ }) },
  { sender: 'Feishu with an Encrypt Key', isHandshake: isEncryptedFeishu },
]

function hasQuery(parameters: Readonly<Record<string, RegExp>>) {
  return ({ method, path }: HandshakeRequest): boolean =>
    method === 'GET' &&
    Object.entries(parameters).every(([name, pattern]) =>
      pattern.test(only(queryWith(path, name), name) ?? ''),
    )
}

/** With an Encrypt Key, the body has this one field, in the handshake as in every event. */
function isEncryptedFeishu({ method, body }: HandshakeRequest): boolean {
  if (method !== 'POST' || !bodyHas(body, '"encrypt"')) return false
  const value = jsonValue(body)
  return (
    isObject(value) && Object.keys(value).join() === 'encrypt' && typeof value.encrypt === 'string'
  )
}

/** @throws RelayError 501 for a handshake that is known, and that the relay cannot answer */
export function refuseUnsupportedHandshake(request: HandshakeRequest): void {
  const known = UNSUPPORTED.find(({ isHandshake }) => isHandshake(request))
  if (!known) return
  throw new RelayError('handshake_not_supported', {
    message: `the relay cannot answer the URL verification of ${known.sender}`,
  })
}

/**
 * The user agents of senders that first look whether the URL exists, by HEAD or GET. They send events
 * only by POST.
 */
const PROBING_USER_AGENTS = [
  // https://mandrill.zendesk.com/hc/en-us/articles/205583217-Introduction-to-Webhooks
  /^mandrill/i,
  // https://developers.intercom.com/docs/webhooks/setting-up-webhooks
  /^intercom/i,
]

/** The response to a request that only looks whether the URL exists. */
export function probeResponse({ method, headers }: HandshakeRequest): RelayResponse | undefined {
  if (method !== 'HEAD' && method !== 'GET') return undefined
  const agent = headerValue(headers, 'user-agent') ?? ''
  return PROBING_USER_AGENTS.some((pattern) => pattern.test(agent)) ? ACCEPTED : undefined
}
