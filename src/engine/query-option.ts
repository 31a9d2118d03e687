import { PathMistake } from '../wire/data-path.ts'
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
  // mingo is loaded only if there is a query.
  const { mongoFor } = await import('./mongo.ts')
  const { compileQuery } = await import('./compiled-query.ts')
  const mongo = await mongoFor(query)
  const evaluate = () => {
    const work = compileQuery(option, query, mongo)
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

/** Messages of the library about the query are shown; its other messages may quote the item. */
export function failureReason(cause: unknown): string {
  if (cause instanceof ScriptFailure || cause instanceof PathMistake) return cause.message
  const message = cause instanceof Error ? cause.message : ''
  const known = /^(unknown|invalid|\$\w+|can't|cannot) /i.test(message) && message.length < 300
  return known ? message.replace(/\s+/g, ' ') : 'is not valid'
}
