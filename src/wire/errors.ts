/** A text that a person wrote and that can be wrong: a workflow file, or an input of the action. */
export interface Source {
  /** How it is shown: `workflows/hook.yml`, or `input "on"`. */
  readonly name: string
  readonly text: string
  /** The file of the repository that an annotation belongs to. */
  readonly file: string
  /** Where its bytes are no UTF-8: then `text` shows only what is left of them. */
  readonly misread?: readonly Problem[]
  /** True where `uses: ./` in its repository is another action than ours, or none. */
  readonly hasOtherAction?: boolean
}

/** A stretch of a source on one line. Line and column count from 1, length in characters. */
export interface Position {
  readonly source: Source
  readonly line: number
  readonly column: number
  readonly length: number
}

/** One thing that the user can mend. */
export interface Problem {
  /** What was found, in one line, without payload text or a secret. */
  readonly message: string
  /** Which kind of problem it is, for programs: `unknown-output`. No code reads the message. */
  readonly code?: string
  /** The name that it is about, where others need that: the trigger that has no such output. */
  readonly subject?: string
  readonly position?: Position
  /** What would do, shown beside the place: `did you mean "post"?` */
  readonly hint?: string
  /** What else helps, a line each. */
  readonly notes?: readonly string[]
}

/** How much a finding matters: what cannot work; what works, but should be looked at. */
export type Level = 'error' | 'warning'

/** A problem as a list tells it: how much it matters, and which one it is. */
export interface Finding extends Problem {
  readonly level: Level
  /** The id of a rule, or the kind of mistake. */
  readonly code: string
}

/** Those of one level, in their order. */
export function ofLevel<Found extends Finding>(findings: readonly Found[], level: Level): Found[] {
  return findings.filter((finding) => finding.level === level)
}

/** A fault that the user can mend; every other error is ours. Carries all problems found at once. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly problems: readonly Problem[]

  constructor(problems: Problem | readonly Problem[], options?: ErrorOptions) {
    const list = 'message' in problems ? [problems] : problems
    super(list.map((problem) => problem.message).join('\n'), options)
    this.problems = list
  }
}

/** Settings that do not go together: wrong usage, as an unknown option is. */
export class UsageError extends UserError {}

/** A `client_payload` that is not what the protocol says: the sender's mistake, no fault of a run. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError'
}

/** A mistake in `config` that shows only when it meets items; the engine knows where it stands. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  /** Key of `config`. */
  readonly option: string

  constructor(option: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.option = option
  }
}

/** An error of ours, as far as it may be shown. */
interface Bug {
  readonly name: string
  /** Where it came from, a line each. */
  readonly frames: readonly string[]
}

/** Kind and place of an unknown error; never its message, which may carry a payload or a token. */
export function bugOf(error: unknown): Bug {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  // A line of the message could look like a frame.
  const place = (error.stack ?? '').replace(error.message, '')
  const frames = place.split('\n').filter((line) => /^\s+at /.test(line))
  return { name: error.name, frames }
}

/** What Node and its libraries name a fault by: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code
  return typeof code === 'string' ? code : undefined
}
