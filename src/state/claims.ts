import type { Standing } from '../items/ledger.ts'
import type { Claim, TriggerState } from './trigger-state.ts'

/** A claim that is not done stops others for so long, in milliseconds; then its run is given up. */
export const CLAIM_HOLDS = 30 * 60 * 1000

/** Claims that are kept of one trigger. */
export const MOST_CLAIMS = 5_000

/** One execution of a workflow: a re-run has the same id, and its claims are its own. */
export interface Run {
  readonly id: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
}

/** How the keys of a trigger stand for a run. */
export function standings({ claims }: TriggerState, run: Run): (key: string) => Standing {
  const byKey = new Map(claims.map((claim) => [claim.key, claim]))
  return (key) => standing(byKey.get(key), run)
}

function standing(claim: Claim | undefined, run: Run): Standing {
  if (!claim || claim.run === run.id) return 'fresh'
  if (claim.done) return 'seen'
  return run.at - claim.at < CLAIM_HOLDS ? 'busy' : 'fresh'
}

/** Gives the fresh ones of the keys to a run. With `force`, all of them. */
export function claimed(
  state: TriggerState,
  keys: readonly string[],
  run: Run,
  force: boolean,
): TriggerState {
  const standingOf = standings(state, run)
  const fresh = new Set(keys.filter((key) => force || standingOf(key) === 'fresh'))
  const done = new Set(state.claims.filter((claim) => claim.done).map(({ key }) => key))
  const others = state.claims.filter(({ key }) => !fresh.has(key))
  // What a run has done once stays done while a re-run is at it.
  const own = [...fresh].map((key) => ({ key, run: run.id, at: run.at, done: done.has(key) }))
  return { ...state, claims: pruned([...others, ...own]) }
}

/** Marks what a run has claimed as done, and the run as the last one that succeeded. */
export function committed({ lastSuccess, claims }: TriggerState, run: Run): TriggerState {
  return {
    lastSuccess: Math.max(lastSuccess ?? 0, run.at),
    claims: claims.map((claim) => (claim.run === run.id ? { ...claim, done: true } : claim)),
  }
}

/** Forgets the oldest beyond the limit, and those that are done before those that are not. */
function pruned(claims: readonly Claim[]): readonly Claim[] {
  const excess = claims.length - MOST_CLAIMS
  if (excess <= 0) return claims
  const done = claims.filter((claim) => claim.done)
  const forgotten = new Set([...done, ...claims.filter((claim) => !claim.done)].slice(0, excess))
  return claims.filter((claim) => !forgotten.has(claim))
}
