import type { Rule } from '../rule.ts'
import { guarded } from './examples.ts'

export const textAsBoolean: Rule = {
  id: 'string-as-boolean',
  level: 'error',
  isStrict: false,
  finds: 'an output compared with `true`',
  why: 'Outputs are texts, and no text equals `true`.',
  fix: "Compare with the text: `== 'true'`.",
  red: 'if: needs.on.outputs.triggered == true',
  green: "if: needs.on.outputs.triggered == 'true'",
  around: guarded,
  check: (file) => file.faults('string-as-boolean'),
}
