import type { Item } from '../items/item.ts'
import type { Effect } from './effects.ts'
import type { Decision, Evaluation } from './evaluation.ts'
import type { Addressed } from './events.ts'
import type { OutputFile } from './hand-on.ts'
import type { OnContext } from './on-context.ts'

/** What one trigger made of an event. */
export interface Firing extends Addressed {
  readonly decision: Decision
  /** As the trigger found them, before `config`. */
  readonly found: readonly Item[]
  readonly items: readonly Item[]
  readonly contexts: readonly OnContext[]
  readonly fields: readonly string[]
  readonly files: readonly OutputFile[]
  readonly effects: readonly Effect[]
  readonly warnings: readonly string[]
  readonly notices: readonly string[]
}

/** A trigger that does not look at the event at all. */
export function notFired(at: Addressed, reason: string): Firing {
  return {
    ...at,
    decision: { trigger: at.trigger.name, fired: false, reason, checks: [] },
    found: [],
    items: [],
    contexts: [],
    fields: [],
    files: [],
    effects: [],
    warnings: [],
    notices: [],
  }
}

/** What several triggers came to together; the first that fired gives the field outputs. */
export function together(firings: readonly Firing[]): Partial<Evaluation> {
  const first = firings.find(({ items }) => items.length > 0)
  const several = new Set(firings.map(({ workflow }) => workflow)).size > 1
  const reasons = firings.map(({ workflow, decision: { trigger, reason } }) => {
    return `${several ? `${workflow.name}/${trigger}` : trigger}: ${reason}`
  })
  return {
    ...(first && { workflow: first.workflow.name, trigger: first.trigger.name }),
    fields: first?.fields ?? [],
    reason: first ? undefined : reasons.join('; '),
    found: firings.flatMap(({ found }) => found),
    items: firings.flatMap(({ items }) => items),
    contexts: firings.flatMap(({ contexts }) => contexts),
    owners: several ? firings.flatMap(ownersOf) : [],
    files: firings.flatMap(({ files }) => files),
    warnings: firings.flatMap(({ warnings }) => warnings),
    notices: firings.flatMap(({ notices }) => notices),
    effects: firings.flatMap(({ effects }) => effects),
  }
}

function ownersOf({ workflow, contexts }: Firing): string[] {
  return contexts.map(() => workflow.name)
}
