import { headerValue, type RawHeaders } from '../wire/headers.ts'
import { isObject, parsePlainJson } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import type { Reply } from '../wire/reply.ts'

/** What of a request shows whether it is a handshake. */
interface Asking {
  /** Upper case. */
  readonly method: string
  readonly headers: RawHeaders
  /** `<workflow>/<trigger>[/<suffix>][?<query>]`, without the relay's own parameters. */
  readonly path: string
  /** `undefined` when it is no text. */
  readonly body: string | undefined
}

/** How one service asks whether a URL is ours, known by marks of its own and nothing else. */
interface Handshake {
  /** Whose it is. */
  readonly of: string
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  /** The value that is to come back, as a service of that kind asks for it. */
  readonly challenge: (asking: Asking) => unknown
  readonly answer: (value: string) => Reply
}

const HANDSHAKES: readonly Handshake[] = [
  {
    /** https://developer.okta.com/docs/concepts/event-hooks/#one-time-verification-request */
    of: 'Okta',
    method: 'GET',
    challenge: ({ headers }) => headerValue(headers, 'x-okta-verification-challenge'),
    answer: (verification) => json({ verification }),
  },
  {
    /**
     * https://developers.facebook.com/docs/graph-api/webhooks/getting-started and
     * https://www.w3.org/TR/websub/#hub-verifies-intent
     */
    of: 'Meta, WebSub',
    method: 'GET',
    challenge: ({ path }) => {
      const query = queryOf(path, 'hub.')
      const isAsked = ['subscribe', 'unsubscribe'].includes(query?.get('hub.mode') ?? '')
      return isAsked ? only(query, 'hub.challenge') : undefined
    },
    answer: text,
  },
  {
    /** https://www.dropbox.com/developers/reference/webhooks#verification */
    of: 'Dropbox',
    method: 'GET',
    challenge: ({ path }) => {
      const query = queryOf(path, 'challenge')
      return query?.size === 1 ? only(query, 'challenge') : undefined
    },
    answer: text,
  },
  {
    /** https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#responding-to-a-challenge-request */
    of: 'Twitch',
    method: 'POST',
    challenge: ({ headers, body }) => {
      const type = headerValue(headers, 'twitch-eventsub-message-type')
      return type === 'webhook_callback_verification' ? jsonObject(body)?.challenge : undefined
    },
    answer: text,
  },
  {
    /** https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema */
    of: 'Azure Event Grid',
    method: 'POST',
    challenge: ({ headers, body }) => {
      if (headerValue(headers, 'aeg-event-type') !== 'SubscriptionValidation') return undefined
      const events = parsed(body)
      const [event, ...others] = Array.isArray(events) ? events : []
      const data = isObject(event) && others.length === 0 ? event.data : undefined
      return isObject(data) ? data.validationCode : undefined
    },
    answer: (validationResponse) => json({ validationResponse }),
  },
  {
    /** https://smartsheet.redoc.ly/#section/Webhooks/Webhook-Verification */
    of: 'Smartsheet',
    method: 'POST',
    challenge: ({ headers }) => visible(headerValue(headers, 'smartsheet-hook-challenge')),
    answer: (smartsheetHookResponse) => {
      const reply = json({ smartsheetHookResponse })
      const headers = { ...reply.headers, 'smartsheet-hook-response': smartsheetHookResponse }
      return { ...reply, headers }
    },
  },
  {
    /** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation */
    of: 'Microsoft Graph',
    method: 'POST',
    challenge: ({ path, body }) =>
      body === '' ? only(queryOf(path, 'validationToken'), 'validationToken') : undefined,
    answer: text,
  },
  {
    /** https://api.slack.com/events/url_verification */
    of: 'Slack',
    method: 'POST',
    challenge: ({ body }) => {
      const request = jsonObject(body)
      return request?.type === 'url_verification' ? request.challenge : undefined
    },
    answer: text,
  },
  {
    /** https://developer.monday.com/api-reference/reference/webhooks#url-verification */
    of: 'Monday',
    method: 'POST',
    challenge: ({ body }) => {
      const request = jsonObject(body)
      return Object.keys(request ?? {}).length === 1 ? request?.challenge : undefined
    },
    answer: (challenge) => json({ challenge }),
  },
  {
    /** https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md#4-abuse-protection */
    of: 'CloudEvents',
    method: 'OPTIONS',
    challenge: ({ headers }) => visible(headerValue(headers, 'webhook-request-origin')),
    answer: (origin) => ({
      status: 200,
      headers: { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' },
      body: '',
    }),
  },
]

/**
 * Some senders ask, before they send a first event, whether a URL is ours, and want their challenge
 * back at once. That is no event, so nothing is dispatched. A token has to be there, as for every
 * request; whether it is good is not asked, since only the platform could tell.
 */
export function handshake(asking: Asking): Reply | undefined {
  for (const { method, challenge, answer } of HANDSHAKES) {
    const value = method === asking.method ? challenge(asking) : undefined
    if (isEchoed(value)) return answer(value)
  }
  return undefined
}

/**
 * What an accepted event is answered with besides. Asana brings the secret with which it will sign,
 * and wants it back; the workflow needs it too, so that request is an event.
 * https://developers.asana.com/docs/webhooks-guide#the-webhook-handshake
 */
export function echoedHeaders({ method, headers }: Pick<Asking, 'method' | 'headers'>) {
  const secret = method === 'POST' ? visible(headerValue(headers, 'x-hook-secret')) : undefined
  return isEchoed(secret) ? { 'x-hook-secret': secret } : undefined
}

/** UTF-8 bytes of an echoed value: nobody needs more, and the relay is no place to keep files at. */
const ECHO_BYTES = 1024

function isEchoed(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > ECHO_BYTES) return false
  return new TextEncoder().encode(value).length <= ECHO_BYTES
}

/** A value that may stand in a header of the answer: visible ASCII and nothing else. */
function visible(value: string | undefined): string | undefined {
  return value !== undefined && /^[!-~]+$/.test(value) ? value : undefined
}

/** The query, where it may hold a parameter of that name: most requests need not be decoded. */
function queryOf(path: string, name: string): URLSearchParams | undefined {
  return path.includes(name) ? new URLSearchParams(parseWebhookPath(path).querystring) : undefined
}

/** A parameter that is there once. */
function only(query: URLSearchParams | undefined, name: string): string | undefined {
  const values = query?.getAll(name) ?? []
  return values.length === 1 ? values[0] : undefined
}

/** Characters of the body of a handshake: larger ones are events, and are not read here. */
const LARGEST_BODY = 8192

function jsonObject(body = ''): Record<string, unknown> | undefined {
  const isSmall = body.length <= LARGEST_BODY
  const value = isSmall && body.includes('challenge') ? parsed(body) : undefined
  return isObject(value) ? value : undefined
}

function parsed(body = ''): unknown {
  try {
    return body.length > LARGEST_BODY ? undefined : parsePlainJson(body)
  } catch {
    return undefined
  }
}

function text(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

function json(value: object): Reply {
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: JSON.stringify(value) }
}
