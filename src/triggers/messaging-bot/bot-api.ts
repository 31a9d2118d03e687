import { UserError } from '../../wire/errors.ts'
import {
  type Http,
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  redirectOf,
} from '../../wire/http.ts'
import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import type { Secret } from '../../wire/secret.ts'
import type { UpdateKind } from './places.ts'
import { type BotUpdate, firingKinds, readUpdate } from './updates.ts'

export interface Bot {
  readonly token: Secret
  /** Base address of the Bot API, without a trailing slash. */
  readonly api: string
  readonly http: Http
  /** Resolves after this many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
}

/** Digits, a colon, and a string; nothing in it can change the address it is put into. */
export const BOT_TOKEN: RegExp = /^\d+:[\w-]+$/

/**
 * The retries of a call by the kind of fault. All methods that are called with these can be
 * repeated safely.
 */
const RETRIES: Readonly<Record<BotFault['kind'], number>> = {
  token: 0,
  address: 0,
  webhook: 0,
  poller: 1,
  busy: 3,
  service: 1,
  refused: 0,
}

/**
 * The retries of a call that must not have its effect twice: only if the server has not processed
 * it.
 */
const BUSY_ONLY: typeof RETRIES = { ...RETRIES, poller: 0, service: 0 }

/** Milliseconds for all pauses of a call; a later run is cheaper than a longer wait. */
const LONGEST_WAIT = 60_000

/** Milliseconds for a response, in addition to the time of a long poll. */
const PATIENCE = 20_000

/**
 * Calls a method of the Bot API, with retries for temporary faults. Faults are returned.
 *
 * @param repeats number of retries for each kind of fault
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

/** Calls a method of the Bot API. @throws UserError if there is no result */
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
    const redirect = redirectOf(reply, { url })
    if (redirect) return { fault: redirected(reply.status, redirect, url) }
    return readBotResponse({ ...reply, text: withoutSecret(reply.text, bot.token) })
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const notes = ['Check the input "telegram-api-url", and whether a proxy is needed.']
    return { fault: service(`${error.message}; host: ${new URL(bot.api).host}`, notes) }
  }
}

/** Removes a secret from a string of the server, which may quote it. */
export function withoutSecret(text: string, secret: Secret): string {
  return secret.scrub(text.replaceAll(secret.reveal(), String(secret)))
}

/** The most updates of one call. Source: Bot API, getUpdates. */
const PAGE = 100

interface PageRequest {
  /**
   * The kinds of updates to request. It is always sent, because the server remembers the last list.
   */
  readonly kinds: readonly UpdateKind[]
  /** Id of the first update to return; the server forgets all earlier ones immediately. */
  readonly offset?: number | undefined
  /** Seconds to wait if there is no update yet. */
  readonly wait: number
}

/** Up to 100 updates, oldest first. @throws UserError if there is no usable response */
export async function getPage(
  bot: Bot,
  { kinds, offset, wait }: PageRequest,
): Promise<BotUpdate[]> {
  const parameters = { limit: PAGE, timeout: wait, allowed_updates: [...kinds] }
  const asked = offset === undefined ? parameters : { offset, ...parameters }
  const called = await callBot(bot, 'getUpdates', { parameters: asked }, { longPoll: wait * 1000 })
  if ('result' in called) return readUpdates(called.result)
  const { kind, message, notes } = called.fault
  // Names only the host of a webhook that is in the way, because its path and query may contain
  // secrets.
  const host = kind === 'webhook' ? await webhookHost(bot) : undefined
  const place = host === undefined ? [] : [`the webhook leads to ${host}`]
  throw new UserError({ message, notes: [...place, ...notes] })
}

/**
 * Makes the server forget every update before `offset`; the returned updates remain on the server.
 */
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

/** Host of the bot's webhook; `undefined` if it has none, or if the call fails. */
async function webhookHost(bot: Bot): Promise<string | undefined> {
  const called = await callBot(bot, 'getWebhookInfo', { parameters: {} })
  const url = 'result' in called && isObject(called.result) ? called.result.url : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined
}

/** The parameters of setWebhook. Source of the names: Bot API. */
interface WebhookRegistration {
  readonly url: string
  /** Sent in a header of every request; `undefined` for none. */
  readonly secretToken: string | undefined
  /** Kinds of updates in addition to new messages. */
  readonly updates: readonly UpdateKind[]
}

export function setWebhookBody({ url, secretToken, updates }: WebhookRegistration): JsonObject {
  const secret = secretToken === undefined ? {} : { secret_token: secretToken }
  return { url, ...secret, allowed_updates: firingKinds(updates) }
}

/** @throws UserError with the error of the Bot API */
export async function setWebhook(bot: Bot, registration: WebhookRegistration): Promise<void> {
  await callBotOrThrow(bot, 'setWebhook', setWebhookBody(registration))
}

/** @throws UserError with the error of the Bot API */
export async function deleteWebhook(bot: Bot): Promise<void> {
  await callBotOrThrow(bot, 'deleteWebhook', {})
}

