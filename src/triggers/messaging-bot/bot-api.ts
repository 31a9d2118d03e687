import { UserError } from '../../wire/errors.ts'
import { type Http, HttpFailure, type HttpReply, type HttpRequest } from '../../wire/http.ts'
import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import type { Secret } from '../../wire/secret.ts'
import { type BotUpdate, firingKinds, readUpdate, type UpdateKind } from './updates.ts'

/** One bot, at one server of the Bot API. */
export interface Bot {
  readonly token: Secret
  /** Base address of the Bot API, without a slash at its end. */
  readonly api: string
  readonly http: Http
  /** Ends after so many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
}

/** Digits, a colon, and a string; nothing in it can change the address it is put into. */
export const BOT_TOKEN: RegExp = /^\d+:[\w-]+$/

/** How often a call is made again, by what went wrong; every method called here may be repeated. */
const RETRIES: Readonly<Record<BotFault['kind'], number>> = {
  token: 0,
  webhook: 0,
  poller: 1,
  busy: 3,
  service: 1,
  refused: 0,
}

/** For what must not be done twice: only a call that was not even looked at. */
const BUSY_ONLY: typeof RETRIES = { ...RETRIES, poller: 0, service: 0 }

/** For all pauses of a call: longer ones would cost more minutes than the next run. */
const LONGEST_WAIT = 60_000

/** For an answer, on top of the time that a long poll may take. */
const PATIENCE = 20_000

/**
 * Calls a method of the Bot API, once more where that makes sense. Faults are returned.
 *
 * @param repeats how often it may be called again after a fault of each kind
 */
async function callBot(
  bot: Bot,
  method: string,
  body: MethodBody,
  { longPoll = 0, repeats = RETRIES } = {},
): Promise<BotOutcome> {
  let waited = 0
  for (let retry = 0; ; retry++) {
    const called = await callOnce(bot, method, body, PATIENCE + longPoll)
    if (!('fault' in called)) return called
    const { kind, pause } = called.fault
    if (retry >= repeats[kind] || pause === undefined) return called
    waited += pause
    if (waited > LONGEST_WAIT) return called
    await bot.sleep(pause)
  }
}

/** Calls a method of the Bot API. @throws UserError when there is no result */
async function callBotOrThrow(bot: Bot, method: string, parameters: JsonObject): Promise<Json> {
  const called = await callBot(bot, method, { parameters })
  if ('result' in called) return called.result
  const { message, notes } = called.fault
  throw new UserError({ message, notes })
}

async function callOnce(
  bot: Bot,
  method: string,
  body: MethodBody,
  timeout: number,
): Promise<BotOutcome> {
  const url = `${bot.api}/bot${bot.token.reveal()}/${method}`
  const sent =
    'form' in body
      ? body.form
      : {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body.parameters),
        }
  try {
    const reply = await bot.http({ method: 'POST', url, ...sent, timeout })
    return readReply({ ...reply, text: withoutSecret(reply.text, bot.token) })
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const notes = ['Check the input "telegram-api-url", and whether a proxy is needed.']
    return { fault: service(error.message, notes) }
  }
}

/** Whatever a server says, and whoever wrote it to the bot: a secret goes no further. */
export function withoutSecret(text: string, secret: Secret): string {
  return secret.scrub(text.replaceAll(secret.reveal(), String(secret)))
}

/** The most that one call returns. Source: Bot API, getUpdates. */
const PAGE = 100

interface PageRequest {
  /** Kinds to be asked for. The server keeps the list until the next one, so it is always given. */
  readonly kinds: readonly UpdateKind[]
  /** Id of the first update to come; everything before it is forgotten at once. */
  readonly offset?: number | undefined
  /** Seconds to wait for an update when there is none. */
  readonly wait: number
}

/** Up to 100 updates, oldest first. @throws UserError when there is no usable answer */
export async function getPage(
  bot: Bot,
  { kinds, offset, wait }: PageRequest,
): Promise<BotUpdate[]> {
  const parameters = { limit: PAGE, timeout: wait, allowed_updates: [...kinds] }
  const asked = offset === undefined ? parameters : { offset, ...parameters }
  const called = await callBot(bot, 'getUpdates', { parameters: asked }, { longPoll: wait * 1000 })
  if ('result' in called) return readUpdates(called.result)
  const { kind, message, notes } = called.fault
  // A webhook in the way is named by its host: its path and query may hold somebody's secrets.
  const host = kind === 'webhook' ? await webhookHost(bot) : undefined
  const place = host === undefined ? [] : [`the webhook leads to ${host}`]
  throw new UserError({ message, notes: [...place, ...notes] })
}

/** Forgets every update before `offset`; what comes back stays where it is. */
export async function forgetBefore(bot: Bot, offset: number, kinds: readonly UpdateKind[]) {
  const parameters = { offset, limit: 1, timeout: 0, allowed_updates: [...kinds] }
  await callBotOrThrow(bot, 'getUpdates', parameters)
}

function readUpdates(result: Json): BotUpdate[] {
  const values = Array.isArray(result) ? result : [null]
  return values.map((value) => {
    const update = readUpdate(value)
    if (update) return update
    throw new UserError({
      message: 'the response of the bot API to getUpdates contains no updates',
    })
  })
}

