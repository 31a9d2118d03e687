import { isMap } from 'yaml'
import { KINDS_WITHOUT_REPLY } from '../../triggers/messaging-bot/places.ts'
import { messagingBot } from '../../triggers/messaging-bot.ts'
import { TRIGGERS_WITH_REPLY } from '../../triggers/reply-targets.ts'
import type { Problem } from '../../wire/errors.ts'
import { childOf, textOf } from '../../workflow/nodes.ts'
import type { SourceTrigger } from '../../workflow/on.ts'
import { REPLY_ACTION } from '../../workflow/steps.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { oneJob } from './example-workflows.ts'

export const impossibleReply: Rule = {
  id: 'impossible-reply',
  level: 'strict',
  page: {
    title: 'a trigger whose items `reply` cannot answer',
    reason:
      'Some updates of a bot belong to no chat, and the senders of some triggers, such as `aws_sns`, have no chat at all. The step then only writes a warning. `check` does not report the trigger `webhook`, also if it verifies the signature of such a sender.',
    remedy:
      'Remove the kind of update or the step; or give the step a condition with `update_type`, so that it runs only for the other kinds.',
    before: `- uses: hookline/hookline/reply@v1
  with: {to: "\${{ steps.hookline.outputs.on }}", text: Done}`,
    after: '- run: echo done',
    workflow: (step) => oneJob(step).replace('webhook: {method: post}', 'aws_sns'),
  },
  check: unanswered,
}

function unanswered(file: RuleFile): Problem[] {
  const replies = file.steps.filter(({ uses }) => REPLY_ACTION.test(uses))
  if (replies.length === 0) return []
  const isSelective = replies.every(({ place }) =>
    /update_type/.test(textOf(childOf(place, 'if')) ?? ''),
  )
  const { triggers } = file
  return [
    ...(isSelective ? [] : triggers.flatMap(unansweredUpdates)),
    ...(triggers.some(({ definition }) =>
      TRIGGERS_WITH_REPLY.some((name) => name === definition.name),
    )
      ? []
      : triggers.map(({ definition, positionOf }) => ({
          message: `reply cannot answer an item of ${definition.name}`,
          hint: `Remove the step; reply answers ${TRIGGERS_WITH_REPLY.join(', ')}.`,
          position: positionOf([]),
        }))),
  ]
}

function unansweredUpdates({ definition, nodes: { value }, positionOf }: SourceTrigger): Problem[] {
  if (definition !== messagingBot || !isMap(value)) return []
  const updates: unknown = value.toJSON().updates
  const named = (Array.isArray(updates) ? updates : [updates]).map(String)
  const kinds = KINDS_WITHOUT_REPLY.filter((kind) => named.includes(kind))
  if (kinds.length === 0) return []
  return [
    {
      message: `reply cannot answer ${kinds.join(', ')}, because these updates belong to no chat`,
      hint: "Give the step a condition, such as if: fromJSON(…).messaging_bot.outputs.update_type == 'message'",
      position: positionOf(['updates']),
    },
  ]
}
