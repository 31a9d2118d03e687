import type { Json, JsonObject } from '../../wire/json.ts'
import { isObject } from '../../wire/json.ts'
import { NotDelivered, type ReplyPorts } from './chat.ts'

/** How a sender's request is read again, for what is in no output. */
interface Reader {
  readonly trigger: string
  /** The item as it came, with its capability; `undefined` for a request of another kind. */
  readonly read: (body: Json) => JsonObject | undefined
  /** Names of what tells two items apart; the first is one that nobody can foresee. */
  readonly ids: readonly string[]
}

/**
 * The request that an item came from, out of this run's own event. Whatever lets its holder write into
 * somebody's chat stands there alone: outputs are printed in logs.
 *
 * @returns `undefined` where the event brought no such request, as in a run that was started otherwise
 * @throws NotDelivered when it brought another one
 */
export async function ownRequest(
  item: JsonObject,
  { trigger, read, ids }: Reader,
  { requests }: Pick<ReplyPorts, 'requests'>,
): Promise<JsonObject | undefined> {
  const own = (await requests()).filter((request) => request.trigger === trigger)
  const found = own.flatMap(({ body }) => {
    const event = read(body)
    return event ? [event] : []
  })
  if (found.length === 0) return undefined
  // Of several, a stranger may have sent some: only what tells a request from all others counts.
  const [first = ''] = ids
  const same = found.find((event) =>
    found.length === 1 ? agree(item, event, ids) : isSame(item, event, first),
  )
  if (same) return same
  throw new NotDelivered({
    message: `the item in "to" is not the one that this run's own event brought: nothing was sent`,
    hint: `an item is known by ${ids.join(', ')}: leave them in it`,
  })
}

function isSame(item: JsonObject, event: JsonObject, id: string): boolean {
  return isId(item[id]) && String(item[id]) === String(event[id])
}

/** Every id that the event has and the item kept is the same; the item kept at least one. */
function agree(item: JsonObject, event: JsonObject, ids: readonly string[]): boolean {
  const known = ids.filter((id) => isId(event[id]))
  const kept = known.filter((id) => isId(item[id]))
  if (known.length > 0 && kept.length === 0) return false
  return kept.every((id) => String(item[id]) === String(event[id]))
}

function isId(value: Json | undefined): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

/** The object under a name, or an empty one. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? (value as JsonObject) : {}
}
