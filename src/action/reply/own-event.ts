import { isObject, type Json, type JsonObject } from '../../wire/json.ts'
import { NotDelivered, type ReplyPorts } from './chat.ts'

/** How `reply` reads the original request, for values that are no output. */
interface EventReader {
  readonly trigger: string
  /** The item with its reply token or URL; `undefined` for a request of another kind. */
  readonly read: (body: Json) => JsonObject | undefined
  /** Fields that identify an item; the first one cannot be guessed. */
  readonly ids: readonly string[]
}

/**
 * The request that an item came from, read from the event that started this run. Reply tokens and URLs
 * let their holder write into the chat, so they are never outputs, which logs may show.
 *
 * @returns `undefined` if the event has no request for the trigger
 * @throws NotDelivered if the event has only other requests
 */
export async function ownRequest(
  item: JsonObject,
  { trigger, read, ids }: EventReader,
  { requests }: Pick<ReplyPorts, 'requests'>,
): Promise<JsonObject | undefined> {
  const own = (await requests()).filter((request) => request.trigger === trigger)
  const found = own.flatMap(({ body }) => {
    const event = read(body)
    return event ? [event] : []
  })
  if (found.length === 0) return undefined
  // Anyone may have sent the other requests of a batch, so only the id that cannot be guessed counts.
  const [first = ''] = ids
  const same = found.find((event) =>
    found.length === 1
      ? sameIds(item, event, ids)
      : isId(item[first]) && String(item[first]) === String(event[first]),
  )
  if (same) return same
  throw new NotDelivered({
    message:
      'the item in "to" does not belong to the event that started this run; nothing was sent',
    hint: `Keep these fields in the item: ${ids.join(', ')}`,
  })
}

/** True if all ids that both have are equal, and the item has at least one of the event's ids. */
function sameIds(item: JsonObject, event: JsonObject, ids: readonly string[]): boolean {
  const known = ids.filter((id) => isId(event[id]))
  const shared = known.filter((id) => isId(item[id]))
  if (known.length > 0 && shared.length === 0) return false
  return shared.every((id) => String(item[id]) === String(event[id]))
}

function isId(value: Json | undefined): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

/** The object under a name, or an empty object. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? value : {}
}
