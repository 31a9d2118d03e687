import { UserError } from '../../wire/errors.ts'
import {
  type Http,
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  redirectOf,
} from '../../wire/http.ts'
import { isObject, type Json, type JsonObject } from '../../wire/json.ts'
import type { WebhookRequest } from '../../wire/webhook-request.ts'
import type { Blocks } from './markdown/tree.ts'

/** The markup of `text`: none, basic Markdown, Telegram's HTML, or the chat's native markup. */
export const FORMATS = ['plain', 'markdown', 'html', 'raw'] as const

/** A button under a message. `value` is the data of a press, or the address of a link. */
export interface Button {
  readonly label: string
  readonly value: string
  readonly isLink: boolean
}

export interface Attachment {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The text of a message: as it was written, or the tree of its Markdown. */
export type Content = string | Blocks

/** The reply that the inputs describe, for any chat. */
export interface Reply {
  readonly text: string
  readonly format: (typeof FORMATS)[number]
  /** Id of an earlier reply, which is edited; empty for a new message. */
  readonly edit: string
  readonly buttons: readonly (readonly Button[])[]
  readonly file: Attachment | undefined
  /** True: only the person who wrote sees the reply. `undefined`: the default of the chat. */
  readonly ephemeral: boolean | undefined
  readonly silent: boolean
  /** Whether the chat notifies the people and channels that the text mentions. */
  readonly allowMentions: boolean
  /** The behavior if the thread is gone. `undefined`: the default of the chat. */
  readonly threadGone: 'send' | 'fail' | undefined
}

/** One message of a reply; buttons and file are part of the last one. */
export interface MessagePart {
  readonly content: Content
  readonly edit: string
  readonly buttons: Reply['buttons']
  readonly file: Attachment | undefined
}

/** The chat that an item came from, ready to send messages. */
export interface Chat {
  /** The maximum length of one message, as `length` counts it. */
  readonly maxLength: number
  /** The maximum number of messages of one reply. */
  readonly maxParts: number
  /** Whether this reply may carry a file. */
  readonly supportsFiles: boolean
  /** The length of a content after formatting for this chat. */
  length(content: Content): number
  /**
   * Sends one message.
   *
   * @returns the id of the message; empty if the chat gives none
   * @throws NotDelivered if the chat refuses the message
   */
  send(part: MessagePart): Promise<string>
}

/** The outside world, as far as replies need it. */
export interface ReplyPorts {
  readonly http: Http
  readonly sleep: (duration: number) => Promise<void>
  mask(secret: string): void
  warn(message: string): void
  notice(message: string): void
  /** Reads a file of the job. @throws if there is no such file */
  readFile(path: string): Uint8Array
  /** The requests of the event that started this run: one, or the requests of a batch. */
  readonly requests: () => Promise<readonly WebhookRequest[]>
}

/** A reply to one item: the item, the inputs by name, and the reply that the inputs describe. */
export interface ReplyContext {
  /** The text of the reply; a tree if it is Markdown that the chat has to render. */
  readonly content: Content
  readonly item: JsonObject
  readonly input: (name: string) => string
  readonly reply: Reply
  readonly ports: ReplyPorts
}

/** True if a message has no text, only a file. The tree of a text shows something. */
export function isEmpty(content: Content): boolean {
  return typeof content === 'string' && content.trim() === ''
}

/** The chat did not accept the reply, although the inputs of the step are valid. */
export class NotDelivered extends UserError {}

/** The error for an item that `reply` cannot reply to. */
export function noReplyTarget(what: string): UserError {
  return new UserError({
    message: `cannot reply to ${what}`,
    notes: [
      'messaging_bot: reply to a message or to a pressed button',
      'slack: reply to a command or an interaction, or to an event with the token of a bot',
      'discord: reply to a command, a button or a modal within 15 minutes',
      'webhook: comment on the issue of a webhook of GitHub, Linear or Jira',
    ],
  })
}

const REQUEST_TIMEOUT = 20_000

/** The total of all pauses of one call. */
const MAX_WAIT = 60_000

/**
 * Calls a chat once, and again only after 429. A call that the chat may have received is not retried.
 *
 * @param name of the chat, for messages
 * @throws NotDelivered if there is no complete response, or if the chat asks to wait for over a minute
 */
export async function callChat(
  name: string,
  request: Omit<HttpRequest, 'timeout'>,
  { http, sleep }: Pick<ReplyPorts, 'http' | 'sleep'>,
): Promise<HttpResponse> {
  for (let waited = 0; ; ) {
    const response = await http({ ...request, timeout: REQUEST_TIMEOUT }).catch(
      (cause: unknown) => {
        if (!(cause instanceof HttpFailure)) throw cause
        throw new NotDelivered({ message: `${name}: ${cause.message}` }, { cause })
      },
    )
    const redirect = redirectOf(response, request)
    if (redirect) {
      const { to, hint } = redirectFault(name, redirect, request)
      const message = `the address of ${name} redirects to ${to} (${response.status})`
      throw new NotDelivered({ message, hint })
    }
    if (response.status !== 429) return response
    const pause = retryAfter(response)
    waited += pause
    if (waited > MAX_WAIT) {
      const seconds = Math.ceil(pause / 1000)
      throw new NotDelivered({
        message: `${name}: rate limited for ${seconds} s (429 Too Many Requests)`,
        notes: ['reply waits for up to one minute; run the job again later'],
      })
    }
    await sleep(pause)
  }
}

const MOVED =
  'Check the token, each input that is part of the address, and whether what it names was renamed or moved.'

/** The target of a redirect without any token, and the cure. */
function redirectFault(
  name: string,
  { origin, pathname }: URL,
  { url, headers = {} }: Pick<HttpRequest, 'url' | 'headers'>,
): { readonly to: string; readonly hint: string } {
  if (origin !== new URL(url).origin) {
    const hint = `Write the address that it redirects to, at ${origin}, into the input for the address of ${name}.`
    return { to: origin, hint }
  }
  // A call without a header for its token has the token in its path.
  return headers.authorization === undefined
    ? { to: `another path of ${origin}`, hint: 'Check each input that is part of the address.' }
    : { to: pathname, hint: MOVED }
}

/** Milliseconds; one second if the response names no time. */
function retryAfter({ headers }: HttpResponse): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds * 1000) : 1_000
}

