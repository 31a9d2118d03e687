import type { ClaimedKey, KeyState, KeyStatus, SeenKeys } from '../state/store.ts'
import type { Config, KeyPaths } from '../triggers/config-options.ts'
import type { Item } from '../triggers/trigger.ts'
import { OptionError } from '../wire/errors.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  type SentDigits,
  typeName,
} from '../wire/json.ts'
import { type Message, notice } from '../wire/messages.ts'
import { counted } from '../wire/printable.ts'
import { type Found, type ItemDelivery, itemKey } from './deduplication-keys.ts'
import { failureReason, queryOutcomes, scriptOutcomes, TIME_LIMIT } from './option-outcomes.ts'
import type { OptionResult, Scripts } from './scripts.ts'
import { isSuspicious, unmetConditions, unmetText } from './unmet-conditions.ts'

/** The values that all steps of the pipeline share. */
interface StepContext {
  readonly config: Config
  readonly keys: KeyPaths
  /** Whether equal items are dropped: `shouldDeduplicate`, or the default of the trigger. */
  readonly deduplicate: boolean
  /** The keys of earlier runs, if the store was read. */
  readonly seen: SeenKeys | undefined
  /** A polled item that is held back comes again; an item of a webhook would be lost. */
  readonly isPolled: boolean
  readonly scripts: Scripts
}

export interface Candidate {
  /** Its index among the items that the trigger found. */
  readonly index: number
  readonly item: Item
  readonly identity: Json
  readonly delivery?: ItemDelivery
  readonly digits?: SentDigits
  /** Its deduplication key, after the step `deduplicate`. */
  readonly key?: string
}

/** An item that a step could not process. */
export interface FailedItem {
  readonly candidate: Candidate
  /** The option that failed: `format`. */
  readonly option: string
  /** Why, without any part of the payload: `timed out after 500 ms`. */
  readonly reason: string
}

export interface PipelineResult {
  /** The items for the jobs, in order. */
  readonly kept: readonly Candidate[]
  /** Items for a later run. */
  readonly heldBack: readonly Candidate[]
  /** Items that are not passed on, but count as seen. */
  readonly recorded: readonly Candidate[]
  readonly failed: readonly FailedItem[]
  /** One line for each step that changed something: `filter dropped 3`. */
  readonly log: readonly string[]
  /** Why items were dropped, if an option may be wrong; without values of the event. */
  readonly reasons: readonly string[]
  readonly messages: readonly Message[]
}

/** The result of one step. An item that is in none of the lists is dropped; `log` lacks the number of items. */
type StepResult = Pick<PipelineResult, 'kept'> & Partial<PipelineResult>

interface PipelineStep {
  readonly name: string
  readonly apply: (
    items: readonly Candidate[],
    context: StepContext,
  ) => StepResult | Promise<StepResult>
}

/** The pipeline. Deduplication comes before `limit`, so that known items do not use up the limit. */
export const STEPS: readonly PipelineStep[] = [
  { name: 'filter', apply: filter },
  { name: 'filterScript', apply: filterScript },
  { name: 'sort', apply: sort },
  { name: 'skip', apply: skip },
  { name: 'deduplicate', apply: deduplicate },
  { name: 'limit', apply: limit },
  { name: 'project', apply: project },
  { name: 'format', apply: format },
]

/**
 * Sends items through all steps. An item that fails in a step leaves the pipeline, and the others go on,
 * if at least one other item passed the same step: then the fault is the item's, not the workflow's.
 *
 * @throws ItemsFailed for a mistake in `config`: an option that fails for every item; and for any failed
 *   item of a webhook that is not a batch, or if `config.failOnItemError` is true
 */
