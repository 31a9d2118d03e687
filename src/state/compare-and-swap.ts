import { UserError } from '../wire/errors.ts'
import type { Step, StorePorts } from './store.ts'
import type { TriggerState } from './trigger-state.ts'

/** A state that can be replaced only by one who knows what stands in its place. */
export interface Swappable {
  /** How the user knows the place. */
  readonly place: string
  /** `stamp` is `undefined` when there was nothing yet. */
  load(): Promise<{ readonly state: TriggerState; readonly stamp: string | undefined }>
  /** @returns false, and changes nothing, when somebody else did so since the stamp was read */
  save(state: TriggerState, stamp: string | undefined): Promise<boolean>
}

/** Somebody wins each round, so this is enough for dozens of runs at once. */
const MOST_ATTEMPTS = 40
const LONGEST_WAIT = 2_000

/**
 * Reads, changes and saves, again and again until nobody came in between.
 *
 * @returns the state before
 * @throws UserError when there is no end to it
 */
export async function compareAndSwap(
  { place, load, save }: Swappable,
  step: Step,
  { sleep, random }: StorePorts,
): Promise<TriggerState> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const { state, stamp } = await load()
    if (await save(step(state), stamp)) return state
    await sleep(random() * Math.min(LONGEST_WAIT, 50 * 2 ** attempt))
  }
  throw new UserError({
    message: `${place}: too many runs write at once, gave up after ${MOST_ATTEMPTS} attempts`,
    notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
  })
}
