import { type JsonObject, record } from '../wire/json.ts'
import type { Workflow } from '../workflow/workflow.ts'

type Outcome = 'success' | 'failure' | 'skipped'

/** One declared trigger as jobs see it, in the shape of GitHub's own `steps` context. */
export interface TriggerContext {
  readonly outcome: Outcome
  readonly conclusion: Outcome
  /** The item; the list of them with `outputsMode: combine`. */
  readonly outputs: JsonObject | JsonObject[]
}

/** The `on` context of a workflow: every declared trigger stands in it. */
export type OnContext = Readonly<Record<string, TriggerContext>>

/** The context of a workflow in which one trigger fired. */
export function firedContext(
  workflow: Workflow,
  fired: string,
  outputs: TriggerContext['outputs'],
): OnContext {
  return context(workflow, (name) =>
    name === fired ? { outcome: 'success', conclusion: 'success', outputs } : skipped(),
  )
}

/** The context of a workflow whose jobs are to learn that a trigger failed. */
export function failedContext(workflow: Workflow, failed: string): OnContext {
  return context(workflow, (name) =>
    name === failed ? { outcome: 'failure', conclusion: 'success', outputs: {} } : skipped(),
  )
}

/** The context of a workflow of which no trigger fired; empty where none is known. */
export function unfiredContext(workflow: Workflow | undefined): OnContext {
  return workflow ? context(workflow, skipped) : record([])
}

function context(workflow: Workflow, of: (name: string) => TriggerContext): OnContext {
  return record(workflow.triggers.map(({ name }) => [name, of(name)]))
}

function skipped(): TriggerContext {
  return { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
}
