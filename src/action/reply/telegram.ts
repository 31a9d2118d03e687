import {
  BOT_TOKEN,
  type Bot,
  callBotOnce,
  type MethodBody,
} from '../../triggers/messaging-bot/bot-api.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject, type Json, type JsonObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import {
  type Attachment,
  addressInput,
  type Chat,
  type MessagePart,
  multipartBody,
  NotDelivered,
  noReplyTarget,
  type Reply,
  type ReplyContext,
} from './chat.ts'
import { hasRichBlocks } from './markdown.ts'
import {
  escapeMarkdown,
  type MarkdownEscapes,
  type MarkupStyle,
  markdownAddress,
  renderMarkdown,
  renderNativeMarkdown,
} from './markdown-rendering.ts'
import { checkButtons } from './reply-inputs.ts'

export const TELEGRAM_API = 'https://api.telegram.org'

/** After entities are parsed: https://core.telegram.org/bots/api#sendmessage */
const MAX_TEXT = 4096

/** https://core.telegram.org/bots/api#senddocument */
const MAX_CAPTION = 1024

/** Files that are sent as photos, and the limit for photos: https://core.telegram.org/bots/api#sendphoto */
const PICTURE = /\.(?:jpe?g|png|webp)$/i
const MAX_PICTURE = 10 * 1024 * 1024

/** The chat of the item's message, or of the message whose button was pressed. */
export async function telegramChat({ item, input, reply, ports }: ReplyContext): Promise<Chat> {
  const message = isObject(item.message) ? item.message : item
  const chat = isObject(message.chat) ? telegramId(message.chat.id) : undefined
  const token = input('token').trim()
  if (!BOT_TOKEN.test(token)) {
    throw new UserError({
      message: 'input "token" is not a valid bot token',
      hint: 'Write token: ${{ secrets.BOT_TOKEN }}',
    })
  }
  ports.mask(token)
  const api = addressInput(input, 'telegram-api-url', TELEGRAM_API)
  const bot: Bot = { token: new Secret(token), api, http: ports.http, sleep: ports.sleep }
  if (chat === undefined) throw noReplyTarget('an update without a chat')
  checkReply(reply, message)
  await endSpinner(bot, item)
  const target = { ...replyTarget(message), chat }
  return {
    name: 'Telegram',
    maxLength: MAX_TEXT,
    maxParts: 5,
    supportsFiles: true,
    length: (text) => visibleLength(text, reply.format),
    send: (part) => new TelegramMessages(bot, target, reply).send(part),
  }
}

function checkReply({ buttons, ephemeral }: Reply, { chat }: JsonObject): void {
  checkButtons(buttons, {
    chat: 'Telegram',
    label: 256,
    value: 64,
    unit: 'bytes',
    inRow: 8,
    rows: 100,
  })
  if (ephemeral && isObject(chat) && chat.type !== 'private') {
    throw new UserError({
      message: 'input "ephemeral": every member of a Telegram group sees the messages of a bot',
      hint: 'Remove "ephemeral", or reply in a private chat with the bot.',
    })
  }
}

/** An id is a number, or a string if it has 16 or more digits. */
function telegramId(value: unknown): number | string | undefined {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value))
    ? value
    : undefined
}

/** A thread is a target only in a forum; in a plain group it is a chain of replies. */
function replyTarget(message: JsonObject): { readonly place: JsonObject; readonly to: JsonObject } {
  const { message_id, message_thread_id: thread, is_topic_message: isTopic } = message
  const { business_connection_id: business } = message
  const [id, topic] = [telegramId(message_id), telegramId(thread)]
  return {
    place: {
      ...(typeof business === 'string' && { business_connection_id: business }),
      ...(topic !== undefined && isTopic === true && { message_thread_id: topic }),
    },
    to:
      id === undefined
        ? {}
        : { reply_parameters: { message_id: id, allow_sending_without_reply: true } },
  }
}

/**
 * Stops the spinner of a pressed button. Errors are ignored: a press may be too old, and any other fault
 * shows when the message is sent.
 */
async function endSpinner(bot: Bot, item: JsonObject): Promise<void> {
  const isPress = item.update_type === 'callback_query' || typeof item.chat_instance === 'string'
  if (!isPress || typeof item.id !== 'string') return
  await callBotOnce(bot, 'answerCallbackQuery', { parameters: { callback_query_id: item.id } })
}

interface ChatTarget {
  readonly chat: number | string
  readonly place: JsonObject
  readonly to: JsonObject
}

/** Sends the messages of one reply to one chat. */
class TelegramMessages {
  readonly #bot: Bot
  readonly #target: ChatTarget
  readonly #reply: Reply

  constructor(bot: Bot, target: ChatTarget, reply: Reply) {
    this.#bot = bot
    this.#target = target
    this.#reply = reply
  }

