import * as v from 'valibot'
import { UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'

/** Where the state of triggers lies: one file of `src/state` for each kind of place. */
export interface StateBackend {
  /** The states of these triggers, in their order. */
  load(ids: readonly TriggerId[]): Promise<Snapshots>
  /**
   * Puts what `update` makes of the states of these triggers in their place, in one step: nobody
   * changes them in between. When they are the very same states, nothing is written.
   *
   * @returns what stood there before
   */
  change(ids: readonly TriggerId[], update: Update): Promise<Snapshots>
  /**
   * Which of these runs have ended without success; there where the place can tell. Where it may not
   * be asked, none.
   */
  readonly endedRuns?: (runs: readonly string[]) => Promise<ReadonlySet<string>>
}

/** A state, and the time by the clock of the place where it lies, in milliseconds since 1970. */
export interface Snapshot {
  readonly state: TriggerState
  readonly now: number
}

/** Several states at one time, by the clock of the place where they lie. */
export interface Snapshots {
  readonly states: readonly TriggerState[]
  readonly now: number
}

/** Gives as many states as it is given, in their order. */
type Update = (states: readonly TriggerState[], now: number) => readonly TriggerState[]

/** What an update gives for the state at this place. */
export function updated(states: readonly TriggerState[], place: number): TriggerState {
  const state = states[place]
  if (!state) throw new Error('an update gave fewer states than it was given')
  return state
}

/** What runs of workflows have in common: which keys are taken, and by whom. One call, one step. */
export interface StateStore {
  read(ids: readonly TriggerId[]): Promise<Snapshot[]>
  /**
   * Gives the new ones among the keys to a run.
   *
   * @returns how each key of each trigger stood, in their order: what was new is the run's own now
   */
  claim(wanted: readonly WantedKeys[], run: Run): Promise<KeyState[][]>
  /**
   * Marks all that a run has claimed of these triggers as done.
   *
   * @param run its id
   */
  commit(triggers: readonly CommittedTrigger[], run: string): Promise<void>
  readonly endedRuns?: StateBackend['endedRuns']
}

/** What a run that has succeeded leaves of a trigger. */
export interface CommittedTrigger extends TriggerId {
  /** When the run began, where that is to be remembered. */
  readonly at?: number
  /** Up to where a poll has handed on; without one, that place stays as it was. */
  readonly cursor?: Json
}

/** Keys of a trigger that a run asks for. */
export interface WantedKeys extends TriggerId, ClaimOptions {
  readonly keys: readonly ClaimedKey[]
}

/** A key, and what tells the relay's repeats of the event that brought it; see `deliveryMark`. */
export interface ClaimedKey {
  readonly key: string
  readonly delivery?: string | undefined
}

interface ClaimOptions {
  /** For how many milliseconds a claim holds that is not done. */
  readonly lease: number
  /** Gives the run all of the keys, whoever has them. */
  readonly force?: boolean
  /**
   * Runs that have ended without success, each with the time of its last claim when it was asked for.
   * Their open claims are free, but for later ones: those belong to a re-run, which has the same id.
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
        return keys.map(({ key, delivery }) => (force ? NEW : keyState(key, delivery)))
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

/** What is known of a key: nothing, or its own run has it; another run is at work on it; it is done. */
export type KeyStatus = 'new' | 'claimed' | 'done'

export interface KeyState {
  readonly status: KeyStatus
  /** The other run that has it. */
  readonly run?: string
}

const NEW: KeyState = { status: 'new' }

/** What earlier runs left, as far as this run asks. */
export interface SeenKeys {
  /** @param delivery mark of the delivery that brought it; see `deliveryMark` */
  keyState(key: string, delivery?: string): KeyState
  /** True when no run has succeeded yet. */
  readonly isFirstRun: boolean
  /** Asks which of these runs have ended without success; `keyState` then frees their claims. */
  readonly freeEnded?: (runs: readonly string[]) => Promise<void>
}

/** Claims that are kept of one trigger. */
export const MOST_CLAIMS = 5_000

/** One execution of a workflow: a re-run has the same id, and its claims are its own. */
export interface Run {
  readonly id: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
}

/** How the keys of a trigger stand for a run. An event whose delivery was seen is seen itself. */
export function keyStates(
  { state: { claims }, now }: Snapshot,
  run: Run,
  { lease, ended }: Pick<ClaimOptions, 'lease' | 'ended'>,
): SeenKeys['keyState'] {
  const byKey = new Map(claims.map((claim) => [claim.key, claim]))
  // The last claim of a delivery counts.
  const byDelivery = new Map(claims.map((claim) => [claim.delivery, claim]))
  const stateOf = (claim: Claim | undefined): KeyState => {
    if (!claim || claim.run === run.id) return NEW
    if (claim.done) return { status: 'done', run: claim.run }
    if (claim.at <= (ended?.get(claim.run) ?? -1)) return NEW
    return ageOf(claim.at, now) < lease ? { status: 'claimed', run: claim.run } : NEW
  }
  return (key, delivery) => {
    const own = stateOf(byKey.get(key))
    if (own.status !== 'new' || delivery === undefined) return own
    return stateOf(byDelivery.get(delivery))
  }
}

/** A clock may be ahead of another one by so much; what lies beyond is no time to go by. */
const SKEW = 5 * 60_000

/** Milliseconds since a time. A time a little ahead is now; one far ahead is as if it were not there. */
export function ageOf(at: number, now: number): number {
  return at > now + SKEW ? Infinity : Math.max(0, now - at)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * What the relay's own repeats of an event have in common, and nothing else has: the id of its
 * delivery together with the time of its receipt. `undefined` where no relay gave both.
 */
export async function deliveryMark(
  delivery: string | undefined,
  receivedAt: string | undefined,
  digest: (text: string) => Promise<string>,
): Promise<string | undefined> {
  if (delivery === undefined || !receivedAt || !UUID.test(delivery)) return undefined
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
      .filter(({ key, delivery }) => force || keyState(key, delivery).status === 'new')
      .map(({ key, delivery }) => [key, delivery]),
  )
  if (taken.size === 0) return state
  const done = new Set(state.claims.filter((claim) => claim.done).map(({ key }) => key))
  const others = state.claims.filter(({ key }) => !taken.has(key))
  const own = [...taken].map(([key, delivery]): Claim => {
    // What a run has done once stays done while a re-run is at it.
    const claim = { key, run: run.id, at: now, done: done.has(key) }
    return delivery === undefined ? claim : { ...claim, delivery }
  })
  return { ...state, claims: kept([...others, ...own]) }
}

/** A commit that took effect, though nobody heard so, is the same state when it is made again. */
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

/** Forgets the oldest beyond the limit, and those that are done before those that are not. */
export function kept(claims: readonly Claim[]): readonly Claim[] {
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

/** A key, the run that has it, since when by the store's clock, and whether that run succeeded. */
export interface Claim {
  readonly key: string
  readonly run: string
  readonly at: number
  readonly done: boolean
  /** The mark of the delivery that brought it. */
  readonly delivery?: string
}

/** All that is remembered of a trigger. */
export interface TriggerState {
  /** When the last successful run began, in milliseconds since 1970; `null` before the first one. */
  readonly lastSuccess: number | null
  /** Up to where a poll has handed on: the next one begins there. */
  readonly cursor?: Json
  /** Oldest first. */
  readonly claims: readonly Claim[]
}

export const NO_STATE: TriggerState = { lastSuccess: null, claims: [] }

/** What every state file says of itself. */
export const FORMAT = 'hookline-state'

export const VERSION = 1

export const triggerStateSchema = v.object({
  lastSuccess: v.nullable(v.number()),
  cursor: v.exactOptional(v.custom<Json>((value) => value !== undefined)), // it was JSON
  claims: v.array(
    v.object({
      key: v.string(),
      run: v.string(),
      at: v.number(),
      done: v.boolean(),
      delivery: v.exactOptional(v.string()),
    }),
  ),
})

/** What a state file has besides what it holds. */
const header = v.object({ format: v.literal(FORMAT), version: v.number() })

/**
 * Reads a state file.
 *
 * @param place how the user finds it: `state.json`, `hook/webhook.json on the branch state`
 * @param reset what the user can do to start over
 * @throws UserError for a file that is not ours, broken, or of a newer version
 */
export function readStateFile<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  { place, reset }: { readonly place: string; readonly reset: string },
): v.InferOutput<Schema> {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    // `undefined` is no state either.
  }
  const head = v.safeParse(header, found)
  if (head.success && head.output.version > VERSION) {
    throw new UserError({
      message: `${place} was written by a newer version of Hookline`,
      notes: ['use that version here too', reset],
    })
  }
  const checked = v.safeParse(schema, found)
  if (head.success && checked.success) return checked.output
  throw new UserError({ message: `${place} is not a state of Hookline, or broken`, notes: [reset] })
}

/** JSON with one claim a line, so that a difference between two states can be read. */
export function stateJson({ claims, ...rest }: TriggerState): string {
  const lines = claims.map((claim) => `\n${JSON.stringify(claim)}`)
  return `${JSON.stringify(rest).slice(0, -1)},"claims":[${lines.join(',')}]}`
}
