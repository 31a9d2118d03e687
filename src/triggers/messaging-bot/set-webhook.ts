import { isObject, type Json, type JsonObject } from '../../wire/json.ts'
import { type Bot, callBotOrThrow } from './bot-api.ts'
import { firingKinds } from './conditions.ts'
import type { UpdateKind } from './update-kinds.ts'

/** What setWebhook is given. Source of the names: Bot API. */
export interface WebhookRegistration {
  readonly url: string
  /** Comes back in a header of every call; `undefined` for none. */
  readonly secretToken: string | undefined
  /** Kinds of update, besides new messages. */
  readonly updates: readonly UpdateKind[]
}

export function setWebhookBody({ url, secretToken, updates }: WebhookRegistration): JsonObject {
  const secret = secretToken === undefined ? {} : { secret_token: secretToken }
  return { url, ...secret, allowed_updates: firingKinds({ updates: [...updates] }) }
}

/** @throws UserError with what the Bot API says against it */
export async function setWebhook(bot: Bot, registration: WebhookRegistration): Promise<void> {
  await callBotOrThrow(bot, 'setWebhook', setWebhookBody(registration))
}

/** What the Bot API knows of a bot's webhook, without the secrets that its URL may hold. */
export interface WebhookInfo {
  /** The URL without its query; empty when the bot has no webhook. */
  readonly url: string
  readonly pending: number
  /** What went wrong last: when, ISO 8601, and how. */
  readonly lastError: { readonly at: string; readonly message: string } | undefined
  readonly updates: readonly string[]
}

/** @throws UserError when the Bot API gives no answer */
export async function getWebhookInfo(bot: Bot): Promise<WebhookInfo> {
  const result = await callBotOrThrow(bot, 'getWebhookInfo', {})
  const info = isObject(result) ? (result as JsonObject) : {} // parsed from JSON
  return {
    url: text(info.url).replace(/[?#].*$/s, ''),
    pending: typeof info.pending_update_count === 'number' ? info.pending_update_count : 0,
    lastError: lastError(info),
    updates: Array.isArray(info.allowed_updates) ? info.allowed_updates.map(text) : [],
  }
}

function lastError({ last_error_date: date, last_error_message: message }: JsonObject) {
  if (typeof date !== 'number') return undefined
  return { at: new Date(date * 1000).toISOString(), message: text(message) }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
