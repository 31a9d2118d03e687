import type { KeyState, KeyStatus, SeenKeys } from '../state/store.ts'
import type { Config, KeyPaths } from '../triggers/config.ts'
import type { Item } from '../triggers/trigger.ts'
import { OptionError } from '../wire/errors.ts'
import { isObject, type Json, parseJson, record } from '../wire/json.ts'
import { type Message, notice } from '../wire/messages.ts'
import { type Delivery, type Found, itemKey } from './keys.ts'
import { type Script, ScriptFailure, type Scripts } from './scripts.ts'

/** What a step of the pipeline goes by: the options of `config`, and what all steps share. */
interface StepContext {
  readonly config: Config
  readonly keys: KeyPaths
  /** Whether equal items are dropped; the trigger's default unless `config` says so. */
  readonly deduplicate: boolean
  /** There when the store was asked. */
  readonly seen: SeenKeys | undefined
  /** Polled items come again when they are held back; others are lost. */
  readonly isPolled: boolean
  readonly scripts: Scripts
}

/** An item on its way through the pipeline. */
export interface Candidate {
  /** Its place among the items as they were found. */
  readonly index: number
  readonly item: Item
  readonly identity: Json
  readonly delivery?: Delivery
  /** What tells it apart, once deduplication has asked. */
  readonly key?: string
}

/** What a step lets through. */
interface StepResult {
  readonly kept: readonly Candidate[]
  /** What must come again with a later run. What is in neither list is done with. */
  readonly heldBack?: readonly Candidate[]
  /** What is not handed on, but counts as seen from now on. */
  readonly recorded?: readonly Candidate[]
  /** What to tell of it, besides how many items are in which list. */
  readonly log?: readonly string[]
  readonly messages?: readonly Message[]
}

interface Step {
  readonly name: string
  readonly apply: (
    items: readonly Candidate[],
    context: StepContext,
  ) => StepResult | Promise<StepResult>
}

/** The pipeline. Deduplication comes before `limit`, so that what is known uses up no place. */
export const STEPS: readonly Step[] = [
  { name: 'filter', apply: filter },
  { name: 'sort', apply: sort },
  { name: 'skip', apply: skip },
  { name: 'deduplicate', apply: deduplicate },
  { name: 'limit', apply: limit },
  { name: 'project', apply: project },
  { name: 'format', apply: format },
]

/** What becomes of the items that a trigger found. */
export interface PipelineResult {
  /** What the jobs get, in their order. */
  readonly kept: readonly Candidate[]
  /** What must come again with a later run. */
  readonly heldBack: readonly Candidate[]
  /** What is not handed on, but counts as seen from now on. */
  readonly recorded: readonly Candidate[]
  /** What happened on the way, in words: `filter dropped 3`. */
  readonly log: readonly string[]
  readonly messages: readonly Message[]
}

/** @throws OptionError for a mistake in `config` that shows only now */
export async function runPipeline(
  found: readonly Found[],
  context: StepContext,
): Promise<PipelineResult> {
  const kept = found.map((one, index) => ({ ...one, index }))
  let result: PipelineResult = { kept, heldBack: [], recorded: [], log: [], messages: [] }
  for (const { name, apply } of STEPS) {
    const { kept, heldBack = [], recorded = [], log, messages } = await apply(result.kept, context)
    const dropped = result.kept.length - kept.length - heldBack.length - recorded.length
    result = {
      kept,
      heldBack: [...result.heldBack, ...heldBack],
      recorded: [...result.recorded, ...recorded],
      log: [
        ...result.log,
        ...countLine(`${name} dropped`, dropped),
        ...countLine(`${name} held back`, heldBack.length),
        ...countLine(`${name} only recorded`, recorded.length),
        ...(log ?? []),
      ],
      messages: [...result.messages, ...(messages ?? [])],
    }
  }
  return result
}

function countLine(what: string, count: number): string[] {
  return count > 0 ? [`${what} ${count}`] : []
}

