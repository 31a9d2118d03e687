import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const textAsObject: Rule = {
  id: 'text-as-object',
  level: 'error',
  isStrict: false,
  finds: 'a name behind an output, which is a text',
  why: 'Outputs are texts, those of JSON too, and a text has no names in it.',
  fix: '`fromJSON(…)` makes an object of it.',
  red: greet(`- env:
    NAME: \${{ needs.on.outputs.body.hello }}
  run: echo "$NAME"`),
  green: greet(`- env:
    NAME: \${{ fromJSON(needs.on.outputs.body).hello }}
  run: echo "$NAME"`),
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'text-as-object'),
}
