import { utf8Text } from '../wire/bytes.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import type { Reply } from '../wire/reply.ts'

/**
 * Some senders ask, before they send a first event, whether someone listens, and want their
 * challenge back at once. That is no event, so nothing is dispatched.
 */
export function handshake(method: string, path: string, body: Uint8Array): Reply | undefined {
  const challenge =
    method === 'GET' ? subscriptionChallenge(path) : slackChallenge(method, path, body)
  return challenge === undefined ? undefined : plainText(challenge)
}

/** Meta and others: https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
function subscriptionChallenge(path: string): string | undefined {
  if (!path.includes('hub.')) return undefined
  const query = new URLSearchParams(parseWebhookPath(path).querystring)
  if (query.get('hub.mode') !== 'subscribe') return undefined
  return query.get('hub.challenge') ?? undefined
}

/** `<workflow>/slack`, with whatever may follow. */
const SLACK_PATH = /^[^/?]*\/slack(?:[/?]|$)/

/** https://api.slack.com/events/url_verification */
function slackChallenge(method: string, path: string, body: Uint8Array): string | undefined {
  if (method !== 'POST' || !SLACK_PATH.test(path)) return undefined
  const request = json(body)
  if (!isObject(request) || request.type !== 'url_verification') return undefined
  return typeof request.challenge === 'string' ? request.challenge : undefined
}

function json(body: Uint8Array): unknown {
  try {
    return parseJson(utf8Text(body) ?? '')
  } catch {
    return undefined
  }
}

function plainText(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}
