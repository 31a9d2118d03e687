import type { JobExplanation } from '../model/explain.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'

/** The origin of an event: a `composed` request was written on the page. */
type RequestSource = 'request' | 'replay' | 'composed' | 'poll'

/** One line of the list. */
export interface Summary {
  /** `<run>-<number>`: unique across runs of `hookline dev`. */
  readonly id: string
  /** Counts from 1 in the order of arrival. */
  readonly number: number
  /** Time of receipt: ISO 8601, UTC. */
  readonly time: string
  readonly origin: RequestSource
  /** Empty for a poll. */
  readonly delivery: string
  /** Upper case. */
  readonly method: string
  /** Path after `/webhook/`, with its query; empty if unknown. */
  readonly path: string
  readonly workflow: string
  readonly trigger: string
  /** The sender's name for the event: `issues.opened`; `null` if unknown. */
  readonly event: string | null
  readonly outcome: Outcome
  readonly count: number
  /** Why nothing fired, or why GitHub does not have the event. */
  readonly reason: string | null
  /** Duration of the evaluation, or of GitHub's response; `null` if unknown. */
  readonly milliseconds: number | null
  /** The result of the jobs; `null` if unknown. */
  readonly jobsResult: JobsResult | null
  /** `null` for an event of `hookline dev`. */
  readonly relay: RelayFacts | null
}

export interface ListChange {
  /** New and changed lines. */
  readonly summaries: readonly Summary[]
  /** Ids of lines that are no longer stored. */
  readonly gone: readonly string[]
}

/**
 * The result for `hookline dev` (`unverified`: no trigger fired, because the signature is not valid), or
 * the state of a relay's delivery. Both have `refused`: the response was 4xx.
 */
export type Outcome =
  | 'fired'
  | 'skipped'
  | 'unverified'
  | 'mistaken'
  | 'refused'
  | 'delivered'
  | 'waiting'
  | 'uncertain'
  | 'dead'
  | 'filtered'

/** The result of an event's jobs, in a few words. */
export interface JobsResult {
  readonly text: string
  readonly kind: 'good' | 'bad' | 'open'
}

/** Further values in a relay's list. */
interface RelayFacts {
  /** `octo/orders`; empty for a token URL. */
  readonly endpoint: string
  /** `octo/shop` */
  readonly repository: string
  /** Outcome of the run, such as `success`; empty if unknown. */
  readonly outcome: string
  /** False for a refused request, whose payload is not stored. */
  readonly canReplay: boolean
}

/** A stage of a relay's delivery, with the fault and its cure. Unknown values are `null`. */
export interface ShownStage {
  readonly stage: string
  readonly state: 'ok' | 'failed' | 'waiting' | 'skipped' | 'unknown'
  /** ISO 8601, UTC. */
  readonly at: string | null
  readonly found: string | null
  readonly wanted: string | null
  readonly cure: string | null
}

export interface ShownValue {
  readonly name: string
  readonly value: string
}

/** A request as the page shows it and `hookline send` replays it. */
export interface ShownRequest {
  readonly method: string
  readonly path: string
  /** Values that authenticate the sender are `***`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `base64` for a body that is not text. */
  readonly encoding: 'text' | 'base64'
}

/** The options of triggers that verify a signature or a secret. */
export const VERIFYING: ReadonlySet<string> = new Set(['verify', 'secretToken'])

/** The result of one declared trigger. */
export interface ShownDecision {
  readonly trigger: string
  readonly fired: boolean
  readonly reason: string
  readonly checks: readonly {
    readonly option: string
    readonly held: boolean
    readonly found: string
  }[]
  /** Present if the trigger met every condition and looked for items. */
  readonly tally?: {
    readonly found: number
    readonly passedOn: number
    /** The effect of each step of `config`, in words. */
    readonly steps: readonly string[]
  }
}

/** An `on` context, as jobs read it. */
type ShownContext = Readonly<
  Record<string, { readonly outcome: string; readonly outputs: JsonObject | Json[] }>
>

/** A position in a workflow file that can read the outputs of an event, in its own form. */
export type OutputReader =
  /** A file that `hookline build` compiles: `on.webhook.outputs.…`. */
  | { readonly kind: 'source'; readonly file: string }
  /** Later steps of the job that runs the action: `steps.<id>.outputs.…`. */
  | {
      readonly kind: 'steps'
      readonly file: string
      readonly job: string
      readonly step: ReaderStep
    }
  /** A later job that reads the outputs of `job`: `needs.<job>.outputs.…`. */
  | {
      readonly kind: 'needs'
      readonly file: string
      readonly job: string
      readonly step: ReaderStep
      readonly reader: string
      /** The outputs of `job` as the file writes them: `body: ${{ steps.hook.outputs.body }}`. */
      readonly outputs: Readonly<Record<string, string>>
    }
  /** A later job whose matrix goes over the items: `matrix.<name>.webhook.outputs.…`. */
  | {
      readonly kind: 'matrix'
      readonly file: string
      readonly reader: string
      readonly name: string
    }

