import type { Item } from '../items/item.ts'
import type { Check } from '../triggers/trigger.ts'
import type { Effect } from './effects.ts'
import type { OutputFile } from './hand-on.ts'
import type { OnContext } from './on-context.ts'

/** What became of one declared trigger. */
export interface Decision {
  readonly trigger: string
  readonly fired: boolean
  /** Why it did not fire, or what made it fire, in words. */
  readonly reason: string
  readonly checks: readonly Check[]
}

/** What an event came to. */
export interface Evaluation {
  /** Names of the workflow and the trigger that fired, of the first item's; empty when none did. */
  readonly workflow: string
  readonly trigger: string
  /** Items as triggers found them, before `config`. */
  readonly found: readonly Item[]
  readonly items: readonly Item[]
  /** One `on` context per item; one of skipped triggers for an event that is none of Hookline's. */
  readonly contexts: readonly OnContext[]
  /** The fields that the fired trigger declares, for outputs of their own. */
  readonly fields: readonly string[]
  readonly decisions: readonly Decision[]
  /** Why nothing fired; `undefined` when something did. */
  readonly reason: string | undefined
  /** The relay's id of the delivery and time of receipt, when there was a relay. */
  readonly delivery: string | undefined
  readonly receivedAt: string | undefined
  /** What the user should hear of, though it is no error. */
  readonly warnings: readonly string[]
  /** What the user may want to know. */
  readonly notices: readonly string[]
  /** What must be written before the outputs, which name these files. */
  readonly files: readonly OutputFile[]
  /** What is to be done once the job has succeeded. */
  readonly effects: readonly Effect[]
}

export const NOTHING: Evaluation = {
  workflow: '',
  trigger: '',
  found: [],
  items: [],
  contexts: [],
  fields: [],
  decisions: [],
  reason: undefined,
  delivery: undefined,
  receivedAt: undefined,
  warnings: [],
  notices: [],
  files: [],
  effects: [],
}
