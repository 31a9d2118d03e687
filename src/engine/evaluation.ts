import * as v from 'valibot'
import type { Check, Item, Trigger } from '../triggers/trigger.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { type Json, type JsonObject, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { type Message, warning } from '../wire/messages.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { EnginePorts, TriggerRef } from './engine-ports.ts'
import { type FoundItem, outputItem } from './output-values.ts'

/** How many items a trigger found, and how many of them passed `config` and the store. */
interface Tally {
  /** For a batch: the number of its events, and of those that met every condition. */
  readonly events?: { readonly came: number; readonly held: number }
  readonly found: number
  readonly passedOn: number
  /** One line for each step that changed something: `filter dropped 3`. */
  readonly steps: readonly string[]
}

/** The result of an event for one declared trigger. */
export interface Decision {
  /** Present if the event concerns several workflows. */
  readonly workflow?: string
  readonly trigger: string
  readonly fired: boolean
  /** Why the trigger fired or did not fire. */
  readonly reason: string
  readonly checks: readonly Check[]
  /** Present if the trigger met every condition and looked for items. */
  readonly tally?: Tally
  /** Why the body may not have been what `filter` or the trigger expects. */
  readonly bodyFaults?: readonly string[]
}

/**
 * Why an event fired nothing: `payload` if it cannot be read; `workflow` or `trigger` if it
 * addresses another workflow or an undeclared trigger; `condition` for a condition or `config`;
 * `type` for a dispatch of another type; `event` for GitHub's own events; `poll` for a poll without
 * items.
 */
export type Miss = 'payload' | 'workflow' | 'trigger' | 'condition' | 'type' | 'event' | 'poll'

export interface TriggerRun extends TriggerRef {
  readonly decision: Decision
  /** The items that the trigger found, before `config`. */
  readonly found: readonly Item[]
  readonly items: readonly Item[]
  /** The delivery ids of these items, each once: only a run of a webhook has some, and an event has one such run. */
  readonly deliveries: readonly string[]
  /** The items for which `config` could not be evaluated. */
  readonly failed: readonly FailedItemReport[]
  /** One `on` context for each item; with `outputsMode: combine` one for all. */
  readonly contexts: readonly OnContext[]
  /** The fields of the trigger that become step outputs. */
  readonly fields: readonly string[]
  /** Files to write before the outputs, because the outputs contain their paths. */
  readonly files: readonly OutputFile[]
  /** The actions after the job has succeeded. */
  readonly effects: readonly Effect[]
  readonly messages: readonly Message[]
}

/** A failed item in the output `failed`. It contains no part of the payload. */
export interface FailedItemReport {
  /** `delivery`, the number under the trigger's own key such as `update_id`, or `item`, from 1. */
  readonly [id: string]: string | number
  /** The option that failed: `format`. */
  readonly step: string
  readonly reason: string
}

/** Items failed, so that the run fails. */
export class FailedRun extends UserError {
  readonly failed: readonly FailedItemReport[]

  constructor(problem: Problem, failed: readonly FailedItemReport[], options?: ErrorOptions) {
    super(problem, options)
    this.failed = failed
  }
}

/** The facts of an event that do not come from its triggers. */
interface EventFacts {
  /** The `on` context if there is no item: all triggers skipped; empty for an unknown workflow. */
  readonly unfired: OnContext
  /** Outputs of the declared triggers that can contain JSON; they are `null` if nothing fired. */
  readonly unfiredFields: readonly string[]
  readonly decisions: readonly Decision[]
  readonly miss: Miss | undefined
  /** Why nothing fired; by default the reasons of the runs. */
  readonly reason: string | undefined
  /** The relay's id of the delivery, and the time of receipt; only if it came through the relay. */
  readonly delivery: string | undefined
  readonly receivedAt: string | undefined
  /** Messages about an event that no trigger could read. */
  readonly messages: readonly Message[]
}

