import { addressInput } from '../../wire/address.ts'
import { UserError } from '../../wire/errors.ts'
import type { HttpRequest, HttpResponse } from '../../wire/http.ts'
import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import {
  type Chat,
  type Content,
  callChat,
  type MessagePart,
  multipartBody,
  NotDelivered,
  noReplyTarget,
  objectAt,
  ownRequest,
  type Reply,
  type ReplyContext,
} from './chat.ts'
import { inBackticks, outsideAddresses, percentEncoded, withoutFences } from './markdown/escapes.ts'
import { betweenMarks } from './markdown/native.ts'
import { type MarkupStyle, renderMarkdown } from './markdown/render.ts'
import { type ChatLimits, checkReply } from './reply-inputs.ts'

const DISCORD_API = 'https://discord.com/api/v10'

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
const MAX_TEXT = 2_000

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-type */
const INTERACTIONS = [2, 3, 5]
const COMPONENT = 3

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const FLAGS = { ephemeral: 1 << 6, loading: 1 << 7, silent: 1 << 12 } as const

const IDS = ['id', 'application_id', 'channel_id', 'guild_id']

const LIMITS: ChatLimits = {
  chat: 'Discord',
  withoutHtml: '"markdown", or "raw" for the Markdown of Discord',
  label: 80,
  value: 100,
  unit: 'characters',
  inRow: 5,
  rows: 5,
}

/** A reply to an interaction, by the webhook that its token opens for 15 minutes. */
export async function discordChat({ item, input, reply, ports }: ReplyContext): Promise<Chat> {
  checkReply(reply, LIMITS)
  const reader = { trigger: 'discord', read: readInteraction, ids: IDS }
  const event = await ownRequest(item, reader, ports)
  const { token, application_id: application } = event ?? {}
  if (typeof token !== 'string' || typeof application !== 'string') {
    throw new NotDelivered({
      message: 'the event that started this run has no interaction of Discord',
      notes: ['only the run that an interaction started can reply to it'],
    })
  }
  if (!/^[\w.-]+$/.test(token) || !/^\d+$/.test(application)) {
    throw noReplyTarget('an interaction of Discord without a token')
  }
  ports.mask(token)
  const api = addressInput(input, 'discord-url', DISCORD_API)
  const webhook = `${api}/webhooks/${application}/${token}`
  const interaction = { webhook, item, reply, ports }
  return {
    maxLength: MAX_TEXT,
    maxParts: 5,
    supportsFiles: true,
    length: (content) => formatted(content, reply).length,
    send: (part) => sendMessage(interaction, part),
  }
}

function readInteraction(body: Json): JsonObject | undefined {
  if (!isObject(body) || typeof body.type !== 'number') return undefined
  return INTERACTIONS.includes(body.type) ? body : undefined
}

interface Interaction extends Pick<ReplyContext, 'item' | 'reply' | 'ports'> {
  readonly webhook: string
}

/**
 * Discord replaces "thinking…" of a deferred response by the first message, and that message has the
 * visibility of "thinking…". So an ephemeral reply first deletes a public "thinking…".
 *
 * https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages
 */
async function sendMessage(interaction: Interaction, part: MessagePart): Promise<string> {
  const { item, reply } = interaction
  const body = await messageBody(part, reply)
  if (part.edit !== '') {
    const response = await call(interaction, 'PATCH', `/messages/${edited(part.edit, item)}`, body)
    return messageId(response) ?? part.edit
  }
  if (reply.ephemeral) await removePublicPlaceholder(interaction)
  return messageId(await call(interaction, 'POST', '?wait=true', body)) ?? ''
}

/** The message of a pressed button is `@original` of that interaction. */
function edited(id: string, item: JsonObject): string {
  const isOwn = item.type === COMPONENT && objectAt(item, 'message').id === id
  if (isOwn) return '@original'
  if (id === '@original' || /^\d{1,25}$/.test(id)) return id
  throw new UserError({
    message: 'input "edit" is not a message id of Discord',
    hint: 'Set it to the output "id" of an earlier reply, or to @original.',
  })
}

async function removePublicPlaceholder(interaction: Interaction): Promise<void> {
  const place = '/messages/@original'
  const original = await call(interaction, 'GET', place, {}, [404])
  const message = tryParseJson(original.text)
  if (!isObject(message) || typeof message.flags !== 'number') return
  const { flags } = message
  if (flags & FLAGS.loading && !(flags & FLAGS.ephemeral)) {
    await call(interaction, 'DELETE', place, {}, [404])
  }
}

