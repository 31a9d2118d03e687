import type { Item } from '../triggers/trigger.ts'
import { isObject, type Json, type JsonObject, record } from '../wire/json.ts'
import type { Mongo } from './mongo.ts'
import { projectionOf } from './projection.ts'
import type { QueryTask } from './scripts.ts'

/** An option as a function of an item: of `filter` a boolean, of `filterOutputs` the JSON of the result. */
export function compileQuery(
  option: QueryTask['option'],
  query: JsonObject,
  { Query, options }: Mongo,
): (item: Item) => boolean | string {
  if (option === 'filter') {
    const compiled = new Query(query, options)
    return (item) => compiled.test(comparable(item))
  }
  const all = new Query({}, options)
  const prepare = projectionOf(query)
  return (item) => {
    const { item: encoded, query: paths, decode } = prepare(item)
    // A projection that removes fields removes them from the given item. mingo's own copy would take
    // a key `__proto__` for the prototype.
    const [result = {}] = all.find<Item>([structuredClone(encoded)], paths).all()
    return decode(result)
  }
}

/** An item whose records equal the mappings of a query. */
function comparable(item: Item): Item {
  const members = Object.entries(item).map(
    ([name, value]) => [name, isObject(value) ? withPrototypes(value) : value] as const,
  )
  return record(members)
}

/** Records have no prototype, and mingo takes them for another type than the mappings of a query. */
function withPrototypes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withPrototypes)
  if (!isObject(value) || Object.getPrototypeOf(value) !== null) return value
  const members = Object.entries(value as JsonObject)
  return Object.fromEntries(members.map(([name, inner]) => [name, withPrototypes(inner)]))
}
