import { CommanderError } from 'commander'
import { UserError } from '../protocol/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'

/** 0 done, 1 the user can mend it, 2 wrong usage, 70 our bug. */
const EXIT = { done: 0, mend: 1, usage: 2, bug: 70 } as const

/** Says on standard error what went wrong, and gives the exit code for it. */
export function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (!(error instanceof UserError)) {
    explainBug(error)
    return EXIT.bug
  }
  for (const problem of error.problems) process.stderr.write(`${renderProblem(problem)}\n`)
  return EXIT.mend
}

/** A message of an unknown error may carry a payload or a token, so only kind and place are shown. */
export function explainBug(error: unknown): void {
  const name = error instanceof Error ? error.name : typeof error
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter(isFrame) : []
  process.stderr.write(
    `hookline: internal error (${name}), please report it\n${frames.join('\n')}\n`,
  )
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line)
}
