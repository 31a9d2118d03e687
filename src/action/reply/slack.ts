import { slackItem } from '../../triggers/slack/item.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import { isHeaderSafe, Secret } from '../../wire/secret.ts'
import {
  type Answer,
  type Attachment,
  baseAddress,
  type Chat,
  callChat,
  NotDelivered,
  type Occasion,
  type Part,
  type ReplyPorts,
  unanswerable,
} from './chat.ts'
import { checkButtons } from './inputs.ts'
import {
  outsideAddresses,
  percentEncoded,
  renderMarkdown,
  type Style,
  withoutFences,
} from './markdown.ts'
import { objectAt, ownRequest } from './own-event.ts'
import { splitText } from './split.ts'

const SLACK_HOOKS = 'https://hooks.slack.com'
const SLACK_API = 'https://slack.com/api'

/** https://docs.slack.dev/reference/methods/chat.postMessage */
const LONGEST_TEXT = 40_000

/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
const LONGEST_SECTION = 3_000

/** The paths of a response_url: of a slash command, a button or a shortcut, a workflow's step. */
const RESPONSE_PATH = /^\/(?:commands|actions|app)\//

const IDS = ['trigger_id', 'team_id', 'channel_id', 'user_id', 'command']

/** By response_url for a command or an interaction that this run was started by, else by a bot's token. */
export async function slackChat({ item, input, answer, ports }: Occasion): Promise<Chat> {
  checkAnswer(answer)
  const token = readToken(input('token').trim(), ports)
  const reader = { trigger: 'slack', read: readEvent, ids: IDS }
  const isEvent = item.kind === 'event'
  const event = isEvent ? undefined : await ownRequest(item, reader, ports)
  const url = event ? responseUrl(event, input) : undefined
  const shared = {
    name: 'Slack',
    longest: LONGEST_TEXT,
    length: (text: string) => formatted(text, answer).length,
  }
  // A file, or a message by its id, is nothing for a response_url.
  const isBeyondUrl = answer.file !== undefined || /^\d+\.\d+$/.test(answer.edit)
  if (url !== undefined && !(token && isBeyondUrl)) {
    if (answer.file) {
      throw new UserError({
        message: 'input "file": a response_url of Slack takes no files',
        hint: 'give "token" too, of a bot with the scope files:write',
      })
    }
    ports.mask(url)
    const say = (part: Part) => respond(url, part, answer, ports)
    return { ...shared, mostParts: 3, takesFiles: false, say }
  }
  if (!token) throw isEvent ? missingToken() : missingUrl()
  const api = baseAddress(input, 'slack-api-url', SLACK_API)
  const bot = new SlackBot(new Secret(token), api, placeOf(item), answer, ports)
  return { ...shared, mostParts: 5, takesFiles: true, say: (part) => bot.say(part) }
}

