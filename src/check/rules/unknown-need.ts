import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const unknownNeed: Rule = {
  id: 'unknown-need',
  level: 'strict',
  page: {
    title: 'a job with outputs of Hookline under another name, or not in `needs`',
    reason:
      'A job can read only the outputs of the jobs in its own `needs`; its `if` can also read those of the jobs that they need. Everything else is empty, and GitHub reports nothing.',
    remedy: 'Add the job to `needs`, or correct the name.',
    before: 'NAME: ${{ needs.hook.outputs.body }}',
    after: 'NAME: ${{ needs.on.outputs.body }}',
    workflow: inEnv,
  },
}