export async function runPipeline(
  found: readonly Found[],
  context: StepContext,
): Promise<PipelineResult> {
  const { failOnItemError, batch } = context.config
  const toleratesFailures = !failOnItemError && (context.isPolled || batch)
  let result: PipelineResult = {
    kept: found.map((one, index) => ({ ...one, index })),
    heldBack: [],
    recorded: [],
    failed: [],
    log: [],
    reasons: [],
    messages: [],
  }
  for (const { name, apply } of STEPS) {
    const step = await apply(result.kept, context)
    const {
      kept,
      heldBack = [],
      recorded = [],
      failed = [],
      log = [],
      reasons = [],
      messages = [],
    } = step
    const left = [...kept, ...heldBack, ...recorded, ...failed].length
    const isMistake = failed.length === result.kept.length
    if (failed[0] && (isMistake || !toleratesFailures)) throw new ItemsFailed(failed[0], failed)
    result = {
      kept,
      heldBack: [...result.heldBack, ...heldBack],
      recorded: [...result.recorded, ...recorded],
      failed: [...result.failed, ...failed],
      log: [
        ...result.log,
        ...countLine(`${name} dropped`, result.kept.length - left),
        ...countLine(`${name} held back`, heldBack.length),
        ...countLine(`${name} only recorded`, recorded.length),
        ...countLine(`${name} failed for`, failed.length),
        ...log,
      ],
      reasons: [...result.reasons, ...reasons],
      messages: [...result.messages, ...messages],
    }
  }
  return result
}

/** An option failed for items without which the run cannot go on. */
export class ItemsFailed extends OptionError {
  readonly failed: readonly FailedItem[]

  constructor({ option, reason }: FailedItem, failed: readonly FailedItem[]) {
    const extent = failed.length > 1 ? ` (${counted(failed.length, 'item')})` : ''
    super(option, `config.${option}: ${reason}${extent}`)
    this.failed = failed
  }
}

function countLine(what: string, count: number): string[] {
  return count > 0 ? [`${what} ${count}`] : []
}

async function filter(items: readonly Candidate[], context: StepContext): Promise<StepResult> {
  const { filter: query } = context.config
  if (query === undefined) return { kept: items }
  const outcomes = await queryOutcomes('filter', query, context.scripts, itemsOf(items))
  const { passed, failed } = splitOutcomes('filter', items, outcomes)
  const kept = passed.flatMap(({ candidate, value }) => (value ? [candidate] : []))
  const dropped = passed.flatMap(({ candidate, value }) => (value ? [] : [candidate.item]))
  return { kept, failed, reasons: await filterReasons(query, dropped, context) }
}

/** Dropped items whose reasons are looked for, and reasons that are shown. */
const MAX_DROPPED = 20
const MAX_REASONS = 3

/** Milliseconds for the reasons, which are only additional. */
const REASONS_LIMIT = 100

async function filterReasons(
  query: JsonObject,
  dropped: readonly Item[],
  { scripts }: StepContext,
): Promise<string[]> {
  if (dropped.length === 0) return []
  const unmet = await unmetConditions(query, dropped.slice(0, MAX_DROPPED), scripts, REASONS_LIMIT)
  const texts = unmet.filter(isSuspicious).map((one) => `filter: ${unmetText(one, false)}`)
  return [...new Set(texts)].slice(0, MAX_REASONS)
}

async function filterScript(
  items: readonly Candidate[],
  { config: { filterScript: body }, scripts }: StepContext,
): Promise<StepResult> {
  if (body === undefined) return { kept: items }
  const script = {
    option: 'filterScript',
    parameters: ['item', 'index', 'items'],
    body,
    call: '((kept) => (kept === undefined ? null : Boolean(kept)))(invoke(item, index, items))',
  }
  const outcomes = await scriptOutcomes(scripts, script, itemsOf(items))
  const { passed, failed } = splitOutcomes('filterScript', items, outcomes)
  const hasReturn = /\breturn\b/.test(body)
  const reasons = !hasReturn && passed.some(({ value }) => value === null) ? [NO_RETURN] : []
  const kept = passed.flatMap(({ candidate, value }) => (value ? [candidate] : []))
  return { kept, failed, reasons }
}

const NO_RETURN = 'filterScript: returned nothing; write "return" before the condition'

/** Sorts by `sort`, then by `sortScript`; equal items keep their order. */
async function sort(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  const { sort: specification = {}, sortScript: body } = config
  const fields = Object.entries(specification)
  let sorted = items
  if (fields.length > 0) {
    try {
      sorted = await sortedBy(fields, items, scripts)
    } catch (cause) {
      throw new OptionError('sort', `config.sort: ${failureReason(cause)}`, { cause })
    }
  }
  return body === undefined ? { kept: sorted } : sortByScript(body, sorted, scripts)
}

