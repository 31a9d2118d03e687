import type { Rule } from '../rule.ts'
import { inEnv } from './examples.ts'

export const unknownNeed: Rule = {
  id: 'unknown-need',
  level: 'error',
  isStrict: false,
  finds: 'a job that is not there, or not among `needs`',
  why: 'A job reads only the outputs of its own `needs`: the rest is empty.',
  fix: 'Add the job to `needs`, or mend the name.',
  red: 'NAME: ${{ needs.hook.outputs.body }}',
  green: 'NAME: ${{ needs.on.outputs.body }}',
  around: inEnv,
  check: (file) => file.faults('unknown-need'),
}
