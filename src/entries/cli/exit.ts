import { CommanderError } from 'commander'
import { bugOf, UserError } from '../../wire/errors.ts'
import { renderProblem } from '../../workflow/code-frame.ts'
import { styled } from './terminal.ts'

/** What the exit code of every command says. */
export const EXIT = { done: 0, mend: 1, usage: 2, bug: 70 } as const

/** For `--help`. 70 is the EX_SOFTWARE of sysexits.h. */
export const EXIT_CODES = `Exit codes:
  ${EXIT.done}   done
  ${EXIT.mend}   something that you can mend, and the message says how
  ${EXIT.usage}   wrong usage: an unknown command or option
  ${EXIT.bug}  a bug of ours`

/** Says on standard error what went wrong, and gives the exit code for it. */
export function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (!(error instanceof UserError)) {
    explainBug(error)
    return EXIT.bug
  }
  for (const problem of error.problems) {
    const text = renderProblem(problem)
    const title = styled(process.stderr, ['red', 'bold'], 'error:')
    process.stderr.write(`${text.replace(/^error:/, title)}\n`)
  }
  return EXIT.mend
}

export function explainBug(error: unknown): void {
  const { name, frames } = bugOf(error)
  process.stderr.write(
    `hookline: internal error (${name}), please report it\n${frames.join('\n')}\n`,
  )
}

/** `hookline … | head` closes the pipe early: that is no fault. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(EXIT.done)
  })
}
