import { isObject, type JsonObject } from '../../wire/json.ts'

/** The places of chat, user and message in an update, and the method of the Bot API that replies to it. */
interface UpdatePlace {
  /** Absent for an update outside of a chat. */
  readonly chat?: 'chat' | 'message.chat'
  /** The person who caused the update. */
  readonly user?: 'from' | 'user'
  /** `update` if the update is itself a message, which then has a message type. */
  readonly message?: 'update' | 'message'
  /** `undefined` if `reply` cannot reply to it. */
  readonly reply: 'sendMessage' | 'answerGuestQuery' | undefined
}

const MESSAGE = { chat: 'chat', user: 'from', message: 'update', reply: 'sendMessage' } as const

const CHAT_EVENT = { chat: 'chat', reply: 'sendMessage' } as const

const NO_CHAT = { reply: undefined } as const

/** Every kind of update that the Bot API has. Source: Bot API 10.3, type Update. */
const UPDATE_PLACES = {
  message: MESSAGE,
  edited_message: MESSAGE,
  channel_post: MESSAGE,
  edited_channel_post: MESSAGE,
  business_connection: { ...NO_CHAT, user: 'user' },
  business_message: MESSAGE,
  edited_business_message: MESSAGE,
  deleted_business_messages: CHAT_EVENT,
  guest_message: { ...MESSAGE, reply: 'answerGuestQuery' },
  stopped_message_generation: CHAT_EVENT,
  message_reaction: { ...CHAT_EVENT, user: 'user' },
  message_reaction_count: CHAT_EVENT,
  inline_query: { ...NO_CHAT, user: 'from' },
  chosen_inline_result: { ...NO_CHAT, user: 'from' },
  callback_query: { chat: 'message.chat', user: 'from', message: 'message', reply: 'sendMessage' },
  shipping_query: { ...NO_CHAT, user: 'from' },
  pre_checkout_query: { ...NO_CHAT, user: 'from' },
  purchased_paid_media: { ...NO_CHAT, user: 'from' },
  poll: NO_CHAT,
  poll_answer: { ...NO_CHAT, user: 'user' },
  my_chat_member: { ...CHAT_EVENT, user: 'from' },
  chat_member: { ...CHAT_EVENT, user: 'from' },
  chat_join_request: { ...CHAT_EVENT, user: 'from' },
  chat_boost: CHAT_EVENT,
  removed_chat_boost: CHAT_EVENT,
  managed_bot: { ...NO_CHAT, user: 'user' },
  subscription: { ...NO_CHAT, user: 'user' },
} as const satisfies Readonly<Record<string, UpdatePlace>>

export type UpdateKind = keyof typeof UPDATE_PLACES

// Object.keys does not know that the table has no other keys.
export const UPDATE_KINDS = Object.keys(UPDATE_PLACES) as UpdateKind[]

/** The kinds whose object is a message, so it has a message type. */
export const MESSAGE_KINDS: readonly UpdateKind[] = UPDATE_KINDS.filter(
  (kind) => placeOf(kind).message === 'update',
)

/** The kinds to which `reply` cannot reply. */
export const KINDS_WITHOUT_REPLY: readonly UpdateKind[] = UPDATE_KINDS.filter(
  (kind) => placeOf(kind).reply === undefined,
)

export function placeOf(kind: UpdateKind): UpdatePlace {
  return UPDATE_PLACES[kind]
}

/** @param content the object of the kind: a message, a callback query, … */
export function partiesOf(kind: UpdateKind, content: JsonObject) {
  const { chat, user, message } = placeOf(kind)
  const inner = objectAt(content, 'message')
  return {
    chat: chat && objectAt(chat === 'chat' ? content : (inner ?? {}), 'chat'),
    user: user && objectAt(content, user),
    message: message && (message === 'update' ? content : inner),
  }
}

function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name]
  return isObject(value) ? value : undefined
}
