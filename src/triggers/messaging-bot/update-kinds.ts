/** Every kind of update that the Bot API has. Source: Bot API 10.3, type Update. */
export const UPDATE_KINDS = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_connection',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'guest_message',
  'stopped_message_generation',
  'message_reaction',
  'message_reaction_count',
  'inline_query',
  'chosen_inline_result',
  'callback_query',
  'shipping_query',
  'pre_checkout_query',
  'purchased_paid_media',
  'poll',
  'poll_answer',
  'my_chat_member',
  'chat_member',
  'chat_join_request',
  'chat_boost',
  'removed_chat_boost',
  'managed_bot',
  'subscription',
] as const

export type UpdateKind = (typeof UPDATE_KINDS)[number]

/** The kinds that fire without being asked for: a new message, in a chat or in a channel. */
export const NEW_MESSAGES: readonly UpdateKind[] = ['message', 'channel_post']

/** The kinds whose object is a message, so that it has a message type. */
export const MESSAGE_KINDS: ReadonlySet<string> = new Set<UpdateKind>([
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_message',
  'edited_business_message',
  'guest_message',
])
