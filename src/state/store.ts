import * as v from 'valibot'
import type { Json } from '../wire/json.ts'
import { isUuid } from '../wire/uuid.ts'

/** The storage of the state of triggers: one file of `src/state` for each kind. */
export interface StateBackend {
  /** The states of these triggers, in the same order. */
  load(ids: readonly TriggerId[]): Promise<Snapshots>
  /**
   * Replaces the states of these triggers by the result of `update`, atomically. If `update`
   * returns the same objects, nothing is written.
   *
   * @returns the states before
   */
  change(ids: readonly TriggerId[], update: StateUpdate): Promise<Snapshots>
  /**
   * The runs among these that ended without success, if the storage can tell; none without
   * permission.
   */
  readonly endedRuns?: (runs: readonly string[]) => Promise<ReadonlySet<string>>
}

/** A state, and the time by the storage's clock, in milliseconds since 1970. */
export interface Snapshot {
  readonly state: TriggerState
  readonly now: number
}

/** Several states at one time, by the storage's clock. */
export interface Snapshots {
  readonly states: readonly TriggerState[]
  readonly now: number
}

/** Returns as many states as it gets, in the same order. */
type StateUpdate = (states: readonly TriggerState[], now: number) => readonly TriggerState[]

export function updated(states: readonly TriggerState[], place: number): TriggerState {
  const state = states[place]
  if (!state) throw new Error('an update gave fewer states than it was given')
  return state
}

/**
 * The state that runs of workflows share: which keys are claimed, and by which run. Each call is
 * atomic.
 */
export interface StateStore {
  read(ids: readonly TriggerId[]): Promise<Snapshot[]>
  /**
   * Claims the new keys for a run.
   *
   * @returns the status of each key of each trigger before the call, in order; this run owns the
   * new ones now
   */
  claim(wanted: readonly WantedKeys[], run: Run): Promise<KeyState[][]>
  /**
   * Marks everything that a run has claimed of these triggers as done.
   *
   * @param run its id
   */
  commit(triggers: readonly CommittedTrigger[], run: string): Promise<void>
  readonly endedRuns?: StateBackend['endedRuns']
}

interface CommittedTrigger extends TriggerId {
  /** When the run began; only if an option needs the time of the last success. */
  readonly at?: number
  /** The cursor behind the last item that was passed on; absent, the stored cursor remains. */
  readonly cursor?: Json
}

export interface WantedKeys extends TriggerId, ClaimOptions {
  readonly keys: readonly ClaimedKey[]
}

/** A key, and the mark of the delivery that contained its event; see `deliveryMark`. */
export interface ClaimedKey {
  readonly key: string
  readonly delivery?: string | undefined
  /** True for a replay, which a person asked for: only its own delivery counts as seen. */
  readonly isReplay?: boolean | undefined
}

interface ClaimOptions {
  /** Milliseconds until a claim expires that is not done. */
  readonly lease: number
  /** Gives the run all of the keys, whichever run owns them. */
  readonly force?: boolean
  /**
   * Runs that ended without success, each with the time of its last claim at the time of the
   * request. Their open claims are free, but not later claims, which belong to a re-run with the
   * same id.
   */
  readonly ended?: ReadonlyMap<string, number>
}

export function createStore(backend: StateBackend): StateStore {
  return {
    async read(ids) {
      const { states, now } = await backend.load(ids)
      return states.map((state) => ({ state, now }))
    },
    async claim(wanted, run) {
      const { states, now } = await backend.change(wanted, (before, at) =>
        before.map((state, place) => withClaims({ state, now: at }, wanted[place], run)),
      )
      return wanted.map(({ keys, force, ...options }, place) => {
        const keyState = keyStates({ state: updated(states, place), now }, run, options)
        return keys.map((one) => (force ? NEW : keyState(one)))
      })
    },
    async commit(triggers, run) {
      await backend.change(triggers, (before, now) =>
        before.map((state, place) => withCommit({ state, now }, triggers[place], run)),
      )
    },
    ...(backend.endedRuns && { endedRuns: backend.endedRuns }),
  }
}

/**
 * `new`: unknown, expired, or this run's own. `claimed`: another run processes it. `done`: a run
 * succeeded with it.
 */
export type KeyStatus = 'new' | 'claimed' | 'done'

export interface KeyState {
  readonly status: KeyStatus
  /** The other run that owns the key. */
  readonly run?: string
}

const NEW: KeyState = { status: 'new' }

/** The state of earlier runs, for one trigger. */
export interface SeenKeys {
  keyState(claimed: ClaimedKey): KeyState
  /** True until a run has succeeded. */
  readonly isFirstRun: boolean
  /** Looks up which of these runs ended without success; `keyState` then frees their claims. */
  readonly freeEnded?: (runs: readonly string[]) => Promise<void>
}

/** The most claims that are stored for one trigger. */
export const MOST_CLAIMS = 5_000

/**
 * One execution of a workflow. A re-run has the same id, so it owns the claims of the first
 * attempt.
 */
export interface Run {
  readonly id: string
  /** When the run began, in milliseconds since 1970. */
  readonly at: number
}

/**
 * The status of a trigger's keys for a run. An event counts as seen if its delivery was seen. A replay is new
 * although its key is known, but the relay may send one replay twice, with the same delivery.
 */
