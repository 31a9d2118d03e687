import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import { counted } from '../wire/printable.ts'
import { type Decision, type Evaluation, runOfDecision } from './evaluation.ts'
import type { Scripts } from './scripts.ts'
import { type UnmetCondition, unmetConditions, unmetText, wantedText } from './unmet-conditions.ts'

/** A condition that an event did not meet: as data, and as a sentence. */
export interface Explanation {
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
  readonly scripts: Pick<Scripts, 'within'>
  /** True if a sentence may contain the value at a path of the event. Others read the logs of GitHub. */
  shows(path: string, value: Json): boolean
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
    const run = runOfDecision(runs, decision)
    const { filter } = run?.trigger.config ?? {}
    const isFiltered = decision.tally !== undefined && run !== undefined && filter !== undefined
    const items = run?.found.slice(0, MAX_ITEMS) ?? []
    const unmet = isFiltered ? await unmetConditions(filter, items, options.scripts, MAX_TIME) : []
    const all = [
      ...checkExplanations(decision),
      ...unmet.map((each) => filterExplanation(decision.trigger, each, options)),
      ...(decision.bodyFaults ?? []).map((fault) => {
        const sentence = `body: ${fault}`
        return { trigger: decision.trigger, condition: 'body', path: 'body', sentence }
      }),
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

/** The steps of `config` that dropped items, by the words of the tally: `deduplicate dropped 2`. */
const DROPPING_STEPS: Readonly<Record<string, (items: string) => string>> = {
  'skip dropped': (items) => `skip: config.skip left out ${items}`,
  'deduplicate dropped': (items) => `deduplicate: an earlier run already received ${items}`,
  'another run took': (items) => `deduplicate: another run took ${items}`,
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

/** The conditions of a filter that an event met, in the words of `Explanation`. */
export function metConditions(filter: JsonObject): string[] {
  return Object.entries(filter).flatMap(([path, wanted = null]) => {
    if (path === '$and' && Array.isArray(wanted)) {
      return wanted.flatMap((one) => (isObject(one) ? metConditions(one) : []))
    }
    const text = wantedText(wanted)
    if (path.startsWith('$')) return [`filter: ${path} is true: ${text}`]
    return [`filter: ${path} ${text.startsWith('{') ? 'matches' : 'is'} ${text}`]
  })
}

function filterExplanation(
  trigger: string,
  unmet: UnmetCondition,
  { shows }: ExplainOptions,
): Explanation {
  const { path, found, wanted } = unmet
  const isShown = found !== undefined && shows(path, found)
  const sentence = `filter: ${unmetText(unmet, isShown)}`
  return { trigger, condition: 'filter', path, ...(isShown && { found }), wanted, sentence }
}
