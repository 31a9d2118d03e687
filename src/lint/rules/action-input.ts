import { actionProblems } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { DONE, workflow } from './examples.ts'

export const actionInput: Rule = {
  id: 'action-input',
  level: 'error',
  isStrict: false,
  finds: 'an input that the action does not have, or is given wrongly',
  why: 'The runner goes on without it.',
  fix: 'Take a name of `action.yml`; `on` is a text, so write `on: |`.',
  red: 'secret: |\n  webhook: {method: post}',
  green: 'on: |\n  webhook: {method: post}',
  around: (part) =>
    workflow(DONE).replace(
      / {10}on: [\s\S]*?\n(?= {2}\w)/,
      `${part.replaceAll(/^/gm, '          ')}\n`,
    ),
  check: ({ native, hasSources }) => (native ? actionProblems(native, hasSources) : []),
}
