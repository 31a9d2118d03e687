import { isObject, type Json, type JsonObject, valueAt } from '../wire/json.ts'

/** A condition of a filter that an item does not meet. */
export interface FilterMiss {
  /** `body.action` */
  readonly path: string
  /** `undefined` where the item has nothing there. */
  readonly found: Json | undefined
  /** As the filter writes it. */
  readonly wanted: Json
}

/**
 * The conditions of a filter that keep an item out, each by itself: what stands beside each other, and
 * within `$and`, must hold; any other operator at the top is one condition.
 */
export async function filterMisses(filter: JsonObject, item: JsonObject): Promise<FilterMiss[]> {
  const { Query, options } = await import('./mongo.ts')
  const holds = (query: JsonObject) => new Query(query, options).test(item)
  const look = (query: JsonObject): FilterMiss[] =>
    Object.entries(query).flatMap(([path, wanted]) => {
      if (path === '$and' && Array.isArray(wanted)) {
        return wanted.flatMap((one) => (isObject(one) ? look(one as JsonObject) : []))
      }
      if (holds({ [path]: wanted })) return []
      const found = path.startsWith('$') ? undefined : valueAt(item, path.split('.'))
      return [{ path, found, wanted }]
    })
  return look(filter)
}

/** In words: `filter: body.action is "closed", wanted "opened"`. */
export function missText({ path, found, wanted }: FilterMiss): string {
  if (path.startsWith('$')) return `filter: ${path} does not hold: ${JSON.stringify(wanted)}`
  const what = found === undefined ? 'is not there' : `is ${JSON.stringify(found)}`
  return `filter: ${path} ${what}, wanted ${JSON.stringify(wanted)}`
}
