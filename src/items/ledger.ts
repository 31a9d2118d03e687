/**
 * What is known of a key: nothing, or its own run has it; another run is at work on it; it is done.
 */
export type Standing = 'fresh' | 'busy' | 'seen'

/** What earlier runs left, as far as this run asks. */
export interface Ledger {
  standing(key: string): Standing
  /** True when no run has succeeded yet. */
  readonly isFirstRun: boolean
}

/** Nothing is known: there is no store, or nobody asks it. */
export const BLANK_LEDGER: Ledger = { standing: () => 'fresh', isFirstRun: false }
