import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const unknownOutput: Rule = {
  id: 'unknown-output',
  level: 'strict',
  page: {
    title: 'an output that the action, its job, a trigger or the event does not have',
    reason:
      'GitHub evaluates an unknown output to an empty string and reports nothing. A condition that reads it is then always false, and a script runs with an empty value.',
    remedy: 'Declare the output under `outputs:` of its job, or correct the name.',
    before: 'NAME: ${{ needs.on.outputs.bdoy }}',
    after: 'NAME: ${{ needs.on.outputs.body }}',
    workflow: inEnv,
  },
}
