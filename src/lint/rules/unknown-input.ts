import type { Rule } from '../rule.ts'

export const unknownInput: Rule = {
  id: 'unknown-input',
  level: 'error',
  isStrict: false,
  finds: 'an input that the workflow does not declare',
  why: 'It is empty, whoever starts the workflow.',
  fix: 'Declare it under `inputs`, or write its name as it is there.',
  red: `on:
  workflow_dispatch:
    inputs:
      tag: {type: string}
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - env:
          TAG: \${{ inputs.tga }}
        run: echo "$TAG"
`,
  green: `on:
  workflow_dispatch:
    inputs:
      tag: {type: string}
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - env:
          TAG: \${{ inputs.tag }}
        run: echo "$TAG"
`,
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'unknown-input'),
}
