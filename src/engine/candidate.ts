import type { SeenKeys } from '../state/index.ts'
import type { Config, KeyPaths } from '../triggers/config.ts'
import type { Item } from '../triggers/trigger.ts'
import type { Json } from '../wire/json.ts'
import type { Scripts } from './scripts.ts'

/** What a step of the pipeline goes by: the options of `config`, and what all steps share. */
export interface StepContext {
  readonly config: Config
  readonly keys: KeyPaths
  /** Whether equal items are dropped; the trigger's default unless `config` says so. */
  readonly deduplicate: boolean
  readonly ledger: SeenKeys
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
export interface StepResult {
  readonly kept: readonly Candidate[]
  /** What must come again with a later run. What is in neither list is done with. */
  readonly heldBack?: readonly Candidate[]
  /** What is not handed on, but counts as seen from now on. */
  readonly recorded?: readonly Candidate[]
  /** What the user should know. */
  readonly notices?: readonly string[]
}
