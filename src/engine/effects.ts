import type { Json } from '../protocol/json.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import type { DeclaredTrigger, Workflow } from '../workflow/workflow.ts'

/**
 * What is left to do once the job has succeeded. Plain JSON without a secret, since another process
 * does it: `commit` marks what this run claimed as done, `acknowledge` makes a service forget.
 */
export type Effect =
  | { readonly kind: 'commit'; readonly workflow: string; readonly trigger: string }
  | {
      readonly kind: 'acknowledge'
      readonly workflow: string
      readonly trigger: string
      readonly cursor: Json
    }

/** Finds a workflow by its name, with the options that hold the secrets. */
type Find = (workflow: string) => Workflow | undefined

/**
 * Carries effects out: every commit before the first acknowledgement. What a crash in between leaves
 * unacknowledged comes again, and is then known as seen; the other way round nothing would be lost
 * either, but the time of the last success would.
 */
export async function carryOut(
  effects: readonly Effect[],
  find: Find,
  ports: { readonly triggers: TriggerPorts },
): Promise<void> {
  for (const effect of effects) {
    if (effect.kind !== 'acknowledge') continue
    const trigger = declared(effect, find)
    await trigger?.acknowledge?.(effect.cursor, ports.triggers)
  }
}

function declared(effect: Effect, find: Find): DeclaredTrigger | undefined {
  return find(effect.workflow)?.triggers.find(({ name }) => name === effect.trigger)
}
