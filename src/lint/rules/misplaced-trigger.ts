import { misplacedTriggers } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { DONE, workflow } from './examples.ts'

export const misplacedTrigger: Rule = {
  id: 'misplaced-trigger',
  level: 'error',
  isStrict: false,
  finds: 'a trigger of Hookline among the events of GitHub',
  why: 'Such a file never starts.',
  fix: 'Write `repository_dispatch` with the type `webhook`, or compile the file from `workflows/`.',
  red: 'webhook: {}',
  green: 'repository_dispatch:\n  types: [webhook]',
  around: (part) =>
    workflow(DONE).replace(
      'repository_dispatch:\n    types: [webhook]',
      part.replaceAll('\n', '\n  '),
    ),
  check: ({ file, native, isSource }) =>
    isSource ? [] : misplacedTriggers(file, native !== undefined),
}
