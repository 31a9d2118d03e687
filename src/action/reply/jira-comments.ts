import { addressInput } from '../../wire/address.ts'
import { UserError } from '../../wire/errors.ts'
import { type Chat, callChat, noReplyTarget, objectAt, type ReplyContext } from './chat.ts'
import { acceptedJson, commentChat, commentToken } from './issue-comment.ts'

const NAME = 'Jira'

/** https://developer.atlassian.com/cloud/jira/platform/rest/v2/api-group-issue-comments */
const MAX_TEXT = 32_767

/**
 * Comments on the issue of a webhook of Jira, by version 2 of its API, which Jira Data Center has too. The
 * address comes from an input, because anyone could write another one into a webhook.
 */
export function jiraComments(context: ReplyContext): Chat {
  const { item, input, reply, ports } = context
  const kind = '<email>:<API token> for Jira Cloud, or an access token'
  const token = commentToken(NAME, kind, context)
  if (reply.format === 'markdown') {
    throw new UserError({
      message: 'input "format": Jira does not read Markdown',
      hint: 'Use "plain", or "raw" for the wiki markup of Jira.',
    })
  }
  const base = addressInput(input, 'jira-url', '', 'https://example.atlassian.net')
  const { key } = objectAt(objectAt(item, 'body'), 'issue')
  if (typeof key !== 'string' || !/^[A-Z][A-Z0-9_]{0,30}-\d{1,10}$/.test(key)) {
    throw noReplyTarget('an event of Jira without an issue')
  }
  const address = `${base}/rest/api/2/issue/${key}/comment`
  const authorization = token.includes(':')
    ? `Basic ${Buffer.from(token).toString('base64')}`
    : `Bearer ${token}`
  return commentChat({
    maxLength: MAX_TEXT,
    // The characters begin wiki markup, mentions (`[~name]`) and macros (`{…}`).
    textOf: (text) =>
      reply.format === 'raw' ? text : text.replace(/[\\{}[\]*_\-+^~?|!#]/g, '\\$&'),
    async write(text, edit) {
      const [method, url] = edit
        ? (['PUT', `${address}/${encodeURIComponent(edit)}`] as const)
        : (['POST', address] as const)
      const headers = { 'content-type': 'application/json', authorization }
      const body = JSON.stringify({ body: text })
      const { id } = acceptedJson(NAME, await callChat(NAME, { method, url, headers, body }, ports))
      return typeof id === 'string' ? id : edit
    },
  })
}
