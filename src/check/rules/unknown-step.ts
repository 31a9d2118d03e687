import type { Rule } from '../rule.ts'
import { oneJob } from './example-workflows.ts'

export const unknownStep: Rule = {
  id: 'unknown-step',
  level: 'strict',
  page: {
    title: 'the id of a step with the action that the job does not have, or that comes later',
    reason:
      'GitHub evaluates outputs of an unknown step to empty strings and reports nothing. A step can read only steps before it in the same job.',
    remedy: 'Give the step an `id:`, or move this step after it.',
    before: "- if: steps.hook.outputs.triggered == 'true'\n  run: echo hi",
    after: "- if: steps.hookline.outputs.triggered == 'true'\n  run: echo hi",
    workflow: oneJob,
  },
}
