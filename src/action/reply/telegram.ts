import {
  BOT_TOKEN,
  type Bot,
  callBotOnce,
  type MethodBody,
} from '../../triggers/messaging-bot/bot-api.ts'
import {
  partiesOf,
  placeOf,
  UPDATE_KINDS,
  type UpdateKind,
} from '../../triggers/messaging-bot/places.ts'
import { isTelegramId } from '../../triggers/messaging-bot/updates.ts'
import { addressInput } from '../../wire/address.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject, type Json, type JsonObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import {
  type Attachment,
  type Chat,
  type Content,
  isEmpty,
  type MessagePart,
  multipartBody,
  NotDelivered,
  noReplyTarget,
  type Reply,
  type ReplyContext,
  type ReplyPorts,
} from './chat.ts'
import { escapeMarkdown, markdownAddress, withEntities } from './markdown/escapes.ts'
import { type MarkdownEscapes, renderNativeMarkdown } from './markdown/native.ts'
import { type MarkupStyle, renderMarkdown } from './markdown/render.ts'
import { hasRichBlocks } from './markdown/tree.ts'
import { type ChatLimits, checkReply } from './reply-inputs.ts'

/** After entities are parsed: https://core.telegram.org/bots/api#sendmessage */
const MAX_TEXT = 4096

/** https://core.telegram.org/bots/api#senddocument */
const MAX_CAPTION = 1024

/** Files that are sent as photos, and the limit for photos: https://core.telegram.org/bots/api#sendphoto */
const PICTURE = /\.(?:jpe?g|png|webp)$/i
const MAX_PICTURE = 10 * 1024 * 1024

const LIMITS: ChatLimits = {
  chat: 'Telegram',
  label: 256,
  value: 64,
  unit: 'bytes',
  inRow: 8,
  rows: 100,
}

/** The chat of the item's message, of the message whose button was pressed, or of another update. */
export async function telegramChat({ item, input, reply, ports }: ReplyContext): Promise<Chat> {
  const token = input('token').trim()
  if (!BOT_TOKEN.test(token)) {
    throw new UserError({
      message: 'input "token" is not a valid bot token',
      hint: 'Write token: ${{ secrets.BOT_TOKEN }}',
    })
  }
  ports.mask(token)
  const api = addressInput(input, 'telegram-api-url', 'https://api.telegram.org')
  const bot: Bot = { token: new Secret(token), api, http: ports.http, sleep: ports.sleep }
  const target = targetOf(item, reply)
  checkReply(reply, LIMITS)
  if (reply.file && target.guestQuery !== undefined) {
    throw new UserError({
      message: 'input "file": the reply to a guest message cannot contain a file',
      hint: 'Remove "file", or add the bot to the chat.',
    })
  }
  await endSpinner(bot, item)
  const messages = new TelegramMessages(bot, target, reply, ports)
  return {
    maxLength: MAX_TEXT,
    // The answer to a guest query is one message, without an upload.
    maxParts: target.guestQuery === undefined ? 5 : 1,
    supportsFiles: target.guestQuery === undefined,
    length: (content) => visibleLength(content, reply.format),
    send: (part) => messages.send(part),
  }
}

type Id = number | string

interface Target {
  /** `undefined` only for a message that was sent by an inline query, which can be edited. */
  readonly chat: Id | undefined
  /** Set for a message from a chat of which the bot is no member. */
  readonly guestQuery: string | undefined
  /** The person who caused the update. */
  readonly user: Id | undefined
  /** Whether only that person sees the messages. */
  readonly isEphemeral: boolean
  readonly business: JsonObject
  readonly thread: JsonObject
  /** The message that is replied to. */
  readonly to: JsonObject
}