function checkAnswer({ format, buttons }: Answer): void {
  if (format === 'html') {
    throw new UserError({
      message: 'input "format": Slack knows no html',
      hint: 'take "markdown", or "raw" for mrkdwn',
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

function readToken(token: string, { mask }: ReplyPorts): string | undefined {
  if (token === '') return undefined
  if (!isHeaderSafe(token)) {
    throw new UserError({
      message: 'input "token" is not the token of a bot',
      hint: 'give it as: token: ${{ secrets.SLACK_BOT_TOKEN }}',
    })
  }
  mask(token)
  return token
}

function missingToken(): UserError {
  return new UserError({
    message: 'an event of Slack is answered by a bot: input "token" is empty',
    hint: 'give it as: token: ${{ secrets.SLACK_BOT_TOKEN }}, of a bot with the scope chat:write',
  })
}

function missingUrl(): NotDelivered {
  return new NotDelivered({
    message: "this run's own event brings no response_url of Slack",
    notes: [
      'only the run that a command or an interaction started has it, in whichever of its jobs',
      'a bot with the scope chat:write needs none: give its "token"',
    ],
  })
}

/** What the body of a command or an interaction holds, response_url and all. */
function readEvent(body: Json): JsonObject | undefined {
  if (!isObject(body)) return undefined
  const item = slackItem(body)
  return typeof item === 'string' || item.kind === 'event' ? undefined : item
}

/** @throws UserError for one that leads elsewhere */
function responseUrl(event: JsonObject, input: Occasion['input']): string | undefined {
  const { response_urls: urls } = event
  const [first] = Array.isArray(urls) ? urls : []
  const url = event.response_url ?? (isObject(first) ? first.response_url : undefined)
  if (typeof url !== 'string' || url === '') return undefined
  const home = baseAddress(input, 'slack-url', SLACK_HOOKS)
  if (leadsTo(url, home)) return url
  throw new UserError({
    message: `the response_url does not lead to ${home}: nothing was sent`,
    hint: 'anyone may have written it: verify the sender, by the option "verify" of slack',
  })
}

/** The same scheme, host and port, and a path of theirs; no user name, which may look like a host. */
function leadsTo(url: string, home: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(home)) return false
  const { origin, username, password, pathname } = new URL(url)
  const isTheirs = origin === new URL(home).origin && origin !== 'null'
  return isTheirs && username + password === '' && RESPONSE_PATH.test(pathname)
}

/** Says a part by the response_url, which gives no id. */
async function respond(
  url: string,
  part: Part,
  answer: Answer,
  ports: ReplyPorts,
): Promise<string> {
  const { visibility } = answer
  const body = JSON.stringify({
    ...message(part, answer),
    ...(visibility && { response_type: visibility === 'channel' ? 'in_channel' : 'ephemeral' }),
    ...(part.edit !== '' && { replace_original: true }),
  })
  const headers = { 'content-type': 'application/json' }
  const { status, text } = await callChat('Slack', { method: 'POST', url, headers, body }, ports)
  if (status >= 200 && status < 300 && !saysNo(text)) return ''
  throw new NotDelivered({
    message: `Slack refused the answer (${status})`,
    hint: 'a response_url is good for half an hour and five answers',
  })
}

function saysNo(text: string): boolean {
  const answer = tryParseJson(text)
  return isObject(answer) && answer.ok === false
}

/** Where a bot answers. */
interface Place {
  readonly channel: string
  /** The message under which the answer stands. */
  readonly thread: string | undefined
  readonly user: string | undefined
}

/** In the thread of the item; a message that stands in none begins one. */
function placeOf(item: JsonObject): Place {
  const event = objectAt(item, 'event')
  const message = objectAt(item, 'message')
  const changed = objectAt(event, 'message')
  // A reaction, or a file, names its message within.
  const inner = objectAt(event, 'item')
  const channel = textOf(item.channel_id) ?? textOf(event.channel_id) ?? textOf(inner.channel)
  if (channel === undefined) throw unanswerable('an item of slack without a channel')
  const threads = [event.thread_ts, changed.thread_ts, changed.ts, event.ts, inner.ts]
  const thread = [...threads, message.thread_ts, message.ts].map(textOf).find((ts) => ts)
  return { channel, thread, user: textOf(item.user_id) ?? textOf(event.user) }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The Web API, by the token of a bot. */
class SlackBot {
  readonly #token: Secret
  readonly #api: string
  readonly #place: Place
  readonly #answer: Answer
  readonly #ports: ReplyPorts

  constructor(token: Secret, api: string, place: Place, answer: Answer, ports: ReplyPorts) {
    this.#token = token
    this.#api = api
    this.#place = place
    this.#answer = answer
    this.#ports = ports
  }

  async say(part: Part): Promise<string> {
    const id = part.text.trim() === '' ? '' : await this.#sayText(part)
    if (part.file) await this.#sayFile(part.file)
    return id
  }

  async #sayText(part: Part): Promise<string> {
    const { channel, thread, user } = this.#place
    const said = message(part, this.#answer)
    if (part.edit !== '') {
      await this.#call('chat.update', { channel, ts: part.edit, ...said })
      return part.edit
    }
    const target = { channel, ...(thread !== undefined && { thread_ts: thread }) }
    if (this.#answer.visibility === 'sender') {
      if (user === undefined) throw unanswerable('an event of slack without a user')
      // It can never be changed, so it has no id.
      await this.#call('chat.postEphemeral', { ...target, user, ...said })
      return ''
    }
    const { ts } = await this.#call('chat.postMessage', { ...target, ...said })
    return textOf(ts) ?? ''
  }

  /** https://docs.slack.dev/messaging/working-with-files#upload */
  async #sayFile({ name, bytes }: Attachment): Promise<void> {
    const { channel, thread } = this.#place
    const asked = { filename: name, length: String(bytes.length) }
    const { upload_url: url, file_id: id } = await this.#call(
      'files.getUploadURLExternal',
      asked,
      'form',
    )
    if (typeof url !== 'string' || typeof id !== 'string' || !this.#isSlack(url)) {
      throw new NotDelivered({ message: 'Slack named no place of its own for the file' })
    }
    this.#ports.mask(url)
    const headers = { 'content-type': 'application/octet-stream' }
    const call = { method: 'POST', url, headers, body: bytes } as const
    const { status } = await callChat('Slack', call, this.#ports)
    if (status >= 300) throw new NotDelivered({ message: `Slack refused the file (${status})` })
    await this.#call('files.completeUploadExternal', {
      files: [{ id, title: name }],
      channel_id: channel,
      ...(thread !== undefined && { thread_ts: thread }),
    })
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
    const answer = tryParseJson(text)
    if (isObject(answer) && answer.ok === true) return answer as JsonObject // parsed from JSON
    const error = isObject(answer) && typeof answer.error === 'string' ? answer.error : `${status}`
    const code = /^[a-z_0-9]{1,60}$/.test(error) ? error : `${status}`
    const needed = isObject(answer) && typeof answer.needed === 'string' ? answer.needed : ''
    throw new NotDelivered({
      message: `Slack refused ${method} (${code})`,
      notes: adviceOn(code, needed.replace(/[^\w:,-]/g, '')),
    })
  }
}

/** Source: the errors that the pages of the methods list. */
function adviceOn(code: string, needed: string): string[] {
  const advice: Readonly<Record<string, string>> = {
    not_in_channel: 'invite the bot to the channel: /invite @bot',
    channel_not_found: 'invite the bot to the channel, and take the token of the same workspace',
    missing_scope: `the bot needs the scope ${needed || 'chat:write'}: add it, then install the app again`,
    invalid_auth: 'the token is not one of this workspace, or not whole: it begins with xoxb-',
    not_authed: 'the token is empty',
    token_revoked: 'the token was revoked: install the app again',
    account_inactive: 'the bot was removed from the workspace',
    message_not_found: '"edit" is the output "id" of an earlier reply in the same channel',
    cant_update_message: '"edit" changes what this bot said, and nothing else',
  }
  const found = advice[code]
  return found === undefined ? [] : [found]
}

/** The parts of a message that say something. */
function message(part: Part, answer: Answer): JsonObject {
  const text = formatted(part.text, answer)
  const isPlain = answer.format === 'plain'
  const quiet = { link_names: false, ...(isPlain && { mrkdwn: false }) }
  // Buttons that were there go with an edit that has none.
  if (part.buttons.length === 0) return { text, ...quiet, ...(part.edit !== '' && { blocks: [] }) }
  const sections = splitText(part.text, {
    longest: LONGEST_SECTION,
    length: (piece) => formatted(piece, answer).length,
    hasFences: !isPlain,
  })
  const blocks: Json[] = sections.map((piece) => ({
    type: 'section',
    text: isPlain
      ? { type: 'plain_text', text: disarmed(piece, answer), emoji: false }
      : { type: 'mrkdwn', text: formatted(piece, answer) },
  }))
  const rows = part.buttons.map((row, at) => ({ type: 'actions', elements: row.map(element(at)) }))
  return { text, ...quiet, blocks: [...blocks, ...rows] }
}

/** An `action_id` is unique within a message; the press brings it beside the value. */
function element(row: number) {
  return ({ label, value, isLink }: Part['buttons'][number][number], at: number): JsonObject => ({
    type: 'button',
    action_id: `reply-${row + 1}-${at + 1}`,
    text: { type: 'plain_text', text: label, emoji: true },
    ...(isLink ? { url: value } : { value }),
  })
}

/** A text in Slack's own form; whom it names is not notified unless that is wanted. */
function formatted(text: string, answer: Answer): string {
  const calm = disarmed(text, answer)
  if (answer.format === 'raw') return calm
  const style = answer.mentions ? { ...MRKDWN, text: withMentions } : MRKDWN
  if (answer.format === 'markdown') return renderMarkdown(calm, style)
  return answer.mentions ? withMentions(calm) : escapeText(calm)
}

const BROADCAST = /(?<![\w.])@(channel|here|everyone)\b/g

const NAMED = /<([!@][^<>]+|#C[^<>]+)>/g

function disarmed(text: string, { mentions, format }: Answer): string {
  if (mentions) return text
  // Some workspaces' clients make a broadcast of the word itself.
  const calm = text.replace(BROADCAST, '@\u200b$1')
  return format === 'raw' ? calm.replace(NAMED, '&lt;$1&gt;') : calm
}

/** The form in which Slack names people, channels and broadcasts stays; so does `@channel`, as `<!channel>`. */
function withMentions(text: string): string {
  return escapeText(text)
    .replace(/&lt;([!@][^&<>\n]{1,80}|#C[^&<>\n]{1,80})&gt;/g, '<$1>')
    .replace(BROADCAST, '<!$1>')
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Marks that begin or end a word: those within one, or between spaces, mean nothing to Slack. */
const MARK = /`|(?<=^|[^\p{L}\p{N}])[*_~](?=\S)|(?<=\S)[*_~](?=$|[^\p{L}\p{N}])/gu

function addressOf(url: string): string {
  return escapeText(percentEncoded(url, /[`|]/g))
}

const MRKDWN: Style = {
  // It knows no backslash: a mark that something invisible follows begins nothing.
  text: (text) =>
    outsideAddresses(text, (piece) => escapeText(piece).replace(MARK, '\u200b$&\u200b'), addressOf),
  code: (text) => `\`${escapeText(text)}\``,
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  link: (url, inner) => `<${addressOf(url)}|${inner.replaceAll('|', '¦')}>`,
  block: (text) => `\`\`\`\n${withoutFences(escapeText(text))}\n\`\`\``,
}
