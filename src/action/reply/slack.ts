import { slackItem } from '../../triggers/slack/item.ts'
import { partsOfEvent } from '../../triggers/slack/places.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import { isHeaderSafe, Secret } from '../../wire/secret.ts'
import {
  type Attachment,
  addressInput,
  type Chat,
  type Content,
  callChat,
  isEmpty,
  type MessagePart,
  NotDelivered,
  noReplyTarget,
  type Reply,
  type ReplyContext,
  type ReplyPorts,
} from './chat.ts'
import {
  escapeMarkdown,
  inBackticks,
  markdownAddress,
  outsideAddresses,
  percentEncoded,
  withoutFences,
} from './markdown/escapes.ts'
import { type MarkdownEscapes, renderNativeMarkdown } from './markdown/native.ts'
import { type MarkupStyle, renderMarkdown } from './markdown/render.ts'
import { type Blocks, hasMarksWithin, hasRichBlocks } from './markdown/tree.ts'
import { objectAt, ownRequest } from './own-event.ts'
import { checkButtons } from './reply-inputs.ts'
import { splitContent } from './split.ts'

const SLACK_HOOKS = 'https://hooks.slack.com'
const SLACK_API = 'https://slack.com/api'

/** https://docs.slack.dev/reference/methods/chat.postMessage */
const MAX_TEXT = 40_000

/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
const MAX_SECTION = 3_000

/**
 * For all blocks of Markdown in a message, less some room for the blank lines between blocks:
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
const MAX_MARKDOWN = 12_000 - 1_000

/** The paths of a response_url: of a slash command, a button or a shortcut, a workflow's step. */
const RESPONSE_PATH = /^\/(?:commands|actions|app)\//

const IDS = ['trigger_id', 'team_id', 'channel_id', 'user_id', 'command']

/**
 * A reply by the response_url of the command or the interaction that started this run; otherwise by the
 * token of a bot.
 */
export async function slackChat({
  content,
  item,
  input,
  reply,
  ports,
}: ReplyContext): Promise<Chat> {
  checkReply(reply)
  const token = checkedBotToken(input('token').trim(), ports)
  const reader = { trigger: 'slack', read: readInteraction, ids: IDS }
  const isEvent = item.kind === 'event'
  const event = isEvent ? undefined : await ownRequest(item, reader, ports)
  const url = event ? responseUrl(event, input) : undefined
  const isRich = needsMarkdownBlock(content)
  const shared = {
    name: 'Slack',
    maxLength: isRich ? MAX_MARKDOWN : MAX_TEXT,
    length: (part: Content) =>
      isRich && typeof part !== 'string'
        ? Math.max(formatted(part, reply).length, native(part, reply).length)
        : formatted(part, reply).length,
  }
  // A response_url accepts no file, and no id of a message.
  const needsBot = reply.file !== undefined || /^\d+\.\d+$/.test(reply.edit)
  if (url !== undefined && !(token && needsBot)) {
    if (reply.file) {
      throw new UserError({
        message: 'input "file": a response_url of Slack does not accept files',
        hint: 'Set "token" to the token of a bot with the scope files:write.',
      })
    }
    ports.mask(url)
    const send = (part: MessagePart) => respond(url, part, reply, ports)
    return { ...shared, maxParts: 3, supportsFiles: false, send }
  }
  if (!token) throw isEvent ? missingBotToken() : missingUrl()
  const api = addressInput(input, 'slack-api-url', SLACK_API)
  const bot = new SlackBot(new Secret(token), api, placeOf(item), reply, ports)
  return { ...shared, maxParts: 5, supportsFiles: true, send: (part) => bot.send(part) }
}

function checkReply({ format, buttons }: Reply): void {
  if (format === 'html') {
    throw new UserError({
      message: 'input "format": Slack does not support html',
      hint: 'Use "markdown", or "raw" for mrkdwn.',
    })
  }
  checkButtons(buttons, {
    chat: 'Slack',
    label: 75,
    value: 2000,
    unit: 'characters',
    inRow: 25,
    rows: 30,
  })
}

function checkedBotToken(token: string, { mask }: ReplyPorts): string | undefined {
  if (token === '') return undefined
  if (!isHeaderSafe(token)) {
    throw new UserError({
      message: 'input "token" is not a valid bot token',
      hint: 'Write token: ${{ secrets.SLACK_BOT_TOKEN }}',
    })
  }
  mask(token)
  return token
}

