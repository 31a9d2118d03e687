import type { Standing } from '../items/ledger.ts'
import { UserError } from '../protocol/errors.ts'
import { claimed, committed, type Run, standings } from './claims.ts'
import type { TriggerId, TriggerState } from './trigger-state.ts'

/** Where the state of triggers lies. Each place is one file with these two methods. */
export interface Shelf {
  /** How the user knows it: `state.json`, `the branch state`. */
  readonly place: string
  /** The state of a trigger, and a stamp of what was read. */
  load(id: TriggerId): Promise<Stamped>
  /**
   * Puts a state in the place of the one that was read.
   *
   * @returns false, and changes nothing, when somebody else did so in between
   */
  save(id: TriggerId, state: TriggerState, stamp: Stamped['stamp']): Promise<boolean>
}

export interface Stamped {
  readonly state: TriggerState
  /** `undefined` when there was nothing yet. */
  readonly stamp: string | undefined
}

export interface StorePorts {
  /** Ends after so many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
  /** A number from 0 to below 1. */
  readonly random: () => number
}

/** What runs of workflows have in common: which keys are taken, and by whom. */
export interface StateStore {
  read(id: TriggerId): Promise<TriggerState>
  /**
   * Gives the fresh ones among the keys to a run, in one step.
   *
   * @returns how each key stood, in their order: what was fresh is the run's own from now on
   */
  claim(id: TriggerId, keys: readonly string[], run: Run, force?: boolean): Promise<Standing[]>
  /** Marks all that a run has claimed as done, in one step. */
  commit(id: TriggerId, run: Run): Promise<void>
}

/** Under contention someone wins each round, so this is enough for dozens of runs at once. */
const MOST_ATTEMPTS = 40
const LONGEST_WAIT = 1_000

/** A store on a shelf: every change is read, made and saved again until nobody came in between. */
export function createStore(shelf: Shelf, ports: StorePorts): StateStore {
  const change = async (id: TriggerId, step: (state: TriggerState) => TriggerState) => {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const { state, stamp } = await shelf.load(id)
      if (await shelf.save(id, step(state), stamp)) return state
      await ports.sleep(ports.random() * Math.min(LONGEST_WAIT, 10 * 2 ** attempt))
    }
    throw new UserError({
      message: `${shelf.place}: too many runs write at once, gave up after ${MOST_ATTEMPTS} attempts`,
      notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
    })
  }
  return {
    read: async (id) => (await shelf.load(id)).state,
    async claim(id, keys, run, force = false) {
      const before = await change(id, (state) => claimed(state, keys, run, force))
      const standing = standings(before, run)
      return keys.map((key) => (force ? 'fresh' : standing(key)))
    },
    async commit(id, run) {
      await change(id, (state) => committed(state, run))
    },
  }
}
