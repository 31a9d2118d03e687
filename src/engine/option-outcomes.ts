import type { Item } from '../triggers/trigger.ts'
import { PathMistake } from '../wire/data-path.ts'
import { OptionError } from '../wire/errors.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { type OptionResult, ScriptFailure, type Scripts, type UserScript } from './scripts.ts'

/** Milliseconds for a query, a projection or a sort over all items: a pattern can take years. */
export const TIME_LIMIT = 500

/** Milliseconds for a script with one item, if the script took too long for all items. */
const SCRIPT_LIMIT = 2_000

/** Milliseconds for all items together when each item is evaluated by itself. */
const TOTAL_TIME_LIMIT = 30_000

/**
 * Evaluates an option in MongoDB's language for each item: `filter` to a boolean, `filterOutputs` to the
 * JSON of the reduced item.
 *
 * @throws OptionError if the option does not compile
 */
export async function queryOutcomes(
  option: 'filter' | 'filterOutputs',
  query: JsonObject,
  scripts: Pick<Scripts, 'within'>,
  items: readonly Item[],
): Promise<readonly OptionResult<boolean | string>[]> {
  // mingo is loaded only if there is a query.
  const { compileQuery, mongoFor } = await import('./mongo.ts')
  const mongo = await mongoFor(query)
  const evaluate = (list: readonly Item[]) => {
    let work: ReturnType<typeof compileQuery>
    try {
      work = compileQuery(option, query, mongo)
    } catch (cause) {
      throw new OptionError(option, `config.${option}: ${failureReason(cause)}`, { cause })
    }
    return list.map((item) => {
      try {
        return { value: work(item) }
      } catch (cause) {
        return { reason: failureReason(cause) }
      }
    })
  }
  return outcomesOf(option, items.length, TIME_LIMIT, (only, limit = TIME_LIMIT) =>
    scripts.within(limit, () => evaluate(only === undefined ? items : items.slice(only, only + 1))),
  )
}

/**
 * Runs a script for each item.
 *
 * @throws OptionError if the script does not compile
 */
export async function scriptOutcomes(
  scripts: Scripts,
  script: UserScript,
  items: readonly Item[],
): Promise<readonly OptionResult<Json | undefined>[]> {
  if (items.length === 0) return []
  const texts = JSON.stringify(items)
  const count = script.isOnce ? 1 : items.length
  return outcomesOf(script.option, count, SCRIPT_LIMIT, (only, limit) =>
    scripts.run({ ...script, only }, texts, limit),
  )
}

/**
 * The results for all items. If they take too long together, each item is evaluated by itself within a
 * limit of its own, so that one item does not stop the others.
 *
 * @param most milliseconds for one item
 * @param evaluate evaluates one item, or all within the usual limit
 */
async function outcomesOf<Value>(
  option: string,
  count: number,
  most: number,
  evaluate: (only?: number, limit?: number) => Promise<readonly OptionResult<Value>[]>,
): Promise<readonly OptionResult<Value>[]> {
  const attempt = async (only?: number, limit?: number) => {
    try {
      return await evaluate(only, limit)
    } catch (cause) {
      if (!(cause instanceof ScriptFailure)) throw cause
      if (!cause.message.startsWith('does not compile')) return [{ reason: cause.message }]
      throw new OptionError(option, `config.${option}: ${cause.message}`, { cause })
    }
  }
  const all = await attempt()
  // If all together were stopped, for their time or memory, there is one reason for all items.
  if (all.length === count) return all
  const limit = Math.max(50, Math.min(most, Math.floor(TOTAL_TIME_LIMIT / count)))
  const outcomes: OptionResult<Value>[] = []
  for (let only = 0; only < count; only++) outcomes.push(...(await attempt(only, limit)))
  return outcomes
}

/** Messages of the library about the query are shown; its other messages may quote the item. */
export function failureReason(cause: unknown): string {
  if (cause instanceof ScriptFailure || cause instanceof PathMistake) return cause.message
  const { message, name } = cause instanceof Error ? cause : { message: '', name: 'an error' }
  const known = ABOUT_QUERY.test(message) && message.length < 300
  return known ? message.replace(/\s+/g, ' ') : `cannot be computed: the library fails with ${name}`
}

const ABOUT_QUERY =
  /^(?:unknown|invalid|\$\w+|can't|cannot|path collision|fieldpath|expression must|not a valid|query criteria|use of|accessing|accumulator|arguments must) /i
