import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const textAsBoolean: Rule = {
  id: 'text-as-boolean',
  level: 'error',
  isStrict: false,
  finds: 'an output compared with `true`',
  why: 'Outputs are texts. GitHub makes numbers of both sides, and of the text `true` none: `==` is never so.',
  fix: "Compare with the text: `== 'true'`.",
  red: greet('- run: echo hi', 'needs.on.outputs.triggered == true'),
  green: greet('- run: echo hi'),
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'text-as-boolean'),
}