/** @throws UserError if the item has no chat, or if an ephemeral reply has no receiver */
function targetOf(item: JsonObject, { ephemeral, edit, threadGone }: Reply): Target {
  const kind = kindOf(item)
  const { chat, user, message = item } = partiesOf(kind, item)
  const { guest_query_id: query, business_connection_id: business, message_id } = message
  const isGuest = placeOf(kind).reply === 'answerGuestQuery' && typeof query === 'string'
  const id = isTelegramId(chat?.id) ? chat.id : undefined
  const isInline = typeof item.inline_message_id === 'string' && edit !== ''
  if (placeOf(kind).reply === undefined) throw noReplyTarget(`an update of the kind ${kind}`)
  if (id === undefined && !isInline) throw noReplyTarget('an update without a chat')
  const isPrivate = chat?.type === 'private'
  // A command that only the bot sees is answered so that only its author sees it.
  const isEphemeral = (ephemeral ?? isTelegramId(message.ephemeral_message_id)) && !isPrivate
  const userId = isTelegramId(user?.id) ? user.id : undefined
  if (isEphemeral && (isGuest || userId === undefined)) {
    throw new UserError({
      message: `input "ephemeral": ${isGuest ? 'a reply to a guest message' : 'a reply to no person'} cannot be ephemeral`,
      hint: 'Remove "ephemeral".',
    })
  }
  return {
    chat: id,
    guestQuery: isGuest ? query : undefined,
    user: userId,
    isEphemeral,
    business: typeof business === 'string' ? { business_connection_id: business } : {},
    thread: threadOf(message),
    // The id of an ephemeral message is 0.
    to:
      isTelegramId(message_id) && message_id !== 0 && !isEphemeral
        ? { reply_parameters: { message_id, allow_sending_without_reply: threadGone !== 'fail' } }
        : {},
  }
}

/** The kind of an item has a name only if the option `updates` has it, so it is read from the fields. */
function kindOf(item: JsonObject): UpdateKind {
  const named = UPDATE_KINDS.find((kind) => kind === item.update_type)
  if (named) return named
  if (typeof item.chat_instance === 'string') return 'callback_query'
  if (typeof item.guest_query_id === 'string') return 'guest_message'
  return isObject(item.chat) || !isObject(item.message) ? 'message' : 'callback_query'
}

/** A thread is a target only in a forum; in a plain group it is a chain of replies. */
function threadOf({
  message_thread_id: thread,
  is_topic_message: isTopic,
  draft_id: draft,
  direct_messages_topic: topic,
}: JsonObject): JsonObject {
  const direct = isObject(topic) ? topic.topic_id : undefined
  if (isTelegramId(direct)) return { direct_messages_topic_id: direct }
  return isTelegramId(thread) && (isTopic === true || draft !== undefined)
    ? { message_thread_id: thread }
    : {}
}

/** The content of a call, which is also the end of the name of its method. */
type ContentKind = 'Message' | 'RichMessage' | 'Photo' | 'Document' | 'Text' | 'Caption' | 'Media'

/** An id of an ephemeral message in the output `id`, since other messages have numbers, too. */
const EPHEMERAL_ID = /^ephemeral-(\d+)$/

/**
 * The method of a call, and the parameters that name its target.
 *
 * @param edit the id of the message to change, as an earlier reply returned it; empty for a new message
 */
function callOf(target: Target, edit: string, kind: ContentKind) {
  const { chat, guestQuery, user, isEphemeral, business, thread, to } = target
  const inChat = chat === undefined ? {} : { chat_id: chat }
  const receiver = user === undefined ? {} : { receiver_user_id: user }
  const [, ephemeralId] = EPHEMERAL_ID.exec(edit) ?? []
  if (ephemeralId !== undefined) {
    const which = { ...receiver, ephemeral_message_id: Number(ephemeralId) }
    return { method: `editEphemeralMessage${kind}`, target: { ...inChat, ...which } }
  }
  if (edit !== '') {
    const isInline = !/^-?\d+$/.test(edit)
    const which = isInline
      ? { inline_message_id: edit }
      : { ...business, ...inChat, message_id: edit }
    return { method: `editMessage${kind}`, target: which }
  }
  if (guestQuery !== undefined) {
    return { method: 'answerGuestQuery', target: { guest_query_id: guestQuery } }
  }
  const visibility = isEphemeral ? { ephemeral_message_parameters: receiver } : to
  return { method: `send${kind}`, target: { ...business, ...inChat, ...thread, ...visibility } }
}

