import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const unknownOutput: Rule = {
  id: 'unknown-output',
  level: 'error',
  isStrict: false,
  finds: 'an output that the step, the job or the action does not have',
  why: 'GitHub takes an empty text for it, and says nothing.',
  fix: 'Declare it under `outputs:` of its job, or write its name as it is there.',
  red: greet(`- env:
    NAME: \${{ needs.on.outputs.bdoy }}
  run: echo "$NAME"`),
  green: greet(`- env:
    NAME: \${{ needs.on.outputs.body }}
  run: echo "$NAME"`),
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'unknown-output'),
}