async function sortedBy(
  fields: readonly (readonly [path: string, way: 1 | -1])[],
  items: readonly Candidate[],
  scripts: Scripts,
): Promise<readonly Candidate[]> {
  const { read, selectorOf } = await import('./mongo-paths.ts')
  const order = Object.fromEntries(fields.map(([, way], at) => [String(at), way] as const))
  const { mongoFor } = await import('./mongo.ts')
  const { Query, options } = await mongoFor(order)
  return scripts.within(TIME_LIMIT, () => {
    const selectors = fields.map(([path]) => selectorOf(path))
    const rows = items.map((candidate) => {
      const values = selectors.map((selector, at) => [String(at), read(candidate.item, selector)])
      return { ...Object.fromEntries(values), candidate }
    })
    const all = new Query({}, options).find<(typeof rows)[number]>(rows).sort(order).all()
    return all.map(({ candidate }) => candidate)
  })
}

/** A comparison concerns two items, so a failing item is found by comparing each item to itself. */
async function sortByScript(
  body: string,
  items: readonly Candidate[],
  scripts: Scripts,
): Promise<StepResult> {
  const script = {
    option: 'sortScript',
    parameters: ['a', 'b'],
    body,
    call: 'items.map((_, at) => at).sort((a, b) => invoke(items[a], items[b]))',
    isOnce: true,
  }
  const orderOf = async (list: readonly Candidate[]) => {
    const [outcome] = await scriptOutcomes(scripts, script, itemsOf(list))
    // returned by `call`
    return outcome && 'value' in outcome ? (outcome.value as number[]) : outcome?.reason
  }
  if (items.length === 0) return { kept: [] }
  const order = await orderOf(items)
  if (Array.isArray(order)) return { kept: order.flatMap((index) => items[index] ?? []) }
  const probe = { ...script, call: 'invoke(item, item)', isOnce: false }
  const split = splitOutcomes(
    'sortScript',
    items,
    await scriptOutcomes(scripts, probe, itemsOf(items)),
  )
  const comparable = split.passed.map(({ candidate }) => candidate)
  const second = split.failed.length > 0 && comparable.length > 0 && (await orderOf(comparable))
  if (Array.isArray(second)) {
    return { kept: second.flatMap((index) => comparable[index] ?? []), failed: split.failed }
  }
  const reason = order ?? 'failed'
  return { kept: [], failed: items.map((candidate) => failure('sortScript', candidate, reason)) }
}

function skip(items: readonly Candidate[], { config }: StepContext): StepResult {
  return { kept: items.slice(config.skip ?? 0) }
}

/**
 * Drops duplicates within this run and, with a store, of earlier runs. Another run may still process an
 * item and may fail: a polled item is held back then, and of a webhook the user is told which run to run
 * again. With `skipFirst`, the first run only records its items.
 */
async function deduplicate(items: readonly Candidate[], context: StepContext): Promise<StepResult> {
  const { config, keys, seen, isPolled } = context
  const onlyRecords = config.skipFirst && seen?.isFirstRun && !config.force
  if (!context.deduplicate) return onlyRecords ? { kept: [], recorded: items } : { kept: items }
  const keyed = await Promise.all(
    items.map(async (candidate) => ({ ...candidate, ...(await itemKey(candidate, keys)) })),
  )
  const notices = new Map(
    keyed.flatMap((one) => (one.notice ? [[one.notice.text, one.notice]] : [])),
  )
  const messages = [...notices.values()].map(({ code, text }) => notice(code, text))
  const first = new Map<string, (typeof keyed)[number]>()
  for (const one of keyed) if (!first.has(one.key)) first.set(one.key, one)
  const unique = [...first.values()]
  if (onlyRecords) {
    // A duplicate has no key here, because the key is recorded once.
    const recorded = keyed.map((one, at) => (first.get(one.key) === one ? one : (items[at] ?? one)))
    return { kept: [], recorded, messages }
  }
  if (config.force || !seen) return { kept: unique, messages }
  const states = () =>
    unique.map((candidate) => {
      return { candidate, ...seen.keyState(claimedKey(candidate.key, candidate.delivery)) }
    })
  const blocking = states().flatMap(({ status, run }) => (status === 'claimed' && run) || [])
  // Asking costs one more API call, so it is done only if a claim is in the way.
  if (blocking.length > 0) await seen.freeEnded?.([...new Set(blocking)])
  const current = states()
  const ofStatus = (wanted: KeyStatus) => current.filter(({ status }) => status === wanted)
  const claimed = ofStatus('claimed')
  const { log, duplicates } = claimedElsewhere(claimed)
  return {
    kept: ofStatus('new').map(({ candidate }) => candidate),
    heldBack: isPolled ? claimed.map(({ candidate }) => candidate) : [],
    log,
    messages: isPolled ? messages : [...messages, ...duplicates],
  }
}

