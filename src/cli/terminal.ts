import { styleText } from 'node:util'
import { CommanderError } from 'commander'
import type { RunningServer } from '../relay/node/server.ts'
import { bugOf, errorCode, type Problem, UsageError, UserError } from '../wire/errors.ts'
import type { JsonObject } from '../wire/json.ts'
import { printableJson } from '../wire/printable.ts'
import { HELP_WIDTH, wrap } from '../wire/settings-help.ts'
import { currentShell, type Shell } from '../wire/shell.ts'
import { systemProblem } from '../wire/system-error.ts'
import { problemWithoutTokens } from '../wire/tokens.ts'
import { renderProblem } from '../workflow/code-frame.ts'

/** The exit codes of every command. */
export const EXIT = { done: 0, failure: 1, usage: 2, bug: 70 } as const

/** For `--help`. 70 is the EX_SOFTWARE of sysexits.h. */
export const EXIT_CODES = `Exit codes:
  ${EXIT.done}   success
  ${EXIT.failure}   an error that you can fix; the message says how
  ${EXIT.usage}   wrong usage: an unknown command or option, or conflicting settings
  ${EXIT.bug}  a bug in Hookline`

/** Prints an error to standard error, and returns its exit code. */
export function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  const problems = userProblems(error)
  if (!problems) {
    reportBug(error)
    return EXIT.bug
  }
  for (const problem of problems) {
    const text = renderProblem(problem)
    const title = styled(process.stderr, ['red', 'bold'], 'error:')
    process.stderr.write(`${text.replace(/^error:/, title)}\n`)
  }
  return error instanceof UsageError ? EXIT.usage : EXIT.failure
}

/** The problems that the user can fix; `undefined` for a bug. */
function userProblems(error: unknown): readonly Problem[] | undefined {
  if (error instanceof UserError) return error.problems
  const problem = systemProblem(error)
  return problem && [problem]
}

/** Prints an error as JSON to standard output, for --json. `--help` is no error. */
export function printFailure(error: unknown): void {
  if (error instanceof CommanderError && error.exitCode === 0) return
  printJson(errorJson(error))
}

export function errorJson(error: unknown): JsonObject {
  return { error: failureOf(error) }
}

function failureOf(error: unknown) {
  if (error instanceof CommanderError) {
    // Commander shows the help if the command is missing, and gives no message.
    const isHelp = error.code === 'commander.help'
    const message = isHelp ? 'unknown or missing command' : error.message.replace(/^error: /, '')
    return { code: 'wrong_usage', message, notes: [] }
  }
  const problems = userProblems(error)
  if (!problems) {
    return { code: 'internal_error', message: `a bug in Hookline. Report it: ${BUGS}`, notes: [] }
  }
  const [first, ...others] = problems.map(problemWithoutTokens)
  const placed = ({ message, position }: Problem) =>
    position ? `${position.source.name}:${position.line}:${position.column}: ${message}` : message
  return {
    code: error instanceof UsageError ? 'wrong_usage' : 'failed',
    message: first ? placed(first) : '',
    notes: [...(first?.hint ? [first.hint] : []), ...(first?.notes ?? []), ...others.map(placed)],
  }
}

export function reportBug(error: unknown): void {
  const { name, frames } = bugOf(error)
  const report = `hookline: internal error (${name}). Report it: ${BUGS}\n${frames.join('\n')}\n`
  process.stderr.write(report)
}

const BUGS = 'https://github.com/hookline/hookline/issues'

/**
 * Ends the process without a stack trace if standard output fails. A reader that closes the pipe, as in
 * `hookline … | head`, is no error; a full disk is an error of the operating system.
 */
export function endOnClosedOutput(): void {
  process.stdout.on('error', (error) => {
    if (errorCode(error) === 'EPIPE') process.exit()
    const problem = systemProblem(error, 'standard output')
    process.exit(reportError(problem ? new UserError(problem, { cause: error }) : error))
  })
  // stderr may be closed too; ignore its errors.
  process.stderr.on('error', () => {})
}

/** Reports an error that no command caught. By default Node prints the line of the bundle. */
export function reportUncaughtErrors(): void {
  process.on('uncaughtException', (error) => process.exit(reportError(error)))
  process.on('unhandledRejection', (error) => process.exit(reportError(error)))
}

/** The shell of the user, for lines to paste. */
export function shellHere(): Shell {
  return currentShell(process.env, process.platform)
}

/** Prints lines to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a value for a program to standard output, as one line. */
export function printJson(value: unknown): void {
  print(printableJson(JSON.stringify(value)))
}

/** A stream of a process. Only a terminal has the optional members. */
interface Screen {
  readonly isTTY?: boolean
  hasColors?(): boolean
}

/** The text in a style, or unchanged if the stream is no terminal or NO_COLOR is set. */
export function styled(
  screen: Screen,
  style: Parameters<typeof styleText>[0],
  text: string,
): string {
  // Any value that is not empty disables colors: https://no-color.org
  const hasColors = !process.env.NO_COLOR && screen.isTTY && screen.hasColors?.()
  return hasColors ? styleText(style, text, { validateStream: false }) : text
}

/** Milliseconds. A wait of more than a second needs an explanation. */
const PROGRESS_AFTER = 1000

const CLEAR_LINE = '\r\u001b[K'

/**
 * Waits for a promise and shows progress after one second. On a terminal the line counts the seconds and
 * disappears at the end; elsewhere it is written once.
 *
 * @param what the activity: `asking GitHub`
 */
export async function withProgress<Result>(
  what: string,
  work: Promise<Result>,
  output: Screen & { write(text: string): unknown } = process.stderr,
): Promise<Result> {
  let seconds = 0
  const timer = setInterval(() => {
    seconds++
    if (output.isTTY) output.write(`${CLEAR_LINE}${what} … ${seconds} s`)
    else if (seconds === 1) output.write(`${what} …\n`)
  }, PROGRESS_AFTER)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (output.isTTY && seconds > 0) output.write(CLEAR_LINE)
  }
}

/** Prints warnings to standard error. */
export function warn(problems: readonly Problem[]): void {
  for (const problem of problems) process.stderr.write(`${renderProblem(problem, 'warning')}\n`)
}

/**
 * Stops a server on SIGINT or SIGTERM: the first signal lets it finish the accepted requests, a second
 * signal ends the process immediately.
 *
 * @returns a function with the effect of the first signal
 */
export function stopOnSignal(server: Pick<RunningServer, 'close'>): () => void {
  const stop = () => {
    process.off('SIGTERM', stop)
    process.off('SIGINT', stop)
    void server.close()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return stop
}

/** Rows as columns of text; the first row is the head. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    rows.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), 0),
  )
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}

/** Sorted names in lines of at most 80 columns, which a help text indents by two. */
export function wrappedNames(names: readonly string[]): string {
  return wrap([...names].sort().join(', '), HELP_WIDTH - 2).join('\n  ')
}
