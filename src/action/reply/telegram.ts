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
  type Answer,
  type Attachment,
  baseAddress,
  type Chat,
  multipartBody,
  NotDelivered,
  type Occasion,
  type Part,
  unanswerable,
} from './chat.ts'
import { checkButtons } from './inputs.ts'
import { renderMarkdown, type Style } from './markdown.ts'

export const TELEGRAM_API = 'https://api.telegram.org'

/** After entities are parsed: https://core.telegram.org/bots/api#sendmessage */
const LONGEST_TEXT = 4096

/** https://core.telegram.org/bots/api#senddocument */
const LONGEST_CAPTION = 1024

/** What is sent as a picture, up to its limit: https://core.telegram.org/bots/api#sendphoto */
const PICTURE = /\.(?:jpe?g|png|webp)$/i
const LARGEST_PICTURE = 10 * 1024 * 1024

/** A chat of a bot: where the message of the item stands, or the button that was pressed. */
export async function telegramChat({ item, input, answer, ports }: Occasion): Promise<Chat> {
  const message = isObject(item.message) ? item.message : item
  const chat = isObject(message.chat) ? idOf(message.chat.id) : undefined
  const token = input('token').trim()
  if (!BOT_TOKEN.test(token)) {
    throw new UserError({
      message: 'input "token" is not a bot token',
      hint: 'give it as: token: ${{ secrets.BOT_TOKEN }}',
    })
  }
  ports.mask(token)
  const api = baseAddress(input, 'telegram-api-url', TELEGRAM_API)
  const bot: Bot = { token: new Secret(token), api, http: ports.http, sleep: ports.sleep }
  if (chat === undefined) throw unanswerable('an update without a chat')
  checkAnswer(answer, message)
  await endSpinner(bot, item)
  const target = { ...placeOf(message), chat }
  return {
    name: 'Telegram',
    longest: LONGEST_TEXT,
    mostParts: 5,
    takesFiles: true,
    length: (text) => visibleLength(text, answer.format),
    say: (part) => new Utterance(bot, target, answer).say(part),
  }
}

function checkAnswer({ buttons, visibility }: Answer, { chat }: JsonObject): void {
  checkButtons(buttons, {
    chat: 'Telegram',
    label: 256,
    value: 64,
    unit: 'bytes',
    inRow: 8,
    rows: 100,
  })
  if (visibility === 'sender' && isObject(chat) && chat.type !== 'private') {
    throw new UserError({
      message: 'input "visibility": in a group of Telegram everyone sees what a bot says',
      hint: 'leave it out, or answer in the private chat with the bot',
    })
  }
}

/** A number, or a text where it was too long for one. */
function idOf(value: unknown): number | string | undefined {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value))
    ? value
    : undefined
}

