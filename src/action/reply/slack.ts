import { partsOfEvent, slackItem } from '../../triggers/slack/places.ts'
import { addressInput } from '../../wire/address.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import { isHeaderSafe, Secret } from '../../wire/secret.ts'
import {
  type Attachment,
  type Chat,
  type Content,
  callChat,
  isEmpty,
  type MessagePart,
  NotDelivered,
  noReplyTarget,
  objectAt,
  ownRequest,
  type Reply,
  type ReplyContext,
  type ReplyPorts,
} from './chat.ts'
import { type ChatLimits, checkReply } from './reply-inputs.ts'
import { needsMarkdown, slackMarkdown, slackText, withoutBroadcasts } from './slack-markup.ts'
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

const LIMITS: ChatLimits = {
  chat: 'Slack',
  withoutHtml: '"markdown", or "raw" for mrkdwn',
  label: 75,
  value: 2000,
  unit: 'characters',
  inRow: 25,
  rows: 30,
}

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
  checkReply(reply, LIMITS)
  const token = checkedBotToken(input('token').trim(), ports)
  const reader = { trigger: 'slack', read: readInteraction, ids: IDS }
  const isEvent = item.kind === 'event'
  const event = isEvent ? undefined : await ownRequest(item, reader, ports)
  const url = event ? responseUrl(event, input) : undefined
  const isRich = needsMarkdown(content)
  const lengthOf = (part: Content) => slackText(part, reply).length
  const shared = {
    maxLength: isRich ? MAX_MARKDOWN : MAX_TEXT,
    length: (part: Content) =>
      isRich && typeof part !== 'string'
        ? Math.max(lengthOf(part), slackMarkdown(part, reply).length)
        : lengthOf(part),
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
  if (!token && isEvent) {
    throw new UserError({
      message: 'input "token" is empty: a reply to an event of Slack needs a bot token',
      hint: 'Write token: ${{ secrets.SLACK_BOT_TOKEN }}, of a bot with the scope chat:write.',
    })
  }
  if (!token) {
    throw new NotDelivered({
      message: 'the event that started this run has no response_url of Slack',
      notes: [
        'only a run that a command or an interaction started can reply by response_url',
        'to reply from another run, set "token" to the token of a bot with the scope chat:write',
      ],
    })
  }
  const api = addressInput(input, 'slack-api-url', SLACK_API)
  const bot = new SlackBot(new Secret(token), api, placeOf(item), reply, ports)
  return { ...shared, maxParts: 5, supportsFiles: true, send: (part) => bot.send(part) }
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
  if (!URL.canParse(url)) return false
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
  const response = tryParseJson(text)
  const isRefused = isObject(response) && response.ok === false
  if (status < 300 && !isRefused) return ''
  if (hasMarkdownBlock(content) && /invalid_blocks/.test(text)) {
    return respond(url, part, reply, ports, false)
  }
  throw new NotDelivered({
    message: `Slack rejected the reply (${status})`,
    hint: 'A response_url is valid for 30 minutes and five replies.',
  })
}

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
    if (isObject(response) && response.ok === true) return response
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
  const text = slackText(content, reply)
  const quiet = { link_names: false, ...(reply.format === 'plain' && { mrkdwn: false }) }
  const rows: Json[] = buttons.map((row, at) => ({
    type: 'actions',
    elements: row.map(({ label, value, isLink }, place) => ({
      type: 'button',
      // Slack wants the id of an action to be unique within a message.
      action_id: `reply-${at + 1}-${place + 1}`,
      text: { type: 'plain_text', text: label, emoji: true },
      ...(isLink ? { url: value } : { value }),
    })),
  }))
  if (isRich && typeof content !== 'string' && needsMarkdown(content)) {
    const markdown = { type: 'markdown', text: slackMarkdown(content, reply) }
    return { text, ...quiet, blocks: [markdown, ...rows] }
  }
  // An edit without buttons removes the existing buttons.
  if (rows.length === 0) return { text, ...quiet, ...(edit !== '' && { blocks: [] }) }
  return { text, ...quiet, blocks: [...sections(content, reply), ...rows] }
}

function sections(content: Content, reply: Reply): Json[] {
  const isPlain = reply.format === 'plain'
  const pieces = splitContent(content, {
    maxLength: MAX_SECTION,
    length: (piece) => slackText(piece, reply).length,
    hasFences: !isPlain,
  })
  return pieces.map((piece) => ({
    type: 'section',
    text:
      isPlain && typeof piece === 'string'
        ? { type: 'plain_text', text: withoutBroadcasts(piece, reply), emoji: false }
        : { type: 'mrkdwn', text: slackText(piece, reply) },
  }))
}

function hasMarkdownBlock({ blocks }: JsonObject): boolean {
  return (
    Array.isArray(blocks) && blocks.some((block) => isObject(block) && block.type === 'markdown')
  )
}