/** The result of an event: the runs of its triggers, and what they have in common. */
export interface Evaluation
  extends EventFacts,
    Pick<
      TriggerRun,
      'found' | 'items' | 'deliveries' | 'failed' | 'contexts' | 'fields' | 'files' | 'effects'
    > {
  readonly runs: readonly TriggerRun[]
  /** The workflow and the trigger of the first item; empty if nothing fired. */
  readonly workflow: string
  readonly trigger: string
}

/** The run of a decision. If an event concerns several workflows, triggers of two can have one name. */
export function runOfDecision<Run extends TriggerRef>(
  runs: readonly Run[],
  decision: Decision,
): Run | undefined {
  return runs.find(({ workflow, trigger }) => {
    const isSame = decision.workflow === undefined || workflow.name === decision.workflow
    return isSame && trigger.name === decision.trigger
  })
}

export function combineRuns(runs: readonly TriggerRun[], facts: Partial<EventFacts>): Evaluation {
  const first = runs.find(({ items }) => items.length > 0)
  const isMany = new Set(runs.map(({ workflow }) => workflow)).size > 1
  const reasons = runs.map(({ workflow, decision: { trigger, reason } }) => {
    return `${isMany ? `${workflow.name}/${trigger}` : trigger}: ${reason}`
  })
  return {
    runs,
    workflow: first?.workflow.name ?? '',
    trigger: first?.trigger.name ?? '',
    found: runs.flatMap(({ found }) => found),
    items: runs.flatMap(({ items }) => items),
    deliveries: runs.flatMap(({ deliveries }) => deliveries),
    failed: runs.flatMap(({ failed }) => failed),
    contexts: runs.flatMap(({ contexts }) => contexts),
    fields: first?.fields ?? [],
    files: runs.flatMap(({ files }) => files),
    effects: runs.flatMap(({ effects }) => effects),
    messages: [...(facts.messages ?? []), ...runs.flatMap(({ messages }) => messages)],
    miss: first ? undefined : facts.miss,
    reason: first ? undefined : (facts.reason ?? (reasons.join('; ') || undefined)),
    decisions: facts.decisions ?? [],
    unfired: facts.unfired ?? {},
    unfiredFields: first ? [] : (facts.unfiredFields ?? []),
    delivery: facts.delivery,
    receivedAt: facts.receivedAt,
  }
}

type StepOutcome = 'success' | 'failure' | 'skipped'

/** A declared trigger for the jobs, in the shape of GitHub's own `steps` context. */
interface TriggerContext {
  readonly outcome: StepOutcome
  readonly conclusion: StepOutcome
  /** The item; with `outputsMode: combine` the list of items. */
  readonly outputs: JsonObject | JsonObject[]
}

/** The `on` context of a workflow. It contains every declared trigger. */
export type OnContext = Readonly<Record<string, TriggerContext>>

/** The context if a trigger failed and its `config` reports that to the jobs. */
export function failedContext(workflow: Workflow, failed: string): OnContext {
  return context(workflow, (name) =>
    name === failed ? { outcome: 'failure', conclusion: 'success', outputs: {} } : skipped(),
  )
}

/** The outputs if no trigger of a workflow fired; the context is empty for an unknown workflow. */
export function unfiredOutputs(
  workflow: Workflow | undefined,
): Pick<EventFacts, 'unfired' | 'unfiredFields'> {
  return {
    unfired: workflow ? context(workflow, skipped) : record([]),
    unfiredFields: workflow ? jsonFields(workflow.triggers.map((one) => one.definition)) : [],
  }
}

/** The outputs of these triggers that can contain JSON, without duplicates. */
export function jsonFields(triggers: Iterable<Pick<Trigger, 'jsonOutputs'>>): string[] {
  return [...new Set([...triggers].flatMap(({ jsonOutputs }) => jsonOutputs))]
}

function context(workflow: Workflow, of: (name: string) => TriggerContext): OnContext {
  return record(workflow.triggers.map(({ name }) => [name, of(name)]))
}

