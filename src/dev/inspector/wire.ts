import type { Json, JsonObject } from '../../wire/json.ts'

/** How an event came here. */
export type Origin = 'request' | 'replay' | 'poll'

/** One line of the list. */
export interface Summary {
  /** Counts from 1 in the order of arrival. */
  readonly id: number
  /** When it came: ISO 8601, UTC. */
  readonly time: string
  readonly origin: Origin
  readonly delivery: string
  /** Upper case. */
  readonly method: string
  /** What followed `/webhook/`, with its query; empty where it is not known. */
  readonly path: string
  readonly workflow: string
  readonly trigger: string
  readonly outcome: 'fired' | 'skipped' | 'mistaken' | 'refused'
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
  /** `base64` for a body that is no text. */
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
    readonly account: readonly string[]
  }
}

/** An `on` context, as jobs see it. */
export type ShownContext = Readonly<
  Record<string, { readonly outcome: string; readonly outputs: JsonObject | Json[] }>
>

/** All that is known of one event. */
export interface Detail extends Summary {
  /** `null` for what was polled, and for a request that was refused. */
  readonly request: ShownRequest | null
  readonly decisions: readonly ShownDecision[]
  /** Mistakes of the workflow file, each with its code frame. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** Items as the trigger found them, before `config`. */
  readonly found: readonly JsonObject[]
  /** One `on` context per item. */
  readonly items: readonly ShownContext[]
  /** The fields that are step outputs of their own. */
  readonly fields: readonly string[]
}

/** What an event came to, before it has a place in the list. */
export type Unlisted = Omit<Detail, 'id'>

/** What the page asks for before the first request. */
export interface Welcome {
  readonly triggers: readonly WelcomeTrigger[]
  /** Mistakes of workflow files, each with its code frame. */
  readonly problems: readonly string[]
}

export interface WelcomeTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly method: string
  readonly url: string
  /** A line for a shell that fires it. */
  readonly curl: string
}
