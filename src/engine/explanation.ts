import { hasBacktracking } from '../triggers/mongo-operators.ts'
import { isObject, type Json, type JsonObject, valueAt } from '../wire/json.ts'
import { counted } from '../wire/printable.ts'
import type { Decision, Evaluation } from './evaluation.ts'
import { ScriptFailure, type Scripts } from './scripts.ts'

/** A condition that an event did not meet: as data, and as a sentence. */
export interface Explanation {
  /** Name of the trigger. */
  readonly trigger: string
  /** The option with the condition: `method`, `path`, `verify`, `filter`, `deduplicate`, … */
  readonly condition: string
  /** Path of the value in the item: `body.action`; `null` if the condition reads no single value. */
  readonly path: string | null
  /** The value in the event; absent if there is none, or if values are hidden. */
  readonly found?: Json
  /** The value that the condition accepts; for `filter`, as the filter writes it. */
  readonly wanted?: Json
  /** `filter: body.action is "closed", wanted "opened"` */
  readonly sentence: string
}

interface ExplainOptions {
  /** Bounds the time of a filter, because a pattern can take years. */
  readonly scripts: Pick<Scripts, 'within' | 'query'>
  /** Whether sentences may contain values of the event. Logs of GitHub are read by others. */
  readonly showValues: boolean
}

/** Milliseconds for all conditions of one filter. */
const MAX_TIME = 500

/** Items of a trigger that are compared with its filter, condition by condition. */
const MAX_ITEMS = 20

/** Explanations of one trigger. */
const MAX_EXPLANATIONS = 20

/** Every condition that kept an event, or some of its items, from starting a job. */
export async function explain(
  { decisions, runs }: Pick<Evaluation, 'decisions' | 'runs'>,
  options: ExplainOptions,
): Promise<Explanation[]> {
  const explained = decisions.map(async (decision) => {
    const run = runs.find(({ trigger }) => trigger.name === decision.trigger)
    const { filter } = run?.trigger.config ?? {}
    const isFiltered = decision.tally !== undefined && run !== undefined && filter !== undefined
    const items = run?.found.slice(0, MAX_ITEMS) ?? []
    const unmet = isFiltered ? await unmetConditions(filter, items, options) : []
    const all = [
      ...checkExplanations(decision),
      ...unmet.map((each) => filterExplanation(decision.trigger, each, options)),
      ...bodyExplanations(decision),
      ...stepExplanations(decision),
    ]
    const unique = new Map(all.map((each) => [each.sentence, each]))
    return [...unique.values()].slice(0, MAX_EXPLANATIONS)
  })
  return (await Promise.all(explained)).flat()
}

/** The first condition of method, path and signature that is not met. */
function checkExplanations({ trigger, checks }: Decision): Explanation[] {
  return checks
    .filter(({ held }) => !held)
    .map(({ option, found, actual, wanted }) => ({
      trigger,
      condition: option,
      path: option === 'method' || option === 'path' ? option : null,
      ...(actual !== undefined && { found: actual }),
      ...(wanted !== undefined && { wanted }),
      sentence: `${option}: ${found}`,
    }))
}

function bodyExplanations({ trigger, bodyFaults = [] }: Decision): Explanation[] {
  return bodyFaults.map((fault) => {
    return { trigger, condition: 'body', path: 'body', sentence: `body: ${fault}` }
  })
}

/** The steps of `config` that dropped items, by the words of the tally: `deduplicate dropped 2`. */
const DROPPING_STEPS: Readonly<Record<string, (items: string) => string>> = {
  'skip dropped': (items) => `skip: config.skip left out ${items}`,
  'deduplicate dropped': (items) => `deduplicate: an earlier run already received ${items}`,
  'deduplicate held back': (items) => `deduplicate: another run is processing ${items}`,
  'deduplicate only recorded': (items) => `skipFirst: the first run only recorded ${items}`,
  'limit held back': (items) => `limit: config.limit left ${items} to a later run`,
}

