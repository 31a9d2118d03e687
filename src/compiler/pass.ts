import type { Finding } from '../wire/errors.ts'
import type { Operation } from '../workflow/operations.ts'
import type { Plan } from './plan.ts'

/**
 * A file that is made of a source: the whole of it; or, where one event may bring many items, the one
 * that GitHub starts, which begins as an empty document, and the one with the jobs, which it calls.
 */
export type CompiledPart = 'whole' | 'listening' | 'jobs'

/** The result of a pass for one file. */
export interface PassResult {
  readonly operations?: readonly Operation[]
  /** Mistakes of the source; and, as warnings, what a person should know of what is made. */
  readonly findings?: readonly Finding[]
  /** Whether the file cannot be made for what was found; else GitHub's parser may find more. */
  readonly isBlocked?: boolean
}

/** One step of the compilation. It changes nothing itself: it returns the operations. */
export interface Pass {
  readonly name: string
  run(plan: Plan, part: CompiledPart): PassResult
}
