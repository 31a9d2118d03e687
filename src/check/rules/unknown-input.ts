import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const unknownInput: Rule = {
  id: 'unknown-input',
  level: 'strict',
  page: {
    title: '`inputs.hookline` under another name, or without its declaration',
    reason:
      'A relay that starts workflows by `workflow_dispatch` passes the event in `inputs.hookline`. GitHub evaluates an input that no event declares to an empty string.',
    remedy: 'Declare the input under `inputs`, or correct the name.',
    before: "NAME: ${{ fromJSON(inputs.hooklin || '{}').path }}",
    after: "NAME: ${{ fromJSON(inputs.hookline || '{}').path }}",
    workflow: (variable) =>
      inEnv(variable).replace(
        'on:\n',
        'on:\n  workflow_dispatch:\n    inputs:\n      hookline: {type: string}\n',
      ),
  },
}
