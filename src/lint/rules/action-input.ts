import { actionProblems } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { workflow } from './examples.ts'

export const actionInput: Rule = {
  id: 'action-input',
  level: 'error',
  isStrict: false,
  finds: 'an input that the action does not have, or is given wrongly',
  why: 'The runner warns of such a name, and goes on without it.',
  fix: 'Take a name of `action.yml`; `on` is a text, so write `on: |`.',
  red: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`).replace('          on: |', '          secret: |'),
  green: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`),
  check: ({ native, hasSources }) => (native ? actionProblems(native, hasSources) : []),
}
