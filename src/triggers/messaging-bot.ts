import * as v from 'valibot'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import type { WebhookRequest } from '../wire/request.ts'
import { Secret, sameText } from '../wire/secret.ts'
import { type Bot, forgetBefore, getPage } from './messaging-bot/bot-api.ts'
import {
  MESSAGE_KINDS,
  MESSAGE_OUTPUTS,
  MESSAGE_TYPES,
  messageType,
  NEW_MESSAGES,
  UPDATE_KINDS,
  type UpdateKind,
} from './messaging-bot/message-types.ts'
import {
  type Check,
  defineTrigger,
  type Item,
  oneOrMore,
  type Polled,
  type Reception,
  type TriggerPorts,
} from './trigger.ts'

const described = <Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text))

/** A secret that is not set arrives as nothing, or as empty text. */
const fromSecret = (shape: RegExp, otherwise: string) =>
  v.pipe(
    v.nullable(v.string(), ''),
    v.trim(),
    v.regex(shape, ({ input }) => (input === '' ? NOT_SET : otherwise)),
    v.transform((text) => new Secret(text)),
  )

/** Digits, a colon, and a string; nothing in it can change the address it is put into. */
const token = fromSecret(
  /^\d+:[\w-]+$/,
  'is no bot token: digits, a colon and a string, as BotFather gives it',
)

/** An id as text: a number, or its digits where it came from a variable. */
const id = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform(String),
  v.regex(
    /^-?\d+$/,
    'is no id: ids are whole numbers, as the item shows them in "chat" and "from"',
  ),
)

/** Source of the rule: Bot API, setWebhook, `secret_token`. */
const secretToken = fromSecret(
  /^[\w-]{1,256}$/,
  'is no secret token: 1 to 256 letters, digits, "_" and "-"',
)

export const messagingBotOptions = v.strictObject({
  token: described(
    v.optional(token),
    'Bot token, as BotFather gives it, from a secret. Needed unless `webhook` is true.',
  ),
  webhook: described(
    v.optional(v.boolean(), false),
    'False: messages are polled. True: the messaging platform calls the webhook URL of the trigger.',
  ),
  event: described(
    v.optional(oneOrMore(v.picklist(MESSAGE_TYPES, 'message type'))),
    'Message type, or a list of them. Without it every message fires.',
  ),
  updates: described(
    v.optional(oneOrMore(v.picklist(UPDATE_KINDS, 'kind of update'))),
    'Further kinds of update that fire, such as `callback_query` or `edited_message`; new messages always do.',
  ),
  chats: described(
    v.optional(oneOrMore(id)),
    'Id of a chat, or a list of them. Updates from elsewhere, or from no chat, are ignored.',
  ),
  users: described(
    v.optional(oneOrMore(id)),
    'Id of a person, or a list of them. Updates by others, or by nobody, are ignored.',
  ),
  secretToken: described(
    v.optional(secretToken),
    'The `secret_token` that was given to setWebhook, from a secret. A call without it is ignored, with a warning. Only with `webhook: true`.',
  ),
  wait: described(
    v.optional(
      v.pipe(
        v.number(),
        v.integer('is no whole number'),
        v.minValue(0, 'is less than 0'),
        v.maxValue(50, 'is more than 50'),
      ),
      0,
    ),
    'Seconds, up to 50, that a poll waits for a message when there is none. Only when polling.',
  ),
})

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

export const messagingBot = defineTrigger({
  name: 'messaging_bot',
  aliases: ['telegram_bot'],
  description: 'Fires for each new message to a bot: polled, or sent by the messaging platform.',
  options: messagingBotOptions,
  outputs: MESSAGE_OUTPUTS,
  columns: ['from.first_name', 'chat.title', 'text', 'caption', 'data'],
  key: 'update_id',
  mistake({ token, webhook }) {
    if (webhook || token) return undefined
    return { option: 'token', message: 'is needed to poll; or set "webhook: true"' }
  },
  example: ({ webhook, secretToken }) => (webhook && !secretToken ? EXAMPLE : undefined),
  receive: receiveUpdate,
  whyNotPolled: ({ webhook }) =>
    webhook
      ? 'webhook is true: the messaging platform sends the messages, so there is no poll'
      : undefined,
  async poll(options, ports) {
    return pollUpdates(bot(options, ports), options, ports.now)
  },
  async acknowledge(cursor, options, ports) {
    if (typeof cursor !== 'number') return
    await forgetBefore(bot(options, ports), cursor, firingKinds(options))
  },
})

