import type { Rule } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const neverTrue: Rule = {
  id: 'never-true',
  level: 'strict',
  page: {
    title: 'a comparison of the event with a value that can never occur',
    reason:
      "GitHub compares strings and reports nothing: a job with `needs.on.result == 'succes'` is always skipped, and a job with `!=` always runs.",
    remedy: 'Write one of the values in the note.',
    before: "if: needs.on.result == 'succes'",
    after: "if: needs.on.result == 'success'",
    workflow: greetWithCondition,
  },
}
