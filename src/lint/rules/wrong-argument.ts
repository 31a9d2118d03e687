import type { Rule } from '../rule.ts'
import { inEnv } from './examples.ts'

export const wrongArgument: Rule = {
  id: 'wrong-argument',
  level: 'error',
  isStrict: false,
  finds: 'a value that a function or a comparison can do nothing with',
  why: 'GitHub fails the run, or takes what nobody means.',
  fix: 'Compare and hand over texts and numbers; give `format` one value for each place.',
  red: "NAME: ${{ format('{0} {1}', github.actor) }}",
  green: "NAME: ${{ format('{0} {1}', github.actor, github.ref) }}",
  around: inEnv,
  check: (file) => file.faults('wrong-argument'),
}