/** The token is hidden from the log before anything is done with it. */
function bot({ token }: { readonly token?: Secret | undefined }, ports: TriggerPorts): Bot {
  if (!token) throw new TypeError('a bot without a token is not polled')
  ports.mask(token.reveal())
  return { token, api: ports.messagingApiUrl, http: ports.http, sleep: ports.sleep }
}

const UPDATE = {
  update_id: 866350101,
  message: {
    message_id: 1,
    from: { id: 1000001, is_bot: false, first_name: 'Ada', language_code: 'en' },
    chat: { id: 1000001, first_name: 'Ada', type: 'private' },
    date: 1767225600,
    text: 'hello',
  },
}

const EXAMPLE = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: JSON.stringify(UPDATE),
}

const NOT_SET =
  'is empty: is the secret set, and given to the action under "secrets", or to dev in .env?'

type MessagingBotOptions = v.InferOutput<typeof messagingBotOptions>

/** The item of an update that the messaging platform sent to the webhook URL. */
async function receiveUpdate(
  { headers, body }: WebhookRequest,
  options: MessagingBotOptions,
): Promise<Reception> {
  if (!options.webhook) return refused('webhook', 'is not true: messages are polled')
  const secret = options.secretToken?.reveal()
  if (secret !== undefined && !(await sameText(headers[SECRET_HEADER] ?? '', secret))) {
    const found = `does not match the header ${SECRET_HEADER}`
    return { ...refused('secretToken', found), warnings: [`secretToken: ${found}`] }
  }
  const update = readUpdate(body)
  if (!update) return refused('webhook', 'the body is no update of a bot')
  const checks = updateChecks(update, options)
  if (!checks.every(({ held }) => held)) return { checks, items: [] }
  return { checks, items: [updateItem(update, options.updates)] }
}

function refused(option: string, found: string): Reception {
  const check: Check = { option, held: false, found }
  return { checks: [check], items: [] }
}

/** Pages without an item that one run passes: ten thousand ignored updates. */
const MOST_PASSED = 100

/** An update that became an item, or was ignored for a condition that it did not meet. */
type Judged = { readonly id: number } & (
  | { readonly item: Item; readonly missed?: never }
  | { readonly item?: never; readonly missed: Check }
)

/**
 * One page of updates. Only a page without a single item is passed, by asking for the next: a higher
 * offset makes the server forget what lies below it.
 */
async function pollUpdates(
  bot: Bot,
  options: MessagingBotOptions,
  now: TriggerPorts['now'],
): Promise<Polled> {
  const kinds = firingKinds(options)
  const until = now() + options.wait * 1000
  const ignored: Check[] = []
  let page = judge(await getPage(bot, { kinds, wait: options.wait }), options)
  for (let passed = 0; isPassable(page) && passed < MOST_PASSED; passed++) {
    ignored.push(...missedChecks(page))
    const wait = Math.max(0, Math.floor((until - now()) / 1000))
    page = judge(await getPage(bot, { kinds, offset: offsetAfter(page), wait }), options)
  }
  return polled(page, [...ignored, ...missedChecks(page)])
}

function judge(updates: readonly Update[], options: MessagingBotOptions): Judged[] {
  return updates.map((update) => {
    const missed = updateChecks(update, options).find((check) => !check.held)
    const { id } = update
    return missed ? { id, missed } : { id, item: updateItem(update, options.updates) }
  })
}

function isPassable(page: readonly Judged[]): boolean {
  return page.length > 0 && page.every(({ missed }) => missed)
}

function missedChecks(page: readonly Judged[]): Check[] {
  return page.flatMap(({ missed }) => (missed ? [missed] : []))
}

function offsetAfter(page: readonly Judged[]): number | undefined {
  const last = page.at(-1)
  return last && last.id + 1
}

function polled(page: readonly Judged[], ignored: readonly Check[]): Polled {
  const firing = page.filter(({ item }) => item)
  const found = account(firing.length, ignored)
  return {
    items: page.flatMap(({ item }) => (item ? [item] : [])),
    checks: [{ option: 'updates', held: firing.length > 0, found }],
    cursorBefore(index) {
      const cut = firing[index]
      return offsetAfter(cut ? page.slice(0, page.indexOf(cut)) : page)
    },
  }
}

