import type { Item } from '../triggers/trigger.ts'
import { PathMistake } from '../wire/data-path.ts'
import { OptionError } from '../wire/errors.ts'
import { type Json, type JsonObject, parseJson } from '../wire/json.ts'
import type { Mongo } from './mongo.ts'
import {
  type QueryOutcome,
  type QueryResult,
  type QueryTask,
  ScriptFailure,
  type ScriptOutcome,
  type Scripts,
  type UserScript,
} from './scripts.ts'

export type OptionResult<Value> = { readonly value: Value } | { readonly reason: string }

/** Milliseconds for a query, a projection or a sort over all items: a pattern can take years. */
export const TIME_LIMIT = 500

/** Milliseconds for all items together when each item is evaluated by itself. */
const TOTAL_TIME_LIMIT = 30_000

/** The time for one item, if evaluating all items together took too long. */
function itemLimit(count: number, limit: number): number {
  return Math.max(50, Math.min(limit, Math.floor(TOTAL_TIME_LIMIT / count)))
}

/** Loads the library with its first use. */
export async function loadMongo(option: unknown): Promise<Mongo> {
  const { mongoFor } = await import('./mongo.ts')
  return mongoFor(option)
}

/**
 * Evaluates an option in MongoDB's language for each item. All items are evaluated within one time limit; if
 * they take longer, each item gets a limit of its own.
 *
 * @throws OptionError if the option does not compile
 */
export async function queryOutcomes(
  option: QueryTask['option'],
  query: JsonObject,
  scripts: Scripts,
  items: readonly Item[],
): Promise<readonly QueryResult[]> {
  const attempt = async (list: readonly Item[], limit: number) => {
    const outcome = await evaluateQuery({ option, query, items: list }, limit, scripts)
    if ('invalid' in outcome) throw new OptionError(option, `config.${option}: ${outcome.invalid}`)
    return 'results' in outcome ? outcome.results : outcome.stopped
  }
  const all = await attempt(items, TIME_LIMIT)
  if (typeof all !== 'string') return all
  if (items.length === 1) return [{ reason: all }]
  const outcomes: QueryResult[] = []
  for (const one of items) {
    const own = await attempt([one], itemLimit(items.length, TIME_LIMIT))
    outcomes.push(...(typeof own === 'string' ? [{ reason: own }] : own))
  }
  return outcomes
}

/** Milliseconds for a script with one item, if the script took too long for all items. */
const SCRIPT_LIMIT = 2_000

/**
 * Runs a script for each item. If the script is stopped, each item is tried by itself, so that one item
 * does not stop the others.
 *
 * @throws OptionError if the script does not compile
 */
export async function scriptOutcomes(
  scripts: Scripts,
  script: UserScript,
  items: readonly Item[],
): Promise<OptionResult<Json | undefined>[]> {
  if (items.length === 0) return []
  const texts = JSON.stringify(items)
  const attempt = async (
    one: UserScript,
    limit?: number,
  ): Promise<OptionResult<Json | undefined>[] | string> => {
    try {
      return (await scripts.run(one, texts, limit)).map(scriptResult)
    } catch (cause) {
      if (!(cause instanceof ScriptFailure)) throw cause
      if (!cause.message.startsWith('does not compile')) return cause.message
      const message = `config.${script.option}: ${cause.message}`
      throw new OptionError(script.option, message, { cause })
    }
  }
  const all = await attempt(script)
  if (typeof all !== 'string') return all
  if (script.isOnce || items.length === 1) return [{ reason: all }]
  const outcomes: OptionResult<Json | undefined>[] = []
  for (const only of items.keys()) {
    const own = await attempt({ ...script, only }, itemLimit(items.length, SCRIPT_LIMIT))
    outcomes.push(...(typeof own === 'string' ? [{ reason: own }] : own))
  }
  return outcomes
}

function scriptResult({ json, failure: reason }: ScriptOutcome): OptionResult<Json | undefined> {
  if (reason !== undefined) return { reason }
  try {
    return { value: json === undefined ? undefined : parseJson(json) }
  } catch {
    return { reason: 'returned a value that is nested too deeply' }
  }
}

/** Evaluates an option for all items within one time limit, in milliseconds. */
export async function evaluateQuery(
  { option, query, items }: QueryTask,
  limit: number,
  scripts: Pick<Scripts, 'within'>,
): Promise<QueryOutcome> {
  // mingo is loaded only if there is a query.
  const { compileQuery, mongoFor } = await import('./mongo.ts')
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
