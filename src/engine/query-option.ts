import type { Item } from '../triggers/trigger.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Mongo } from './mongo.ts'
import {
  type QueryOutcome,
  type QueryResult,
  type QueryTask,
  ScriptFailure,
  type Scripts,
} from './scripts.ts'

/** Evaluates an option for all items within one time limit, in milliseconds. */
export async function evaluateQuery(
  { option, query, items }: QueryTask,
  limit: number,
  scripts: Pick<Scripts, 'within'>,
): Promise<QueryOutcome> {
  const { mongoFor } = await import('./mongo.ts')
  const mongo = await mongoFor(query)
  const evaluate = () => {
    const work = prepared(option, query, mongo)
    return items.map((item): QueryResult => {
      try {
        return { value: work(item) }
      } catch (cause) {
        return { reason: failureReason(cause) }
      }
    })
  }
  try {
    return { results: await scripts.within(limit, evaluate) }
  } catch (cause) {
    if (cause instanceof ScriptFailure) return { stopped: cause.message }
    return { invalid: failureReason(cause) }
  }
}

function prepared(
  option: QueryTask['option'],
  query: JsonObject,
  { Query, options, cloning }: Mongo,
): (item: Item) => boolean | string {
  if (option === 'filter') {
    const compiled = new Query(query, options)
    return (item) => compiled.test(item)
  }
  const all = new Query({}, cloning)
  // An operator may return a value that JSON does not have, such as a date.
  return (item) => JSON.stringify(all.find<Item>([item], query).all()[0] ?? {})
}

/** Messages of the library about the query are shown; its other messages may quote the item. */
export function failureReason(cause: unknown): string {
  if (cause instanceof ScriptFailure) return cause.message
  const message = cause instanceof Error ? cause.message : ''
  const known = /^(unknown|invalid|\$\w+|can't|cannot) /i.test(message) && message.length < 300
  return known ? message.replace(/\s+/g, ' ') : 'is not valid'
}
