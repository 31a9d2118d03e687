import type { Item } from '../items/item.ts'
import { prepare } from '../items/prepare.ts'
import type { Polled, Reception } from '../triggers/trigger.ts'
import type { Effect } from './effects.ts'
import type { Decision, Evaluation } from './evaluation.ts'
import type { Addressed } from './events.ts'
import { firedContexts, type OnContext } from './on-context.ts'

/** What one trigger made of an event. */
export interface Firing extends Addressed {
  readonly decision: Decision
  readonly items: readonly Item[]
  readonly contexts: readonly OnContext[]
  readonly effects: readonly Effect[]
  readonly warnings: readonly string[]
}

/** What becomes of a request that a trigger received. */
export async function fireReceived(at: Addressed, reception: Reception): Promise<Firing> {
  const { items } = await prepare(reception.items, at.trigger.config)
  return { ...firing(at, reception, items), effects: [] }
}

/**
 * What becomes of what a trigger found by polling. Everything before the first item that must come
 * again is acknowledged, whatever became of it.
 */
export async function firePolled(at: Addressed, polled: Polled): Promise<Firing> {
  const { items, heldBack } = await prepare(polled.items, at.trigger.config)
  const cursor = polled.cursorBefore(Math.min(polled.items.length, ...heldBack))
  const { workflow, trigger } = names(at)
  const effects: Effect[] =
    cursor === undefined ? [] : [{ kind: 'acknowledge', workflow, trigger, cursor }]
  return { ...firing(at, polled, items), effects }
}

/** A trigger that does not look at the event at all. */
export function notFired(at: Addressed, reason: string): Firing {
  const decision = { trigger: at.trigger.name, fired: false, reason, checks: [] }
  return { ...at, decision, items: [], contexts: [], effects: [], warnings: [] }
}

function firing(at: Addressed, reception: Reception, items: readonly Item[]) {
  const { checks, warnings = [] } = reception
  const missed = checks.find((check) => !check.held)
  const reason = missed
    ? `${missed.option} ${missed.found}`
    : checks.map((check) => `${check.option}: ${check.found}`).join('; ')
  const { trigger } = names(at)
  const decision = { trigger, fired: items.length > 0, reason, checks }
  return { ...at, decision, items, warnings, contexts: firedContexts(at.workflow, trigger, items) }
}

/** What several triggers came to together; the first that fired gives the field outputs. */
export function together(firings: readonly Firing[]): Partial<Evaluation> {
  const first = firings.find(({ items }) => items.length > 0)
  const reasons = firings.map(({ decision }) => `${decision.trigger}: ${decision.reason}`)
  return {
    ...(first ? { ...names(first), fields: Object.keys(first.trigger.definition.outputs) } : {}),
    reason: first ? undefined : reasons.join('; '),
    items: firings.flatMap(({ items }) => items),
    contexts: firings.flatMap(({ contexts }) => contexts),
    warnings: firings.flatMap(({ warnings }) => warnings),
    effects: firings.flatMap(({ effects }) => effects),
  }
}

function names({ workflow, trigger }: Addressed) {
  return { workflow: workflow.name, trigger: trigger.name }
}