/** Host of the webhook that a bot has; `undefined` when it has none, or nobody can tell. */
async function webhookHost(bot: Bot): Promise<string | undefined> {
  const called = await callBot(bot, 'getWebhookInfo', { parameters: {} })
  const url = 'result' in called && isObject(called.result) ? called.result.url : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined
}

/** What setWebhook is given. Source of the names: Bot API. */
interface WebhookRegistration {
  readonly url: string
  /** Comes back in a header of every call; `undefined` for none. */
  readonly secretToken: string | undefined
  /** Kinds of update, besides new messages. */
  readonly updates: readonly UpdateKind[]
}

export function setWebhookBody({ url, secretToken, updates }: WebhookRegistration): JsonObject {
  const secret = secretToken === undefined ? {} : { secret_token: secretToken }
  return { url, ...secret, allowed_updates: firingKinds(updates) }
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

/** What is sent to a method: its parameters, or a form with files that is serialized already. */
export type MethodBody =
  | { readonly parameters: JsonObject }
  | { readonly form: Pick<HttpRequest, 'headers' | 'body'> }

/** Calls a method that must not act twice: again only where the call was not even looked at. */
export async function callBotOnce(bot: Bot, method: string, body: MethodBody): Promise<BotOutcome> {
  return callBot(bot, method, body, { repeats: BUSY_ONLY })
}

/** Why a call of the Bot API gave no result, in words that hold neither the token nor the address. */
interface BotFault {
  readonly kind: 'token' | 'webhook' | 'poller' | 'busy' | 'service' | 'refused'
  readonly message: string
  readonly notes: readonly string[]
  /** Milliseconds after which another try makes sense; `undefined` when none does. */
  readonly pause: number | undefined
  /** What a refusal said, and the id that the chat has now where it became a supergroup. */
  readonly description?: string
  readonly migratedTo?: number | string
}

export type BotOutcome = { readonly result: Json } | { readonly fault: BotFault }

/** The server delays a repeated call within three seconds anyway. Source: tdlib/telegram-bot-api. */
const POLLER_PAUSE = 3_000

const SERVICE_PAUSE = 1_000

/** What an HTTP reply of the Bot API says. */
function readReply({ status, headers, text }: HttpReply): BotOutcome {
  const json = tryParseJson(text)
  const answer = isObject(json) ? json : undefined
  if (status === 200 && answer?.ok === true) return { result: (answer.result ?? null) as Json }
  const code = status === 200 && typeof answer?.error_code === 'number' ? answer.error_code : status
  const description = typeof answer?.description === 'string' ? answer.description : ''
  if (status === 200 && !answer) return { fault: service('its answer is not JSON') }
  const parameters = isObject(answer?.parameters) ? answer.parameters : {}
  const wait = Number(parameters.retry_after ?? headers['retry-after'])
  const isWait = Number.isFinite(wait) && wait >= 0
  const found = refusal(code, description, isWait ? Math.ceil(wait) : undefined)
  const { migrate_to_chat_id: chat } = parameters
  const isMoved = typeof chat === 'number' || typeof chat === 'string'
  return { fault: { ...found, description, ...(isMoved && { migratedTo: chat }) } }
}

function refusal(code: number, description: string, retryAfter: number | undefined): BotFault {
  if (code === 401 || code === 404) return unknownToken(code)
  if (code === 409) return conflict(description)
  if (code === 429) return busy(retryAfter)
  if (code >= 500) return service(`it answered ${code}`)
  const said = description ? `: ${description.replace(/\s+/g, ' ').slice(0, 200)}` : ''
  return fault('refused', `the bot API rejected the call (${code}${said})`)
}

function unknownToken(code: 401 | 404): BotFault {
  if (code === 401) {
    return fault('token', 'the bot API rejected the token (401 Unauthorized)', [
      'The token was revoked or is incomplete. Get it from BotFather with /token, and update the secret.',
    ])
  }
  return fault('token', 'the bot API does not know the bot (404 Not Found)', [
    'A token consists of digits, a colon and a string, without "bot" before it.',
    'Or check the input "telegram-api-url".',
  ])
}

/** Source of the two texts: tdlib/telegram-bot-api, Client.cpp. */
function conflict(description: string): BotFault {
  if (/webhook is active|setWebhook/i.test(description)) {
    return fault('webhook', 'the bot has a webhook, so it cannot be polled (409 Conflict)', [
      'Set "webhook: true" to receive its messages by that webhook,',
      'or remove the webhook by one call of the method deleteWebhook.',
    ])
  }
  const notes = [
    "Let only one workflow or program poll the bot, because pollers take each other's messages.",
  ]
  return fault('poller', 'another program polls the bot (409 Conflict)', notes, POLLER_PAUSE)
}

function busy(retryAfter: number | undefined): BotFault {
  const wait = retryAfter ?? 1
  const message = `the bot API asks to wait ${wait} s (429 Too Many Requests)`
  return fault('busy', message, [KEPT], wait * 1000)
}

const KEPT = 'No message is lost: the bot API stores messages for 24 hours.'

function service(what: string, notes: readonly string[] = []): BotFault {
  return fault('service', `the bot API failed: ${what}`, [...notes, KEPT], SERVICE_PAUSE)
}

function fault(
  kind: BotFault['kind'],
  message: string,
  notes: readonly string[] = [],
  pause?: number,
): BotFault {
  return { kind, message, notes, pause }
}