/** In a plain group a thread is only a chain of replies, which cannot be named. */
function placeOf(message: JsonObject): { readonly place: JsonObject; readonly to: JsonObject } {
  const { message_id, message_thread_id: thread, is_topic_message: isTopic } = message
  const { business_connection_id: business } = message
  const [id, topic] = [idOf(message_id), idOf(thread)]
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
 * Ends the waiting of a button that was pressed. One that is too old for that is no error, and whatever
 * else is wrong shows with the message itself.
 */
async function endSpinner(bot: Bot, item: JsonObject): Promise<void> {
  const isPress = item.update_type === 'callback_query' || typeof item.chat_instance === 'string'
  if (!isPress || typeof item.id !== 'string') return
  await callBotOnce(bot, 'answerCallbackQuery', { parameters: { callback_query_id: item.id } })
}

interface Target {
  readonly chat: number | string
  readonly place: JsonObject
  readonly to: JsonObject
}

/** One message to one chat. */
class Utterance {
  readonly #bot: Bot
  readonly #target: Target
  readonly #answer: Answer

  constructor(bot: Bot, target: Target, answer: Answer) {
    this.#bot = bot
    this.#target = target
    this.#answer = answer
  }

  async say(part: Part): Promise<string> {
    const { text, edit, file } = part
    if (!file) return text.trim() === '' ? '' : this.#sayText(part)
    if (edit !== '') return this.#replaceFile(part, file)
    if (visibleLength(text, this.#answer.format) <= LONGEST_CAPTION)
      return this.#sayFile(part, file)
    const id = await this.#sayText({ ...part, buttons: [] })
    await this.#sayFile({ ...part, text: '' }, file)
    return id
  }

  async #sayText({ text, edit, buttons }: Part): Promise<string> {
    const said = { ...this.#text('text', text), ...keyboard(buttons) }
    if (edit === '') return this.#call('sendMessage', { ...this.#envelope(), ...said })
    const { business_connection_id: business } = this.#target.place
    const which = {
      message_id: edit,
      ...(business !== undefined && { business_connection_id: business }),
    }
    return this.#call('editMessageText', { ...which, ...said }, edit).catch((error: unknown) => {
      const isCaption =
        error instanceof NotDelivered && /no text in the message/.test(error.message)
      if (!isCaption) throw error
      const caption = { ...this.#text('caption', text), ...keyboard(buttons) }
      return this.#call('editMessageCaption', { ...which, ...caption }, edit)
    })
  }

  /** A picture where it may be one; what the server does not take for one goes as a document. */
  async #sayFile({ text, buttons }: Part, file: Attachment): Promise<string> {
    const isPicture = PICTURE.test(file.name) && file.bytes.length <= LARGEST_PICTURE
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

  async #replaceFile({ text, edit, buttons }: Part, file: Attachment): Promise<string> {
    const caption = text.trim() === '' ? {} : this.#text('caption', text)
    const type = PICTURE.test(file.name) ? 'photo' : 'document'
    const media = { type, media: 'attach://file', ...caption }
    const parameters = { message_id: edit, media, ...keyboard(buttons) }
    return this.#call('editMessageMedia', parameters, edit, { file })
  }

  #envelope(): JsonObject {
    const { place, to } = this.#target
    return { ...place, ...to, ...(this.#answer.silent && { disable_notification: true }) }
  }

  #text(name: 'text' | 'caption', text: string): JsonObject {
    const { format } = this.#answer
    if (format === 'plain') return { [name]: text }
    if (format === 'raw') return { [name]: text, parse_mode: 'MarkdownV2' }
    const html = format === 'html' ? text : renderMarkdown(text, HTML)
    return { [name]: html, parse_mode: 'HTML' }
  }

  /** @returns the id of the message, or `otherwise` where the server names none */
  async #call(
    method: string,
    parameters: JsonObject,
    otherwise = '',
    files: Readonly<Record<string, Attachment>> = {},
    chat: number | string = this.#target.chat,
  ): Promise<string> {
    const all = { chat_id: chat, ...parameters }
    const called = await callBotOnce(this.#bot, method, await bodyOf(all, files))
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
    throw new NotDelivered({
      message,
      notes: [...(kind === 'token' ? notes : []), ...adviceOn(description)],
    })
  }
}

async function bodyOf(
  parameters: JsonObject,
  files: Readonly<Record<string, Attachment>>,
): Promise<MethodBody> {
  if (Object.keys(files).length === 0) return { parameters }
  const fields = Object.entries(parameters).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const
  })
  return { form: await multipartBody(Object.fromEntries(fields), files) }
}

/** Without any, an answer that is changed loses those it had. */
function keyboard(buttons: Part['buttons']): JsonObject {
  if (buttons.length === 0) return {}
  const rows: Json[] = buttons.map((row) =>
    row.map(({ label, value, isLink }) => ({
      text: label,
      ...(isLink ? { url: value } : { callback_data: value }),
    })),
  )
  return { reply_markup: { inline_keyboard: rows } }
}

/** What helps against a refusal. Source of the texts: tdlib/telegram-bot-api, Client.cpp. */
function adviceOn(description: string): string[] {
  if (/can't parse entities/i.test(description)) {
    return ['what "html" and "raw" are given goes out as it is: "markdown" escapes by itself']
  }
  if (/blocked by the user|bot was kicked|not enough rights/i.test(description)) {
    return ['the bot may not write in this chat']
  }
  if (/message to edit not found|can't be edited/i.test(description)) {
    return ['"edit" is the output "id" of an earlier reply in the same chat']
  }
  return []
}

/** https://core.telegram.org/bots/api#html-style */
const HTML: Style = {
  text: escapeHtml,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  link: (url, inner) => `<a href="${escapeHtml(url)}">${inner}</a>`,
  block: (text, language) => {
    const content = escapeHtml(text)
    return language === ''
      ? `<pre>${content}</pre>`
      : `<pre><code class="language-${escapeHtml(language)}">${content}</code></pre>`
  },
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const TEXT_ALONE: Style = {
  text: (text) => text,
  code: (text) => text,
  bold: (inner) => inner,
  italic: (inner) => inner,
  link: (_, inner) => inner,
  block: (text) => text,
}

/** As Telegram counts: without what becomes an entity. */
function visibleLength(text: string, format: Answer['format']): number {
  if (format === 'markdown') return renderMarkdown(text, TEXT_ALONE).length
  if (format === 'html') return text.replace(/<[^<>]*>/g, '').replace(/&#?\w+;/g, '&').length
  return text.length
}
