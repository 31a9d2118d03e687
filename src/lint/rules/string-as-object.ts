import type { Rule } from '../rule.ts'
import { inEnv } from './examples.ts'

export const textAsObject: Rule = {
  id: 'string-as-object',
  level: 'error',
  isStrict: false,
  finds: 'a name behind an output, which is a text',
  why: 'Outputs are texts, those of JSON too.',
  fix: '`fromJSON(…)` makes an object of it.',
  red: 'NAME: ${{ needs.on.outputs.body.hello }}',
  green: 'NAME: ${{ fromJSON(needs.on.outputs.body).hello }}',
  around: inEnv,
  check: (file) => file.faults('string-as-object'),
}