/** Drops what `filter` or `filterScript` does not keep. */
async function filter(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  const { filter: query, filterScript: body } = config
  let kept = items
  if (query !== undefined) {
    kept = await withMongo('filter', scripts, ({ Query, options }) => {
      const compiled = new Query(query, options)
      return items.filter(({ item }) => compiled.test(item))
    })
  }
  if (body === undefined) return { kept }
  const script = {
    option: 'filterScript',
    parameters: ['item', 'index', 'items'],
    body,
    drive: 'items.map((item, index) => Boolean(call(item, index, items)))',
  }
  const keeps = await runScript(scripts, script, kept)
  return { kept: kept.filter((_, index) => keeps[index] === true) }
}

/** Brings items into the order of `sort`, then of `sortScript`; equal ones keep theirs. */
async function sort(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  const { sort: specification = {}, sortScript: body } = config
  const fields = Object.entries(specification)
  let sorted = items
  if (fields.length > 0) {
    const order = record(fields.map(([field, way]) => [`item.${field}`, way] as const))
    sorted = await withMongo('sort', scripts, ({ Query, options }) =>
      new Query({}, options)
        .find<Candidate>([...items])
        .sort({ ...order })
        .all(),
    )
  }
  if (body === undefined) return { kept: sorted }
  const script = {
    option: 'sortScript',
    parameters: ['a', 'b'],
    body,
    drive: 'items.map((_, index) => index).sort((a, b) => call(items[a], items[b]))',
  }
  const order = await runScript(scripts, script, sorted)
  return { kept: order.flatMap((index) => sorted[Number(index)] ?? []) }
}

function skip(items: readonly Candidate[], { config }: StepContext): StepResult {
  return { kept: items.slice(config.skip ?? 0) }
}

/**
 * Drops items that came before, in this batch or, as the store says, in another run. What another
 * run is still at work on is held back where it comes again, since that run may fail; else it is a
 * duplicate, and should that run fail, it is to be run again. A first run may only record.
 */
async function deduplicate(items: readonly Candidate[], context: StepContext): Promise<StepResult> {
  const { config, keys, seen, isPolled } = context
  const onlyRecords = config.skipFirst && seen?.isFirstRun && !config.force
  if (!context.deduplicate) return onlyRecords ? { kept: [] } : { kept: items }
  const keyed = await Promise.all(
    items.map(async (candidate) => ({ ...candidate, ...(await itemKey(candidate, keys)) })),
  )
  const told = new Set(keyed.flatMap(({ notice }) => notice ?? []))
  const messages = [...told].map((text) => notice('key-by-id', text))
  const first = new Map<string, (typeof keyed)[number]>()
  for (const one of keyed) if (!first.has(one.key)) first.set(one.key, one)
  const unique = [...first.values()]
  if (onlyRecords) return { kept: [], recorded: unique, messages }
  if (config.force || !seen) return { kept: unique, messages }
  const states = () =>
    unique.map((candidate) => {
      return { candidate, ...seen.keyState(candidate.key, candidate.delivery?.mark) }
    })
  const blocking = states().flatMap(({ status, run }) => (status === 'claimed' && run) || [])
  // Only now: it is a call more.
  if (blocking.length > 0) await seen.freeEnded?.([...new Set(blocking)])
  const standing = states()
  const ofStatus = (wanted: KeyStatus) => standing.filter(({ status }) => status === wanted)
  const claimed = ofStatus('claimed')
  const { log, duplicates } = claimedElsewhere(claimed)
  return {
    kept: ofStatus('new').map(({ candidate }) => candidate),
    heldBack: isPolled ? claimed.map(({ candidate }) => candidate) : [],
    log,
    messages: isPolled ? messages : [...messages, ...duplicates],
  }
}

