import type { HttpFailure, HttpReply } from '../../wire/http.ts'
import { isObject, type Json, parseJson } from '../../wire/json.ts'

/** Why a call of the Bot API gave no result, in words that hold neither the token nor the address. */
export interface BotFault {
  readonly kind: 'token' | 'webhook' | 'poller' | 'busy' | 'service' | 'refused'
  readonly message: string
  readonly notes: readonly string[]
  /** Milliseconds after which another try makes sense; `undefined` when none does. */
  readonly pause: number | undefined
}

export type Called = { readonly result: Json } | { readonly fault: BotFault }

/** The server delays a repeated call within three seconds anyway. Source: tdlib/telegram-bot-api. */
const POLLER_PAUSE = 3_000
const SERVICE_PAUSE = 1_000

/** What an HTTP reply of the Bot API says. */
export function readReply({ status, headers, text }: HttpReply): Called {
  const answer = parsed(text)
  if (status === 200 && answer?.ok === true) return { result: (answer.result ?? null) as Json }
  const code = status === 200 && typeof answer?.error_code === 'number' ? answer.error_code : status
  const description = typeof answer?.description === 'string' ? answer.description : ''
  if (status === 200 && !answer) return { fault: service('its answer is not JSON') }
  return { fault: refusal(code, description, seconds(answer, headers['retry-after'])) }
}

/** A call that got no whole answer. */
export function unreachable({ message }: HttpFailure): BotFault {
  return service(message, ['is the input "messaging-api-url" right, and is a proxy needed?'])
}

function refusal(code: number, description: string, retryAfter: number | undefined): BotFault {
  if (code === 401 || code === 404) return unknownToken(code)
  if (code === 409) return conflict(description)
  if (code === 429) return busy(retryAfter)
  if (code >= 500) return service(`it answered ${code}`)
  const said = description ? `: ${oneLine(description)}` : ''
  return fault('refused', `the bot API refused the call (${code}${said})`)
}

function unknownToken(code: 401 | 404): BotFault {
  if (code === 401) {
    return fault('token', 'the bot API refused the token (401 Unauthorized)', [
      'it was revoked, or is not whole: BotFather shows it with /token; then renew the secret',
    ])
  }
  return fault('token', 'the bot API knows no such bot (404 Not Found)', [
    'a token is malformed unless it is digits, a colon and a string, with no "bot" before it',
    'or the input "messaging-api-url" names no bot API',
  ])
}

/** Source of the two texts: tdlib/telegram-bot-api, Client.cpp. */
function conflict(description: string): BotFault {
  if (/webhook is active|setWebhook/i.test(description)) {
    return fault('webhook', 'this bot has a webhook, and so cannot be polled (409 Conflict)', [
      'set "webhook: true" to receive its messages by that webhook',
      'or remove it, with one call of the method deleteWebhook: see docs/bot.md',
    ])
  }
  const notes = ['only one workflow, or program, may poll a bot: each takes the messages of others']
  return fault('poller', 'another poller asked for this bot (409 Conflict)', notes, POLLER_PAUSE)
}

function busy(retryAfter: number | undefined): BotFault {
  const wait = retryAfter ?? 1
  const message = `the bot API asks to wait ${wait} s (429 Too Many Requests)`
  return fault('busy', message, [], wait * 1000)
}

function service(what: string, notes: readonly string[] = []): BotFault {
  const kept = 'nothing is lost: the messages stay with the bot API for 24 hours'
  return fault('service', `the bot API failed: ${what}`, [...notes, kept], SERVICE_PAUSE)
}

function fault(
  kind: BotFault['kind'],
  message: string,
  notes: readonly string[] = [],
  pause?: number,
): BotFault {
  return { kind, message, notes, pause }
}

function seconds(answer: Record<string, unknown> | undefined, header: string | undefined) {
  const parameters = isObject(answer?.parameters) ? answer.parameters : {}
  const wait = Number(parameters.retry_after ?? header)
  return Number.isFinite(wait) && wait >= 0 ? Math.ceil(wait) : undefined
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200)
}
