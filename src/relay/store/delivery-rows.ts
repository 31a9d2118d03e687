import { RUN_RESULTS } from '../../wire/run-lookup.ts'

/**
 * - `delivered`: GitHub accepted the event
 * - `waiting`: GitHub has not accepted the event, or it is collected for a batch
 * - `uncertain`: an attempt ended with 500, 502, 504, a reset or no response, so GitHub may have it
 * - `dead`: given up, with a reason
 * - `filtered`: the condition of the endpoint declined the request
 * - `refused`: the request was answered with 4xx
 */
export type DeliveryState = (typeof STATES)[number]

/** True if GitHub has not accepted the event yet, and may. */
export function isOpen(state: DeliveryState | 'body'): boolean {
  return state === 'waiting' || state === 'uncertain'
}

export const STATES = ['delivered', 'waiting', 'uncertain', 'dead', 'filtered', 'refused'] as const

/**
 * How far the run of an accepted event has come; `null` if nobody looks for it.
 *
 * - `pending`: no run is known yet, and the event is not older than 2 minutes
 * - `running`: its run is queued or in progress
 * - `waiting_for_approval`: its run waits for a person
 * - `success`, `failure`: its run ended; `failure` includes `cancelled` and `timed_out`
 * - `nothing_fired`: its run ended, and no trigger fired
 * - `skipped`: every job was skipped
 * - `startup_failure`: the run failed before a job: a policy, or an invalid workflow
 * - `no_run`: no run was found within 2 minutes
 * - `unknown`: GitHub does not tell
 */
export type RunOutcome = (typeof OUTCOMES)[number]

export const OUTCOMES = [...RUN_RESULTS, 'pending', 'nothing_fired', 'no_run', 'unknown'] as const

/** A row without its content: nothing in it is secret. Times are milliseconds since 1970. */
export interface Delivery {
  /** Order of arrival. */
  readonly seq: number
  /** UUID of the delivery, under which GitHub is called. */
  readonly id: string
  /** Id of the request; with one target it is the id of the delivery. */
  readonly request: string
  readonly replayOf: string | null
  /** Id of the batch: the id of its first member. */
  readonly batch: string | null
  /** Owner of the repository, in lower case. */
  readonly owner: string
  /** `owner/name` in lower case. */
  readonly repository: string
  /** `owner/name#<holder>` in lower case: all events of a repository and a credential. */
  readonly queue: string
  /** Name of the endpoint; `null` for a token URL. */
  readonly endpoint: string | null
  /** `<workflow>/<trigger>[/<rest>]`, without the query. */
  readonly path: string
  readonly method: string
  /** When the request arrived. */
  readonly received: number
  /** Bytes of the received body. */
  readonly size: number
  readonly state: DeliveryState
  /** Error code of the last refusal, `queued`, `stored`, `batch`, `replayed`, `if`, or why it is dead. */
  readonly reason: string
  /** When it entered its state. */
  readonly since: number
  /** True if the response was 202: `hookline_imbalance` accounts for it. */
  readonly queued: boolean
  /** When the relay stored it, or an admin queued it again: its age counts from here. */
  readonly at: number
  /** Calls of GitHub; the retries within one request count as one. */
  readonly attempts: number
  /** Attempts after which GitHub may have the event. */
  readonly doubts: number
  /** When it has to be looked at again: an attempt, or a lookup of its run; `null` if never. */
  readonly next: number | null
  /** Milliseconds between the last attempt and `next`; a restart uses it if the clock has jumped. */
  readonly wait: number
  /** When GitHub accepted the event, by GitHub's clock. */
  readonly accepted: number | null
  /** Milliseconds of GitHub's response. */
  readonly githubMs: number | null
  readonly run: string | null
  readonly outcome: RunOutcome | null
  /** Why the outcome is what it is: of `unknown`, or the action's reason of `nothing_fired`. */
  readonly outcomeReason: string | null
  readonly conclusion: string | null
  /** `not_read` if the budget did not allow to read the steps of the run. */
  readonly details: string | null
  /** Lookups in a row that failed. */
  readonly failures: number
  /** What did not match, for a person. */
  readonly explanation: string | null
  /** Id of the relay key that encrypted the content; `null` without content. */
  readonly key: string | null
  /** Size of the content. */
  readonly bytes: number
}

