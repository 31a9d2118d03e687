import type { Problem } from '../../wire/errors.ts'
import { tokensIn } from '../../wire/tokens.ts'
import { textsBelow } from '../../workflow/nodes.ts'
import { ScalarText } from '../../workflow/spans.ts'
import { positionAt } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { withTrigger } from './example-workflows.ts'

export const hardcodedSecret: Rule = {
  id: 'hardcoded-secret',
  level: 'error',
  page: {
    title: 'a token in plain text',
    reason:
      'Everyone who can read the repository can use the token, and it stays in the history after you delete the line.',
    remedy: 'Revoke the token, store a new one as a secret, and read the secret.',
    before: 'messaging_bot: {token: "123456789:AAabcdefghijklmnopqrstuvwxyz0123456"}',
    after: 'messaging_bot: {token: "${{ secrets.BOT_TOKEN }}"}',
    workflow: withTrigger,
  },
  check: tokens,
}

/** Few files contain a token, so the whole text is searched first. An escape could hide a part of one. */
function tokens({ top, file }: RuleFile): Problem[] {
  const { text } = file.source
  if (tokensIn(text).length === 0 && !/\\[uUx]/.test(text)) return []
  return textsBelow(top).flatMap(({ node }) => {
    const found = tokensIn(node.value)
    if (found.length === 0) return []
    const written = new ScalarText(file.source.text, node)
    return found.map((token) => {
      const { start, end } = written.span(token.start, token.end)
      const message = 'this token is in plain text: everyone who can read the repository can use it'
      const position = positionAt(file.source, start, end)
      return { message, position, hint: 'revoke it, and read a secret: ${{ secrets.NAME }}' }
    })
  })
}
