import { isObject, type Json, type JsonObject, record } from '../../wire/json.ts'
import type { Item } from '../trigger.ts'
import { MESSAGE_KINDS, partiesOf, UPDATE_KINDS, type UpdateKind } from './places.ts'

export interface BotUpdate {
  readonly id: number
  /**
   * `undefined` for a kind that the Bot API added after this list, and for an update without a
   * kind.
   */
  readonly kind: UpdateKind | undefined
  /** The value of the kind: a message, a callback query, … */
  readonly content: JsonObject
}

/** Parses an update of the Bot API; `undefined` for any other value. */
export function readUpdate(value: Json): BotUpdate | undefined {
  if (!isObject(value)) return undefined
  const id = value.update_id
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
  const kind = UPDATE_KINDS.find((name) => isObject(value[name]))
  return { id, kind, content: kind ? (value[kind] as JsonObject) : {} }
}

/**
 * The item of an update, polled or pushed: the object of its kind, plus `update_id`, and the parts of its
 * command. If the option `updates` names the kind, the item also has its name as `update_type`.
 */
export function updateItem(
  { id, kind, content }: BotUpdate,
  named: readonly UpdateKind[] = [],
): Item {
  const isMessage = kind !== undefined && MESSAGE_KINDS.includes(kind)
  const item = { ...content, ...(isMessage && commandOf(content)), update_id: id }
  return kind && named.includes(kind) ? { ...item, update_type: kind } : item
}

/**
 * The command at the beginning of a message: `/deploy@my_bot staging` is the command `/deploy` for the bot
 * `my_bot` with the arguments `staging`. In groups, the menu of commands sends the name of the bot.
 */
function commandOf({ text, caption, entities, caption_entities }: JsonObject): JsonObject {
  const [content, marks] = typeof text === 'string' ? [text, entities] : [caption, caption_entities]
  if (typeof content !== 'string' || !Array.isArray(marks)) return {}
  const mark = marks.find((one) => isObject(one) && one.type === 'bot_command' && one.offset === 0)
  // The length counts UTF-16 units, as strings do here.
  const length = isObject(mark) && typeof mark.length === 'number' ? mark.length : 0
  const [command = '', bot = ''] = content.slice(0, length).split('@')
  if (command === '') return {}
  return { command, command_args: content.slice(length).trim(), command_bot: bot }
}

/** Id of the chat that an update belongs to; `undefined` for an update outside of a chat. */
export function chatId({ kind, content }: BotUpdate): string | undefined {
  return kind && idText(partiesOf(kind, content).chat)
}

/** Id of the user who caused an update; `undefined` if there is none, as in a channel. */
export function userId({ kind, content }: BotUpdate): string | undefined {
  return kind && idText(partiesOf(kind, content).user)
}

/** The old and the new id of a group that became a supergroup, which Telegram tells in both. */
export function movedChat(update: BotUpdate): readonly [from: string, to: string] | undefined {
  const { migrate_to_chat_id: to, migrate_from_chat_id: from } = update.content
  const own = chatId(update)
  if (own === undefined) return undefined
  if (isTelegramId(to)) return [own, String(to)]
  return isTelegramId(from) ? [String(from), own] : undefined
}

/** An id is a number, or a string if it has 16 or more digits. */
export function isTelegramId(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value))
}

/** Ids become strings, because parsing already turns ids of 16 or more digits into strings. */
function idText(party: JsonObject | undefined): string | undefined {
  const id = party?.id
  return isTelegramId(id) ? String(id) : undefined
}

/** The types of the specification. Each is an output of its own; a later type of Telegram is not. */
export const SPECIFIED_TYPES = [
  'text',
  'animation',
  'audio',
  'channel_chat_created',
  'contact',
  'delete_chat_photo',
  'dice',
  'document',
  'game',
  'group_chat_created',
  'invoice',
  'left_chat_member',
  'location',
  'migrate_from_chat_id',
  'migrate_to_chat_id',
  'new_chat_members',
  'new_chat_photo',
  'new_chat_title',
  'passport_data',
  'photo',
  'pinned_message',
  'poll',
  'sticker',
  'successful_payment',
  'supergroup_chat_created',
  'video',
  'video_note',
  'voice',
] as const

