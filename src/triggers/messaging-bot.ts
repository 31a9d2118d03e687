import * as v from 'valibot'
import { isObject, type Json } from '../wire/json.ts'
import { type Message, warning } from '../wire/messages.ts'
import { VALUE_NOT_SET } from '../wire/run-reasons.ts'
import { Secret, sameText } from '../wire/secret.ts'
import type { WebhookRequest } from '../wire/webhook-request.ts'
import { WHOLE_NUMBER } from './config-options.ts'
import { BOT_TOKEN, type Bot, forgetBefore, getPage } from './messaging-bot/bot-api.ts'
import { MESSAGE_KINDS, UPDATE_KINDS } from './messaging-bot/places.ts'
import {
  type BotUpdate,
  chatId,
  firingKinds,
  MESSAGE_OUTPUTS,
  MESSAGE_TYPES,
  messageType,
  movedChat,
  readUpdate,
  updateItem,
  userId,
} from './messaging-bot/updates.ts'
import {
  type Check,
  defineTrigger,
  type Item,
  oneOrMore,
  type Polled,
  type Reception,
  type TriggerPorts,
} from './trigger.ts'

const withDescription = <Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text))

/** An unset secret is `null` or an empty string. */
const fromSecret = (shape: RegExp, otherwise: string) =>
  v.pipe(
    v.nullable(v.string(), ''),
    v.trim(),
    v.regex(shape, ({ input }) => (input === '' ? VALUE_NOT_SET : otherwise)),
    v.transform((text) => new Secret(text)),
  )

const token = fromSecret(
  BOT_TOKEN,
  'is not a bot token: digits, a colon and a string, as BotFather gives it',
)

/** An id as a string: from a number, or from its digits in a variable. */
const id = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform(String),
  v.regex(
    /^-?\d+$/,
    'is not an id: ids are whole numbers, as the item shows them in "chat" and "from"',
  ),
)

/** Source of the rule: Bot API, setWebhook, `secret_token`. */
const secretToken = fromSecret(
  /^[\w-]{1,256}$/,
  'is not a secret token: 1 to 256 letters, digits, "_" and "-"',
)

const options = v.strictObject({
  token: withDescription(
    v.optional(token),
    'Bot token, as BotFather gives it, from a secret. Needed unless `webhook` is true.',
  ),
  webhook: withDescription(
    v.optional(v.boolean(), false),
    'False: messages are polled. True: the messaging platform calls the webhook URL of the trigger.',
  ),
  event: withDescription(
    v.optional(oneOrMore(v.picklist(MESSAGE_TYPES, 'message type'))),
    'Message type, or a list of them. Without it every message fires.',
  ),
  updates: withDescription(
    v.optional(oneOrMore(v.picklist(UPDATE_KINDS, 'kind of update'))),
    'Further kinds of update that fire, such as `callback_query` or `edited_message`; new messages always do.',
  ),
  chats: withDescription(
    v.optional(oneOrMore(id)),
    'Id of a chat, or a list of them. Updates from elsewhere, or from no chat, are ignored.',
  ),
  users: withDescription(
    v.optional(oneOrMore(id)),
    'Id of a person, or a list of them. Updates by other users, or without a user, are ignored.',
  ),
  secretToken: withDescription(
    v.optional(secretToken),
    'The `secret_token` that was given to setWebhook, from a secret. A call without it is ignored, with a warning. Only with `webhook: true`.',
  ),
  wait: withDescription(
    v.optional(v.pipe(WHOLE_NUMBER, v.maxValue(50, 'is more than 50')), 0),
    'Seconds, up to 50, that a poll waits for a message when there is none. Only when polling.',
  ),
})

type MessagingBotOptions = v.InferOutput<typeof options>

export const messagingBot = defineTrigger({
  name: 'messaging_bot',
  aliases: ['telegram_bot'],
  description: 'Fires for each new message to a bot: polled, or sent by the messaging platform.',
  options,
  outputs: MESSAGE_OUTPUTS,
  stringOutputs: [
    ...['update_type', 'text', 'caption', 'command', 'command_args', 'command_bot'],
    ...['data', 'id', 'new_chat_title'],
  ],
  columns: ['from.first_name', 'chat.title', 'text', 'caption', 'data'],
  key: 'update_id',
  minimalOptions: { webhook: true },
  validate({ token, webhook }) {
    if (webhook || token) return undefined
    return { option: 'token', message: 'is needed to poll. Or set "webhook: true"' }
  },
  example: ({ webhook, secretToken }) => (webhook && !secretToken ? EXAMPLE : undefined),
  receive: receiveUpdate,
  signatures: ({ secretToken: secret }) =>
    secret ? [{ scheme: 'telegram', secret, url: undefined }] : [],
  updates: ({ updates = [] }) => updates,
  pollDisabledReason: ({ webhook }) =>
    webhook ? 'webhook is true: Telegram sends the messages, so there is no poll' : undefined,
  async poll(options, ports, cursor) {
    return pollUpdates(bot(options, ports), options, ports.now, offsetOf(cursor, options))
  },
  async acknowledge(cursor, options, ports) {
    const offset = offsetOf(cursor, options)
    if (offset === undefined) return
    await forgetBefore(bot(options, ports), offset, firingKinds(options.updates))
  },
})

