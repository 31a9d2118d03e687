import type { Item } from '../items/item.ts'
import type { Check } from '../triggers/trigger.ts'
import type { Effect } from './effects.ts'
import type { OutputFile } from './hand-on.ts'
import type { OnContext } from './on-context.ts'

/** How many items a trigger found, and how many of them `config` and the store let through. */
export interface Tally {
  readonly found: number
  readonly handedOn: number
  /** What happened on the way, in words: `filter dropped 3`. */
  readonly account: readonly string[]
}

/** What became of one declared trigger. */
export interface Decision {
  /** There where the event concerns several workflows. */
  readonly workflow?: string
  readonly trigger: string
  readonly fired: boolean
  /** Why it did not fire, or what made it fire, in words. */
  readonly reason: string
  readonly checks: readonly Check[]
  /** There for a trigger that looked for items, and met every condition. */
  readonly tally?: Tally
}

/**
 * What kept an event from firing anything: it cannot be read; it addresses another workflow, or a
 * trigger that is not declared; a condition or `config`; a dispatch of another type; an event of
 * GitHub's own; a poll that brought nothing.
 */
export type Miss = 'payload' | 'workflow' | 'trigger' | 'condition' | 'type' | 'event' | 'poll'

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
  /** The workflow of each context, where the event concerns several; else empty. */
  readonly owners: readonly string[]
  /** The `on` context where there is no item: all triggers skipped, none of an unknown workflow. */
  readonly unfired: OnContext
  /** The fields that the fired trigger declares, for outputs of their own. */
  readonly fields: readonly string[]
  readonly decisions: readonly Decision[]
  /** Why nothing fired; `undefined` when something did. */
  readonly reason: string | undefined
  readonly miss: Miss | undefined
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
  owners: [],
  unfired: {},
  fields: [],
  decisions: [],
  reason: undefined,
  miss: undefined,
  delivery: undefined,
  receivedAt: undefined,
  warnings: [],
  notices: [],
  files: [],
  effects: [],
}