  async send(part: MessagePart): Promise<string> {
    const { text, edit, file } = part
    if (!file) return text.trim() === '' ? '' : this.#sendText(part)
    if (edit !== '') return this.#replaceFile(part, file)
    if (visibleLength(text, this.#reply.format) <= MAX_CAPTION) return this.#sendFile(part, file)
    const id = await this.#sendText({ ...part, buttons: [] })
    await this.#sendFile({ ...part, text: '' }, file)
    return id
  }

  /**
   * Sends headings, tables, tasks, rules and images as a rich message. If the server refuses it, as an older
   * server does, or one that cannot load an image, sends an ordinary message.
   */
  async #sendText(part: MessagePart): Promise<string> {
    const { text } = part
    const ordinary = this.#text('text', text)
    if (this.#reply.format !== 'markdown' || !hasRichBlocks(text)) {
      return this.#sendContent(part, 'sendMessage', ordinary)
    }
    const rich = { rich_message: { markdown: renderNativeMarkdown(text, RICH) } }
    return this.#sendContent(part, 'sendRichMessage', rich).catch((error: unknown) => {
      if (!(error instanceof RefusedCall)) throw error
      return this.#sendContent(part, 'sendMessage', ordinary)
    })
  }

  async #sendContent(
    { text, edit, buttons }: MessagePart,
    method: 'sendMessage' | 'sendRichMessage',
    own: JsonObject,
  ): Promise<string> {
    const content = { ...own, ...keyboard(buttons) }
    if (edit === '') return this.#call(method, { ...this.#envelope(), ...content })
    const { business_connection_id: business } = this.#target.place
    const which = {
      message_id: edit,
      ...(business !== undefined && { business_connection_id: business }),
    }
    return this.#call('editMessageText', { ...which, ...content }, edit).catch((error: unknown) => {
      const isCaption =
        error instanceof NotDelivered && /no text in the message/.test(error.message)
      if (!isCaption) throw error
      const caption = { ...this.#text('caption', text), ...keyboard(buttons) }
      return this.#call('editMessageCaption', { ...which, ...caption }, edit)
    })
  }

  /** Sends a picture as a photo; if Telegram rejects the photo, as a document. */
  async #sendFile({ text, buttons }: MessagePart, file: Attachment): Promise<string> {
    const isPicture = PICTURE.test(file.name) && file.bytes.length <= MAX_PICTURE
    const caption = text.trim() === '' ? {} : this.#text('caption', text)
    const parameters = { ...this.#envelope(), ...caption, ...keyboard(buttons) }
    const send = (kind: 'photo' | 'document') =>
      this.#call(kind === 'photo' ? 'sendPhoto' : 'sendDocument', parameters, '', { [kind]: file })
    if (!isPicture) return send('document')
    return send('photo').catch((error: unknown) => {
      const isOdd = error instanceof NotDelivered && /PHOTO_|IMAGE_/.test(error.message)
      if (isOdd) return send('document')
      throw error
    })
  }

  async #replaceFile({ text, edit, buttons }: MessagePart, file: Attachment): Promise<string> {
    const caption = text.trim() === '' ? {} : this.#text('caption', text)
    const type = PICTURE.test(file.name) ? 'photo' : 'document'
    const media = { type, media: 'attach://file', ...caption }
    const parameters = { message_id: edit, media, ...keyboard(buttons) }
    return this.#call('editMessageMedia', parameters, edit, { file })
  }

  #envelope(): JsonObject {
    const { place, to } = this.#target
    return { ...place, ...to, ...(this.#reply.silent && { disable_notification: true }) }
  }

  #text(name: 'text' | 'caption', text: string): JsonObject {
    const { format } = this.#reply
    if (format === 'plain') return { [name]: text }
    if (format === 'raw') return { [name]: text, parse_mode: 'MarkdownV2' }
    const html = format === 'html' ? text : renderMarkdown(text, HTML)
    return { [name]: html, parse_mode: 'HTML' }
  }

  /** @returns the id of the message, or `otherwise` if the response has none */
  async #call(
    method: string,
    parameters: JsonObject,
    otherwise = '',
    files: Readonly<Record<string, Attachment>> = {},
    chat: number | string = this.#target.chat,
  ): Promise<string> {
    const all = { chat_id: chat, ...parameters }
    const called = await callBotOnce(this.#bot, method, await methodBody(all, files))
    if ('result' in called) {
      const { result } = called
      const id = isObject(result) ? result.message_id : undefined
      return typeof id === 'number' || typeof id === 'string' ? String(id) : otherwise
    }
    const { message, description = '', kind, notes, migratedTo } = called.fault
    if (otherwise !== '' && /message is not modified/i.test(description)) return otherwise
    if (migratedTo !== undefined && migratedTo !== chat) {
      return this.#call(method, parameters, otherwise, files, migratedTo)
    }
    const problem = {
      message,
      notes: [...(kind === 'token' ? notes : []), ...adviceOn(description)],
    }
    // An unknown method gets 404, like an unknown token.
    const isRefused = kind === 'refused' || kind === 'token'
    throw isRefused ? new RefusedCall(problem) : new NotDelivered(problem)
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
function adviceOn(description: string): string[] {
  if (/can't parse entities/i.test(description)) {
    return ['Fix the markup, or use format "markdown", which escapes the text.']
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
  quote: (lines) => `<blockquote>${lines.join('\n')}</blockquote>`,
  link: (url, inner) => `<a href="${escapeEntities(url)}">${inner}</a>`,
  block: (text, language) => {
    const content = escapeEntities(text)
    return language === ''
      ? `<pre>${content}</pre>`
      : `<pre><code class="language-${escapeEntities(language)}">${content}</code></pre>`
  },
}

function escapeEntities(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
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
  quote: (lines) => lines.join('\n'),
  link: (_, inner) => inner,
  block: (text) => text,
}

/** The length as Telegram counts: without markup. */
function visibleLength(text: string, format: Reply['format']): number {
  if (format === 'markdown') return renderMarkdown(text, TEXT_ALONE).length
  if (format === 'html') return text.replace(/<[^<>]*>/g, '').replace(/&#?\w+;/g, '&').length
  return text.length
}