/**
 * Stops the spinner of a pressed button. Errors are ignored: a press may be too old, and any other fault
 * shows when the message is sent.
 */
async function endSpinner(bot: Bot, item: JsonObject): Promise<void> {
  if (kindOf(item) !== 'callback_query' || typeof item.id !== 'string') return
  await callBotOnce(bot, 'answerCallbackQuery', { parameters: { callback_query_id: item.id } })
}

class TelegramMessages {
  readonly #bot: Bot
  readonly #reply: Reply
  readonly #ports: ReplyPorts
  /** Changes if the chat has another id, or if the thread or the message is gone. */
  #target: Target

  constructor(bot: Bot, target: Target, reply: Reply, ports: ReplyPorts) {
    this.#bot = bot
    this.#target = target
    this.#reply = reply
    this.#ports = ports
  }

  async send(part: MessagePart): Promise<string> {
    const { content, edit, file } = part
    if (!file) return isEmpty(content) ? '' : this.#sendText(part)
    if (edit !== '') return this.#replaceFile(part, file)
    if (visibleLength(content, this.#reply.format) <= MAX_CAPTION) return this.#sendFile(part, file)
    const id = await this.#sendText({ ...part, buttons: [] })
    await this.#sendFile({ ...part, content: '' }, file)
    return id
  }

  /**
   * Sends headings, tables, tasks, rules and images as a rich message. If the server refuses it, as an older
   * server does, or one that cannot load an image, sends an ordinary message.
   */
  async #sendText(part: MessagePart): Promise<string> {
    const { content } = part
    const ordinary = this.#text('text', content)
    if (typeof content === 'string' || !hasRichBlocks(content)) {
      return this.#sendContent(part, 'Message', ordinary)
    }
    const rich = { rich_message: { markdown: renderNativeMarkdown(content, RICH) } }
    return this.#sendContent(part, 'RichMessage', rich).catch((error: unknown) => {
      if (!(error instanceof RefusedCall)) throw error
      return this.#sendContent(part, 'Message', ordinary)
    })
  }

  async #sendContent(
    { content, edit, buttons }: MessagePart,
    kind: 'Message' | 'RichMessage',
    own: JsonObject,
  ): Promise<string> {
    const all = { ...own, ...keyboard(buttons) }
    if (edit === '') return this.#call(edit, kind, all)
    return this.#call(edit, 'Text', all).catch((error: unknown) => {
      const isCaption =
        error instanceof NotDelivered && /no text in the message/.test(error.message)
      if (!isCaption) throw error
      return this.#call(edit, 'Caption', {
        ...this.#text('caption', content),
        ...keyboard(buttons),
      })
    })
  }

  /** Sends a picture as a photo; if Telegram rejects the photo, as a document. */
  async #sendFile({ content, buttons }: MessagePart, file: Attachment): Promise<string> {
    const isPicture = PICTURE.test(file.name) && file.bytes.length <= MAX_PICTURE
    const caption = isEmpty(content) ? {} : this.#text('caption', content)
    const parameters = { ...caption, ...keyboard(buttons) }
    const send = (kind: 'Photo' | 'Document') =>
      this.#call('', kind, parameters, { [kind.toLowerCase()]: file })
    if (!isPicture) return send('Document')
    return send('Photo').catch((error: unknown) => {
      const isOdd = error instanceof NotDelivered && /PHOTO_|IMAGE_/.test(error.message)
      if (isOdd) return send('Document')
      throw error
    })
  }

  async #replaceFile({ content, edit, buttons }: MessagePart, file: Attachment): Promise<string> {
    const caption = isEmpty(content) ? {} : this.#text('caption', content)
    const type = PICTURE.test(file.name) ? 'photo' : 'document'
    const media = { type, media: 'attach://file', ...caption }
    return this.#call(edit, 'Media', { media, ...keyboard(buttons) }, { file })
  }

  #text(name: 'text' | 'caption', content: Content): JsonObject {
    if (typeof content !== 'string') {
      return { [name]: renderMarkdown(content, HTML), parse_mode: 'HTML' }
    }
    const mode = { html: 'HTML', raw: 'MarkdownV2', plain: '', markdown: '' }[this.#reply.format]
    return { [name]: content, ...(mode !== '' && { parse_mode: mode }) }
  }

  /** @returns the id of the message; of an edited message the same id, unless the response has another */
  async #call(
    edit: string,
    kind: ContentKind,
    content: JsonObject,
    files: Readonly<Record<string, Attachment>> = {},
  ): Promise<string> {
    const { method, target } = callOf(this.#target, edit, kind)
    const isNew = edit === ''
    const silent = isNew && this.#reply.silent ? { disable_notification: true } : {}
    const parameters =
      method === 'answerGuestQuery'
        ? { ...target, result: guestResult(content) }
        : { ...target, ...silent, ...content }
    const called = await callBotOnce(this.#bot, method, await methodBody(parameters, files))
    if ('result' in called) return messageId(called.result) ?? edit
    const { message, description = '', kind: fault, notes, migratedTo } = called.fault
    if (!isNew && /message is not modified/i.test(description)) return edit
    if (this.#follow(migratedTo) || (isNew && this.#leave(description))) {
      return this.#call(edit, kind, content, files)
    }
    const { isEphemeral } = this.#target
    const isOfInput = fault === 'token' || fault === 'address'
    const problem = {
      message,
      notes: [...(isOfInput ? notes : []), ...adviceOn(description, isEphemeral)],
    }
    // An unknown method gets 404, like an unknown token.
    const isRefused = fault === 'refused' || isOfInput
    throw isRefused ? new RefusedCall(problem) : new NotDelivered(problem)
  }

  /** True if the chat has another id now, so that the call can be repeated. */
  #follow(migratedTo: Id | undefined): boolean {
    if (migratedTo === undefined || migratedTo === this.#target.chat) return false
    this.#target = { ...this.#target, chat: migratedTo }
    this.#ports.notice(
      `the group became a supergroup with another id. If the option "chats" is set, write ${migratedTo} into it`,
    )
    return true
  }

  /**
   * True if the thread or the message is gone, and the call can be repeated without it. An ephemeral reply
   * has neither.
   */
  #leave(description: string): boolean {
    const { thread, to, isEphemeral } = this.#target
    if (this.#reply.threadGone === 'fail' || isEphemeral) return false
    const isThread = THREAD_GONE.test(description) && 'message_thread_id' in thread
    const isMessage = MESSAGE_GONE.test(description) && 'reply_parameters' in to
    if (!isThread && !isMessage) return false
    this.#target = { ...this.#target, to: {}, ...(isThread && { thread: {} }) }
    const what = isThread ? 'thread' : 'message that it replies to'
    this.#ports.notice(`the ${what} is gone; the reply was sent without it`)
    return true
  }
}