function missingBotToken(): UserError {
  return new UserError({
    message: 'input "token" is empty: a reply to an event of Slack needs a bot token',
    hint: 'Write token: ${{ secrets.SLACK_BOT_TOKEN }}, of a bot with the scope chat:write.',
  })
}

function missingUrl(): NotDelivered {
  return new NotDelivered({
    message: 'the event that started this run has no response_url of Slack',
    notes: [
      'only a run that a command or an interaction started can reply by response_url',
      'to reply from another run, set "token" to the token of a bot with the scope chat:write',
    ],
  })
}

/** The item of a command or an interaction, with its response_url. */
function readInteraction(body: Json): JsonObject | undefined {
  if (!isObject(body)) return undefined
  const item = slackItem(body)
  return typeof item === 'string' || item.kind === 'event' ? undefined : item
}

/** @throws UserError for an address outside Slack */
function responseUrl(event: JsonObject, input: ReplyContext['input']): string | undefined {
  const { response_urls: urls } = event
  const [first] = Array.isArray(urls) ? urls : []
  const url = event.response_url ?? (isObject(first) ? first.response_url : undefined)
  if (typeof url !== 'string' || url === '') return undefined
  const home = addressInput(input, 'slack-response-url', SLACK_HOOKS)
  if (isBelow(url, home)) return url
  throw new UserError({
    message: `the response_url is not below ${home}; nothing was sent`,
    hint: 'The sender is not verified: set the option "verify" of the trigger slack.',
  })
}

/** True for the same origin and a known path, without a user name, which may look like a host. */
function isBelow(url: string, home: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(home)) return false
  const { origin, username, password, pathname } = new URL(url)
  const isTheirs = origin === new URL(home).origin && origin !== 'null'
  return isTheirs && username + password === '' && RESPONSE_PATH.test(pathname)
}

/** Sends a message by the response_url, which returns no id. */
async function respond(
  url: string,
  part: MessagePart,
  reply: Reply,
  ports: ReplyPorts,
  isRich = true,
): Promise<string> {
  const { ephemeral } = reply
  const content = message(part, reply, isRich)
  const body = JSON.stringify({
    ...content,
    ...(ephemeral !== undefined && { response_type: ephemeral ? 'ephemeral' : 'in_channel' }),
    ...(part.edit !== '' && { replace_original: true }),
  })
  const headers = { 'content-type': 'application/json' }
  const { status, text } = await callChat('Slack', { method: 'POST', url, headers, body }, ports)
  if (status >= 200 && status < 300 && !isRefusal(text)) return ''
  if (hasMarkdownBlock(content) && /invalid_blocks/.test(text)) {
    return respond(url, part, reply, ports, false)
  }
  throw new NotDelivered({
    message: `Slack rejected the reply (${status})`,
    hint: 'A response_url is valid for 30 minutes and five replies.',
  })
}

function isRefusal(text: string): boolean {
  const response = tryParseJson(text)
  return isObject(response) && response.ok === false
}

/** The target of a bot's messages. */
interface MessagePlace {
  readonly channel: string
  /** Timestamp of the message that starts the thread. */
  readonly thread: string | undefined
  readonly user: string | undefined
}

/** The thread of the item; a message outside any thread starts one. */
function placeOf(item: JsonObject): MessagePlace {
  const event = partsOfEvent(objectAt(item, 'event'))
  const message = objectAt(item, 'message')
  const channel = nonEmptyString(item.channel_id) ?? nonEmptyString(event.channel_id)
  if (channel === undefined) throw noReplyTarget('an item of slack without a channel')
  const threads = [item.thread_ts, event.thread_ts, message.thread_ts]
  const thread = [...threads, event.message_ts, message.ts].map(nonEmptyString).find((ts) => ts)
  return { channel, thread, user: nonEmptyString(item.user_id) ?? nonEmptyString(event.user_id) }
}

