import { missedWebhooks } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { workflow } from './examples.ts'

export const missedWebhook: Rule = {
  id: 'missed-webhook',
  level: 'warning',
  isStrict: true,
  finds: 'a guard, or a type, that lets no webhook through',
  why: 'A webhook comes as `repository_dispatch` of the type `webhook`, and its path begins with the name of the file and the trigger. GitHub skips what asks for something else, and says nothing.',
  fix: 'Take the beginning of the path that the hint names, or leave the guard to the output `triggered`.',
  red: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`).replace(
    '    runs-on',
    "    if: startsWith(github.event.client_payload.path, 'hok/webhook')\n    runs-on",
  ),
  green: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`).replace(
    '    runs-on',
    "    if: startsWith(github.event.client_payload.path, 'hook/webhook')\n    runs-on",
  ),
  check: ({ native }) => (native ? missedWebhooks(native) : []),
}
