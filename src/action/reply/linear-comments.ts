import { addressInput } from '../../wire/address.ts'
import type { JsonObject } from '../../wire/json.ts'
import {
  type Chat,
  callChat,
  NotDelivered,
  noReplyTarget,
  objectAt,
  type ReplyContext,
} from './chat.ts'
import { acceptedJson, commentChat, commentMarkdown, commentToken } from './issue-comment.ts'

const NAME = 'Linear'

/** Linear names no maximum; this is what its editor takes without a delay. */
const MAX_TEXT = 50_000

const CREATE_ACTIVITY =
  'mutation ($input: AgentActivityCreateInput!) { result: agentActivityCreate(input: $input) { success } }'
const CREATE_COMMENT =
  'mutation ($input: CommentCreateInput!) { result: commentCreate(input: $input) { success comment { id } } }'
const UPDATE_COMMENT =
  'mutation ($id: String!, $input: CommentUpdateInput!) { result: commentUpdate(id: $id, input: $input) { success comment { id } } }'

/**
 * A response in the agent session of a webhook of Linear, which ends the session; otherwise a comment on its
 * issue, in the thread of its comment.
 *
 * @see https://linear.app/developers/agent-interaction
 */
export function linearComments(context: ReplyContext): Chat {
  const { item, input, reply, ports } = context
  const token = commentToken(NAME, 'an API key or an OAuth token of Linear', context)
  const target = targetOf(objectAt(item, 'body'))
  const url = `${addressInput(input, 'linear-api-url', 'https://api.linear.app')}/graphql`
  // OAuth tokens are bearer tokens; API keys are sent as they are.
  const authorization = token.startsWith('lin_api_') ? token : `Bearer ${token}`
  return commentChat({
    maxLength: MAX_TEXT,
    textOf: (text) => commentMarkdown(text, reply),
    async write(text, edit) {
      const request = {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify(mutation(target, edit, text)),
      }
      const answer = acceptedJson(NAME, await callChat(NAME, request, ports))
      const result = objectAt(objectAt(answer, 'data'), 'result')
      if (result.success !== true) {
        throw new NotDelivered({
          message: 'Linear rejected the comment',
          notes: ['check the token, and whether it may write comments'],
        })
      }
      const { id } = objectAt(result, 'comment')
      return typeof id === 'string' ? id : ''
    },
  })
}

type Target =
  | { readonly agentSessionId: string }
  | { readonly issueId: string; readonly parentId?: string }

/** https://linear.app/developers/webhooks#the-webhook-payload */
function targetOf(body: JsonObject): Target {
  const { id: session } = objectAt(body, 'agentSession')
  if (isId(session)) return { agentSessionId: session }
  const data = objectAt(body, 'data')
  const { id, issueId, parentId } = data
  if (body.type === 'Issue' && isId(id)) return { issueId: id }
  if (body.type === 'Comment' && isId(issueId) && isId(id)) {
    return { issueId, parentId: isId(parentId) ? parentId : id }
  }
  throw noReplyTarget('an event of Linear without an issue, a comment or an agent session')
}

function mutation(target: Target, edit: string, body: string) {
  if (edit !== '') return { query: UPDATE_COMMENT, variables: { id: edit, input: { body } } }
  if ('agentSessionId' in target) {
    const content = { type: 'response', body }
    return { query: CREATE_ACTIVITY, variables: { input: { ...target, content } } }
  }
  return { query: CREATE_COMMENT, variables: { input: { ...target, body } } }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value)
}