/** A `multipart/form-data` body with files, as fetch would send it. */
export async function multipartBody(
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, Attachment>>,
): Promise<Pick<HttpRequest, 'headers' | 'body'>> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, file] of Object.entries(files)) {
    form.append(name, new Blob([new Uint8Array(file.bytes)]), file.name)
  }
  const response = new Response(form)
  const body = new Uint8Array(await response.arrayBuffer())
  return { headers: { 'content-type': response.headers.get('content-type') ?? '' }, body }
}

/** How `reply` reads the original request, for values that are no output. */
interface EventReader {
  readonly trigger: string
  /** The item with its reply token or URL; `undefined` for a request of another kind. */
  readonly read: (body: Json) => JsonObject | undefined
  /** Fields that identify an item; the first one cannot be guessed. */
  readonly ids: readonly string[]
}

/**
 * The request that an item came from, read from the event that started this run. Reply tokens and URLs
 * let their holder write into the chat, so they are never outputs, which logs may show.
 *
 * @returns `undefined` if the event has no request for the trigger
 * @throws NotDelivered if the event has only other requests
 */
export async function ownRequest(
  item: JsonObject,
  { trigger, read, ids }: EventReader,
  { requests }: Pick<ReplyPorts, 'requests'>,
): Promise<JsonObject | undefined> {
  const own = (await requests()).filter((request) => request.trigger === trigger)
  const found = own.flatMap(({ body }) => {
    const event = read(body)
    return event ? [event] : []
  })
  if (found.length === 0) return undefined
  // Anyone may have sent the other requests of a batch, so only the id that cannot be guessed counts.
  const [first = ''] = ids
  const same = found.find((event) =>
    found.length === 1
      ? sameIds(item, event, ids)
      : isId(item[first]) && String(item[first]) === String(event[first]),
  )
  if (same) return same
  throw new NotDelivered({
    message:
      'the item in "to" does not belong to the event that started this run; nothing was sent',
    hint: `Keep these fields in the item: ${ids.join(', ')}`,
  })
}

/** True if all ids that both have are equal, and the item has at least one of the event's ids. */
function sameIds(item: JsonObject, event: JsonObject, ids: readonly string[]): boolean {
  const known = ids.filter((id) => isId(event[id]))
  const shared = known.filter((id) => isId(item[id]))
  if (known.length > 0 && shared.length === 0) return false
  return shared.every((id) => String(item[id]) === String(event[id]))
}

function isId(value: Json | undefined): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? value : {}
}
