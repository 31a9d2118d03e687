import * as v from 'valibot'
import { Secret } from '../../wire/secret.ts'
import { type Check, oneOrMore } from '../trigger.ts'
import {
  chatId,
  MESSAGE_KINDS,
  MESSAGE_TYPES,
  messageType,
  NEW_MESSAGES,
  UPDATE_KINDS,
  type Update,
  type UpdateKind,
  userId,
} from './updates.ts'

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

const NOT_SET =
  'is empty: is the secret set, and given to the action under "secrets", or to dev in .env?'

export type MessagingBotOptions = v.InferOutput<typeof messagingBotOptions>

type Conditions = Pick<MessagingBotOptions, 'event' | 'updates' | 'chats' | 'users'>

/** What an update must meet to become an item; the same for polled and pushed ones. */
export function updateChecks(update: Update, options: Conditions): Check[] {
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
