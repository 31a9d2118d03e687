import type { Rule } from '../rule.ts'
import { plainWorkflow } from './example-workflows.ts'

export const unknownStep: Rule = {
  id: 'unknown-step',
  level: 'strict',
  page: {
    title: 'a step id that the job does not have, or that belongs to a later step',
    reason:
      'GitHub evaluates outputs of an unknown step to empty strings and reports nothing. A step can read only steps before it in the same job.',
    remedy: 'Give the step an `id:`, or move this step after it.',
    before: '- run: echo ${{ steps.tag.outcome }}',
    after: '- id: tag\n  run: make tag\n- run: echo ${{ steps.tag.outcome }}',
    workflow: plainWorkflow,
  },
  check: (file) => file.faults('unknown-step'),
}