function nonEmptyString(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Sends messages by the Web API, with the token of a bot. */
class SlackBot {
  readonly #token: Secret
  readonly #api: string
  /** Loses its thread if that is gone. */
  #place: MessagePlace
  readonly #reply: Reply
  readonly #ports: ReplyPorts

  constructor(token: Secret, api: string, place: MessagePlace, reply: Reply, ports: ReplyPorts) {
    this.#token = token
    this.#api = api
    this.#place = place
    this.#reply = reply
    this.#ports = ports
  }

  async send(part: MessagePart): Promise<string> {
    const id = isEmpty(part.content) ? '' : await this.#sendText(part)
    if (part.file) await this.#sendFile(part.file)
    return id
  }

  /** Sends headings, tables, tasks, rules and images as Markdown; if Slack refuses that, as mrkdwn. */
  async #sendText(part: MessagePart): Promise<string> {
    const content = message(part, this.#reply)
    return this.#sendContent(part, content).catch((error: unknown) => {
      const isRefused = error instanceof NotDelivered && /\(invalid_blocks/.test(error.message)
      if (!isRefused || !hasMarkdownBlock(content)) throw error
      return this.#sendContent(part, message(part, this.#reply, false))
    })
  }

  async #sendContent(part: MessagePart, content: JsonObject): Promise<string> {
    const { channel, thread, user } = this.#place
    if (part.edit !== '') {
      await this.#call('chat.update', { channel, ts: part.edit, ...content })
      return part.edit
    }
    if (this.#reply.ephemeral) {
      if (user === undefined) throw noReplyTarget('an event of slack without a user')
      const target = { channel, ...(thread !== undefined && { thread_ts: thread }) }
      // Slack cannot edit an ephemeral message, so the id is of no use.
      await this.#call('chat.postEphemeral', { ...target, user, ...content })
      return ''
    }
    const { ts } = await this.#inThread((target) =>
      this.#call('chat.postMessage', { channel, ...target, ...content }),
    )
    return nonEmptyString(ts) ?? ''
  }

  /** Calls once more without the thread if that is gone, and if `thread-gone` says so. */
  async #inThread(call: (thread: JsonObject) => Promise<JsonObject>): Promise<JsonObject> {
    const { thread } = this.#place
    if (thread === undefined) return call({})
    try {
      return await call({ thread_ts: thread })
    } catch (error) {
      const isGone = error instanceof NotDelivered && THREAD_GONE.test(error.message)
      if (!isGone || this.#reply.threadGone !== 'send') throw error
      this.#ports.notice('the thread is gone; the reply was sent without it')
      this.#place = { ...this.#place, thread: undefined }
      return call({})
    }
  }

  /** https://docs.slack.dev/messaging/working-with-files#upload */
  async #sendFile({ name, bytes }: Attachment): Promise<void> {
    const { channel } = this.#place
    const asked = { filename: name, length: String(bytes.length) }
    const { upload_url: url, file_id: id } = await this.#call(
      'files.getUploadURLExternal',
      asked,
      'form',
    )
    if (typeof url !== 'string' || typeof id !== 'string' || !this.#isSlack(url)) {
      throw new NotDelivered({ message: 'Slack returned an upload address that is not its own' })
    }
    this.#ports.mask(url)
    const headers = { 'content-type': 'application/octet-stream' }
    const call = { method: 'POST', url, headers, body: bytes } as const
    const { status } = await callChat('Slack', call, this.#ports)
    if (status >= 300) throw new NotDelivered({ message: `Slack rejected the file (${status})` })
    const files = [{ id, title: name }]
    await this.#inThread((target) =>
      this.#call('files.completeUploadExternal', { files, channel_id: channel, ...target }),
    )
  }

  #isSlack(url: string): boolean {
    if (!URL.canParse(url)) return false
    const { origin, protocol, hostname } = new URL(url)
    const isTheirs = protocol === 'https:' && /(?:^|\.)slack\.com$/.test(hostname)
    return isTheirs || origin === new URL(this.#api).origin
  }

  async #call(method: string, parameters: JsonObject, kind = 'json'): Promise<JsonObject> {
    const type =
      kind === 'json' ? 'application/json; charset=utf-8' : 'application/x-www-form-urlencoded'
    const body =
      kind === 'json'
        ? JSON.stringify(parameters)
        : new URLSearchParams(parameters as Record<string, string>).toString() // all are texts
    const headers = { 'content-type': type, authorization: `Bearer ${this.#token.reveal()}` }
    const url = `${this.#api}/${method}`
    const { status, text } = await callChat(
      'Slack',
      { method: 'POST', url, headers, body },
      this.#ports,
    )
    const response = tryParseJson(text)
    if (isObject(response) && response.ok === true) return response as JsonObject // parsed from JSON
    const error =
      isObject(response) && typeof response.error === 'string' ? response.error : `${status}`
    const code = /^[a-z_0-9]{1,60}$/.test(error) ? error : `${status}`
    const needed = isObject(response) && typeof response.needed === 'string' ? response.needed : ''
    throw new NotDelivered({
      message: `Slack rejected ${method} (${code})`,
      notes: adviceOn(code, needed.replace(/[^\w:,-]/g, '')),
    })
  }
}