export interface StoredDelivery extends Delivery {
  /** Payload and credential, as a compact JWE; `null` if it is not stored. */
  readonly content: string | null
}

/** Events that are collected into one batch share this. */
export interface Collection {
  /** Mode, ref, workflow and trigger. A batch also has events of one queue and one endpoint alone. */
  readonly grouping: string
  /** Milliseconds from the first event to the end. */
  readonly period: number
  /** Milliseconds without a new event that end it sooner. */
  readonly quiet: number | null
  /** Characters of the event before gzip, with `LIMITS.batchEventOverhead`. */
  readonly length: number
}

/** A delivery that a request asks to store. Absent numbers are 0, and other absent fields are `null`. */
export interface NewDelivery
  extends Pick<Delivery, 'id' | 'request' | 'queue' | 'endpoint' | 'path' | 'method' | 'received'>,
    Pick<StoredDelivery, 'size' | 'state' | 'reason' | 'key' | 'content'>,
    Partial<Pick<Delivery, 'replayOf' | 'attempts' | 'doubts' | 'wait' | 'accepted' | 'githubMs'>>,
    Partial<Pick<Delivery, 'run' | 'explanation'>> {
  /** When its endpoint was created, which tells the endpoint from a later one of the same name. */
  readonly endpointCreated?: number
  /** Whether the relay looks for its run. */
  readonly follows?: boolean
  /** Set for an event of an endpoint with a batch. */
  readonly collection?: Collection | null
}

/** Events of one queue and grouping that are collected and not yet sent. */
export interface Collecting extends Pick<Collection, 'grouping' | 'period' | 'quiet'> {
  /** When the first and the last one were stored. */
  readonly first: number
  readonly last: number
  readonly count: number
  /** Characters of all of them. */
  readonly length: number
}

/** The most that an endpoint may store, in events and bytes. */
export interface Bound {
  readonly events: number
  readonly bytes: number
}

export interface Accepted extends Pick<Delivery, 'accepted' | 'githubMs' | 'run'> {
  readonly follows: boolean
}

/** The state of an event after an attempt that GitHub did not accept. */
export type FailedState =
  | { readonly state: 'waiting' | 'uncertain'; readonly wait: number; readonly doubts: number }
  | Readonly<{ state: 'dead'; reason: string; doubts: number; explanation?: string }>

/** An accepted event whose run the relay looks for; for a batch, its first member. */
export interface FollowedDelivery extends Delivery {
  readonly accepted: number
  readonly outcome: RunOutcome
  readonly next: number
}

/** The result of a lookup of a run; `next` is `null` if the outcome is final. */
export type RunStep = Pick<
  Delivery,
  'outcome' | 'outcomeReason' | 'conclusion' | 'details' | 'run' | 'failures' | 'next'
>

/** Selects deliveries; an absent field matches all. Times are milliseconds since 1970. */
export interface DeliveryFilter {
  readonly id?: string | undefined
  /** Id of the request, which has a delivery for each target. */
  readonly request?: string | undefined
  /** Owner of the repository, in lower case. */
  readonly owner?: string | undefined
  readonly repository?: string | undefined
  /** Also selects the deliveries of a deleted endpoint of this name. */
  readonly endpoint?: string | undefined
  /** Endpoints that a caller with a GitHub token may see: `<owner>/<name>`. */
  readonly endpoints?: readonly string[] | undefined
  readonly state?: DeliveryState | undefined
  readonly outcome?: string | undefined
  readonly reason?: string | undefined
  /** Of `received`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface DeliveryQuery extends DeliveryFilter {
  /** `seq` of the last delivery of the page before. */
  readonly after?: number | undefined
  readonly limit: number
}

export interface DeliveryTotals {
  readonly states: Readonly<Record<DeliveryState, number>>
  /** Of all rows and bodies. */
  readonly bytes: number
  /** Seconds since the oldest undelivered event was stored. */
  readonly oldest: number
  /** Undelivered events that no relay key decrypts. */
  readonly unreadable: number
  /** Events answered 202 that the table cannot account for: 0. */
  readonly imbalance: number
}
