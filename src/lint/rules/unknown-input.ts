import type { Rule } from '../rule.ts'
import { plain } from './examples.ts'

export const unknownInput: Rule = {
  id: 'unknown-input',
  level: 'error',
  isStrict: false,
  finds: 'an input that the workflow does not declare',
  why: 'It is empty.',
  fix: 'Declare it under `inputs`, or mend the name.',
  red: 'TAG: ${{ inputs.tga }}',
  green: 'TAG: ${{ inputs.tag }}',
  around: dispatched,
  check: (file) => file.faults('unknown-input'),
}

function dispatched(env: string): string {
  const on = 'on:\n  workflow_dispatch:\n    inputs:\n      tag: {type: string}\n'
  return plain(`- env:\n    ${env}\n  run: echo "$TAG"`).replace('on: push\n', on)
}