/** Which runs are at work on what another one was not given; duplicates are to be told of. */
export function claimedElsewhere(claimed: readonly KeyState[]) {
  const runs = [...new Set(claimed.flatMap(({ run }) => run ?? []))]
  const count = (run: string) => claimed.filter((one) => one.run === run).length
  return {
    log: runs.map((run) => `run ${run} is at work on ${count(run)}`),
    duplicates: runs.map((run) =>
      notice(
        'duplicate',
        `a duplicate of what run ${run} is at work on: should that run fail, re-run it`,
      ),
    ),
  }
}

/** Holds back what lies beyond `limit`: it is not marked as seen, and not acknowledged. */
function limit(items: readonly Candidate[], { config }: StepContext): StepResult {
  const most = config.limit ?? items.length
  return { kept: items.slice(0, most), heldBack: items.slice(most) }
}

/** Leaves of each item the fields that `filterOutputs` names. */
async function project(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  const { filterOutputs } = config
  if (filterOutputs === undefined) return { kept: items }
  const projected = await withMongo('filterOutputs', scripts, ({ Query, cloning }) => {
    const query = new Query({}, cloning)
    return items.map(({ item }) => query.find<Item>([item], filterOutputs).all()[0] ?? {})
  })
  // An operator may have made something that JSON does not know, such as a date.
  const plain = (item: Item = {}) => parseJson(JSON.stringify(item)) as Item & Json // still an object
  return {
    kept: items.map((candidate, index) => ({ ...candidate, item: plain(projected[index]) })),
  }
}

/** Puts in place of each item what `format` makes of it. */
async function format(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  if (config.format === undefined) return { kept: items }
  const script = {
    option: 'format',
    parameters: ['item', 'index', 'items'],
    body: config.format,
    drive: 'items.map((item, index) => call(item, index, items))',
  }
  const made = await runScript(scripts, script, items)
  const kept = items.map((candidate, index) => {
    const item = made[index]
    if (isObject(item)) return { ...candidate, item: item as Item } // it came back as JSON
    const kind = item === null || item === undefined ? 'nothing' : `a ${typeof item}`
    const found = Array.isArray(item) ? 'a list' : kind
    throw new OptionError('format', `config.format returned ${found}; it must return the item`)
  })
  return { kept }
}

/** A query or projection of the user may take so many milliseconds: a pattern can take years. */
const LONGEST = 500

type Mongo = typeof import('./mongo.ts')

/**
 * Does some work with MongoDB's language, whose library is loaded with the first use.
 *
 * @throws OptionError when the option holds a mistake, or takes too long
 */
async function withMongo<Result>(
  option: string,
  scripts: Scripts,
  work: (mongo: Mongo) => Result,
): Promise<Result> {
  const mongo = await import('./mongo.ts')
  try {
    return await scripts.within(LONGEST, () => work(mongo))
  } catch (cause) {
    throw new OptionError(option, `config.${option}: ${explain(cause)}`, { cause })
  }
}

/** The library's messages speak of the query; what fails on an item could speak of the item. */
function explain(cause: unknown): string {
  if (cause instanceof ScriptFailure) return cause.message
  const message = cause instanceof Error ? cause.message : ''
  const known = /^(unknown|invalid|\$\w+|can't|cannot) /i.test(message) && message.length < 300
  return known ? message.replace(/\s+/g, ' ') : 'is not valid'
}

/**
 * Runs a script on items, which go in and come back as JSON text, so that it can change nothing.
 *
 * @throws OptionError when it does not compile, fails, or takes too long
 */
async function runScript(
  scripts: Scripts,
  script: Script,
  items: readonly Candidate[],
): Promise<Json[]> {
  if (items.length === 0) return []
  try {
    const made = await scripts.run(script, JSON.stringify(items.map(({ item }) => item)))
    return parseJson(made) as Json[] // every `drive` is a list
  } catch (cause) {
    if (!(cause instanceof ScriptFailure || cause instanceof SyntaxError)) throw cause
    throw new OptionError(script.option, `config.${script.option}: ${cause.message}`, { cause })
  }
}
