import { isMap } from 'yaml'
import {
  allowlistProblem,
  messagingBot,
  UNVERIFIED_ALLOWLIST,
} from '../../triggers/messaging-bot.ts'
import type { Problem } from '../../wire/errors.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { withTrigger } from './example-workflows.ts'

export const unverifiedAllowlist: Rule = {
  id: UNVERIFIED_ALLOWLIST,
  level: 'strict',
  page: {
    title: 'a list of users or chats that any sender can claim to be in',
    reason:
      'Without `secretToken`, updates are not authenticated: anyone who knows the URL can send an update with the id of an allowed user.',
    remedy: 'Register the webhook with a `secret_token`, and set `secretToken` to the same value.',
    before: 'messaging_bot: {webhook: true, users: [12345]}',
    after:
      'messaging_bot: {webhook: true, users: [12345], secretToken: "${{ secrets.BOT_SECRET }}"}',
    workflow: withTrigger,
  },
  check: unverified,
}

function unverified({ triggers }: RuleFile): Problem[] {
  return triggers.flatMap(({ definition, nodes: { value: options }, positionOf }) => {
    if (definition !== messagingBot || !isMap(options)) return []
    const found = allowlistProblem({
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