/** The errors of a message whose thread, or whose first message, was deleted. */
const THREAD_GONE = /\((?:thread_not_found|cannot_reply_to_message)\)/

const GONE = 'The thread was deleted. To reply in the channel, set thread-gone: send'

/** Source: the errors that the pages of the methods list. */
function adviceOn(code: string, needed: string): string[] {
  const advice: Readonly<Record<string, string>> = {
    not_in_channel: 'Invite the bot to the channel: /invite @bot',
    channel_not_found: 'Invite the bot to the channel, and use a token of the same workspace.',
    missing_scope: `Add the scope ${needed || 'chat:write'} to the bot, and install the app again.`,
    invalid_auth: 'Use the complete token of this workspace; it begins with xoxb-.',
    not_authed: 'the token is empty',
    token_revoked: 'The token was revoked: install the app again.',
    account_inactive: 'the bot was removed from the workspace',
    message_not_found: 'Set "edit" to the output "id" of an earlier reply in the same channel.',
    thread_not_found: GONE,
    cannot_reply_to_message: GONE,
    cant_update_message: '"edit" can only change messages of this bot.',
  }
  const found = advice[code]
  return found === undefined ? [] : [found]
}

/**
 * The fields of a message that hold its content. `text` is in the notification, too.
 *
 * @param isRich false if Slack refused the Markdown
 */
function message(part: MessagePart, reply: Reply, isRich = true): JsonObject {
  const { content, buttons, edit } = part
  const text = formatted(content, reply)
  const quiet = { link_names: false, ...(reply.format === 'plain' && { mrkdwn: false }) }
  const rows: Json[] = buttons.map((row, at) => ({
    type: 'actions',
    elements: row.map(buttonElement(at)),
  }))
  if (isRich && typeof content !== 'string' && needsMarkdownBlock(content)) {
    const markdown = { type: 'markdown', text: native(content, reply) }
    return { text, ...quiet, blocks: [markdown, ...rows] }
  }
  // An edit without buttons removes the existing buttons.
  if (rows.length === 0) return { text, ...quiet, ...(edit !== '' && { blocks: [] }) }
  return { text, ...quiet, blocks: [...sections(content, reply), ...rows] }
}

/**
 * Whether mrkdwn cannot show a content: it has no headings and tables, and shows the stars of bold text beside
 * letters, as Chinese, Japanese and Korean are written.
 */
function needsMarkdownBlock(content: Content): boolean {
  return (
    typeof content !== 'string' && (hasRichBlocks(content) || hasMarksWithin(content, isBorder))
  )
}

