import type { Problem } from '../wire/errors.ts'
import type { Operation } from '../workflow/operations.ts'
import type { Plan } from './plan.ts'

/**
 * A file that is made of a source: the whole of it; or, where one event may bring many items, the one
 * that GitHub starts, which begins as an empty document, and the one with the jobs, which it calls.
 */
export type Part = 'whole' | 'listening' | 'jobs'

/** What a pass wants of a file. */
export interface PassResult {
  readonly operations?: readonly Operation[]
  /** Mistakes of the source, beside which others may be found. */
  readonly problems?: readonly Problem[]
  /** Why no file can be made of the source. */
  readonly obstacles?: readonly Problem[]
  /** What a person should know of what is made, though nothing is wrong. */
  readonly notices?: readonly Problem[]
}

/** One of the things that make a source native. It changes nothing itself: it names what changes. */
export interface Pass {
  readonly name: string
  run(plan: Plan, part: Part): PassResult
}
