import type { Json, JsonObject } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'

/** How an event came here: `composed` was written on the page. */
export type Origin = 'request' | 'replay' | 'composed' | 'poll'

/** One line of the list. */
export interface Summary {
  /** `<run>-<number>`: another run of `hookline dev` gives none of them again. */
  readonly id: string
  /** Counts from 1 in the order of arrival. */
  readonly number: number
  /** When it came: ISO 8601, UTC. */
  readonly time: string
  readonly origin: Origin
  /** Empty for a poll. */
  readonly delivery: string
  /** Upper case. */
  readonly method: string
  /** What followed `/webhook/`, with its query; empty where it is not known. */
  readonly path: string
  readonly workflow: string
  readonly trigger: string
  /** What its sender calls it: `issues.opened`; `null` where nothing tells. */
  readonly event: string | null
  readonly outcome: 'fired' | 'skipped' | 'mistaken' | 'refused'
  /** A line of what it says, to tell one from another; `null` where there is nothing to show. */
  readonly preview: string | null
  /** Items handed on. */
  readonly count: number
  /** Why nothing fired. */
  readonly reason: string | null
  readonly milliseconds: number
}

/** A request as it is shown, and as `hookline send` sends it again. */
export interface ShownRequest {
  readonly method: string
  readonly path: string
  /** What authenticates the sender reads `***`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `base64` for a body that is not text. */
  readonly encoding: 'text' | 'base64'
}

/** What became of one declared trigger. */
export interface ShownDecision {
  readonly trigger: string
  readonly fired: boolean
  readonly reason: string
  readonly checks: readonly {
    readonly option: string
    readonly held: boolean
    readonly found: string
  }[]
  /** There for a trigger that looked for items, and met every condition. */
  readonly tally?: {
    readonly found: number
    readonly handedOn: number
    /** What each step of `config` did, in words. */
    readonly steps: readonly string[]
  }
}

/** An `on` context, as jobs see it. */
type ShownContext = Readonly<
  Record<string, { readonly outcome: string; readonly outputs: JsonObject | Json[] }>
>

/** Where a workflow file can read the outputs of an event; each has a form of its own. */
export type Reader =
  /** A file that `hookline build` compiles: `on.webhook.outputs.…`. */
  | { readonly kind: 'source'; readonly file: string }
  /** Later steps of the job that runs the action: `steps.<id>.outputs.…`. */
  | { readonly kind: 'steps'; readonly file: string; readonly job: string; readonly step: Step }
  /** A later job, which gets what `job` hands on: `needs.<job>.outputs.…`. */
  | {
      readonly kind: 'needs'
      readonly file: string
      readonly job: string
      readonly step: Step
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

export interface Step {
  /** `null` for a step that has none yet: nothing can read its outputs. */
  readonly id: string | null
}

/** A line of a workflow file that reads the event, and what it comes to; one of the three is there. */
export interface ShownFact {
  /** 1-based. */
  readonly line: number
  /** `if`, `env.title`, `step 2 (Deploy): with.path`. */
  readonly place: string
  /** As the file writes it. */
  readonly text: string
  readonly value?: Json
  /** What only a run can know, in words: `a secret`. */
  readonly unknown?: string
  /** Why GitHub could not evaluate it. */
  readonly fails?: string
}

/** What the jobs of a workflow file do with an event, by the model of GitHub's scheduling. */
export interface ShownJobs {
  readonly file: string
  /** How many items there are: what is shown is about the first. */
  readonly items: number
  readonly jobs: readonly {
    readonly id: string
    readonly line: number
    readonly verdict: 'runs' | 'skipped' | 'unknown' | 'fails'
    readonly why: string
    /** Jobs that its matrix makes. */
    readonly combinations?: number
    readonly facts: readonly ShownFact[]
  }[]
}

/** A mistake that a person can mend; secrets and controls are hidden already. */
export interface ShownProblem {
  readonly text: string
  /** Where it stands; `null` for what stands in no file. */
  readonly place: ShownPlace | null
  /** What would do. */
  readonly notes: readonly string[]
}

/** A stretch of a file, which stands on one line. */
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

/** All that is known of one event. */
export interface Detail extends Summary {
  /** Event whose request was sent again, changed or not; `null` for one that came by itself. */
  readonly of: string | null
  /** `null` for what was polled, and for a request that was refused. */
  readonly request: ShownRequest | null
  readonly decisions: readonly ShownDecision[]
  /** Mistakes of the workflow file. */
  readonly problems: readonly ShownProblem[]
  /** What the action would write to the log of its run beside the outputs. */
  readonly messages: readonly Message[]
  /** Items as the trigger found them, before `config`. */
  readonly found: readonly JsonObject[]
  /** One `on` context per item. */
  readonly items: readonly ShownContext[]
  /** The fields that are step outputs of their own. */
  readonly fields: readonly string[]
  readonly readers: readonly Reader[]
  readonly jobs: readonly ShownJobs[]
}

/** What an event came to, before it has a place in the list. */
export type Unlisted = Omit<Detail, 'id' | 'number'>

/** What the page asks for at first, and whenever a workflow file was saved. */
export interface Welcome {
  /** Those that take webhooks. */
  readonly triggers: readonly WelcomeTrigger[]
  /** Those that poll: `bot/messaging_bot`. */
  readonly polled: readonly string[]
  /** Whether they do so here. */
  readonly polling: boolean
  /** Mistakes of workflow files. */
  readonly problems: readonly ShownProblem[]
  /** Whether real jobs run here. */
  readonly runs: boolean
  /** Names of the requests that common senders send. */
  readonly fixtures: readonly string[]
}

interface WelcomeTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly method: string
  readonly url: string
  /** A line for a shell that fires it; `null` where only its sender can make a request. */
  readonly curl: string | null
  /** What composing one begins with. */
  readonly request: ShownRequest
  /** How its sender signs, where a request can be signed alike: `stripe`. */
  readonly scheme: string | null
}

/** What the page asks to be sent. */
export interface Order extends ShownRequest {
  /** Event whose hidden headers are put in again where the order says `***`; `null` for none. */
  readonly of: string | null
  /** Signed anew, as the sender would, with the secret of the trigger that it goes to. */
  readonly sign: boolean
}

/** What the sender of an order would have got. */
export interface Sent {
  readonly status: number
  readonly delivery: string
  readonly body: string
}
