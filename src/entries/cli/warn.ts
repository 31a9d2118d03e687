import type { Problem } from '../../wire/errors.ts'
import { renderProblem } from '../../workflow/code-frame.ts'

/** Says on standard error what works, but should be mended. */
export function warn(problems: readonly Problem[]): void {
  for (const problem of problems) process.stderr.write(`${renderProblem(problem, 'warning')}\n`)
}
