import * as v from 'valibot'
import { fieldsOf, type GitHubCall, type GitHubResponse, jsonOf } from './github.ts'

const errorsSchema = v.object({
  errors: v.pipe(
    v.array(v.object({ type: v.optional(v.string()), message: v.optional(v.string()) })),
    v.minLength(1),
  ),
})

/** The statuses with which the REST API says the same. */
const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['RATE_LIMITED', 403],
  ['FORBIDDEN', 403],
  ['INSUFFICIENT_SCOPES', 403],
  ['NOT_FOUND', 404],
  ['STALE_DATA', 409],
  ['UNPROCESSABLE', 422],
])

/** GitHub's GraphQL API, which tells what went wrong within a 200, as one that tells it by its status. */
export function graphqlCall(call: GitHubCall): GitHubCall {
  return async (request) => asRest(await call(request))
}

/**
 * An answer of the GraphQL API as one of the REST API: with the status that says the same, and a text
 * that holds `message` and `type`.
 *
 * @see https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
 */
function asRest(answer: GitHubResponse): GitHubResponse {
  const failed = v.safeParse(errorsSchema, answer.status === 200 ? jsonOf(answer.text) : undefined)
  if (!failed.success) return answer
  const [{ type, message = '' } = {}] = failed.output.errors
  // What has no name is tried again where GitHub says that it went wrong on its side.
  const unnamed = /^Something went wrong|timed? ?out/i.test(message) ? 502 : 422
  // A limit of points, unless it is one of the secondary ones, which pass sooner.
  const isSpent = type === 'RATE_LIMITED' && !/secondary/i.test(message)
  return {
    status: STATUS_OF.get(type ?? '') ?? unnamed,
    header: (name) => (isSpent && name === 'x-ratelimit-remaining' ? '0' : answer.header(name)),
    text: JSON.stringify({ type, message }),
  }
}

/** What an accepted answer of the GraphQL API holds. */
export function graphqlData(answer: GitHubResponse): unknown {
  return fieldsOf(answer).data
}
