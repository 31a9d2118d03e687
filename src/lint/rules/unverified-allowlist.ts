import { isMap } from 'yaml'
import { messagingBot, UNPROVEN_LIST, unprovenList } from '../../triggers/messaging-bot.ts'
import type { Problem } from '../../wire/errors.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { DONE, workflow } from './examples.ts'

export const unprovenUsers: Rule = {
  id: UNPROVEN_LIST,
  level: 'warning',
  isStrict: true,
  finds: 'a list of people or chats that anyone can claim to be one of',
  why: 'Whoever knows the URL can send an update with any id.',
  fix: 'Give setWebhook a `secret_token` (`hookline url … --bot --register` does), and the same to `secretToken`.',
  red: 'messaging_bot: {webhook: true, users: [12345]}',
  green: 'messaging_bot: {webhook: true, users: [12345], secretToken: "${{ secrets.BOT_SECRET }}"}',
  around: (part) => workflow(DONE, part).replace(/ +body: .*\n/, ''),
  check: unproven,
}

function unproven({ triggers }: RuleFile): Problem[] {
  return triggers.flatMap(({ definition, nodes: { value: options }, positionOf }) => {
    if (definition !== messagingBot || !isMap(options)) return []
    const found = unprovenList({
      webhook: options.get('webhook') === true,
      users: options.has('users'),
      chats: options.has('chats'),
      secretToken: options.has('secretToken'),
    })
    if (!found) return []
    const { option, message, hint } = found
    return [{ message, hint, position: positionOf([option]) }]
  })
}
