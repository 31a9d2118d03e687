import { isObject, type JsonObject, tryParseJson } from '../../wire/json.ts'
import type { Item } from '../trigger.ts'
import { isOfBot, partsOfEvent, partsOfInteraction } from './places.ts'

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
  const { message_ts, ...parts } = partsOfInteraction(body as JsonObject) // parsed from JSON
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
