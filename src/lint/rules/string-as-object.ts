import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const stringAsObject: Rule = {
  id: 'string-as-object',
  level: 'strict',
  page: {
    title: 'a property of an output',
    reason:
      'Outputs are strings, also those that hold JSON, and a string has no properties. GitHub evaluates the property to an empty string.',
    remedy:
      'Parse the output with `fromJSON(…)`. A body can be text without JSON, so read it from the output `on`.',
    before: 'NAME: ${{ needs.on.outputs.body.hello }}',
    after: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}",
    workflow: inEnv,
  },
  check: (file) => file.faults('string-as-object'),
}
