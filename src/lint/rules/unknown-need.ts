import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const unknownNeed: Rule = {
  id: 'unknown-need',
  level: 'error',
  isStrict: false,
  finds: 'a job that is not there, or not among `needs`',
  why: 'A job can read the outputs of those jobs that its own `needs` names, and of no other: the rest is empty.',
  fix: 'Add the job to `needs`, or write its name as it is under `jobs`.',
  red: greet(`- env:
    NAME: \${{ needs.hook.outputs.body }}
  run: echo "$NAME"`),
  green: greet(`- env:
    NAME: \${{ needs.on.outputs.body }}
  run: echo "$NAME"`),
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'unknown-need'),
}
