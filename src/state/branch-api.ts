import * as v from 'valibot'
import type { GitHubApi, GitHubReply } from './place.ts'

export const GRAPHQL = 'POST /graphql'

const errorsSchema = v.object({
  errors: v.pipe(
    v.array(v.object({ type: v.optional(v.string()), message: v.optional(v.string()) })),
    v.minLength(1),
  ),
})

const dataSchema = v.object({ data: v.unknown() })

/** The statuses with which the REST API says the same; what has no name is tried again. */
const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['RATE_LIMITED', 403],
  ['FORBIDDEN', 403],
  ['INSUFFICIENT_SCOPES', 403],
  ['NOT_FOUND', 404],
  ['STALE_DATA', 409],
  ['UNPROCESSABLE', 422],
])

/**
 * An answer of the GraphQL API, which tells what went wrong within a 200, as one of the REST API: the
 * data alone, or the status that says the same.
 *
 * @see https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
 */
export function graphqlReply(reply: GitHubReply): GitHubReply {
  if (reply.status !== 200) return reply
  const failed = v.safeParse(errorsSchema, reply.data)
  if (failed.success) {
    const [{ type, message = '' } = {}] = failed.output.errors
    const unnamed = /^Something went wrong|timed? ?out/i.test(message) ? 502 : 422
    const status = STATUS_OF.get(type ?? '') ?? unnamed
    // A limit of points, unless it is one of the secondary ones, which pass sooner.
    const isSpent = type === 'RATE_LIMITED' && !/secondary/i.test(message)
    return { ...reply, status, kind: type, message, ...(isSpent && { remaining: 0 }) }
  }
  const found = v.safeParse(dataSchema, reply.data)
  return { ...reply, data: found.success ? found.output.data : undefined }
}

const runSchema = v.object({ id: v.number(), conclusion: v.nullable(v.string()) })

const runsSchema = v.object({ workflow_runs: v.array(runSchema) })

/** A run that ended so hands on nothing any more. */
const FAILED: ReadonlySet<string> = new Set([
  'failure',
  'cancelled',
  'timed_out',
  'startup_failure',
])

/**
 * Which of these runs have ended without success, by one call. None where the token may not read runs,
 * or GitHub does not tell: then nothing is known of any.
 *
 * @param runs ids of runs
 * @see https://docs.github.com/en/rest/actions/workflow-runs
 */
export async function endedRuns(
  runs: readonly string[],
  api: GitHubApi,
): Promise<ReadonlySet<string>> {
  const ids = runs.filter((run) => /^\d{1,15}$/.test(run))
  const [first, ...others] = ids
  if (first === undefined) return new Set()
  // A cached answer would tell of a run that it is still at work.
  const fresh = { headers: { 'if-none-match': '' } }
  const reply =
    others.length === 0
      ? await api('GET /repos/{owner}/{repo}/actions/runs/{run_id}', { run_id: first, ...fresh })
      : await api('GET /repos/{owner}/{repo}/actions/runs', { per_page: 100, ...fresh })
  const one = v.safeParse(runSchema, reply.data)
  const many = v.safeParse(runsSchema, reply.data)
  const told = one.success ? [one.output] : many.success ? many.output.workflow_runs : []
  const failed = told.filter(({ conclusion }) => FAILED.has(conclusion ?? ''))
  return new Set(failed.map(({ id }) => String(id)).filter((id) => ids.includes(id)))
}
