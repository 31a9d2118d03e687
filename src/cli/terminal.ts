import { styleText } from 'node:util'
import { CommanderError } from 'commander'
import type { RunningServer } from '../relay/http-server.ts'
import { bugOf, type Problem, UsageError, UserError } from '../wire/errors.ts'
import { printableJson } from '../wire/printable.ts'
import { type Shell, shellOf } from '../wire/shell.ts'
import { problemWithoutTokens } from '../wire/tokens.ts'
import { renderProblem } from '../workflow/code-frame.ts'

/** What the exit code of every command says. */
export const EXIT = { done: 0, failure: 1, usage: 2, bug: 70 } as const

/** For `--help`. 70 is the EX_SOFTWARE of sysexits.h. */
export const EXIT_CODES = `Exit codes:
  ${EXIT.done}   done
  ${EXIT.failure}   something that you can mend, and the message says how
  ${EXIT.usage}   wrong usage: an unknown command or option, or settings that exclude each other
  ${EXIT.bug}  a bug of ours`

/** Says on standard error what went wrong, and gives the exit code for it. */
export function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (!(error instanceof UserError)) {
    reportBug(error)
    return EXIT.bug
  }
  for (const problem of error.problems) {
    const text = renderProblem(problem)
    const title = styled(process.stderr, ['red', 'bold'], 'error:')
    process.stderr.write(`${text.replace(/^error:/, title)}\n`)
  }
  return error instanceof UsageError ? EXIT.usage : EXIT.failure
}

/** The same for a program that asked for JSON, on standard output; help is no failure. */
export function printFailure(error: unknown): void {
  if (error instanceof CommanderError && error.exitCode === 0) return
  print(printableJson(JSON.stringify({ error: failureJson(error) })))
}

function failureJson(error: unknown) {
  if (error instanceof CommanderError) {
    // The help, in place of what was asked for, has no message of its own.
    const isHelp = error.code === 'commander.help'
    const message = isHelp ? 'there is no such command' : error.message.replace(/^error: /, '')
    return { code: 'wrong_usage', message, notes: [] }
  }
  if (!(error instanceof UserError)) {
    return { code: 'internal_error', message: 'a bug of ours: please report it', notes: [] }
  }
  const [first, ...others] = error.problems.map(problemWithoutTokens)
  const placed = ({ message, position }: Problem) =>
    position ? `${position.source.name}:${position.line}:${position.column}: ${message}` : message
  return {
    code: error instanceof UsageError ? 'wrong_usage' : 'failed',
    message: first ? placed(first) : error.message,
    notes: [...(first?.hint ? [first.hint] : []), ...(first?.notes ?? []), ...others.map(placed)],
  }
}

export function reportBug(error: unknown): void {
  const { name, frames } = bugOf(error)
  process.stderr.write(
    `hookline: internal error (${name}), please report it\n${frames.join('\n')}\n`,
  )
}

/** `hookline … | head` closes the pipe early: that is not a fault. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(EXIT.done)
  })
}

/** The shell that lines are pasted into. */
export function shellHere(): Shell {
  return shellOf(process.env, process.platform)
}

/** A line, or lines, on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

type Style = Parameters<typeof styleText>[0]

/** What of a stream matters here: those of a process on a terminal have more than a file or a pipe. */
interface Screen {
  readonly isTTY?: boolean
  hasColors?(): boolean
}

/** The text in a style; as it is where nobody would see colours, or has asked for none. */
export function styled(screen: Screen, style: Style, text: string): string {
  // https://no-color.org: any value but the empty one counts.
  const isColourful = !process.env.NO_COLOR && screen.isTTY && screen.hasColors?.()
  return isColourful ? styleText(style, text, { validateStream: false }) : text
}

/** Milliseconds after which a person begins to wonder. */
const PROGRESS_AFTER = 1000

const CLEAR_LINE = '\r\u001b[K'

interface Output extends Screen {
  write(text: string): unknown
}

/**
 * Waits for what is being done; says so once it takes longer than a second. On a terminal the line
 * counts the seconds and goes away at the end, elsewhere it is written once.
 *
 * @param what is being done, in the form `asking GitHub`
 */
export async function withProgress<Result>(
  what: string,
  work: Promise<Result>,
  output: Output = process.stderr,
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

/** Says on standard error what works, but should be mended. */
export function warn(problems: readonly Problem[]): void {
  for (const problem of problems) process.stderr.write(`${renderProblem(problem, 'warning')}\n`)
}

/**
 * A first Ctrl-C, or `kill`, lets a server finish what it accepted; a second one ends at once.
 *
 * @returns what does as the first one does
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

/** Names in lines that fit a terminal, the later ones indented. */
export function wrapped(names: readonly string[], indent: number): string {
  const lines =
    [...names]
      .sort()
      .join(', ')
      .match(/.{1,86}(?:,|$)/g) ?? []
  return lines.map((line) => line.trim()).join(`\n${' '.repeat(indent)}`)
}
