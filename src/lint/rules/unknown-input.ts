import type { Rule } from '../rule.ts'
import { plainWorkflow } from './example-workflows.ts'

export const unknownInput: Rule = {
  id: 'unknown-input',
  level: 'strict',
  page: {
    title: 'an input that the workflow does not declare',
    reason: 'GitHub evaluates an input that no event declares to an empty string.',
    remedy: 'Declare the input under `inputs`, or correct the name.',
    before: 'TAG: ${{ inputs.tga }}',
    after: 'TAG: ${{ inputs.tag }}',
    workflow: (variable) =>
      plainWorkflow(`- env:\n    ${variable}\n  run: echo "$TAG"`).replace(
        'on: push\n',
        'on:\n  workflow_dispatch:\n    inputs:\n      tag: {type: string}\n',
      ),
  },
  check: (file) => file.faults('unknown-input'),
}
