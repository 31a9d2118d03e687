import type { Workflow } from '../workflow/workflow.ts'
import type { Decision } from './evaluation.ts'

/** One decision for each declared trigger: the given ones, and for the others the same reason. */
export function decide(
  workflow: Workflow | undefined,
  reason: string,
  decided: readonly Decision[] = [],
): Decision[] {
  return (workflow?.triggers ?? []).map(
    ({ name }) =>
      decided.find(({ trigger }) => trigger === name) ?? {
        trigger: name,
        fired: false,
        reason,
        checks: [],
      },
  )
}
