import * as v from 'valibot'
import type { Json } from '../wire/json.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { EnginePorts } from './engine-ports.ts'

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
 * An action that is done once the job has succeeded. It is plain JSON without a secret, because
 * another process does it. With a store it is a `commit` alone: the claims of this run become done,
 * and the next poll begins at the cursor, which also makes the service forget. Without a store,
 * `acknowledge` makes the service forget.
 */
export type Effect = Readonly<v.InferOutput<typeof effect>>

/** Parses the effects that the main process of the step saved. */
export const effectsSchema = v.array(effect)

/** Finds a workflow by its name. Its options contain the secrets, which effects lack. */
type Find = (workflow: string) => Workflow | undefined

/** Carries out effects. All triggers share one write to the store. */
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
