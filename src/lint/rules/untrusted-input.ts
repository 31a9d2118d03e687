import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const untrustedInput: Rule = {
  id: 'untrusted-input',
  level: 'warning',
  isStrict: true,
  finds: 'text from outside in an input that may decide where secrets go',
  why: 'An action reads an address, a path or a name from its inputs, and takes what tokens it has there. Only inputs that are known to take text, such as `title` and `body`, are for such text.',
  fix: 'Choose among values of your own with a condition.',
  red: greet(
    '- uses: docker/login-action@v3\n  with:\n    registry: ${{ fromJSON(needs.on.outputs.body).registry }}',
  ),
  green: greet('- uses: docker/login-action@v3\n  with:\n    registry: ghcr.io'),
  check: (file) => file.untrusted.filter(({ code }) => code === 'untrusted-input'),
}
