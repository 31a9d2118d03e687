/**
 * A string that a person wrote and that can be wrong: a workflow file, or an input of the action.
 */
export interface Source {
  /** Its name in messages: `workflows/hook.yml`, or `input "on"`. */
  readonly name: string
  readonly text: string
  /** The file of the repository that an annotation is attached to. */
  readonly file: string
  /** Problems of bytes that are not UTF-8; `text` then contains only the readable rest. */
  readonly misread?: readonly Problem[]
  /** True if `uses: ./` in its repository is another action than Hookline, or no action. */
  readonly hasOtherAction?: boolean
}

/** A part of one line of a source. Line and column count from 1; the length is in characters. */
export interface Position {
  readonly source: Source
  readonly line: number
  readonly column: number
  readonly length: number
}

/** One fault that the user can fix. */
export interface Problem {
  /** The fault in one line, without payload or secret. */
  readonly message: string
  /** The kind of problem for programs: `unknown-output`. No code parses the message. */
  readonly code?: string
  /** The name that the problem is about, if others need it: the trigger without that output. */
  readonly subject?: string
  readonly position?: Position
  /** The fix, shown at the position: `did you mean "post"?` */
  readonly hint?: string
  /** Further advice, one line each. */
  readonly notes?: readonly string[]
}

/** `error`: it cannot work. `warning`: it works, but needs a look. */
export type Level = 'error' | 'warning'

export interface Finding extends Problem {
  readonly level: Level
  /** The id of a rule, or the kind of mistake. */
  readonly code: string
}

export function ofLevel<Found extends Finding>(findings: readonly Found[], level: Level): Found[] {
  return findings.filter((finding) => finding.level === level)
}

/** A fault that the user can fix, with all problems that were found; every other error is a bug. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly problems: readonly Problem[]

  constructor(problems: Problem | readonly Problem[], options?: ErrorOptions) {
    const list = 'message' in problems ? [problems] : problems
    super(list.map((problem) => problem.message).join('\n'), options)
    this.problems = list
  }
}

/** Settings that cannot be combined. It has the exit code of an unknown option. */
export class UsageError extends UserError {}

/**
 * A `client_payload` that breaks the protocol. The sender made the mistake, so the run does not
 * fail.
 */
export class PayloadError extends Error {
  override readonly name = 'PayloadError'
}

/** A mistake in `config` that only items show; the engine adds its position. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  /** Key of `config`. */
  readonly option: string

  constructor(option: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.option = option
  }
}

/**
 * The kind and the stack frames of an unknown error; never its message, which may contain a payload or
 * a token.
 */
export function bugOf(error: unknown): { readonly name: string; readonly frames: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  // A line of the message could look like a stack frame.
  const place = (error.stack ?? '').replace(error.message, '')
  const frames = place.split('\n').filter((line) => /^\s+at /.test(line))
  return { name: error.name, frames }
}

/** The code of an error of Node and its libraries: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code
  return typeof code === 'string' ? code : undefined
}

/** The result of a function; `undefined` for mistakes of which another part tells, such as `check`. */
export function readOrUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}
