import type { Rule } from '../rule.ts'
import { plain } from './examples.ts'

export const unknownStep: Rule = {
  id: 'unknown-step',
  level: 'error',
  isStrict: false,
  finds: 'a step id that the job does not have, or has only later',
  why: 'It is empty.',
  fix: 'Give the step that `id:`, or put this one behind it.',
  red: '- run: echo ${{ steps.tag.outcome }}',
  green: '- id: tag\n  run: make tag\n- run: echo ${{ steps.tag.outcome }}',
  around: plain,
  check: (file) => file.faults('unknown-step'),
}
