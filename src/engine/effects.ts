import * as v from 'valibot'
import type { Json } from '../wire/json.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { EnginePorts } from './ports.ts'

/**
 * What is left to do once the job has succeeded. Plain JSON without a secret, since another process
 * does it. With a store that is a `commit` alone: what this run claimed is done, and the next poll
 * begins at the cursor, which makes the service forget. Without one, `acknowledge` makes it forget.
 */
export type Effect =
  | {
      readonly kind: 'commit'
      readonly workflow: string
      readonly trigger: string
      /** When the run began, by the store's clock, in milliseconds since 1970: where somebody asks. */
      readonly at?: number
      readonly cursor?: Json
    }
  | {
      readonly kind: 'acknowledge'
      readonly workflow: string
      readonly trigger: string
      readonly cursor: Json
    }

const names = { workflow: v.string(), trigger: v.string() }
const cursor = v.custom<Json>((value) => value !== undefined) // it was JSON

/** Effects as they come back from the process that left them. */
export const effectsSchema: v.GenericSchema<unknown, Effect[]> = v.array(
  v.variant('kind', [
    v.object({
      kind: v.literal('commit'),
      ...names,
      at: v.exactOptional(v.number()),
      cursor: v.exactOptional(cursor),
    }),
    v.object({ kind: v.literal('acknowledge'), ...names, cursor }),
  ]),
)

/** Finds a workflow by its name, with the options that hold the secrets. */
type Find = (workflow: string) => Workflow | undefined

/** Carries effects out: a store is written to once for all triggers. */
export async function runEffects(
  effects: readonly Effect[],
  find: Find,
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
