import { record } from '../../wire/json.ts'
import { SPECIFIED_TYPES } from './message-types.ts'

const FIELDS = {
  update_id: 'Number of the update; it tells messages apart, across chats.',
  update_type: 'Kind of the update, for the kinds that `updates` names.',
  message_id: 'Number of the message within its chat.',
  from: 'Who sent it: `id`, `is_bot`, `first_name`, `last_name`, `language_code`.',
  chat: 'Where it was sent: `id`, `type`, and names or a title.',
  date: 'When it was sent, in seconds since 1970.',
  text: 'The text of a text message.',
  caption: 'The text below a photo, a video or a file.',
  data: 'What a pressed button carries, for `callback_query`.',
  message: 'The message that a pressed button belongs to, for `callback_query`.',
  id: 'Id of a `callback_query`, for answering it.',
}

const TYPES = SPECIFIED_TYPES.filter((type) => type !== 'text').map(
  (type) => [type, `What a message of the type \`${type}\` carries.`] as const,
)

/** The fields of a message that become outputs of their own. `items` and `on` hold all of them. */
export const MESSAGE_OUTPUTS = record([...Object.entries(FIELDS), ...TYPES])