/**
 * The position of a bot's poll. It includes the bot, because update ids of another bot are
 * unrelated.
 */
interface Cursor {
  readonly bot: string
  readonly offset: number
}

function offsetOf(cursor: Json | undefined, { token }: MessagingBotOptions): number | undefined {
  if (!isObject(cursor) || cursor.bot !== botId(token)) return undefined
  return typeof cursor.offset === 'number' ? cursor.offset : undefined
}

/** The part of a token before the colon is the bot's id, which is not secret. */
function botId(token: Secret | undefined): string {
  return token?.reveal().split(':', 1)[0] ?? ''
}

/** The token is masked in the log before it is used. */
function bot({ token }: { readonly token?: Secret | undefined }, ports: TriggerPorts): Bot {
  if (!token) throw new TypeError('a bot without a token is not polled')
  ports.mask(token.reveal())
  return { token, api: ports.messagingApiUrl, http: ports.http, sleep: ports.sleep }
}

const EXAMPLE = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: JSON.stringify({
    update_id: 866350101,
    message: {
      message_id: 1,
      from: { id: 1000001, is_bot: false, first_name: 'Ada', language_code: 'en' },
      chat: { id: 1000001, first_name: 'Ada', type: 'private' },
      date: 1767225600,
      text: 'hello',
    },
  }),
}

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

/** The item of an update that Telegram sent to the webhook URL. */
async function receiveUpdate(
  { headers, body }: WebhookRequest,
  options: MessagingBotOptions,
): Promise<Reception> {
  const { webhook, users, chats, secretToken, updates } = options
  if (!webhook) return refused({ option: 'webhook', found: 'is not true: messages are polled' })
  const given = headers[SECRET_HEADER]
  if (secretToken && !(await sameText(given ?? '', secretToken.reveal()))) {
    const isAbsent = given === undefined
    const found = isAbsent
      ? `the header ${SECRET_HEADER} is missing`
      : `does not match the header ${SECRET_HEADER}`
    const check = { option: 'secretToken', found, ...(isAbsent && { isAbsent }) }
    return { ...refused(check), messages: [warning('unverified', `secretToken: ${found}`)] }
  }
  const update = readUpdate(body)
  if (!update) return refused({ option: 'webhook', found: 'the body is not an update of a bot' })
  const verified = {
    option: 'secretToken',
    held: true,
    found: `matches the header ${SECRET_HEADER}`,
  }
  const checks = [...(secretToken ? [verified] : []), ...updateChecks(update, options)]
  const items = checks.every(({ held }) => held) ? [updateItem(update, updates)] : []
  const found = allowlistProblem({
    webhook,
    users: users !== undefined,
    chats: chats !== undefined,
    secretToken: secretToken !== undefined,
  })
  const messages = found ? [warning(UNVERIFIED_ALLOWLIST, `${found.message}. ${found.hint}`)] : []
  return { checks, items, messages: [...messages, ...movedMessages([update], options)] }
}

function refused(check: Omit<Check, 'held'>): Reception {
  return { checks: [{ ...check, held: false }], items: [] }
}

/** The code of the message in a run, and of the rule in `check`. */
export const UNVERIFIED_ALLOWLIST = 'unverified-allowlist'

/**
 * Reports a list of allowed ids without authentication: a request can then claim any id.
 *
 * @param given which options are set, and whether `webhook` is true
 */
export function allowlistProblem({
  webhook,
  users,
  chats,
  secretToken,
}: Readonly<Record<'webhook' | 'users' | 'chats' | 'secretToken', boolean>>) {
  if (!webhook || secretToken || !(users || chats)) return undefined
  const option = users ? 'users' : 'chats'
  return {
    option,
    message: `"${option}" without "secretToken" protects nothing: anyone who knows the URL can send any id`,
    hint: 'Give setWebhook a secret_token, and the same to "secretToken"',
  }
}

/** Tells that a chat in `chats` has another id now, since the bot would ignore the new one without a word. */
function movedMessages(updates: readonly BotUpdate[], { chats }: MessagingBotOptions): Message[] {
  const moved = updates.flatMap((update) => {
    const ids = movedChat(update)
    return ids && chats?.includes(ids[0]) && !chats.includes(ids[1]) ? [ids] : []
  })
  return [...new Map(moved)].map(([from, to]) =>
    warning(
      'moved-chat',
      `the group ${from} became a supergroup with another id. Write ${to} into "chats"`,
    ),
  )
}

