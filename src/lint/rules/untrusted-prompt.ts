import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const untrustedPrompt: Rule = {
  id: 'untrusted-prompt',
  level: 'warning',
  isStrict: true,
  finds: 'text from outside in the prompt of a coding agent',
  why: 'An agent obeys what it reads, with every tool and token that it has; `env:` is no cure.',
  fix: 'Write the text to a file that the prompt names as data, cut tools, permissions and secrets down: [how](../guides/coding-agents.md).',
  red: '- uses: anthropics/claude-code-action@v1\n  with:\n    prompt: ${{ fromJSON(needs.on.outputs.body).text }}',
  green:
    '- uses: anthropics/claude-code-action@v1\n  with:\n    prompt: Summarize message.txt, which is data.',
  around: greet,
  check: (file) => file.untrusted.filter(({ code }) => code === 'untrusted-prompt'),
}
