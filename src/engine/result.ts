import type { Check, Item, Trigger } from '../triggers/trigger.ts'
import { type JsonObject, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import type { Message } from '../wire/messages.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { Effect } from './effects.ts'
import type { Candidate } from './pipeline.ts'
import type { TriggerRef } from './ports.ts'

/** How many items a trigger found, and how many of them `config` and the store let through. */
interface Tally {
  /** Of a batch: how many events came, and how many of them met every condition. */
  readonly events?: { readonly came: number; readonly held: number }
  readonly found: number
  readonly handedOn: number
  /** What each step on the way did, in words: `filter dropped 3`. */
  readonly steps: readonly string[]
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

/** What one trigger made of an event. */
export interface TriggerRun extends TriggerRef {
  readonly decision: Decision
  /** Items as the trigger found them, before `config`. */
  readonly found: readonly Item[]
  /** Items as they are handed on. */
  readonly items: readonly Item[]
  /** The relay's ids of the events that they came with. */
  readonly deliveries: readonly string[]
  /** Items that `config` could not be evaluated for. */
  readonly failed: readonly FailedItemReport[]
  /** One `on` context per item; with `outputsMode: combine` one for all. */
  readonly contexts: readonly OnContext[]
  /** The fields that the trigger declares, for outputs of their own. */
  readonly fields: readonly string[]
  /** What must be written before the outputs, which name these files. */
  readonly files: readonly OutputFile[]
  /** What is to be done once the job has succeeded. */
  readonly effects: readonly Effect[]
  readonly messages: readonly Message[]
}

/** A failed item as the output `failed` lists it; nothing of its payload is part of it. */
export interface FailedItemReport {
  /** `delivery`, the number under the trigger's own key such as `update_id`, or `item`, from 1. */
  readonly [id: string]: string | number
  /** The option that failed: `format`. */
  readonly step: string
  readonly reason: string
}

/** What is known of an event besides what triggers made of it. */
interface EventFacts {
  /** The `on` context if there is no item: all triggers skipped, none of an unknown workflow. */
  readonly unfired: OnContext
  /** The outputs that can hold JSON, of the triggers that are declared; they are `null` then. */
  readonly unfiredFields: readonly string[]
  readonly decisions: readonly Decision[]
  readonly miss: Miss | undefined
  /** Why nothing fired, where the runs do not tell. */
  readonly reason: string | undefined
  /** The relay's id of the delivery and time of receipt, when there was a relay. */
  readonly delivery: string | undefined
  readonly receivedAt: string | undefined
  /** Of an event that no trigger could look at. */
  readonly messages: readonly Message[]
}

/** What an event came to: the runs of its triggers, and what they came to together. */
export class Evaluation {
  readonly runs: readonly TriggerRun[]
  readonly #facts: Partial<EventFacts>

  constructor(runs: readonly TriggerRun[], facts: Partial<EventFacts> = {}) {
    this.runs = runs
    this.#facts = facts
  }

  /** The run whose first item gives the field outputs; `undefined` when nothing fired. */
  get #first(): TriggerRun | undefined {
    return this.runs.find(({ items }) => items.length > 0)
  }

  get #hasSeveralWorkflows(): boolean {
    return new Set(this.runs.map(({ workflow }) => workflow)).size > 1
  }

  /** Names of the workflow and the trigger that fired, of the first item's; empty when none did. */
  get workflow(): string {
    return this.#first?.workflow.name ?? ''
  }

  get trigger(): string {
    return this.#first?.trigger.name ?? ''
  }

  get found(): readonly Item[] {
    return this.runs.flatMap(({ found }) => found)
  }

  get items(): readonly Item[] {
    return this.runs.flatMap(({ items }) => items)
  }

  get deliveries(): readonly string[] {
    return this.runs.flatMap(({ deliveries }) => deliveries)
  }

  get failed(): readonly FailedItemReport[] {
    return this.runs.flatMap(({ failed }) => failed)
  }

  get contexts(): readonly OnContext[] {
    return this.runs.flatMap(({ contexts }) => contexts)
  }

  /** The workflow of each context, where the event concerns several; else empty. */
  get owners(): readonly string[] {
    if (!this.#hasSeveralWorkflows) return []
    return this.runs.flatMap(({ workflow, contexts }) => contexts.map(() => workflow.name))
  }

  /** The fields of the first item that become outputs of their own. */
  get fields(): readonly string[] {
    return this.#first?.fields ?? []
  }

  get files(): readonly OutputFile[] {
    return this.runs.flatMap(({ files }) => files)
  }

  get effects(): readonly Effect[] {
    return this.runs.flatMap(({ effects }) => effects)
  }

  get messages(): readonly Message[] {
    return [...(this.#facts.messages ?? []), ...this.runs.flatMap(({ messages }) => messages)]
  }

  /** Why nothing fired; `undefined` when something did. */
  get reason(): string | undefined {
    if (this.#first || this.#facts.reason !== undefined || this.runs.length === 0) {
      return this.#first ? undefined : this.#facts.reason
    }
    const reasons = this.runs.map(({ workflow, decision: { trigger, reason } }) => {
      return `${this.#hasSeveralWorkflows ? `${workflow.name}/${trigger}` : trigger}: ${reason}`
    })
    return reasons.join('; ')
  }

  /** What kept the event from firing anything; `undefined` when something fired. */
  get miss(): Miss | undefined {
    return this.#first ? undefined : this.#facts.miss
  }

  get decisions(): readonly Decision[] {
    return this.#facts.decisions ?? []
  }

  get unfired(): OnContext {
    return this.#facts.unfired ?? {}
  }

  /** The outputs that are `null` when nothing fired, so that `fromJSON` can read them. */
  get unfiredFields(): readonly string[] {
    return this.#first ? [] : (this.#facts.unfiredFields ?? [])
  }

  get delivery(): string | undefined {
    return this.#facts.delivery
  }

  get receivedAt(): string | undefined {
    return this.#facts.receivedAt
  }
}

type Outcome = 'success' | 'failure' | 'skipped'

/** One declared trigger as jobs see it, in the shape of GitHub's own `steps` context. */
interface TriggerContext {
  readonly outcome: Outcome
  readonly conclusion: Outcome
  /** The item; the list of them with `outputsMode: combine`. */
  readonly outputs: JsonObject | JsonObject[]
}

/** The `on` context of a workflow: every declared trigger stands in it. */
export type OnContext = Readonly<Record<string, TriggerContext>>

/** The context of a workflow whose jobs are to learn that a trigger failed. */
export function failedContext(workflow: Workflow, failed: string): OnContext {
  return context(workflow, (name) =>
    name === failed ? { outcome: 'failure', conclusion: 'success', outputs: {} } : skipped(),
  )
}

/** The outputs of a workflow of which no trigger fired; the context is empty if none is known. */
export function unfiredOutputs(
  workflow: Workflow | undefined,
): Pick<EventFacts, 'unfired' | 'unfiredFields'> {
  return {
    unfired: workflow ? context(workflow, skipped) : record([]),
    unfiredFields: workflow ? jsonFields(workflow.triggers.map((one) => one.definition)) : [],
  }
}

/** The outputs that can hold JSON, of these triggers, each name once. */
export function jsonFields(triggers: Iterable<Pick<Trigger, 'jsonOutputs'>>): string[] {
  return [...new Set([...triggers].flatMap(({ jsonOutputs }) => jsonOutputs))]
}

function context(workflow: Workflow, of: (name: string) => TriggerContext): OnContext {
  return record(workflow.triggers.map(({ name }) => [name, of(name)]))
}

function skipped(): TriggerContext {
  return { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
}

/** A file that is to be written before the outputs. */
interface OutputFile {
  /** Absolute. */
  readonly path: string
  readonly text: string
}

/** Items as jobs get them. */
interface BuiltContexts {
  readonly contexts: readonly OnContext[]
  readonly files: readonly OutputFile[]
  /** Names of the outputs that the first item's fields become. */
  readonly fields: readonly string[]
}

/** Makes `on` contexts of items, as `outputsMode` and `exportOutputs` say. */
export function buildContexts(
  ref: TriggerRef,
  items: readonly Item[],
  folder: string,
): BuiltContexts {
  const { workflow, trigger } = ref
  const { outputsMode, exportOutputs } = trigger.config
  if (items.length === 0) return { contexts: [], files: [], fields: [] }
  const outputs = outputsMode === 'combine' ? [[...items]] : items
  const files = exportOutputs
    ? outputs.map((one, index) => outputFile(ref, one, index, folder))
    : []
  const contexts = outputs.map((one, index) => {
    const file = files[index]
    const fired = { outcome: 'success', conclusion: 'success' } as const
    const handedOn = { ...fired, outputs: file ? { path: file.path } : one }
    return context(workflow, (name) => (name === trigger.name ? handedOn : skipped()))
  })
  const plain = outputsMode === 'separate' && !exportOutputs
  return { contexts, files, fields: plain ? Object.keys(trigger.definition.outputs) : [] }
}

function outputFile(
  { workflow, trigger }: TriggerRef,
  outputs: Item | Item[],
  index: number,
  folder: string,
): OutputFile {
  const { outputsDir } = trigger.config
  const base = /^([/\\]|[a-z]:)/i.test(outputsDir) ? outputsDir : `${folder}/${outputsDir}`
  const name = `${encodeURIComponent(workflow.name)}/${trigger.name}/${index + 1}.json`
  return { path: `${base}/${name}`, text: JSON.stringify(outputs) }
}

/** What a run may still hand on. */
export interface OutputBudget {
  /** UTF-16 units of outputs. */
  readonly units: number
  /** Jobs of one matrix. */
  readonly jobs: number
}

/** Of a run that has handed on nothing yet. */
export const FULL_BUDGET: OutputBudget = { units: LIMITS.itemsUnits, jobs: LIMITS.matrixJobs }

/** What is left beside what a run hands on already. */
export function remainingBudget(
  contexts: readonly OnContext[],
  { units, jobs }: OutputBudget,
): OutputBudget {
  return { units: units - JSON.stringify(contexts).length, jobs: jobs - contexts.length }
}

/**
 * Splits items into those that fit into the outputs and into one matrix, and those that must wait.
 * The cut is made in the order in which the items were found, since a service forgets only what lies
 * before a point.
 *
 * @param weigh units that an item takes
 */
export function takeFitting(
  budget: OutputBudget,
  items: readonly Candidate[],
  weigh: (item: Candidate) => number,
): { readonly fitting: readonly Candidate[]; readonly beyond: readonly Candidate[] } {
  let left = budget.units
  let cut = Infinity
  for (const [place, item] of [...items].sort((a, b) => a.index - b.index).entries()) {
    left -= weigh(item)
    if (left >= 0 && place < budget.jobs) continue
    cut = item.index
    break
  }
  return {
    fitting: items.filter(({ index }) => index < cut),
    beyond: items.filter(({ index }) => index >= cut),
  }
}
