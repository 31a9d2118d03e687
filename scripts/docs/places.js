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
    return [code(kind), optional(chat), optional(user), reply === undefined ? 'no' : code(reply)]
  })
  return table(['update', 'chat', 'user', '`reply`'], rows)
}

/** The events of Slack: where the parts of an item are. */
export function slackEventsTable() {
  const rows = Object.entries(EVENT_PLACES).map(([type, place]) => {
    const { channel, user, text, thread, message } = place
    return [code(type), ...[channel, user, text, thread, message].map(paths)]
  })
  const heads = ['event', 'channel_id', 'user_id', 'text', 'thread_ts', 'timestamp']
  return table([heads[0] ?? '', ...heads.slice(1).map(code)], rows)
}

/** @param {string | undefined} path */
function optional(path) {
  return path === undefined ? '' : code(path)
}

/** @param {readonly string[] | undefined} found */
function paths(found = []) {
  return found.map(code).join(', ')
}
