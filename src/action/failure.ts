import { existsSync } from 'node:fs'
import * as core from '@actions/core'
import { bugOf, errorCode, type Position, type Problem, UserError } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { withoutTokens } from '../wire/tokens.ts'
import { renderProblem } from '../workflow/code-frame.ts'

/**
 * Ends the step as failed: with a fault that the user can fix, or with a bug, which shows no data.
 */
export function fail(error: unknown): void {
  process.exitCode = 1
  if (error instanceof UserError) {
    error.problems.forEach(annotate)
    return
  }
  const { name, frames } = bugOf(error)
  core.error(`internal error (${name}): please report it`)
  core.info(printable(frames.join('\n')))
}

/**
 * Writes to a file that the runner made for the step.
 *
 * @param name of the variable that has its path
 * @throws UserError with the path and the cause
 */
export async function writeRunnerFile(
  name: 'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY',
  write: () => void,
): Promise<void> {
  try {
    write()
  } catch (cause) {
    const { systemProblem } = await import('../wire/system-error.ts')
    const path = process.env[name] ?? ''
    // The toolkit itself reports a file that does not exist.
    const isMissing = errorCode(cause) === undefined && !existsSync(path)
    const missing = { message: `${path}: no such file or directory` }
    const problem = systemProblem(cause, path) ?? (isMissing ? missing : undefined)
    if (!problem) throw cause
    const hint =
      'The runner makes this file. Check the disk of the runner, and whether an earlier step or a container changed its temporary folder.'
    throw new UserError(
      { message: `${name} cannot be written: ${problem.message}`, hint },
      { cause },
    )
  }
}

function annotate(problem: Problem): void {
  const { message, hint, notes = [], position } = problem
  const lines = [message, ...(hint ? [hint] : []), ...notes]
  // The lines of an input are not lines of the file, so its annotation names the file only.
  if (position && !isFilePosition(position))
    lines.push(`line ${position.line} of the ${position.source.name}`)
  core.info(renderProblem(problem))
  const text = withoutTokens(lines.join('\n'))
  core.error(text, { title: 'Hookline', ...(position && annotationPlace(position)) })
}

function isFilePosition({ source: { name, file } }: Position): boolean {
  return name === file
}

function annotationPlace(position: Position) {
  const { source, line: startLine, column: startColumn, length } = position
  const { file } = source
  return isFilePosition(position)
    ? { file, startLine, startColumn, endColumn: startColumn + length }
    : { file }
}
