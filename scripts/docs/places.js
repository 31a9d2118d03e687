import { code, table } from './table.js'

const built = new URL('../../build/triggers/', import.meta.url)
/** @type {typeof import('../../src/triggers/messaging-bot/places.ts')} */
const { UPDATE_KINDS, placeOf } = await import(new URL('messaging-bot/places.js', built).href)
/** @type {typeof import('../../src/triggers/slack/places.ts')} */
const { EVENT_PLACES } = await import(new URL('slack/places.js', built).href)

/** The kinds of update of a bot: where chat and user are, and how `reply` replies. */
export function updatesTable() {
  const rows = UPDATE_KINDS.map((kind) => {
    const { chat, user, reply } = placeOf(kind)
    const places = [...(chat ? [chat] : []), ...(user ? [user] : [])].map(code)
    return [code(kind), places.join(', '), reply === undefined ? 'no' : 'yes']
  })
  return table(['update', 'chat, user', '`reply`'], rows)
}

/** The events of Slack, and where the parts of an item are: a list, because a table would be too wide. */
export function slackEventsList() {
  return Object.entries(EVENT_PLACES)
    .map(([type, place]) => {
      const parts = Object.entries(place).map(([name, found]) => {
        return `${name} ${found.map(code).join(' or ')}`
      })
      return `- ${code(type)}: ${parts.join(', ')}`
    })
    .join('\n')
}
