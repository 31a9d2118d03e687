import { misplacedTriggers } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { workflow } from './examples.ts'

export const misplacedTrigger: Rule = {
  id: 'misplaced-trigger',
  level: 'error',
  isStrict: false,
  finds: 'a trigger of Hookline among the events of GitHub',
  why: 'GitHub does not know it: such a file never starts.',
  fix: 'Write `repository_dispatch` with the type `webhook` here, or move the file to `workflows/` and compile it.',
  red: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`).replace('repository_dispatch:\n    types: [webhook]', 'webhook: {}'),
  green: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`),
  check: ({ file, native, isSource }) =>
    isSource ? [] : misplacedTriggers(file, native !== undefined),
}
