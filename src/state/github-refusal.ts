import { type Problem, UserError } from '../wire/errors.ts'
import type { GitHubReply } from './github-api.ts'

/** What GitHub's refusal means for the store, and what would help. */
export function refused(reply: GitHubReply, place: string): UserError {
  const { status, message } = reply
  const answer = status === 0 ? 'gave' : `answered ${status}:`
  return new UserError({
    message: `${place} cannot be used as state: GitHub ${answer} ${oneLine(message)}`,
    notes: notes(reply),
  })
}

function notes({ status, message }: GitHubReply): NonNullable<Problem['notes']> {
  if (status === 401) return ['the input `github-token` is no token that GitHub knows']
  if (/rule violation|protected/i.test(message)) {
    return ['a rule protects the branch: exempt it, or choose another name']
  }
  if (/secondary rate/i.test(message))
    return ['GitHub limits how often it is called: try again later']
  if (status === 403 || status === 404) {
    return [
      'the job needs `permissions: contents: write`',
      "another token than the job's own goes into the input `github-token`",
    ]
  }
  return ['try again later']
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200)
}
