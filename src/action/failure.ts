import { writeSync } from 'node:fs'
import * as core from '@actions/core'
import { bugOf, type Problem, UserError } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { withoutBotTokens } from '../wire/secret.ts'
import { renderProblem } from '../workflow/code-frame.ts'

/** Ends the step as failed: with what the user can mend, or with a bug of ours that shows no data. */
export function fail(error: unknown): void {
  process.exitCode = 1
  if (error instanceof UserError) error.problems.forEach(annotate)
  else failInternally(error)
}

function annotate(problem: Problem): void {
  core.info(renderProblem(problem))
  core.error(annotationText(problem), annotationPlace(problem))
}

function annotationText({ message, hint, notes = [] }: Problem): string {
  return withoutBotTokens([message, ...(hint ? [hint] : []), ...notes].join('\n'))
}

/** A mistake in an input is annotated at the file alone: its lines are those of the input. */
function annotationPlace({ position }: Problem): core.AnnotationProperties {
  if (!position) return { title: 'Hookline' }
  const { source, line, column, length } = position
  if (source.name !== source.file) return { title: 'Hookline', file: source.file }
  const columns = { startColumn: column, endColumn: column + length }
  return { title: 'Hookline', file: source.file, startLine: line, ...columns }
}

function failInternally(error: unknown): void {
  const { name, frames } = bugOf(error)
  core.error(`internal error (${name}): please report it`)
  core.info(printable(frames.join('\n')))
}

/**
 * One line of the log, written to the descriptor itself: to make Node's own stream of it takes a
 * twentieth of the time of a run. That is left to the pipe that cannot take the line at once.
 */
export function logLine(text: string): void {
  const line = printable(text)
  try {
    writeSync(1, `${line}\n`)
  } catch {
    core.info(line)
  }
}