/** Source of the descriptions: tdlib/telegram-bot-api, Client.cpp, and errors of the API of Telegram. */
const THREAD_GONE = /message thread not found|TOPIC_(?:DELETED|ID_INVALID)/i
const MESSAGE_GONE =
  /message to be replied not found|replied message not found|REPLY_MESSAGE_ID_INVALID/i

/** The id of a sent message, as `edit` expects it. */
function messageId(result: Json): string | undefined {
  if (!isObject(result)) return undefined
  const { message_id: id, ephemeral_message_id: ephemeral, inline_message_id: inline } = result
  if (isTelegramId(ephemeral)) return `ephemeral-${ephemeral}`
  if (typeof inline === 'string') return inline
  return isTelegramId(id) ? String(id) : undefined
}

/** The message of a call as the result of a query: https://core.telegram.org/bots/api#inlinequeryresultarticle */
function guestResult({ text, parse_mode, rich_message, reply_markup }: JsonObject): JsonObject {
  const content =
    rich_message === undefined
      ? { message_text: text ?? '', ...(parse_mode !== undefined && { parse_mode }) }
      : { rich_message }
  return {
    ...{ type: 'article', id: '1', title: 'Reply', input_message_content: content },
    ...(reply_markup !== undefined && { reply_markup }),
  }
}