interface ReaderStep {
  /** `null` for a step that has none yet: nothing can read its outputs. */
  readonly id: string | null
}

/** The jobs of a workflow file for one event, by the model of GitHub's scheduling. */
export interface ShownJobs {
  readonly file: string
  /** Number of items; the values are those of the first item. */
  readonly items: number
  readonly jobs: readonly JobExplanation[]
}

/** A mistake that the user can fix; secrets and control characters are removed. */
export interface ShownProblem {
  readonly text: string
  /** Location in a file; `null` for a problem outside of files. */
  readonly place: ShownPlace | null
  /** How to fix the problem. */
  readonly notes: readonly string[]
}

/** A part of one line of a file. */
export interface ShownPlace {
  readonly file: string
  /** Counts from 1, as the column does. */
  readonly line: number
  readonly column: number
  /** In characters. */
  readonly length: number
  /** The whole line. */
  readonly text: string
}

/** All facts about one event. */
export interface Detail extends Summary {
  /** The event whose request was replayed, edited or not; `null` for a new request. */
  readonly of: string | null
  /** `null` for a polled event, and if it is not stored. */
  readonly request: ShownRequest | null
  /** Which parts of the request are not stored; `null` if it is complete, so that it can be sent. */
  readonly missing: string | null
  /** The stages of a relay's delivery, in order; empty for `hookline dev`. */
  readonly stages: readonly ShownStage[]
  /** Attempts, times and the run of a relay's delivery; empty for `hookline dev`. */
  readonly values: readonly ShownValue[]
  readonly decisions: readonly ShownDecision[]
  /** Mistakes of the workflow file. */
  readonly problems: readonly ShownProblem[]
  /** The log that the action would write. */
  readonly messages: readonly Message[]
  /** Items as the trigger found them, before `config`. */
  readonly found: readonly JsonObject[]
  /** One `on` context per item. */
  readonly items: readonly ShownContext[]
  /** The fields that are step outputs of their own. */
  readonly fields: readonly string[]
  readonly readers: readonly OutputReader[]
  readonly jobs: readonly ShownJobs[]
}

/** A record of an event without its number in the list. */
export type Unlisted = Omit<Detail, 'id' | 'number'>

/** The data that the page loads at the start and after each change of a workflow file. */
export interface Welcome {
  /** Triggers that receive webhooks. */
  readonly triggers: readonly WelcomeTrigger[]
  /** Triggers that poll: `bot/messaging_bot`. */
  readonly polled: readonly string[]
  readonly polling: boolean
  /** Mistakes of workflow files. */
  readonly problems: readonly ShownProblem[]
  /** The relay whose deliveries are shown; `null` for `hookline dev`. */
  readonly relay: WelcomeRelay | null
}

interface WelcomeRelay {
  /** `relay.example.com` */
  readonly host: string
  /** Address of the `hookline dev` that *Open in dev* sends to. */
  readonly dev: string
  /** True if the list has as many deliveries as it can take, so that the relay may have more. */
  readonly isFull: boolean
  /** Why the last request to the relay failed; `null` if it succeeded. */
  readonly fault: string | null
}

interface WelcomeTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly method: string
  readonly url: string
  /** A shell command that fires the trigger; `null` if only its sender can create a request. */
  readonly curl: string | null
  /** The initial request of the composer. */
  readonly request: ShownRequest
  /** The scheme by which a request can be signed: `stripe`. */
  readonly scheme: string | null
}

/** A request that the page sends. */
export interface Order extends ShownRequest {
  /** The event whose hidden headers replace `***`; `null` for none. */
  readonly of: string | null
  /** Whether to sign the request again with the secret of its trigger. */
  readonly sign: boolean
}

/** The response that the sender would receive. */
export interface SentResponse {
  readonly status: number
  readonly delivery: string
  readonly body: string
}

/** Deliveries that the page replays; at most `MOST_REPLAYED`. */
export interface ReplayOrder {
  readonly ids: readonly string[]
}

/** Deliveries of one order, so that a long selection shows its progress. */
export const MOST_REPLAYED = 20

export interface ReplayResult {
  /** The deliveries under which the events were sent again. */
  readonly ids: readonly string[]
  /** Why others were not replayed, each reason once. */
  readonly failures: readonly string[]
  readonly failed: number
}