/** A key as the store knows it, with the mark of its delivery. */
export function claimedKey(key: string, delivery: ItemDelivery | undefined): ClaimedKey {
  return { key, delivery: delivery?.mark, isReplay: delivery?.isReplay }
}

/** The runs that process items which this run was not given. */
export function claimedElsewhere(claimed: readonly KeyState[]) {
  const runs = [...new Set(claimed.flatMap(({ run }) => run ?? []))]
  const count = (run: string) => claimed.filter((one) => one.run === run).length
  return {
    log: runs.map((run) => `run ${run} is processing ${count(run)}`),
    duplicates: runs.map((run) =>
      notice(
        'duplicate',
        `duplicate of an item that run ${run} is processing: if that run fails, re-run it`,
      ),
    ),
  }
}

/** Holds back the items beyond `limit`; they are neither marked as seen nor acknowledged. */
function limit(items: readonly Candidate[], { config }: StepContext): StepResult {
  const most = config.limit ?? items.length
  return { kept: items.slice(0, most), heldBack: items.slice(most) }
}

async function project(items: readonly Candidate[], context: StepContext): Promise<StepResult> {
  const { filterOutputs } = context.config
  if (filterOutputs === undefined) return { kept: items }
  const outcomes = await queryOutcomes(
    'filterOutputs',
    filterOutputs,
    context.scripts,
    itemsOf(items),
  )
  const { passed, failed } = splitOutcomes('filterOutputs', items, outcomes)
  const kept = passed.map(({ candidate, value }) => {
    return { ...candidate, item: parseJson(String(value)) as Item } // a projection returns an object
  })
  return { kept, failed }
}

async function format(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  if (config.format === undefined) return { kept: items }
  const script = {
    option: 'format',
    parameters: ['item', 'index', 'items'],
    body: config.format,
    call: 'invoke(item, index, items)',
  }
  const split = splitOutcomes(
    'format',
    items,
    await scriptOutcomes(scripts, script, itemsOf(items)),
  )
  const kept: Candidate[] = []
  const failed = [...split.failed]
  for (const { candidate, value } of split.passed) {
    if (isObject(value)) {
      kept.push({ ...candidate, item: value as Item }) // parsed from JSON
      continue
    }
    const found = value === null || value === undefined ? 'nothing' : typeName(value)
    failed.push(failure('format', candidate, `returned ${found} instead of the item`))
  }
  return { kept, failed }
}

function itemsOf(candidates: readonly Candidate[]): readonly Item[] {
  return candidates.map(({ item }) => item)
}

function failure(option: string, candidate: Candidate, reason: string): FailedItem {
  return { candidate, option, reason }
}

function splitOutcomes<Value>(
  option: string,
  items: readonly Candidate[],
  outcomes: readonly OptionResult<Value>[],
) {
  const passed: { readonly candidate: Candidate; readonly value: Value }[] = []
  const failed: FailedItem[] = []
  for (const [index, candidate] of items.entries()) {
    const outcome = outcomes[index] ?? { reason: 'failed' }
    if ('value' in outcome) passed.push({ candidate, value: outcome.value })
    else failed.push(failure(option, candidate, outcome.reason))
  }
  return { passed, failed }
}