/** The server read the call and did not obey it, so another call cannot send the message twice. */
class RefusedCall extends NotDelivered {}

async function methodBody(
  parameters: JsonObject,
  files: Readonly<Record<string, Attachment>>,
): Promise<MethodBody> {
  if (Object.keys(files).length === 0) return { parameters }
  const fields = Object.entries(parameters).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const
  })
  return { form: await multipartBody(Object.fromEntries(fields), files) }
}

/** An edit without buttons removes the existing buttons. */
function keyboard(buttons: MessagePart['buttons']): JsonObject {
  if (buttons.length === 0) return {}
  const rows: Json[] = buttons.map((row) =>
    row.map(({ label, value, isLink }) => ({
      text: label,
      ...(isLink ? { url: value } : { callback_data: value }),
    })),
  )
  return { reply_markup: { inline_keyboard: rows } }
}

/** Advice for a rejected call. Source of the descriptions: tdlib/telegram-bot-api, Client.cpp. */
function adviceOn(description: string, isEphemeral: boolean): string[] {
  if (/can't parse entities/i.test(description)) {
    return ['Fix the markup, or use format "markdown", which escapes the text.']
  }
  if (isEphemeral) {
    return [
      'Make the bot an administrator of the chat; otherwise it can reply only within 15 seconds.',
    ]
  }
  if (THREAD_GONE.test(description) || MESSAGE_GONE.test(description)) {
    return ['The thread or the message is gone. To reply in the chat, set thread-gone: send']
  }
  if (/blocked by the user|bot was kicked|not enough rights/i.test(description)) {
    return ['Allow the bot to write in this chat.']
  }
  if (/message to edit not found|can't be edited/i.test(description)) {
    return ['Set "edit" to the output "id" of an earlier reply in the same chat.']
  }
  return []
}

/** https://core.telegram.org/bots/api#html-style */
const HTML: MarkupStyle = {
  text: escapeEntities,
  code: (text) => `<code>${escapeEntities(text)}</code>`,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  quote: (content) => `<blockquote>${content}</blockquote>`,
  quotesCode: true,
  link: (url, inner) => `<a href="${escapeEntities(url)}">${inner}</a>`,
  block: (text, language) => {
    const content = escapeEntities(text)
    return language === ''
      ? `<pre>${content}</pre>`
      : `<pre><code class="language-${escapeEntities(language)}">${content}</code></pre>`
  },
}

function escapeEntities(text: string): string {
  return withEntities(text).replaceAll('"', '&quot;')
}

/** https://core.telegram.org/bots/api#rich-markdown-style, which has more marks, and can contain HTML. */
const RICH: MarkdownEscapes = {
  text: richText,
  // Between backticks, entities have no meaning, and HTML could appear if Telegram pairs them otherwise.
  code: (text) => `<code>${richText(text)}</code>`,
  block: (text) => text,
  address: (url) => markdownAddress(url, escapeEntities),
}

function richText(text: string): string {
  return escapeMarkdown(text, escapeEntities, /[\\*_~`|[\]$=^]/g)
}

const TEXT_ALONE: MarkupStyle = {
  text: (text) => text,
  code: (text) => text,
  bold: (inner) => inner,
  italic: (inner) => inner,
  strike: (inner) => inner,
  quote: (content) => content,
  quotesCode: true,
  link: (_, inner) => inner,
  block: (text) => text,
}

function visibleLength(content: Content, format: Reply['format']): number {
  if (typeof content !== 'string') return renderMarkdown(content, TEXT_ALONE).length
  if (format === 'html') return content.replace(/<[^<>]*>/g, '').replace(/&#?\w+;/g, '&').length
  return content.length
}