/** `2 new, 3 ignored (updates 2, chats 1)`: how many updates each option kept out. */
function account(items: number, ignored: readonly Check[]): string {
  const found = `${items || 'nothing'} new`
  return ignored.length > 0 ? `${found}, ${ignored.length} ignored (${counts(ignored)})` : found
}

function counts(ignored: readonly Check[]): string {
  const options = [...new Set(ignored.map(({ option }) => option))]
  const count = (name: string) => ignored.filter(({ option }) => option === name).length
  return options.map((name) => `${name} ${count(name)}`).join(', ')
}

type Conditions = Pick<MessagingBotOptions, 'event' | 'updates' | 'chats' | 'users'>

/** What an update must meet to become an item; the same for polled and pushed ones. */
function updateChecks(update: Update, options: Conditions): Check[] {
  return [
    kindCheck(update, firingKinds(options)),
    typeCheck(update, options.event),
    idCheck('chats', chatId(update), options.chats),
    idCheck('users', userId(update), options.users),
  ]
}

/** The kinds that fire, and so the ones that the Bot API is asked for. */
export function firingKinds({ updates = [] }: Pick<MessagingBotOptions, 'updates'>): UpdateKind[] {
  return [...new Set([...NEW_MESSAGES, ...updates])]
}

function kindCheck({ kind }: Update, firing: readonly UpdateKind[]): Check {
  const held = kind !== undefined && firing.includes(kind)
  const name = kind ?? 'an unknown kind'
  return { option: 'updates', held, found: held ? name : `${name} is not among ${list(firing)}` }
}

/** Only a message has a type: an update such as `callback_query` passes. */
function typeCheck({ kind, content }: Update, wanted: MessagingBotOptions['event']): Check {
  if (!wanted || !MESSAGE_KINDS.has(kind ?? '')) {
    return { option: 'event', held: true, found: 'any message type' }
  }
  const type = messageType(content)
  const held = type !== undefined && wanted.includes(type)
  const name = type ?? 'an unknown type'
  return { option: 'event', held, found: held ? name : `${name} is not among ${list(wanted)}` }
}

/** The ids themselves are not shown: a summary of a public repository is public. */
function idCheck(option: 'chats' | 'users', id: string | undefined, allowed?: string[]): Check {
  if (!allowed) return { option, held: true, found: 'anyone' }
  const held = id !== undefined && allowed.includes(id)
  return { option, held, found: held ? 'on the list' : 'not on the list' }
}

function list(names: readonly string[]): string {
  return names.join(', ')
}

/** One update of a bot, taken apart. */
export interface Update {
  readonly id: number
  /** `undefined` for a kind that the Bot API has gained after our list, and for no kind at all. */
  readonly kind: UpdateKind | undefined
  /** What stands under the kind: a message, a callback query, … */
  readonly content: JsonObject
}

/** An update as the Bot API sends it; `undefined` for anything that is none. */
export function readUpdate(value: Json): Update | undefined {
  if (!isObject(value)) return undefined
  const update = value as JsonObject // isObject says what it is, not what it holds; Json holds Json
  const id = update.update_id
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
  const kind = UPDATE_KINDS.find((name) => isObject(update[name]))
  return { id, kind, content: kind ? (update[kind] as JsonObject) : {} }
}

/**
 * The item of an update, polled or pushed: the kind's own object plus `update_id`. A kind that the
 * option `updates` names also tells its name, as `update_type`.
 */
function updateItem({ id, kind, content }: Update, named: readonly UpdateKind[] = []): Item {
  const item = { ...content, update_id: id }
  return kind && named.includes(kind) ? { ...item, update_type: kind } : item
}

/** Id of the chat that an update belongs to; `undefined` for one outside any chat. */
function chatId({ content }: Update): string | undefined {
  return idOf(content.chat) ?? (isObject(content.message) ? idOf(content.message.chat) : undefined)
}

/** Id of the person who caused an update; `undefined` where it names nobody, as in a channel. */
function userId({ content }: Update): string | undefined {
  return idOf(content.from) ?? idOf(content.user)
}

/** As text, since ids of 16 digits are text already when they come out of a body. */
function idOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  return typeof value.id === 'number' || typeof value.id === 'string' ? String(value.id) : undefined
}
