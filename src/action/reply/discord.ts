import { UserError } from '../../wire/errors.ts'
import type { HttpReply, HttpRequest } from '../../wire/http.ts'
import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import {
  type Answer,
  type Attachment,
  baseAddress,
  type Chat,
  callChat,
  multipartBody,
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

const DISCORD_API = 'https://discord.com/api/v10'

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
const LONGEST_TEXT = 2_000

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-type */
const ANSWERABLE = [2, 3, 5]
const COMPONENT = 3

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const FLAGS = { ephemeral: 1 << 6, loading: 1 << 7, silent: 1 << 12 } as const

const IDS = ['id', 'application_id', 'channel_id', 'guild_id']

/** Messages of an interaction: by the webhook that its token opens for 15 minutes. */
export async function discordChat({ item, input, answer, ports }: Occasion): Promise<Chat> {
  checkAnswer(answer)
  const reader = { trigger: 'discord', read: readInteraction, ids: IDS }
  const event = await ownRequest(item, reader, ports)
  const { token, application_id: application } = event ?? {}
  if (typeof token !== 'string' || typeof application !== 'string') {
    throw new NotDelivered({
      message: "this run's own event brings no interaction of Discord",
      notes: ['only the run that it started can answer it, in whichever of its jobs'],
    })
  }
  if (!/^[\w.-]+$/.test(token) || !/^\d+$/.test(application)) {
    throw unanswerable('an interaction of Discord without a token')
  }
  ports.mask(token)
  const api = baseAddress(input, 'discord-url', DISCORD_API)
  const webhook = `${api}/webhooks/${application}/${token}`
  const interaction = new Interaction(webhook, item, answer, ports)
  return {
    name: 'Discord',
    longest: LONGEST_TEXT,
    mostParts: 5,
    takesFiles: true,
    length: (text) => formatted(text, answer).length,
    say: (part) => interaction.say(part),
  }
}

function checkAnswer({ format, buttons }: Answer): void {
  if (format === 'html') {
    throw new UserError({
      message: 'input "format": Discord knows no html',
      hint: 'take "markdown", or "raw" for its own Markdown',
    })
  }
  checkButtons(buttons, {
    chat: 'Discord',
    label: 80,
    value: 100,
    unit: 'characters',
    inRow: 5,
    rows: 5,
  })
}

function readInteraction(body: Json): JsonObject | undefined {
  if (!isObject(body) || typeof body.type !== 'number') return undefined
  return ANSWERABLE.includes(body.type) ? (body as JsonObject) : undefined
}

/** https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages */
class Interaction {
  readonly #webhook: string
  readonly #item: JsonObject
  readonly #answer: Answer
  readonly #ports: ReplyPorts

  constructor(webhook: string, item: JsonObject, answer: Answer, ports: ReplyPorts) {
    this.#webhook = webhook
    this.#item = item
    this.#answer = answer
    this.#ports = ports
  }

  /**
   * A first message after a deferred answer takes the place of "thinking…", so each one is sent in the
   * same way. That place is public, or not, as it was opened: what the sender alone may see goes
   * beside it.
   */
  async say(part: Part): Promise<string> {
    const body = await bodyOf(part, this.#answer)
    if (part.edit !== '') {
      const reply = await this.#call('PATCH', `/messages/${this.#edited(part.edit)}`, body)
      return idOf(reply) ?? part.edit
    }
    if (this.#answer.visibility === 'sender') await this.#closePublicPlace()
    return idOf(await this.#call('POST', '?wait=true', body)) ?? ''
  }

  /** The message that a pressed button stands under is the original of that interaction. */
  #edited(id: string): string {
    const { type } = this.#item
    const isOwn = type === COMPONENT && objectAt(this.#item, 'message').id === id
    if (isOwn) return '@original'
    if (id === '@original' || /^\d{1,25}$/.test(id)) return id
    throw new UserError({
      message: 'input "edit" is no id of a message of Discord',
      hint: 'give the output "id" of an earlier reply, or @original',
    })
  }

  async #closePublicPlace(): Promise<void> {
    const place = '/messages/@original'
    const original = await this.#call('GET', place, {}, [404])
    const message = tryParseJson(original.text)
    if (!isObject(message) || typeof message.flags !== 'number') return
    const { flags } = message
    if (flags & FLAGS.loading && !(flags & FLAGS.ephemeral)) {
      await this.#call('DELETE', place, {}, [404])
    }
  }

  async #call(
    method: HttpRequest['method'],
    path: string,
    body: Pick<HttpRequest, 'headers' | 'body'>,
    accepted: readonly number[] = [],
  ): Promise<HttpReply> {
    const url = `${this.#webhook}${path}`
    const reply = await callChat('Discord', { method, url, ...body }, this.#ports)
    const isTaken = reply.status >= 200 && reply.status < 300
    if (isTaken || accepted.includes(reply.status)) return reply
    const answer = tryParseJson(reply.text)
    const code = isObject(answer) && typeof answer.code === 'number' ? answer.code : undefined
    const which = code === undefined ? `${reply.status}` : `${reply.status}, code ${code}`
    throw new NotDelivered({
      message: `Discord refused the answer (${which})`,
      notes: adviceOn(code, reply.status),
    })
  }
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
function adviceOn(code: number | undefined, status: number): string[] {
  if (code === 10_008)
    return ['"edit" is the output "id" of an earlier reply to the same interaction']
  if (code === 40_005 || status === 413) return ['the file is larger than Discord takes']
  if (code === 10_015 || code === 50_027 || status === 404 || status === 401) {
    return ['an interaction can be answered for 15 minutes']
  }
  return []
}

function idOf({ text }: HttpReply): string | undefined {
  const message = tryParseJson(text)
  return isObject(message) && typeof message.id === 'string' ? message.id : undefined
}

async function bodyOf(part: Part, answer: Answer): Promise<Pick<HttpRequest, 'headers' | 'body'>> {
  const { edit, buttons, file } = part
  const isNew = edit === ''
  const flags =
    (answer.visibility === 'sender' ? FLAGS.ephemeral : 0) | (answer.silent ? FLAGS.silent : 0)
  const message: JsonObject = {
    content: formatted(part.text, answer),
    allowed_mentions: { parse: answer.mentions ? ['users', 'roles', 'everyone'] : [] },
    // An edit without buttons takes away those that were there.
    ...((buttons.length > 0 || !isNew) && { components: rowsOf(buttons) }),
    ...(isNew && flags !== 0 && { flags }),
    ...(file && { attachments: [{ id: 0, filename: file.name }] }),
  }
  return file ? withFile(message, file) : { headers: JSON_TYPE, body: JSON.stringify(message) }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** https://docs.discord.com/developers/reference#uploading-files */
function withFile(message: JsonObject, file: Attachment) {
  return multipartBody({ payload_json: JSON.stringify(message) }, { 'files[0]': file })
}

/** https://docs.discord.com/developers/components/reference#button */
function rowsOf(buttons: Part['buttons']): Json[] {
  return buttons.map((row) => ({
    type: 1,
    components: row.map(({ label, value, isLink }) => ({
      type: 2,
      label,
      ...(isLink ? { style: 5, url: value } : { style: 2, custom_id: value }),
    })),
  }))
}

function formatted(text: string, { format, mentions }: Answer): string {
  if (format === 'raw') return text
  const escaped = mentions ? withMentions : escapeMarks
  return format === 'markdown'
    ? renderMarkdown(text, { ...DISCORD, text: escaped })
    : text.split('\n').map(escaped).join('\n')
}

/** Its Markdown, so that what is not meant to be any is shown as it is. */
function escapeMarks(text: string): string {
  const escaped = (piece: string) => piece.replace(/[\\*_~`|[\]<]/g, '\\$&')
  return outsideAddresses(text, escaped, (url) => percentEncoded(url, /[\\`[\]]/g)).replace(
    /^(\s*)(#{1,3}(?=\s)|-#?(?=\s)|\+(?=\s)|>|\d+(?=[.)]\s))/,
    (_, space: string, mark: string) =>
      /^\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  )
}

/** People, roles and channels stay named. */
function withMentions(text: string): string {
  return escapeMarks(text).replace(/\\<(@[!&]?\d+|#\d+)>/g, '<$1>')
}

const DISCORD: Style = {
  text: escapeMarks,
  code: (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``),
  bold: (inner) => `**${inner}**`,
  italic: (inner) => `*${inner}*`,
  link: (url, inner) => `[${inner}](${percentEncoded(url, /[\\`[\])]/g)})`,
  block: (text, language) => `\`\`\`${language}\n${withoutFences(text)}\n\`\`\``,
}
