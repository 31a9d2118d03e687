import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const untrustedInput: Rule = {
  id: 'untrusted-input',
  level: 'warning',
  isStrict: true,
  finds: 'text from outside in an input that may decide where secrets go',
  why: 'An action reads an address, a path or a name from its inputs, and sends its tokens there. Only inputs such as `title` and `body` are for such text.',
  fix: 'Choose among values of your own with a condition.',
  red: '- uses: docker/login-action@v3\n  with:\n    registry: ${{ fromJSON(needs.on.outputs.body).registry }}',
  green: '- uses: docker/login-action@v3\n  with:\n    registry: ghcr.io',
  around: greet,
  check: (file) => file.untrusted.filter(({ code }) => code === 'untrusted-input'),
}
