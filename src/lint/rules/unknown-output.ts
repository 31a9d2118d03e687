import type { Rule } from '../rule.ts'
import { inEnv } from './examples.ts'

export const unknownOutput: Rule = {
  id: 'unknown-output',
  level: 'error',
  isStrict: false,
  finds: 'an output that the step, the job or the action does not have',
  why: 'GitHub takes an empty text for it, and says nothing.',
  fix: 'Declare it under `outputs:` of its job, or mend the name.',
  red: 'NAME: ${{ needs.on.outputs.bdoy }}',
  green: 'NAME: ${{ needs.on.outputs.body }}',
  around: inEnv,
  check: (file) => file.faults('unknown-output'),
}