/** Newer types whose messages also contain the field of an older type, for older programs. */
const BEFORE_THE_SPECIFIED = ['live_photo', 'venue'] as const

/** Types that the Bot API added later. Source: Bot API 10.3, type Message. */
const LATER_TYPES = [
  'rich_message',
  'paid_media',
  'story',
  'checklist',
  'checklist_tasks_done',
  'checklist_tasks_added',
  'community_chat_added',
  'community_chat_removed',
  'community_chat_joined',
  'suggested_post_approved',
  'suggested_post_approval_failed',
  'suggested_post_declined',
  'suggested_post_paid',
  'suggested_post_refunded',
  'chat_owner_left',
  'chat_owner_changed',
  'managed_bot_created',
  'poll_option_added',
  'poll_option_deleted',
  'message_auto_delete_timer_changed',
  'refunded_payment',
  'users_shared',
  'chat_shared',
  'connected_website',
  'write_access_allowed',
  'proximity_alert_triggered',
  'boost_added',
  'chat_background_set',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
  'giveaway_created',
  'giveaway',
  'giveaway_winners',
  'giveaway_completed',
  'gift',
  'gift_upgrade_sent',
  'unique_gift',
  'paid_message_price_changed',
  'direct_message_price_changed',
  'video_chat_scheduled',
  'video_chat_started',
  'video_chat_ended',
  'video_chat_participants_invited',
  'web_app_data',
] as const

/**
 * The message types in the order in which they are checked; a message has the first type whose
 * field is present. `animation` comes before `document`, `live_photo` before `photo`, and `venue`
 * before `location`, because such messages contain both fields.
 */
export const MESSAGE_TYPES = [...BEFORE_THE_SPECIFIED, ...SPECIFIED_TYPES, ...LATER_TYPES] as const

export type MessageType = (typeof MESSAGE_TYPES)[number]

/** The type of a message; `undefined` for a type that the Bot API added after this list. */
export function messageType(message: JsonObject): MessageType | undefined {
  return MESSAGE_TYPES.find((type) => Object.hasOwn(message, type))
}

const FIELDS = {
  update_id: 'Number of the update, unique across chats.',
  update_type: 'Type of the update, for the types in `updates`.',
  message_id: 'Number of the message within its chat.',
  from: 'The sender: `id`, `is_bot`, `first_name`, `last_name`, `language_code`.',
  chat: 'The chat: `id`, `type`, and names or a title.',
  date: 'Time at which the message was sent, in seconds since 1970.',
  text: 'The text of a text message.',
  caption: 'The text below a photo, a video or a file.',
  command: 'The command at the beginning of a text or a caption, such as `/deploy`.',
  command_args: 'The text after the command.',
  command_bot:
    'The bot that the command names: `my_bot` of `/deploy@my_bot`; empty if it names no bot.',
  data: 'For `callback_query`: the value of the pressed button.',
  message: 'For `callback_query`: the message of the pressed button.',
  id: 'Id of a `callback_query`, with which it can be answered.',
}

const TYPES = SPECIFIED_TYPES.filter((type) => type !== 'text').map(
  (type) => [type, `Content of a message of the type \`${type}\`.`] as const,
)

/** The fields of a message that become step outputs. `items` and `on` contain all fields. */
export const MESSAGE_OUTPUTS = record([...Object.entries(FIELDS), ...TYPES])

/** The kinds that fire by default: a new message in a chat or a channel. */
const NEW_MESSAGES: readonly UpdateKind[] = ['message', 'channel_post']

/** The kinds that fire, including those in `updates`. The poll requests exactly these. */
export function firingKinds(updates: readonly UpdateKind[] = []): UpdateKind[] {
  return [...new Set([...NEW_MESSAGES, ...updates])]
}
