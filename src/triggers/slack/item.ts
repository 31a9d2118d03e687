import { isObject, type Json, type JsonObject, tryParseJson } from '../../wire/json.ts'
import type { Item } from '../trigger.ts'

export const NOT_SLACK = 'is not an event of Slack'

/** The item of a Slack request, including its secrets; or the reason that there is none. */
export function slackItem(body: JsonObject): Item | string {
  if (isObject(body.event)) return eventItem(body, body.event)
  if (typeof body.payload === 'string') return interactionItem(body.payload)
  if (typeof body.command === 'string') return { ...body, kind: 'command' }
  return typeof body.channel_id === 'string' ? { ...body, kind: 'message' } : NOT_SLACK
}

/** https://api.slack.com/apis/events-api */
function eventItem(body: JsonObject, inner: JsonObject): Item {
  const { text = null, user, channel, ts, event_ts } = inner
  const found = { text, user_id: idOf(user), channel_id: idOf(channel) }
  return { ...body, ...found, timestamp: ts ?? event_ts ?? null, kind: 'event' }
}

/** https://api.slack.com/interactivity/handling */
function interactionItem(payload: string): Item | string {
  const body = tryParseJson(payload)
  if (!isObject(body)) return NOT_SLACK
  const { user, channel, team, message } = body
  return {
    ...body,
    kind: 'interaction',
    text: isObject(message) ? (message.text ?? null) : null,
    user_id: idOf(user),
    user_name: isObject(user) ? (user.username ?? user.name ?? null) : null,
    channel_id: idOf(channel),
    channel_name: isObject(channel) ? (channel.name ?? null) : null,
    team_id: idOf(team),
  }
}

/** Some events and every interaction contain the whole user or channel, others only its id. */
function idOf(value: Json | undefined): Json {
  return (isObject(value) ? value.id : value) ?? null
}
