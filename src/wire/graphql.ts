import * as v from 'valibot'
import { fieldsOf, type GitHubCall, type GitHubResponse } from './github-api.ts'
import { jsonOf } from './json.ts'

const errorsSchema = v.object({
  errors: v.pipe(
    v.array(v.object({ type: v.optional(v.string()), message: v.optional(v.string()) })),
    v.minLength(1),
  ),
})

/** The status with which the REST API reports the same error. */
const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['RATE_LIMITED', 403],
  ['FORBIDDEN', 403],
  ['INSUFFICIENT_SCOPES', 403],
  ['NOT_FOUND', 404],
  ['STALE_DATA', 409],
  ['UNPROCESSABLE', 422],
])

/**
 * Makes GitHub's GraphQL API, which reports errors within a 200, look like the REST API: with the
 * status of the same error, and `message` and `type` in the body.
 *
 * @see https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
 */
export const graphqlCall =
  (call: GitHubCall): GitHubCall =>
  async (request) => {
    const answer = await call(request)
    const failed = v.safeParse(
      errorsSchema,
      answer.status === 200 ? jsonOf(answer.text) : undefined,
    )
    if (!failed.success) return answer
    const [{ type, message = '' } = {}] = failed.output.errors
    // An error without a type is retried if its message reports a fault of GitHub.
    const unnamed = /^Something went wrong|timed? ?out/i.test(message) ? 502 : 422
    // The primary rate limit is used up, unless the message names a secondary one, which ends sooner.
    const isSpent = type === 'RATE_LIMITED' && !/secondary/i.test(message)
    return {
      status: STATUS_OF.get(type ?? '') ?? unnamed,
      header: (name) => (isSpent && name === 'x-ratelimit-remaining' ? '0' : answer.header(name)),
      text: JSON.stringify({ type, message }),
    }
  }

export function graphqlData(answer: GitHubResponse): unknown {
  return fieldsOf(answer).data
}
