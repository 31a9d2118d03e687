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
      'Read the value from the output `on`, as the hint says: it always is JSON, also if the body is plain text.',
    before: 'NAME: ${{ needs.on.outputs.body.hello }}',
    after: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}",
    workflow: inEnv,
  },
}
