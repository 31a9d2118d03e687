import {
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
  record,
  scalarText,
  without,
} from '../wire/json.ts'
import { payloads } from './senders/discord.ts'
import { serviceTrigger } from './service.ts'
import type { Item } from './trigger.ts'

/**
 * Reads Discord's requests to an app: interactions and webhook events.
 *
 * @see https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object
 */
export const discord = serviceTrigger({
  name: 'discord',
  description: 'Fires on a command, a button, a menu or a modal in Discord.',
  scheme: 'discord',
  key: 'id',
  outputs: {
    kind: '`command`, `button`, `menu`, `modal` or, for a webhook event, `event`.',
    id: 'Id of the interaction.',
    type: 'Type of the interaction: 2, 3 or 5, as Discord numbers them.',
    command: 'Name of the command, such as `deploy`; with subcommands `deploy prod start`.',
    options_map: 'Options of the command by their names.',
    custom_id: 'Id that the app gave to the button, menu or modal.',
    values: 'The chosen values of a menu.',
    fields_map: 'The inputs of a modal, by their `custom_id`.',
    text: 'For a button or menu, the text of its message.',
    user_id: 'Id of the user.',
    user_name: 'The name of that user.',
    is_bot: 'Whether a bot caused the event.',
    channel_id: 'Id of the channel.',
    guild_id: 'Id of the server; absent in a direct message.',
    application_id: 'Id of the app.',
    data: 'The resolved users, roles, channels and messages, as Discord describes them.',
    message: 'The message of a button or menu.',
    event: 'The webhook event; `type` names its type.',
  },
  stringOutputs: [
    'kind',
    'id',
    'command',
    'custom_id',
    'text',
    'user_id',
    'user_name',
    'channel_id',
    'guild_id',
    'application_id',
  ],
  columns: ['kind', 'command', 'custom_id', 'event.type', 'user_name'],
  read({ body }) {
    if (!isObject(body)) return NOT_DISCORD
    const item = discordItem(body)
    // The token can send messages as the app for 15 minutes, and other people read logs.
    return typeof item === 'string' ? item : without(item, ['token'])
  },
  payloads,
})

const NOT_DISCORD = 'is not an event of Discord'

const [PING, COMMAND, COMPONENT, AUTOCOMPLETE, MODAL] = [1, 2, 3, 4, 5]

/** https://docs.discord.com/developers/components/reference#component-object-component-types */
const BUTTON = 2

function discordItem(body: JsonObject): Item | string {
  const { type, data } = body
  if (isObject(body.event)) return { ...body, ...eventParts(body.event), kind: 'event' }
  // For webhook events, which have no token, 0 is a PING.
  if (type === PING || type === 0) return 'is a handshake'
  if (type === AUTOCOMPLETE) return 'is an autocomplete request'
  if (!isObject(data)) return NOT_DISCORD
  if (type === COMMAND) return { ...body, ...person(body), ...commandItem(data) }
  if (type === COMPONENT) return { ...body, ...person(body), ...component(data, body.message) }
  if (type !== MODAL) return NOT_DISCORD
  const { custom_id = null, components } = data
  const found = { kind: 'modal', custom_id, fields_map: record(inputs(components)) }
  return { ...body, ...person(body), ...found }
}

/** In a server the user is inside `member`; in a direct message it is `user`. */
function person({ member, user }: JsonObject): JsonObject {
  return userParts(isObject(member) && isObject(member.user) ? member.user : user)
}

/** https://docs.discord.com/developers/events/webhook-events: a message has an author, other events a user. */
function eventParts({ data }: JsonObject): JsonObject {
  if (!isObject(data)) return userParts(undefined)
  const { user, author, user_id, channel_id } = data
  const parts = userParts(author ?? user)
  return {
    ...parts,
    user_id: parts.user_id ?? user_id ?? null,
    ...(channel_id !== undefined && { channel_id }),
  }
}

function userParts(user: Json | undefined): JsonObject {
  if (!isObject(user)) return { user_id: null, user_name: null, is_bot: false }
  return {
    user_id: user.id ?? null,
    user_name: user.username ?? null,
    is_bot: user.bot === true,
  }
}

/** A subcommand is one of the options, and contains the options that the user set. */
function commandItem({ name = null, options }: JsonObject): JsonObject {
  const names = [scalarText(name)]
  let given = objectsIn(options)
  for (;;) {
    const [only] = given
    if (!only || (only.type !== 1 && only.type !== 2)) break
    names.push(scalarText(only.name))
    given = objectsIn(only.options)
  }
  const values = given.map((option) => [scalarText(option.name), option.value ?? null] as const)
  return { kind: 'command', command: names.join(' '), options_map: record(values) }
}

function component(data: JsonObject, message: Json | undefined): JsonObject {
  const { component_type, custom_id = null, values } = data
  const text = isObject(message) ? (message.content ?? null) : null
  const isButton = component_type === BUTTON
  return {
    kind: isButton ? 'button' : 'menu',
    custom_id,
    text,
    ...(values !== undefined && { values }),
  }
}

/** The inputs of a modal are in rows, or each is inside a label. */
function inputs(components: Json | undefined): (readonly [string, Json])[] {
  return objectsIn(components).flatMap((one) => {
    const value = one.value ?? one.values
    const own =
      typeof one.custom_id === 'string' && value !== undefined
        ? [[one.custom_id, value] as const]
        : []
    const below = isObject(one.component) ? [one.component] : one.components
    return [...own, ...inputs(below)]
  })
}
