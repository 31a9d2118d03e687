import type { Rule } from '../rule.ts'
import { greet } from './examples.ts'

export const untrustedScript: Rule = {
  id: 'script-injection',
  level: 'warning',
  isStrict: true,
  finds: 'text from outside where it is run, or chooses what is',
  why: '`${{ }}` is filled in before the shell reads a script, so whoever words the text words the script; a program from standard input, or from a variable, is one too.',
  fix: 'Hand the text over in `env:`; give it to a program as an argument or as data. `--fix` does that where it is sure.',
  red: '- run: echo "${{ fromJSON(needs.on.outputs.body).hello }}"',
  green: '- env:\n    NAME: ${{ fromJSON(needs.on.outputs.body).hello }}\n  run: echo "$NAME"',
  around: greet,
  check: (file) => file.untrusted.filter(({ code }) => code === 'script-injection'),
}
