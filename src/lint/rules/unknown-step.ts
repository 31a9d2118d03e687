import type { Rule } from '../rule.ts'
import { plain } from './examples.ts'

export const unknownStep: Rule = {
  id: 'unknown-step',
  level: 'error',
  isStrict: false,
  finds: 'a step id that the job does not have, or has only later',
  why: 'The outputs of such a step are empty. An `id:` belongs to one job, and to the steps behind it.',
  fix: 'Give the step that `id:`, or put this one behind it.',
  red: plain(`- run: echo "$TAG"
  env:
    TAG: \${{ steps.tag.outputs.name }}`),
  green: plain(`- id: tag
  run: echo name=v1 >> "$GITHUB_OUTPUT"
- run: echo "$TAG"
  env:
    TAG: \${{ steps.tag.outputs.name }}`),
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'unknown-step'),
}
