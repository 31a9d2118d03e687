import type { Problem } from '../../wire/errors.ts'

/** A problem for a program to read: an editor, or a reviewer's bot. */
export function problemJson(problem: Problem, severity: 'error' | 'warning') {
  const { message, position, hint, notes } = problem
  return {
    severity,
    message,
    ...(position && {
      file: position.source.file,
      line: position.line,
      column: position.column,
      length: position.length,
    }),
    ...(hint && { hint }),
    ...(notes && { notes }),
  }
}
