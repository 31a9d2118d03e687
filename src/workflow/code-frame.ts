import type { Position, Problem } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { withoutTokens } from '../wire/tokens.ts'

/**
 * A problem for people: the fault, its position, the line of the file and the fix.
 *
 *     error: unknown HTTP method "psot"
 *       --> workflows/hook.yml:3:13
 *        |
 *      3 |     method: psot
 *        |             ^^^^ did you mean "post"?
 *        = allowed: get, post, put, patch, delete, head, options
 */
export function renderProblem(problem: Problem, severity: 'error' | 'warning' = 'error'): string {
  const { message, position, hint, notes = [] } = problem
  const title = `${severity}: ${message}`
  const digits = String(position?.line ?? '').length
  const lines = position
    ? [title, ...codeFrame(position, hint, digits), ...bullets(notes, digits + 1)]
    : [title, ...bullets(hint ? [hint, ...notes] : notes, 1)]
  return printable(withoutTokens(lines.join('\n')))
}

/** The whole line of a position. A tab becomes one visible character, so that columns remain. */
export function lineAt({ source, line }: Position): string {
  // Searches for the line instead of splitting the source, because a large file may have many
  // problems.
  let start = 0
  for (let at = 1; at < line; at++) start = source.text.indexOf('\n', start) + 1
  const end = source.text.indexOf('\n', start)
  const text = source.text.slice(start, end < 0 ? source.text.length : end)
  return text.replace(/\r$/, '').replaceAll('\t', '→')
}

function codeFrame(position: Position, hint: string | undefined, digits: number): string[] {
  const { source, line, column } = position
  const margin = ' '.repeat(digits + 1)
  const caret = ' '.repeat(column - 1) + '^'.repeat(position.length)
  return [
    // Editors and terminals make a link of this form.
    `${margin}--> ${source.name}:${line}:${column}`,
    `${margin} |`,
    ` ${line} | ${lineAt(position)}`.trimEnd(),
    `${margin} | ${caret} ${hint ?? ''}`.trimEnd(),
  ]
}

function bullets(notes: readonly string[], indent: number): string[] {
  return notes.map((note) => `${' '.repeat(indent)} = ${note}`)
}
