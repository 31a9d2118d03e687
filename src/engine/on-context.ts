import type { Item } from '../items/item.ts'
import { type JsonObject, record } from '../protocol/json.ts'
import type { Workflow } from '../workflow/workflow.ts'

type Outcome = 'success' | 'skipped'

/** One declared trigger as jobs see it, in the shape of GitHub's own `steps` context. */
export interface TriggerContext extends JsonObject {
  readonly outcome: Outcome
  readonly conclusion: Outcome
  readonly outputs: JsonObject
}

/** The `on` context of a workflow: every declared trigger stands in it. */
export type OnContext = Readonly<Record<string, TriggerContext>>

/** The contexts of a workflow in which one trigger fired, one per item. */
export function firedContexts(
  workflow: Workflow,
  fired: string,
  items: readonly Item[],
): OnContext[] {
  return items.map((item) =>
    context(workflow, (name) => (name === fired ? success(item) : skipped())),
  )
}

/** The context of a workflow that runs for an event of GitHub's own: no trigger fired. */
export function nativeContext(workflow: Workflow | undefined): OnContext {
  return workflow ? context(workflow, skipped) : record([])
}

function context(workflow: Workflow, of: (name: string) => TriggerContext): OnContext {
  return record(workflow.triggers.map(({ name }) => [name, of(name)]))
}

function success(outputs: JsonObject): TriggerContext {
  return { outcome: 'success', conclusion: 'success', outputs }
}

function skipped(): TriggerContext {
  return { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
}
