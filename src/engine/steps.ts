import type { Item } from '../triggers/trigger.ts'
import { OptionError } from '../wire/errors.ts'
import { isObject, type Json, parseJson, record } from '../wire/json.ts'
import type { Candidate, StepContext, StepResult } from './candidate.ts'
import { itemKey } from './keys.ts'
import { type Script, ScriptFailure, type Scripts } from './scripts.ts'

/** Drops what `filter` or `filterScript` does not keep. */
export async function filter(
  items: readonly Candidate[],
  settings: StepContext,
): Promise<StepResult> {
  const matching = await byQuery(items, settings)
  return { kept: await keptByScript(matching, settings) }
}

async function byQuery(items: readonly Candidate[], settings: StepContext) {
  const query = settings.config.filter
  if (query === undefined) return items
  return withMongo('filter', settings.scripts, ({ Query, options }) => {
    const compiled = new Query(query, options)
    return items.filter(({ item }) => compiled.test(item))
  })
}

async function keptByScript(items: readonly Candidate[], { config, scripts }: StepContext) {
  const { filterScript } = config
  if (filterScript === undefined) return items
  const keeps = await runScript(scripts, FILTER_SCRIPT(filterScript), items)
  return items.filter((_, index) => keeps[index] === true)
}

const FILTER_SCRIPT = (body: string) => ({
  option: 'filterScript',
  parameters: ['item', 'index', 'items'],
  body,
  drive: 'items.map((item, index) => Boolean(call(item, index, items)))',
})

/** Brings items into the order of `sort`, then of `sortScript`; equal ones keep theirs. */
export async function sort(
  items: readonly Candidate[],
  settings: StepContext,
): Promise<StepResult> {
  const sorted = await bySpecification(items, settings)
  return { kept: await sortedByScript(sorted, settings) }
}

async function bySpecification(items: readonly Candidate[], { config, scripts }: StepContext) {
  if (config.sort === undefined || Object.keys(config.sort).length === 0) return items
  const entries = Object.entries(config.sort)
  const order = record(entries.map(([field, way]) => [`item.${field}`, way] as const))
  return withMongo('sort', scripts, ({ Query, options }) =>
    new Query({}, options)
      .find<Candidate>([...items])
      .sort({ ...order })
      .all(),
  )
}

async function sortedByScript(items: readonly Candidate[], { config, scripts }: StepContext) {
  const { sortScript } = config
  if (sortScript === undefined) return items
  const order = await runScript(scripts, SORT_SCRIPT(sortScript), items)
  return order.flatMap((index) => items[Number(index)] ?? [])
}

const SORT_SCRIPT = (body: string) => ({
  option: 'sortScript',
  parameters: ['a', 'b'],
  body,
  drive: 'items.map((_, index) => index).sort((a, b) => call(items[a], items[b]))',
})

export function skip(items: readonly Candidate[], { config }: StepContext): StepResult {
  return { kept: items.slice(config.skip ?? 0) }
}

/**
 * Drops items that came before, in this batch or, as the store says, in another run. What another
 * run is still at work on is held back, since that run may fail. A first run may only record.
 */
export async function deduplicate(
  items: readonly Candidate[],
  settings: StepContext,
): Promise<StepResult> {
  const { config, ledger } = settings
  const onlyRecords = config.skipFirst && ledger.isFirstRun && !config.force
  if (!settings.deduplicate) return onlyRecords ? { kept: [] } : { kept: items }
  const keyed = await withKeys(items, settings)
  const notices = [...new Set(keyed.flatMap(({ notice }) => notice ?? []))]
  const unique = firstOfEach(keyed)
  if (onlyRecords) return { kept: [], recorded: unique, notices }
  const standing = ({ key }: Keyed) => (config.force ? 'fresh' : ledger.standing(key))
  return {
    kept: unique.filter((candidate) => standing(candidate) === 'fresh'),
    heldBack: unique.filter((candidate) => standing(candidate) === 'busy'),
    notices,
  }
}

type Keyed = Candidate & { readonly key: string; readonly notice?: string }

function withKeys(items: readonly Candidate[], { keys }: StepContext): Promise<Keyed[]> {
  return Promise.all(
    items.map(async (candidate) => ({ ...candidate, ...(await itemKey(candidate, keys)) })),
  )
}

function firstOfEach(items: readonly Keyed[]): Keyed[] {
  const first = new Map<string, Keyed>()
  for (const item of items) if (!first.has(item.key)) first.set(item.key, item)
  return [...first.values()]
}

/** Holds back what lies beyond `limit`: it is not marked as seen, and not acknowledged. */
export function limit(items: readonly Candidate[], { config }: StepContext): StepResult {
  const most = config.limit ?? items.length
  return { kept: items.slice(0, most), heldBack: items.slice(most) }
}

/** Leaves of each item the fields that `filterOutputs` names. */
export async function project(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  const { filterOutputs } = config
  if (filterOutputs === undefined) return { kept: items }
  const projected = await withMongo('filterOutputs', scripts, ({ Query, cloning }) => {
    const query = new Query({}, cloning)
    return items.map(({ item }) => query.find<Item>([item], filterOutputs).all()[0] ?? {})
  })
  return {
    kept: items.map((candidate, index) => ({ ...candidate, item: plain(projected[index]) })),
  }
}

/** An operator may have made something that JSON does not know, such as a date. */
function plain(item: Item | undefined): Item {
  return parseJson(JSON.stringify(item ?? {})) as Item & Json // an object stays one
}

/** Puts in place of each item what `format` makes of it. */
export async function format(
  items: readonly Candidate[],
  { config, scripts }: StepContext,
): Promise<StepResult> {
  if (config.format === undefined) return { kept: items }
  const made = await runScript(scripts, FORMAT_SCRIPT(config.format), items)
  return { kept: items.map((candidate, index) => ({ ...candidate, item: asItem(made[index]) })) }
}

function asItem(value: unknown): Item {
  if (isObject(value)) return value as Item // it came back as JSON
  const kind = value === null || value === undefined ? 'nothing' : `a ${typeof value}`
  const found = Array.isArray(value) ? 'a list' : kind
  throw new OptionError('format', `config.format returned ${found}; it must return the item`)
}

const FORMAT_SCRIPT = (body: string) => ({
  option: 'format',
  parameters: ['item', 'index', 'items'],
  body,
  drive: 'items.map((item, index) => call(item, index, items))',
})

/** A query or projection of the user may take so many milliseconds: a pattern can take years. */
const LONGEST = 500

type Mongo = typeof import('./mongo.ts')

/**
 * Does some work with MongoDB's language, whose library is loaded with the first use.
 *
 * @throws OptionError when the option holds a mistake, or takes too long
 */
export async function withMongo<Result>(
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
export async function runScript(
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