export function keyStates(
  { state: { claims }, now }: Snapshot,
  run: Run,
  { lease, ended }: Pick<ClaimOptions, 'lease' | 'ended'>,
): SeenKeys['keyState'] {
  const byKey = new Map(claims.map((claim) => [claim.key, claim]))
  // If several claims belong to one delivery, the last one counts.
  const byDelivery = new Map(claims.map((claim) => [claim.delivery, claim]))
  const stateOf = (claim: Claim | undefined): KeyState => {
    if (!claim || claim.run === run.id) return NEW
    if (claim.done) return { status: 'done', run: claim.run }
    if (claim.at <= (ended?.get(claim.run) ?? -1)) return NEW
    return ageOf(claim.at, now) < lease ? { status: 'claimed', run: claim.run } : NEW
  }
  return ({ key, delivery, isReplay }) => {
    const own = isReplay ? NEW : stateOf(byKey.get(key))
    if (own.status !== 'new' || delivery === undefined) return own
    return stateOf(byDelivery.get(delivery))
  }
}

/** The most milliseconds that another clock may be ahead; later times are ignored. */
const SKEW = 5 * 60_000

/**
 * Milliseconds since a time. A time slightly in the future counts as now, one far in the future as
 * never.
 */
export function ageOf(at: number, now: number): number {
  return at > now + SKEW ? Infinity : Math.max(0, now - at)
}

/**
 * A mark that is equal exactly for duplicates of one relay delivery: a hash of the delivery id and
 * the time of receipt. `undefined` unless a relay sent both.
 */
export async function deliveryMark(
  delivery: string | undefined,
  receivedAt: string | undefined,
  digest: (text: string) => Promise<string>,
): Promise<string | undefined> {
  if (delivery === undefined || !receivedAt || !isUuid(delivery)) return undefined
  return (await digest(`delivery ${delivery.toLowerCase()} ${receivedAt}`)).slice(0, 22)
}

function withClaims(
  { state, now }: Snapshot,
  wanted: WantedKeys | undefined,
  run: Run,
): TriggerState {
  if (!wanted) return state
  const { keys, force, ...options } = wanted
  const keyState = keyStates({ state, now }, run, options)
  const taken = new Map(
    keys
      .filter((one) => force || keyState(one).status === 'new')
      .map(({ key, delivery }) => [key, delivery]),
  )
  if (taken.size === 0) return state
  const done = new Set(state.claims.filter((claim) => claim.done).map(({ key }) => key))
  const others = state.claims.filter(({ key }) => !taken.has(key))
  const own = [...taken].map(([key, delivery]): Claim => {
    // A key that the run has done stays done during a re-run.
    const claim = { key, run: run.id, at: now, done: done.has(key) }
    return delivery === undefined ? claim : { ...claim, delivery }
  })
  return { ...state, claims: kept([...others, ...own]) }
}

/** Idempotent, because a commit is retried if its response was lost. */
function withCommit(
  { state, now }: Snapshot,
  { at, cursor }: Partial<CommittedTrigger> = {},
  run: string,
): TriggerState {
  const last = state.lastSuccess
  const known = last !== null && ageOf(last, now) < Infinity
  const lastSuccess = at === undefined ? last : known ? Math.max(last, at) : at
  const isOpen = (claim: Claim) => claim.run === run && !claim.done
  const moves = cursor !== undefined && JSON.stringify(cursor) !== JSON.stringify(state.cursor)
  if (lastSuccess === last && !moves && !state.claims.some(isOpen)) return state
  const claims = state.claims.map((claim) => (isOpen(claim) ? { ...claim, done: true } : claim))
  return { ...state, lastSuccess, claims, ...(moves && { cursor }) }
}

/** Drops the oldest claims beyond the limit; done claims go before open ones. */
export function kept(claims: readonly Claim[]): readonly Claim[] {
  const excess = claims.length - MOST_CLAIMS
  if (excess <= 0) return claims
  const done = claims.filter((claim) => claim.done)
  const forgotten = new Set([...done, ...claims.filter((claim) => !claim.done)].slice(0, excess))
  return claims.filter((claim) => !forgotten.has(claim))
}

/** Identifies a trigger by the names in the workflow file. */
export interface TriggerId {
  readonly workflow: string
  readonly trigger: string
}

const claimSchema = v.object({
  key: v.string(),
  /** The run that owns the key. */
  run: v.string(),
  /** When it was claimed, by the store's clock. */
  at: v.number(),
  /** True if the owner succeeded with the key. */
  done: v.boolean(),
  /** The mark of the delivery that contained the event. */
  delivery: v.exactOptional(v.string()),
})

export type Claim = Readonly<v.InferOutput<typeof claimSchema>>

export const triggerStateSchema = v.object({
  /** When the last successful run began, in milliseconds since 1970; `null` before the first. */
  lastSuccess: v.nullable(v.number()),
  /** The cursor at which the next poll begins. */
  cursor: v.exactOptional(v.custom<Json>((value) => value !== undefined)), // parsed from JSON
  /** Oldest first. */
  claims: v.pipe(v.array(claimSchema), v.readonly()),
})

export type TriggerState = Readonly<v.InferOutput<typeof triggerStateSchema>>

export const NO_STATE: TriggerState = { lastSuccess: null, claims: [] }