function skipped(): TriggerContext {
  return { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
}

interface OutputFile {
  /** Absolute path. */
  readonly path: string
  readonly text: string
}

/** Makes the `on` contexts of items by `outputsMode` and `exportOutputs`. */
export function buildContexts(
  ref: TriggerRef,
  found: readonly FoundItem[],
  folder: string,
): Pick<TriggerRun, 'items' | 'contexts' | 'files' | 'messages' | 'fields'> {
  const { workflow, trigger } = ref
  const { outputsMode, exportOutputs } = trigger.config
  if (found.length === 0) return { items: [], contexts: [], files: [], fields: [], messages: [] }
  // A list of items is one more level around a field.
  const levels = LIMITS.outputDepth - (outputsMode === 'combine' ? 1 : 0)
  const read = exportOutputs ? [] : found.map((one) => outputItem(one, levels))
  const items = exportOutputs ? found.map(({ item }) => item) : read.map(({ item }) => item)
  const outputs = outputsMode === 'combine' ? [[...items]] : items
  const files = exportOutputs
    ? outputs.map((one, index) => outputFile(ref, one, index, folder))
    : []
  const contexts = outputs.map((one, index) => {
    const file = files[index]
    const fired = { outcome: 'success', conclusion: 'success' } as const
    const passedOn = { ...fired, outputs: file ? { path: file.path } : one }
    return context(workflow, (name) => (name === trigger.name ? passedOn : skipped()))
  })
  const plain = outputsMode === 'separate' && !exportOutputs
  const fields = plain ? Object.keys(trigger.definition.outputs) : []
  const flattened = [...new Set(read.flatMap((one) => one.flattened))]
  const messages = flattened.length > 0 ? [flattenedFields(flattened, levels)] : []
  return { items, contexts, files, fields, messages }
}

function flattenedFields(names: readonly string[], levels: number): Message {
  // Only a declared field is named, because other names are untrusted input.
  const known = names.every((name) => /^[a-z_]{1,20}$/.test(name)) ? names.join(', ') : 'a field'
  const text = `${known} is nested deeper than ${levels} levels, and a runner cannot read that: the outputs contain it as JSON text`
  return warning('deep-output', text)
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
  // The outputs may contain a large body, and most callers only need the path.
  return {
    path: `${base}/${name}`,
    get text() {
      return JSON.stringify(outputs)
    },
  }
}

const names = { workflow: v.string(), trigger: v.string() }
const cursor = v.custom<Json>((value) => value !== undefined) // parsed from JSON

const effect = v.variant('kind', [
  v.object({
    kind: v.literal('commit'),
    ...names,
    /** When the run began, by the store's clock, in milliseconds since 1970; only if an option needs it. */
    at: v.exactOptional(v.number()),
    cursor: v.exactOptional(cursor),
  }),
  v.object({ kind: v.literal('acknowledge'), ...names, cursor }),
])

/**
 * An action that another process carries out once the job has succeeded, as plain JSON without a
 * secret. With a store, `commit` is the only one: the claims of this run become done, and the next poll
 * begins at the cursor, which also makes the service forget. Without a store, `acknowledge` makes the
 * service forget.
 */
export type Effect = Readonly<v.InferOutput<typeof effect>>

/** Parses the effects that the main process of the step saved. */
export const effectsSchema = v.array(effect)

/**
 * Carries out effects. All triggers share one write to the store.
 *
 * @param find finds a workflow by its name; its options contain the secrets, which effects lack
 */
export async function runEffects(
  effects: readonly Effect[],
  find: (workflow: string) => Workflow | undefined,
  { triggers, store, run }: Pick<EnginePorts, 'triggers' | 'store' | 'run'>,
): Promise<void> {
  const commits = effects.filter((effect) => effect.kind === 'commit')
  if (commits.length > 0) await store?.commit(commits, run.id)
  for (const effect of effects) {
    if (effect.kind !== 'acknowledge') continue
    const declared = find(effect.workflow)?.triggers.find(({ name }) => name === effect.trigger)
    await declared?.acknowledge?.(effect.cursor, triggers)
  }
}
