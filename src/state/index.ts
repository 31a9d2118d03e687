import * as v from 'valibot'
import { UserError } from '../wire/errors.ts'

/** Where the state of triggers lies: one file of `src/state` for each kind of place. */
export interface StateBackend {
  load(id: TriggerId): Promise<TriggerState>
  /**
   * Puts what `step` makes of a state in its place, in one step: nobody changes it in between.
   *
   * @returns the state before
   */
  change(id: TriggerId, step: Update): Promise<TriggerState>
}

export type Update = (state: TriggerState) => TriggerState

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
  claim(id: TriggerId, keys: readonly string[], run: Run, force?: boolean): Promise<KeyStatus[]>
  /** Marks all that a run has claimed as done, in one step. */
  commit(id: TriggerId, run: Run): Promise<void>
}

export function createStore(shelf: StateBackend): StateStore {
  return {
    read: (id) => shelf.load(id),
    async claim(id, keys, run, force = false) {
      const before = await shelf.change(id, (state) => withClaims(state, keys, run, force))
      const keyStatus = keyStatuses(before, run)
      return keys.map((key) => (force ? 'fresh' : keyStatus(key)))
    },
    async commit(id, run) {
      await shelf.change(id, (state) => withCommit(state, run))
    },
  }
}

/**
 * What is known of a key: nothing, or its own run has it; another run is at work on it; it is done.
 */
export type KeyStatus = 'fresh' | 'busy' | 'seen'

/** What earlier runs left, as far as this run asks. */
export interface SeenKeys {
  standing(key: string): KeyStatus
  /** True when no run has succeeded yet. */
  readonly isFirstRun: boolean
}

/** Nothing is known: there is no store, or nobody asks it. */
export const NO_SEEN_KEYS: SeenKeys = { standing: () => 'fresh', isFirstRun: false }

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
export function keyStatuses({ claims }: TriggerState, run: Run): (key: string) => KeyStatus {
  const byKey = new Map(claims.map((claim) => [claim.key, claim]))
  return (key) => standing(byKey.get(key), run)
}

function standing(claim: Claim | undefined, run: Run): KeyStatus {
  if (!claim || claim.run === run.id) return 'fresh'
  if (claim.done) return 'seen'
  return run.at - claim.at < CLAIM_HOLDS ? 'busy' : 'fresh'
}

/** Gives the fresh ones of the keys to a run. With `force`, all of them. */
function withClaims(
  state: TriggerState,
  keys: readonly string[],
  run: Run,
  force: boolean,
): TriggerState {
  const standingOf = keyStatuses(state, run)
  const fresh = new Set(keys.filter((key) => force || standingOf(key) === 'fresh'))
  const done = new Set(state.claims.filter((claim) => claim.done).map(({ key }) => key))
  const others = state.claims.filter(({ key }) => !fresh.has(key))
  // What a run has done once stays done while a re-run is at it.
  const own = [...fresh].map((key) => ({ key, run: run.id, at: run.at, done: done.has(key) }))
  return { ...state, claims: pruned([...others, ...own]) }
}

/** Marks what a run has claimed as done, and the run as the last one that succeeded. */
function withCommit({ lastSuccess, claims }: TriggerState, run: Run): TriggerState {
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

/** Whose state it is: names as the workflow file has them. */
export interface TriggerId {
  readonly workflow: string
  readonly trigger: string
}

/** A key, the run that has it, since when (milliseconds since 1970), and whether that succeeded. */
interface Claim {
  readonly key: string
  readonly run: string
  readonly at: number
  readonly done: boolean
}

/** All that is remembered of a trigger. */
export interface TriggerState {
  /** When the last successful run began, in milliseconds since 1970; `null` before the first one. */
  readonly lastSuccess: number | null
  /** Oldest first. */
  readonly claims: readonly Claim[]
}

export const NO_STATE: TriggerState = { lastSuccess: null, claims: [] }

/** What every state file says of itself. */
export const FORMAT = 'hookline-state'

export const VERSION = 1

export const triggerStateSchema = v.object({
  lastSuccess: v.nullable(v.number()),
  claims: v.array(
    v.object({ key: v.string(), run: v.string(), at: v.number(), done: v.boolean() }),
  ),
})

/** What a state file has besides what it holds. */
const header = v.object({ format: v.literal(FORMAT), version: v.number() })

/**
 * Reads a state file.
 *
 * @param place how the user finds it: `state.json`, `hook/webhook.json on the branch state`
 * @param reset what the user can do to begin anew
 * @throws UserError for a file that is not ours, broken, or of a newer version
 */
export function readStateFile<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  { place, reset }: { readonly place: string; readonly reset: string },
): v.InferOutput<Schema> {
  const found = parsed(text)
  const head = v.safeParse(header, found)
  if (head.success && head.output.version > VERSION) {
    throw new UserError({
      message: `${place} was written by a newer version of Hookline`,
      notes: ['use that version here too', reset],
    })
  }
  const checked = v.safeParse(schema, found)
  if (head.success && checked.success) return checked.output
  throw new UserError({ message: `${place} is no state of Hookline, or broken`, notes: [reset] })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON with one claim a line, so that a difference between two states can be read. */
export function stateJson({ lastSuccess, claims }: TriggerState): string {
  const lines = claims.map((claim) => `\n${JSON.stringify(claim)}`)
  return `{"lastSuccess":${JSON.stringify(lastSuccess)},"claims":[${lines.join(',')}]}`
}