function stepExplanations({ trigger, tally }: Decision): Explanation[] {
  return (tally?.steps ?? []).flatMap((step) => {
    const [, words = '', count = ''] = /^(.+?) (\d+)$/.exec(step) ?? []
    const sentence = DROPPING_STEPS[words]?.(counted(Number(count), 'item'))
    if (sentence === undefined) return []
    return [{ trigger, condition: sentence.split(':')[0] ?? '', path: null, sentence }]
  })
}

/** A condition of a filter that an item does not meet. */
interface UnmetCondition {
  /** `body.action`, or an operator such as `$or`. */
  readonly path: string
  /** `undefined` if the item has no value there. */
  readonly found: Json | undefined
  /** As the filter writes it. */
  readonly wanted: Json
}

/**
 * Evaluates each condition of a filter by itself; an operator other than `$and` is one condition.
 *
 * @returns none if the evaluation takes too long
 */
async function unmetConditions(
  filter: JsonObject,
  items: readonly JsonObject[],
  { scripts }: ExplainOptions,
): Promise<UnmetCondition[]> {
  // Such a pattern is evaluated in another thread; it would block this one.
  if (scripts.query && hasBacktracking(filter)) return []
  const { mongoFor } = await import('./mongo.ts')
  const { Query, options } = await mongoFor(filter)
  const unmet = (query: JsonObject, item: JsonObject): UnmetCondition[] =>
    Object.entries(query).flatMap(([path, wanted]) => {
      if (path === '$and' && Array.isArray(wanted)) {
        return wanted.flatMap((one) => (isObject(one) ? unmet(one as JsonObject, item) : []))
      }
      if (new Query({ [path]: wanted }, options).test(item)) return []
      const found = path.startsWith('$') ? undefined : valueAt(item, path.split('.'))
      return [{ path, found, wanted: wanted ?? null }]
    })
  try {
    return await scripts.within(MAX_TIME, () => items.flatMap((item) => unmet(filter, item)))
  } catch (error) {
    if (error instanceof ScriptFailure) return []
    throw error
  }
}

/**
 * The wanted value of a filter in words: `"opened"`, or `one of "opened", "closed"` for `$in`. Any other
 * operator is shown as the filter writes it.
 */
export function wantedText(wanted: Json): string {
  const operators = isObject(wanted) ? Object.entries(wanted) : []
  const [[operator, values] = []] = operators
  return operators.length === 1 && operator === '$in' && Array.isArray(values)
    ? `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
    : JSON.stringify(wanted)
}

/** The conditions of a filter that an event met, in the words of `Explanation`. */
export function metConditions(filter: JsonObject): string[] {
  return Object.entries(filter).flatMap(([path, wanted = null]) => {
    if (path === '$and' && Array.isArray(wanted)) {
      return wanted.flatMap((one) => (isObject(one) ? metConditions(one as JsonObject) : []))
    }
    const text = wantedText(wanted)
    if (path.startsWith('$')) return [`filter: ${path} is true: ${text}`]
    return [`filter: ${path} ${text.startsWith('{') ? 'matches' : 'is'} ${text}`]
  })
}

function filterExplanation(
  trigger: string,
  { path, found, wanted }: UnmetCondition,
  { showValues }: ExplainOptions,
): Explanation {
  const isShown = showValues && found !== undefined
  const condition = { trigger, condition: 'filter', path, ...(isShown && { found }), wanted }
  const text = wantedText(wanted)
  if (path.startsWith('$'))
    return { ...condition, sentence: `filter: ${path} is not true: ${text}` }
  if (found === undefined)
    return { ...condition, sentence: `filter: ${path} is missing, wanted ${text}` }
  const value = showValues ? JSON.stringify(found) : 'another value'
  return { ...condition, sentence: `filter: ${path} is ${value}, wanted ${text}` }
}
