import type { Standing } from '../items/ledger.ts'
import { claimed, committed, type Run, standings } from './claims.ts'
import type { TriggerId, TriggerState } from './trigger-state.ts'

/** Where the state of triggers lies: one file of `src/state` for each kind of place. */
export interface Shelf {
  load(id: TriggerId): Promise<TriggerState>
  /**
   * Puts what `step` makes of a state in its place, in one step: nobody changes it in between.
   *
   * @returns the state before
   */
  change(id: TriggerId, step: Step): Promise<TriggerState>
}

export type Step = (state: TriggerState) => TriggerState

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

export function createStore(shelf: Shelf): StateStore {
  return {
    read: (id) => shelf.load(id),
    async claim(id, keys, run, force = false) {
      const before = await shelf.change(id, (state) => claimed(state, keys, run, force))
      const standing = standings(before, run)
      return keys.map((key) => (force ? 'fresh' : standing(key)))
    },
    async commit(id, run) {
      await shelf.change(id, (state) => committed(state, run))
    },
  }
}
