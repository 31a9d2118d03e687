import {
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
  scalarText,
  tryParseJson,
} from '../../wire/json.ts'
import type { Item } from '../trigger.ts'

/** The places of the parts of an event: paths from the event. The first path that exists counts. */
interface EventPlace {
  readonly channel?: readonly string[]
  readonly user?: readonly string[]
  readonly text?: readonly string[]
  /** Timestamp of the message that starts the thread. */
  readonly thread?: readonly string[]
  /** Timestamp of the message that the event is about. */
  readonly message?: readonly string[]
}

const MESSAGE: EventPlace = {
  channel: ['channel'],
  user: ['user'],
  text: ['text'],
  thread: ['thread_ts'],
  message: ['ts'],
}

const REACTION: EventPlace = { channel: ['item.channel'], user: ['user'], message: ['item.ts'] }

const FILE: EventPlace = { channel: ['channel_id'], user: ['user_id'] }

const PIN: EventPlace = {
  channel: ['channel_id', 'item.channel'],
  user: ['user'],
  text: ['item.message.text'],
  thread: ['item.message.thread_ts'],
  message: ['item.message.ts'],
}

const ASSISTANT: EventPlace = {
  channel: ['assistant_thread.channel_id'],
  user: ['assistant_thread.user_id'],
  thread: ['assistant_thread.thread_ts'],
}

const MEMBER: EventPlace = { channel: ['channel'], user: ['user'] }

/** https://docs.slack.dev/reference/events, by the type of an event; `message.…` by its subtype, too. */
export const EVENT_PLACES: Readonly<Record<string, EventPlace>> = {
  message: MESSAGE,
  'message.message_changed': {
    channel: ['channel'],
    user: ['message.user', 'previous_message.user'],
    text: ['message.text'],
    thread: ['message.thread_ts'],
    message: ['message.ts'],
  },
  'message.message_deleted': {
    channel: ['channel'],
    user: ['previous_message.user'],
    text: ['previous_message.text'],
    thread: ['previous_message.thread_ts'],
    message: ['deleted_ts'],
  },
  'message.message_replied': {
    channel: ['channel'],
    user: ['message.user'],
    text: ['message.text'],
    thread: ['message.thread_ts'],
    message: ['message.ts'],
  },
  app_mention: MESSAGE,
  reaction_added: REACTION,
  reaction_removed: REACTION,
  file_shared: FILE,
  file_created: FILE,
  pin_added: PIN,
  pin_removed: PIN,
  link_shared: {
    channel: ['channel'],
    user: ['user'],
    thread: ['thread_ts'],
    message: ['message_ts'],
  },
  assistant_thread_started: ASSISTANT,
  assistant_thread_context_changed: ASSISTANT,
  app_home_opened: MEMBER,
  member_joined_channel: MEMBER,
  member_left_channel: MEMBER,
  channel_created: { channel: ['channel'], user: ['channel.creator'] },
  channel_rename: { channel: ['channel'] },
  channel_archive: MEMBER,
  team_join: { user: ['user'] },
}

/** The places of an event that the table does not name: those that several types share. */
const ANY: EventPlace = {
  channel: ['channel', 'channel_id', 'item.channel', 'message.channel'],
  user: ['user', 'user_id', 'message.user'],
  text: ['text', 'message.text'],
  thread: ['thread_ts', 'message.thread_ts', 'item.message.thread_ts'],
  message: ['item.ts', 'item.message.ts', 'message.ts', 'message_ts', 'ts'],
}

/** https://docs.slack.dev/reference/interaction-payloads */
const INTERACTION: EventPlace = {
  channel: ['channel', 'container.channel_id'],
  user: ['user'],
  text: ['message.text'],
  thread: ['message.thread_ts', 'container.thread_ts'],
  message: ['message.ts', 'container.message_ts', 'message_ts'],
}

/** The parts of an event; `null` for a part that it does not have. */
interface EventParts {
  readonly channel_id: Json
  readonly user_id: Json
  readonly text: Json
  readonly thread_ts: Json
  readonly message_ts: Json
}

export function partsOfEvent(event: JsonObject): EventParts {
  const [type, subtype] = [scalarText(event.type), scalarText(event.subtype)]
  return partsOf(event, placesOf(`${type}.${subtype}`) ?? placesOf(type) ?? ANY)
}

function placesOf(type: string): EventPlace | undefined {
  return Object.hasOwn(EVENT_PLACES, type) ? EVENT_PLACES[type] : undefined
}

function partsOf(object: JsonObject, place: EventPlace): EventParts {
  const channel = first(object, place.channel)
  return {
    // A link that is shared before its message is sent has no channel yet.
    channel_id: channel === 'COMPOSER' ? null : channel,
    user_id: first(object, place.user),
    text: first(object, place.text),
    thread_ts: first(object, place.thread),
    message_ts: first(object, place.message),
  }
}

function first(object: JsonObject, paths: readonly string[] = []): Json {
  for (const path of paths) {
    const found = path
      .split('.')
      .reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), object)
    // Some events contain the whole user or channel, others only its id.
    const value = isObject(found) ? found.id : found
    if (value !== undefined && value !== null && value !== '') return value
  }
  return null
}

/** Whether a bot wrote or changed the message of an event, such as this app itself. */
function isOfBot(body: JsonObject, event: JsonObject): boolean {
  const messages = objectsIn([event, event.message ?? null, event.previous_message ?? null])
  const isBots = messages.some(
    ({ bot_id: bot, subtype }) =>
      (typeof bot === 'string' && bot !== '') || subtype === 'bot_message',
  )
  // Other events, such as a reaction, name the user of the app's own bot.
  const { user_id: user } = partsOfEvent(event)
  const own = objectsIn(body.authorizations)
  return isBots || own.some((one) => one.is_bot === true && user !== null && one.user_id === user)
}

export const NOT_SLACK = 'is not an event of Slack'

/** The item of a Slack request, including its secrets; or the reason that there is none. */
export function slackItem(body: JsonObject): Item | string {
  if (isObject(body.event)) return eventItem(body, body.event)
  if (typeof body.payload === 'string') return interactionItem(body.payload)
  if (typeof body.command === 'string') return { ...body, kind: 'command', is_bot: false }
  return typeof body.channel_id === 'string'
    ? { ...body, kind: 'message', is_bot: isOfBot(body, body) }
    : NOT_SLACK
}

/** https://api.slack.com/apis/events-api */
function eventItem(body: JsonObject, inner: JsonObject): Item {
  const { message_ts, ...parts } = partsOfEvent(inner)
  const timestamp = message_ts ?? inner.ts ?? inner.event_ts ?? null
  return { ...body, ...parts, timestamp, is_bot: isOfBot(body, inner), kind: 'event' }
}

/** https://api.slack.com/interactivity/handling */
function interactionItem(payload: string): Item | string {
  const body = tryParseJson(payload)
  if (!isObject(body)) return NOT_SLACK
  const { user, channel, team } = body
  const { message_ts, ...parts } = partsOf(body, INTERACTION)
  return {
    ...body,
    ...parts,
    kind: 'interaction',
    timestamp: message_ts,
    is_bot: false,
    user_name: isObject(user) ? (user.username ?? user.name ?? null) : null,
    channel_name: isObject(channel) ? (channel.name ?? null) : null,
    team_id: isObject(team) ? (team.id ?? null) : (team ?? null),
  }
}
