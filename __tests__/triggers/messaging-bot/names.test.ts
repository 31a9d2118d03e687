import { expect, test } from '@jest/globals'
import type { Message, Update } from 'grammy/types'
import { UPDATE_KINDS, type UpdateKind } from '../../../src/triggers/messaging-bot/places.ts'
import { MESSAGE_TYPES, type MessageType } from '../../../src/triggers/messaging-bot/updates.ts'
import { UPDATES } from '../../support/messages.ts'

/** Fields of a message that describe it, and are no message type. */
type About =
  | `${'message' | 'business_connection' | 'guest_query' | 'effect' | 'media_group'}_id`
  | `${'message_thread' | 'ephemeral_message'}_id`
  | `${'caption_' | ''}entities`
  | `${'' | 'sender_'}chat`
  | `is_${'automatic_forward' | 'paid_post' | 'from_offline' | 'topic_message'}`
  | `has_${'media_spoiler' | 'protected_content'}`
  | `reply_to_${'message' | 'checklist_task_id' | 'poll_option_id' | 'story'}`
  | `guest_bot_caller_${'user' | 'chat'}`
  | `sender_${'tag' | 'boost_count' | 'business_bot'}`
  | ('from' | 'date' | 'edit_date' | 'caption' | 'quote' | 'external_reply' | 'forward_origin')
  | ('receiver_user' | 'via_bot' | 'show_caption_above_media' | 'author_signature')
  | ('link_preview_options' | 'paid_star_count' | 'reply_markup' | 'direct_messages_topic')
  | 'suggested_post_info'

type Kind = Exclude<keyof Update, 'update_id'>

/** `true` unless a name is left; then these lines do not compile. */
type Nothing<Name> = [Name] extends [never] ? true : Name

const CHECKED_BY_THE_COMPILER: {
  missingKinds: Nothing<Exclude<Kind, UpdateKind>>
  inventedKinds: Nothing<Exclude<UpdateKind, Kind>>
  missingTypes: Nothing<Exclude<keyof Message, MessageType | About>>
  inventedTypes: Nothing<Exclude<MessageType, keyof Message>>
} = { missingKinds: true, inventedKinds: true, missingTypes: true, inventedTypes: true }

test("no name of the Bot API's types is missing or unknown", () => {
  expect(Object.values(CHECKED_BY_THE_COMPILER)).toEqual([true, true, true, true])
})

test('there are 27 kinds of update, each with an example here, and every type stands once', () => {
  expect(Object.keys(UPDATES).sort()).toEqual([...UPDATE_KINDS].sort())
  expect(UPDATE_KINDS).toHaveLength(27)
  expect(new Set(MESSAGE_TYPES).size).toBe(MESSAGE_TYPES.length)
})
