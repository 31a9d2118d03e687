import { missedWebhooks } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { DONE, workflow } from './examples.ts'

export const missedWebhook: Rule = {
  id: 'unreachable-webhook',
  level: 'warning',
  isStrict: true,
  finds: 'a guard, or a type, that lets no webhook through',
  why: 'A webhook comes as `repository_dispatch` of the type `webhook`, its path begins with the names of file and trigger, and GitHub skips in silence what asks for something else.',
  fix: 'Write the path of the hint, or leave the guard to the output `triggered`.',
  red: "if: startsWith(github.event.client_payload.path, 'hok/webhook')",
  green: "if: startsWith(github.event.client_payload.path, 'hook/webhook')",
  around: (part) => workflow(DONE).replace('    runs-on', `    ${part}\n    runs-on`),
  check: ({ native, triggers }) => (native ? missedWebhooks(native, triggers) : []),
}
