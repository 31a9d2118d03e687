import { addressInput } from '../../wire/address.ts'
import { ServerVersion } from '../../wire/api-version.ts'
import { isRepository } from '../../wire/path.ts'
import {
  type Chat,
  callChat,
  NotDelivered,
  noReplyTarget,
  objectAt,
  type ReplyContext,
} from './chat.ts'
import { acceptedJson, commentChat, commentMarkdown, commentToken } from './issue-comment.ts'

const NAME = 'GitHub'

/** https://docs.github.com/rest/issues/comments#create-an-issue-comment */
const MAX_TEXT = 65_536

export function githubComments(context: ReplyContext): Chat {
  const { item, input, reply, ports } = context
  const kind = 'a token with "Issues: write", such as ${{ github.token }}'
  const token = commentToken(NAME, kind, context)
  const body = objectAt(item, 'body')
  const { full_name: named } = objectAt(body, 'repository')
  const { number } = 'issue' in body ? objectAt(body, 'issue') : objectAt(body, 'pull_request')
  const repository = input('repository').trim()
  // The path of the request contains the name, and `..` would lead to another part of the API.
  if (typeof named !== 'string' || !isRepository(repository)) throw noIssue()
  // Anyone who can send an event can name a repository in it, and the token may reach several.
  if (named.toLowerCase() !== repository.toLowerCase()) {
    throw new NotDelivered({
      message: `the event is of another repository than ${repository}; nothing was sent`,
      hint: 'To comment there, set the input "repository" of this step, and "verify" of the trigger.',
    })
  }
  if (!Number.isInteger(number)) throw noIssue()
  const apiUrl = addressInput(input, 'github-api-url', 'https://api.github.com')
  const serverVersion = new ServerVersion(apiUrl)
  const base = `${apiUrl}/repos/${repository}/issues`
  return commentChat({
    maxLength: MAX_TEXT,
    textOf: (text) => commentMarkdown(text, reply),
    async write(text, edit) {
      const [method, url] = edit
        ? (['PATCH', `${base}/comments/${encodeURIComponent(edit)}`] as const)
        : (['POST', `${base}/${number}/comments`] as const)
      const body = JSON.stringify({ body: text })
      const response = await serverVersion.ask((version) => {
        const headers = {
          accept: 'application/vnd.github+json',
          'x-github-api-version': version,
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
        }
        return callChat(NAME, { method, url, headers, body }, ports)
      })
      const { id } = acceptedJson(NAME, response)
      return id === undefined ? edit : String(id)
    },
  })
}

function noIssue() {
  return noReplyTarget('an event of GitHub without an issue or a pull request')
}