/**
 * The URL of a bot's webhook without its query, which may contain secrets; empty if the bot has none.
 *
 * @throws UserError with the error of the Bot API
 */
export async function registeredUrl(bot: Bot): Promise<string> {
  const info = await callBotOrThrow(bot, 'getWebhookInfo', {})
  const url = isObject(info) ? info.url : undefined
  return typeof url === 'string' ? url.replace(/[?#].*/s, '') : ''
}

/** The parameters of a method, or a serialized form with files. */
export type MethodBody =
  | { readonly parameters: JsonObject }
  | { readonly form: Pick<HttpRequest, 'headers' | 'body'> }

/**
 * Calls a method that must not have its effect twice: retries only if the server has not processed
 * it.
 */
export async function callBotOnce(bot: Bot, method: string, body: MethodBody): Promise<BotOutcome> {
  return callBot(bot, method, body, { repeats: BUSY_ONLY })
}

/**
 * Why a call of the Bot API has no result. The message contains neither the token nor an address with credentials, only its host.
 */
interface BotFault {
  readonly kind: 'token' | 'address' | 'webhook' | 'poller' | 'busy' | 'service' | 'refused'
  readonly message: string
  readonly notes: readonly string[]
  /** Milliseconds before a retry; `undefined` if a retry is useless. */
  readonly pause: number | undefined
  /** The server's description of an error, and the new id of a chat that became a supergroup. */
  readonly description?: string
  readonly migratedTo?: number | string
}

type BotOutcome = { readonly result: Json } | { readonly fault: BotFault }

/**
 * The server delays a repeated call by up to three seconds anyway. Source: tdlib/telegram-bot-api.
 */
const POLLER_PAUSE = 3_000

const SERVICE_PAUSE = 1_000

function readBotResponse({ status, headers, text }: HttpResponse): BotOutcome {
  const json = tryParseJson(text)
  const answer = isObject(json) ? json : undefined
  if (status === 200 && answer?.ok === true) return { result: (answer.result ?? null) as Json }
  const code = status === 200 && typeof answer?.error_code === 'number' ? answer.error_code : status
  const description = typeof answer?.description === 'string' ? answer.description : ''
  if (status === 200 && !answer)
    return { fault: service('its answer is not JSON', ['Check the input "telegram-api-url".']) }
  const parameters = isObject(answer?.parameters) ? answer.parameters : {}
  const wait = Number(parameters.retry_after ?? headers['retry-after'])
  const isWait = Number.isFinite(wait) && wait >= 0
  const found = botFault(code, description, isWait ? Math.ceil(wait) : undefined)
  const { migrate_to_chat_id: chat } = parameters
  const isMoved = typeof chat === 'number' || typeof chat === 'string'
  return { fault: { ...found, description, ...(isMoved && { migratedTo: chat }) } }
}

function botFault(code: number, description: string, retryAfter = 1): BotFault {
  switch (code) {
    case 401:
      return fault('token', 'the bot API rejected the token (401 Unauthorized)', [
        'The token was revoked or is incomplete. Get it from BotFather with /token, and update the secret.',
      ])
    case 404:
      return fault('token', 'the bot API does not know the bot (404 Not Found)', [
        'A token consists of digits, a colon and a string, without "bot" before it.',
        'Or check the input "telegram-api-url".',
      ])
    case 409:
      // Source of the two descriptions: tdlib/telegram-bot-api, Client.cpp.
      if (!/webhook is active|setWebhook/i.test(description)) {
        const message = 'another program polls the bot (409 Conflict)'
        return fault('poller', message, [ONE_POLLER], POLLER_PAUSE)
      }
      return fault('webhook', 'the bot has a webhook, so it cannot be polled (409 Conflict)', [
        'Set "webhook: true" to receive its messages by that webhook,',
        'or remove the webhook by one call of the method deleteWebhook.',
      ])
    case 429: {
      const message = `the bot API asks to wait ${retryAfter} s (429 Too Many Requests)`
      return fault('busy', message, [KEPT], retryAfter * 1000)
    }
  }
  if (code >= 500) return service(`it answered ${code}`)
  const reason = description ? `: ${description.replace(/\s+/g, ' ').slice(0, 200)}` : ''
  return fault('refused', `the bot API rejected the call (${code}${reason})`)
}

const ONE_POLLER =
  "Let only one workflow or program poll the bot, because pollers take each other's messages."

const KEPT = 'No message is lost: the bot API stores messages for 24 hours.'

/** Shows only the origin of a redirect, because its path may contain the token. */
function redirected(status: number, { origin }: URL, url: string): BotFault {
  const isSame = origin === new URL(url).origin
  const to = isSame ? `another path of ${origin}` : origin
  return fault('address', `the address of the bot API redirects to ${to} (${status})`, [
    isSame
      ? 'Check the input "telegram-api-url".'
      : `Write the address behind the redirect into the input "telegram-api-url": ${origin}`,
  ])
}

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
