import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const stringAsObject: Rule = {
  id: 'string-as-object',
  level: 'error',
  page: {
    title: 'a property of an output',
    reason:
      'Outputs are strings, also those that hold JSON, and a string has no properties. GitHub evaluates the property to an empty string.',
    remedy: 'Parse the output with `fromJSON(…)`.',
    before: 'NAME: ${{ needs.on.outputs.body.hello }}',
    after: 'NAME: ${{ fromJSON(needs.on.outputs.body).hello }}',
    workflow: inEnv,
  },
  check: (file) => file.faults('string-as-object'),
}
