import type { Rule } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const stringAsBoolean: Rule = {
  id: 'string-as-boolean',
  level: 'strict',
  page: {
    title: "an output that is compared with `true`, or a boolean of the event with `'true'`",
    reason:
      'Outputs are strings, and no string equals `true`. A boolean of the event, such as `is_bot`, equals no string. With `==`, the job or step never runs; with `!=`, it always runs.',
    remedy:
      "Compare an output with the string `'true'`, and a value after `fromJSON` that is a boolean with `true`.",
    before: 'if: needs.on.outputs.triggered == true',
    after: "if: needs.on.outputs.triggered == 'true'",
    workflow: greetWithCondition,
  },
}
