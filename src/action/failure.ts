import { statSync } from 'node:fs'
import { getSystemErrorMap } from 'node:util'
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
    // The toolkit reports a file that it cannot find without the reason of the operating system.
    const fault = errorCode(cause) === undefined ? statFault(path) : cause
    const problem = systemProblem(fault, path) ?? rareProblem(fault, path)
    if (!problem) throw cause
    const hint =
      'The runner makes this file. Check the disk of the runner, and whether an earlier step or a container changed its temporary folder.'
    throw new UserError(
      { message: `${name} cannot be written: ${problem.message}`, hint },
      { cause },
    )
  }
}

function statFault(path: string): unknown {
  try {
    statSync(path)
  } catch (error) {
    return error
  }
  return undefined
}

/**
 * The problem of an errno for which `systemProblem` has no cure, in the words of the operating system.
 *
 * @returns `undefined` for an error that is not of the operating system
 */
export function rareProblem(error: unknown, path: string): Problem | undefined {
  const errno = error instanceof Error && 'errno' in error ? error.errno : undefined
  const known = typeof errno === 'number' ? getSystemErrorMap().get(errno) : undefined
  if (!known) return undefined
  const [code, words] = known
  return { message: `${path}: ${words} (${code})` }
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