/** A character beside which Slack reads a mark. */
function isBorder(character: string): boolean {
  return /[\s!-/:-@[-^{-~]/.test(character)
}

function sections(content: Content, reply: Reply): Json[] {
  const isPlain = reply.format === 'plain'
  const pieces = splitContent(content, {
    maxLength: MAX_SECTION,
    length: (piece) => formatted(piece, reply).length,
    hasFences: !isPlain,
  })
  return pieces.map((piece) => ({
    type: 'section',
    text:
      isPlain && typeof piece === 'string'
        ? { type: 'plain_text', text: withoutMentions(piece, reply), emoji: false }
        : { type: 'mrkdwn', text: formatted(piece, reply) },
  }))
}

function hasMarkdownBlock({ blocks }: JsonObject): boolean {
  return (
    Array.isArray(blocks) && blocks.some((block) => isObject(block) && block.type === 'markdown')
  )
}

/** An `action_id` must be unique within a message. */
function buttonElement(row: number) {
  return (
    { label, value, isLink }: MessagePart['buttons'][number][number],
    at: number,
  ): JsonObject => ({
    type: 'button',
    action_id: `reply-${row + 1}-${at + 1}`,
    text: { type: 'plain_text', text: label, emoji: true },
    ...(isLink ? { url: value } : { value }),
  })
}

/** A content in Slack's markup; mentions notify nobody unless the inputs allow it. */
function formatted(content: Content, reply: Reply): string {
  if (typeof content !== 'string') return renderMarkdown(content, mrkdwn(reply))
  const quiet = withoutMentions(content, reply)
  if (reply.format === 'raw') return quiet
  return reply.allowMentions ? withMentions(quiet) : escapeText(quiet)
}

/** Markdown for Slack's block of Markdown. */
function native(content: Blocks, reply: Reply): string {
  const { allowMentions } = reply
  // Entities have no meaning in code, but a mention might have one.
  const silent = (code: string) =>
    allowMentions ? code : withoutMentions(code, reply).replace(/<(?=[!@#])/g, '<\u200b')
  const escapes: MarkdownEscapes = {
    text: (piece) =>
      escapeMarkdown(withoutMentions(piece, reply), allowMentions ? withMentions : escapeText),
    code: (code) => inBackticks(silent(code)),
    block: silent,
    address: (url) => markdownAddress(url, escapeText),
  }
  return renderNativeMarkdown(content, escapes)
}

const BROADCAST = /(?<![\w.])@(channel|here|everyone)\b/g

const NAMED = /<([!@][^<>]+|#C[^<>]+)>/g

function withoutMentions(text: string, { allowMentions, format }: Reply): string {
  if (allowMentions) return text
  // Clients of some workspaces turn the plain word into a broadcast.
  const quiet = text.replace(BROADCAST, '@\u200b$1')
  return format === 'raw' ? quiet.replace(NAMED, '&lt;$1&gt;') : quiet
}

/** Leaves Slack's own mentions in place, and turns `@channel` into `<!channel>`. */
function withMentions(text: string): string {
  return escapeText(text)
    .replace(/&lt;([!@][^&<>\n]{1,80}|#C[^&<>\n]{1,80})&gt;/g, '<$1>')
    .replace(BROADCAST, '<!$1>')
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Marks at the start or the end of a word; Slack ignores marks within a word or between spaces. */
const MARK = /`|(?<=^|[^\p{L}\p{N}])[*_~](?=\S)|(?<=\S)[*_~](?=$|[^\p{L}\p{N}])/gu

function addressOf(url: string): string {
  return escapeText(percentEncoded(url, /[`|]/g))
}

/** https://docs.slack.dev/messaging/formatting-message-text */
function mrkdwn(reply: Reply): MarkupStyle {
  const escaped = (text: string) => escapeText(withoutMentions(text, reply))
  // Slack has no escape character; a zero-width space next to a mark disables the mark.
  const withoutMarks = (piece: string) => escapeText(piece).replace(MARK, '\u200b$&\u200b')
  // A mark ends at the end of its line.
  const each = (inner: string, mark: string) =>
    inner.replace(/^(\s*)(\S.*?)(\s*)$/gm, `$1${mark}$2${mark}$3`)
  return {
    text: (text) =>
      reply.allowMentions
        ? withMentions(text)
        : outsideAddresses(withoutMentions(text, reply), withoutMarks, addressOf),
    // Code cannot contain a backtick.
    code: (text) =>
      text.includes('`') ? withoutMarks(withoutMentions(text, reply)) : `\`${escaped(text)}\``,
    bold: (inner) => each(inner, '*'),
    italic: (inner) => each(inner, '_'),
    strike: (inner) => each(inner, '~'),
    border,
    quote: (content) => content.replace(/^/gm, '>'),
    quotesCode: false,
    link: (url, inner) => `<${addressOf(url)}|${inner.replaceAll('|', '¦').replaceAll('\n', ' ')}>`,
    address: (url) => `<${addressOf(url)}>`,
    block: (text) => `\`\`\`\n${withoutFences(escaped(text))}\n\`\`\``,
  }
}

/** A zero-width space between a mark and a letter, or between two marks. */
function border(left: string, right: string): string {
  const marks = [left, right].filter((character) => /[*_~`]/.test(character))
  const others = [left, right].filter((character) => !marks.includes(character))
  return marks.length === 2 || !others.every(isBorder) ? '\u200b' : ''
}
