import type { Rule } from '../rule.ts'
import { greet } from './example-workflows.ts'

export const untrustedInput: Rule = {
  id: 'untrusted-input',
  level: 'strict',
  page: {
    title: 'untrusted input that can decide where an action sends secrets',
    reason:
      'An action reads addresses, paths and names from its inputs, and sends its tokens to them. With an address of the sender, the token goes to the sender. Inputs that accept text for people, such as `title` and `body`, are not reported.',
    remedy: 'Choose one of your own values with a condition.',
    before:
      "- uses: docker/login-action@v4\n  with:\n    registry: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.registry }}",
    after: '- uses: docker/login-action@v4\n  with:\n    registry: ghcr.io',
    workflow: greet,
  },
  check: (file) =>
    file.untrusted.map(({ problem }) => problem).filter(({ code }) => code === 'untrusted-input'),
}
