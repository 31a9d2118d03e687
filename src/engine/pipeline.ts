import type { Ledger } from '../state/index.ts'
import type { Config, KeyPaths } from '../triggers/config.ts'
import type { Item } from '../triggers/trigger.ts'
import type { Json } from '../wire/json.ts'
import type { Scripts } from './scripts.ts'
import { deduplicate, filter, format, limit, project, skip, sort } from './steps.ts'

interface Step {
  readonly name: string
  readonly apply: (items: readonly Candidate[], settings: Settings) => Passed | Promise<Passed>
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
export interface Prepared {
  /** What the jobs get, in their order. */
  readonly kept: readonly Candidate[]
  /** What must come again with a later run. */
  readonly heldBack: readonly Candidate[]
  /** What is not handed on, but counts as seen from now on. */
  readonly recorded: readonly Candidate[]
  /** What happened on the way, in words: `filter dropped 3`. */
  readonly account: readonly string[]
  readonly notices: readonly string[]
}

/** @throws OptionError for a mistake in `config` that shows only now */
export async function prepare(found: readonly Found[], settings: Settings): Promise<Prepared> {
  const kept = found.map((one, index) => ({ ...one, index }))
  let prepared: Prepared = { kept, heldBack: [], recorded: [], account: [], notices: [] }
  for (const { name, apply } of STEPS) {
    prepared = add(prepared, name, await apply(prepared.kept, settings))
  }
  return prepared
}

function add(before: Prepared, step: string, passed: Passed): Prepared {
  const { kept, heldBack = [], recorded = [], notices = [] } = passed
  const dropped = before.kept.length - kept.length - heldBack.length - recorded.length
  return {
    kept,
    heldBack: [...before.heldBack, ...heldBack],
    recorded: [...before.recorded, ...recorded],
    account: [
      ...before.account,
      ...counted(`${step} dropped`, dropped),
      ...counted(`${step} held back`, heldBack.length),
      ...counted(`${step} only recorded`, recorded.length),
    ],
    notices: [...before.notices, ...notices],
  }
}

function counted(what: string, count: number): string[] {
  return count > 0 ? [`${what} ${count}`] : []
}

/** What a step of the pipeline goes by: the options of `config`, and what all steps share. */
export interface Settings {
  readonly config: Config
  readonly keys: KeyPaths
  /** Whether equal items are dropped; the trigger's default unless `config` says so. */
  readonly deduplicate: boolean
  readonly ledger: Ledger
  readonly scripts: Scripts
}

/** An item as its trigger found it. */
export interface Found {
  readonly item: Item
  /** What makes it the same as another one, when no key tells them apart. */
  readonly identity: Json
}

/** An item on its way through the pipeline. */
export interface Candidate {
  /** Its place among the items as they were found. */
  readonly index: number
  readonly item: Item
  readonly identity: Json
  /** What tells it apart, once deduplication has asked. */
  readonly key?: string
}

/** What a step lets through. */
export interface Passed {
  readonly kept: readonly Candidate[]
  /** What must come again with a later run. What is in neither list is done with. */
  readonly heldBack?: readonly Candidate[]
  /** What is not handed on, but counts as seen from now on. */
  readonly recorded?: readonly Candidate[]
  /** What the user should know. */
  readonly notices?: readonly string[]
}
