import type { Finding } from '../wire/errors.ts'
import type { Operation } from '../workflow/operations.ts'
import type { Plan } from './plan.ts'

/**
 * A compiled file of a source: `whole`, if one file is enough. If one event may bring several
 * items, there are two: `listening`, which GitHub starts and which begins as an empty document, and
 * `jobs`, which contains the jobs and is called.
 */
export type CompiledPart = 'whole' | 'listening' | 'jobs'

/** The result of a pass for one file. */
export interface PassResult {
  readonly operations?: readonly Operation[]
  /** Mistakes of the source as errors, and facts that the user should know as warnings. */
  readonly findings?: readonly Finding[]
  /**
   * Whether a finding makes it impossible to write the file; otherwise GitHub's parser also reads
   * it.
   */
  readonly isBlocked?: boolean
}

/** One step of the compilation. It changes nothing itself, but returns operations. */
export interface Pass {
  run(plan: Plan, part: CompiledPart): PassResult
}
