import type { Problem } from '../../wire/errors.ts'
import { tokensIn } from '../../wire/tokens.ts'
import { textsOf } from '../../workflow/nodes.ts'
import { ScalarText } from '../../workflow/spans.ts'
import { positionAt } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { workflow } from './examples.ts'

export const tokenInClear: Rule = {
  id: 'hardcoded-secret',
  level: 'error',
  isStrict: false,
  finds: 'a token in clear text',
  why: 'Whoever reads the repository has it, now and in its history.',
  fix: 'Revoke it, put a new one into a secret, and read that.',
  red: 'messaging_bot: {token: "123456789:AAabcdefghijklmnopqrstuvwxyz0123456"}',
  green: 'messaging_bot: {token: "${{ secrets.BOT_TOKEN }}"}',
  around: (part) => workflow('', part).replace(/ +body: .*\n/, ''),
  check: tokens,
}

function tokens({ top, file }: RuleFile): Problem[] {
  return textsOf(top).flatMap(({ node }) => {
    const found = tokensIn(node.value)
    if (found.length === 0) return []
    const written = new ScalarText(file.source.text, node)
    return found.map((token) => {
      const { start, end } = written.span(token.start, token.end)
      const message = 'a token stands here in clear text, for everyone who can read the repository'
      const position = positionAt(file.source, start, end)
      return { message, position, hint: 'put a new one into a secret: ${{ secrets.NAME }}' }
    })
  })
}