async function call(
  { webhook, ports }: Interaction,
  method: HttpRequest['method'],
  path: string,
  body: Pick<HttpRequest, 'headers' | 'body'>,
  accepted: readonly number[] = [],
): Promise<HttpResponse> {
  const response = await callChat('Discord', { method, url: `${webhook}${path}`, ...body }, ports)
  if (response.status < 300 || accepted.includes(response.status)) return response
  const refusal = tryParseJson(response.text)
  const code = isObject(refusal) && typeof refusal.code === 'number' ? refusal.code : undefined
  const which = code === undefined ? `${response.status}` : `${response.status}, code ${code}`
  throw new NotDelivered({
    message: `Discord rejected the reply (${which})`,
    notes: adviceOn(code, response.status),
  })
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
function adviceOn(code: number | undefined, status: number): string[] {
  if (code === 10_008)
    return ['Set "edit" to the output "id" of an earlier reply to the same interaction.']
  if (code === 40_005 || status === 413) return ['The file is larger than Discord allows.']
  if (code === 10_015 || code === 50_027 || status === 404 || status === 401) {
    return ['Reply within 15 minutes after the interaction.']
  }
  return []
}

function messageId({ text }: HttpResponse): string | undefined {
  const message = tryParseJson(text)
  return isObject(message) && typeof message.id === 'string' ? message.id : undefined
}

async function messageBody(
  part: MessagePart,
  reply: Reply,
): Promise<Pick<HttpRequest, 'headers' | 'body'>> {
  const { edit, buttons, file } = part
  const isNew = edit === ''
  const flags = (reply.ephemeral ? FLAGS.ephemeral : 0) | (reply.silent ? FLAGS.silent : 0)
  const message: JsonObject = {
    content: formatted(part.content, reply),
    allowed_mentions: { parse: reply.allowMentions ? ['users', 'roles', 'everyone'] : [] },
    // An edit without buttons removes the existing buttons.
    ...((buttons.length > 0 || !isNew) && { components: rowsOf(buttons) }),
    ...(isNew && flags !== 0 && { flags }),
    ...(file && { attachments: [{ id: 0, filename: file.name }] }),
  }
  const text = JSON.stringify(message)
  // https://docs.discord.com/developers/reference#uploading-files
  if (file) return multipartBody({ payload_json: text }, { 'files[0]': file })
  return { headers: { 'content-type': 'application/json' }, body: text }
}

/** https://docs.discord.com/developers/components/reference#button */
function rowsOf(buttons: MessagePart['buttons']): Json[] {
  return buttons.map((row) => ({
    type: 1,
    components: row.map(({ label, value, isLink }) => ({
      type: 2,
      label,
      ...(isLink ? { style: 5, url: value } : { style: 2, custom_id: value }),
    })),
  }))
}

function formatted(content: Content, { format, allowMentions }: Reply): string {
  const escaped = allowMentions ? withMentions : escapeMarks
  if (typeof content !== 'string') return renderMarkdown(content, { ...DISCORD, text: escaped })
  return format === 'raw' ? content : escaped(content)
}

function escapeMarks(text: string): string {
  const escaped = (piece: string) => piece.replace(/[\\*_~`|[\]<]/g, '\\$&')
  return outsideAddresses(text, escaped, (url) => percentEncoded(url, /[\\`[\]]/g)).replace(
    /^(\s*)(#{1,3}(?=\s)|-#?(?=\s)|\+(?=\s)|>|\d+(?=[.)]\s))/gm,
    (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  )
}

/** Leaves mentions of people, roles and channels in place. */
function withMentions(text: string): string {
  return escapeMarks(text).replace(/\\<(@[!&]?\d+|#\d+)>/g, '<$1>')
}

const ADDRESS_MARKS = /[\\`[\])]/g

/** https://support.discord.com/hc/articles/210298617: no tables, tasks, rules or images. */
const DISCORD: MarkupStyle = {
  text: escapeMarks,
  code: inBackticks,
  bold: (inner) => `**${inner}**`,
  italic: (inner) => `*${inner}*`,
  strike: (inner) => `~~${inner}~~`,
  quote: (content) => content.replace(/^/gm, '> '),
  quotesCode: true,
  heading: (inner, level) => (level > 3 ? undefined : `${'#'.repeat(level)} ${inner}`),
  link: (url, inner) => `[${inner}](${percentEncoded(url, ADDRESS_MARKS)})`,
  // Discord makes no link of an address that is the text of a link.
  address: (_, shown) => percentEncoded(shown, ADDRESS_MARKS),
  border: betweenMarks,
  block: (text, language) =>
    `\`\`\`${/^[\w+#.-]*$/.test(language) ? language : ''}\n${withoutFences(text)}\n\`\`\``,
}