/** The conditions for an update to become an item; the same for polled and pushed updates. */
function updateChecks(update: BotUpdate, options: MessagingBotOptions): Check[] {
  return [
    kindCheck(update, options.updates),
    typeCheck(update, options.event),
    idCheck('chats', chatId(update), options.chats),
    idCheck('users', userId(update), options.users),
  ]
}

function kindCheck({ kind }: BotUpdate, updates: MessagingBotOptions['updates']): Check {
  const firing = firingKinds(updates)
  const held = kind !== undefined && firing.includes(kind)
  const name = kind ?? 'an unknown kind'
  return {
    option: 'updates',
    held,
    found: held ? name : `${name} is not among ${firing.join(', ')}`,
  }
}

/** Only messages have a type; other updates, such as `callback_query`, meet the condition. */
function typeCheck({ kind, content }: BotUpdate, wanted: MessagingBotOptions['event']): Check {
  if (!wanted || !kind || !MESSAGE_KINDS.includes(kind)) {
    return { option: 'event', held: true, found: 'any message type' }
  }
  const type = messageType(content)
  const held = type !== undefined && wanted.includes(type)
  const name = type ?? 'an unknown type'
  return { option: 'event', held, found: held ? name : `${name} is not among ${wanted.join(', ')}` }
}

/** Ids are not shown, because anyone can read the summary of a public repository. */
function idCheck(option: 'chats' | 'users', id: string | undefined, allowed?: string[]): Check {
  if (!allowed) return { option, held: true, found: 'anyone' }
  const held = id !== undefined && allowed.includes(id)
  return { option, held, found: held ? 'on the list' : 'not on the list' }
}

/** The most pages without an item in one run: ten thousand ignored updates. */
const MOST_PASSED = 100

/** An update that became an item, or the condition that it did not meet. */
interface EvaluatedUpdate {
  readonly update: BotUpdate
  readonly item?: Item
  readonly missed?: Check
}

/**
 * Reads one page of updates, from the last committed position. Only if the page contains no item,
 * the next page is requested, because a higher offset makes the server forget the earlier updates.
 */
async function pollUpdates(
  bot: Bot,
  options: MessagingBotOptions,
  now: TriggerPorts['now'],
  offset: number | undefined,
): Promise<Polled> {
  const kinds = firingKinds(options.updates)
  const until = now() + options.wait * 1000
  const read = async (from: number | undefined, wait: number) => {
    const updates = await getPage(bot, { kinds, offset: from, wait })
    return updates.map((update) => evaluateUpdate(update, options))
  }
  const passed: EvaluatedUpdate[] = []
  let page = await read(offset, options.wait)
  for (let pages = 0; pages < MOST_PASSED; pages++) {
    if (page.length === 0 || page.some(({ item }) => item)) break
    passed.push(...page)
    page = await read(offsetAfter(page), Math.max(0, Math.floor((until - now()) / 1000)))
  }
  const all = [...passed, ...page]
  const ignored = all.flatMap(({ missed }) => missed ?? [])
  const messages = movedMessages(
    all.map(({ update }) => update),
    options,
  )
  return { ...polled(page, ignored, botId(options.token)), messages }
}

function evaluateUpdate(update: BotUpdate, options: MessagingBotOptions): EvaluatedUpdate {
  const missed = updateChecks(update, options).find((check) => !check.held)
  return missed ? { update, missed } : { update, item: updateItem(update, options.updates) }
}

function offsetAfter(page: readonly EvaluatedUpdate[]): number | undefined {
  const last = page.at(-1)
  return last && last.update.id + 1
}

function polled(page: readonly EvaluatedUpdate[], ignored: readonly Check[], bot: string): Polled {
  const firing = page.filter(({ item }) => item)
  const found = foundText(firing.length, ignored)
  return {
    items: page.flatMap(({ item }) => (item ? [item] : [])),
    checks: [{ option: 'updates', held: firing.length > 0, found }],
    cursorBefore(index) {
      const cut = firing[index]
      const offset = offsetAfter(cut ? page.slice(0, page.indexOf(cut)) : page)
      return offset === undefined ? undefined : ({ bot, offset } satisfies Cursor)
    },
  }
}

/** `2 new, 3 ignored (updates 2, chats 1)`: the number of updates that each option excluded. */
function foundText(items: number, ignored: readonly Check[]): string {
  const found = `${items || 'nothing'} new`
  if (ignored.length === 0) return found
  const options = [...new Set(ignored.map(({ option }) => option))]
  const counts = options.map(
    (name) => `${name} ${ignored.filter(({ option }) => option === name).length}`,
  )
  return `${found}, ${ignored.length} ignored (${counts.join(', ')})`
}
