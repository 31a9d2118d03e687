import * as v from 'valibot'
import type { Json } from '../wire/json.ts'
import type { DeclaredTrigger, Workflow } from '../workflow/workflow.ts'
import type { EnginePorts } from './event.ts'

/**
 * What is left to do once the job has succeeded. Plain JSON without a secret, since another process
 * does it: `commit` marks what this run claimed as done, `acknowledge` makes a service forget.
 */
export type Effect =
  | {
      readonly kind: 'commit'
      readonly workflow: string
      readonly trigger: string
      /** When the run began, in milliseconds since 1970. */
      readonly at: number
    }
  | {
      readonly kind: 'acknowledge'
      readonly workflow: string
      readonly trigger: string
      readonly cursor: Json
    }

const names = { workflow: v.string(), trigger: v.string() }

/** Effects as they come back from the process that left them. */
export const effectsSchema: v.GenericSchema<unknown, Effect[]> = v.array(
  v.variant('kind', [
    v.object({ kind: v.literal('commit'), ...names, at: v.number() }),
    v.object({
      kind: v.literal('acknowledge'),
      ...names,
      cursor: v.custom<Json>((value) => value !== undefined), // it was JSON
    }),
  ]),
)

/** Finds a workflow by its name, with the options that hold the secrets. */
type Find = (workflow: string) => Workflow | undefined

/**
 * Carries effects out: every commit before the first acknowledgement. What a crash in between leaves
 * unacknowledged comes again, and is then known as seen; the other way round nothing would be lost
 * either, but the time of the last success would.
 */
export async function runEffects(
  effects: readonly Effect[],
  find: Find,
  { triggers, store, run }: Pick<EnginePorts, 'triggers' | 'store' | 'run'>,
): Promise<void> {
  for (const effect of effects) {
    if (effect.kind === 'commit') await store?.commit(effect, { id: run.id, at: effect.at })
  }
  for (const effect of effects) {
    if (effect.kind !== 'acknowledge') continue
    await declared(effect, find)?.acknowledge?.(effect.cursor, triggers)
  }
}

function declared(effect: Effect, find: Find): DeclaredTrigger | undefined {
  return find(effect.workflow)?.triggers.find(({ name }) => name === effect.trigger)
}
