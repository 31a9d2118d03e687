import { type Answer, type GitHub, type RecordedCall, startGitHub } from './github.ts'

/** How GitHub treats a dispatch: the run that it starts, if any. */
export type RunBehavior =
  | 'success'
  | 'failure'
  | 'skipped'
  | 'held'
  | 'startup_failure'
  | 'none'
  | 'unnamed'
  | 'endless'

interface StandInRun {
  readonly id: number
  readonly event: string
  readonly path: string
  readonly display_title: string
  readonly created_at: string
  readonly html_url: string
  /** Milliseconds since 1970 at which the run ends, and how. */
  readonly ends: number
  readonly ended: { readonly status: string; readonly conclusion: string | null }
}

/** A stand-in for GitHub that starts runs, and lists them as GitHub does. */
export interface GitHubRuns extends GitHub {
  /** By `owner/name` in lower case. */
  readonly behavior: Map<string, RunBehavior>
  /** Listings of runs, in order. */
  readonly listings: { readonly repository: string; readonly at: number }[]
  /** Status of the next listings, if not 200. */
  listingStatus: number
  /** Adds runs that other events started, as the newest of a repository. */
  addOthers(repository: string, count: number): void
}

/** Milliseconds that a run takes. */
const RUN_TIME = 40_000

/** A listing with one of these parameters is stale: it misses all runs of the last 45 minutes. */
const FILTERS = /[?&](?:event|created|status|branch|actor|head_sha)=/

/** @param now milliseconds since 1970 */
export async function startGitHubRuns(now: () => number): Promise<GitHubRuns> {
  const github = await startGitHub({ listsRunsByRule: true })
  const runs = new Map<string, StandInRun[]>()
  const behavior = new Map<string, RunBehavior>()
  const listings: GitHubRuns['listings'][number][] = []
  let nextId = 1
  const add = (repository: string, fields: Partial<StandInRun>) => {
    const id = nextId++
    const run: StandInRun = {
      id,
      event: 'repository_dispatch',
      path: '.github/workflows/hook.yml',
      display_title: 'push',
      created_at: new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z'),
      html_url: `https://github.com/${repository}/actions/runs/${id}`,
      ends: now() + RUN_TIME,
      ended: { status: 'completed', conclusion: 'success' },
      ...fields,
    }
    runs.set(repository, [run, ...(runs.get(repository) ?? [])])
  }
  const dispatched = (repository: string, body: string): Answer => {
    const { client_payload: payload } = JSON.parse(body)
    const kind = behavior.get(repository) ?? 'success'
    if (kind === 'none') return { status: 204 }
    const title = `hook ${payload.headers['x-hookline-delivery']}`
    add(repository, {
      display_title: kind === 'unnamed' ? 'webhook' : title,
      ...lifeOf(kind, now()),
    })
    return { status: 204 }
  }
  const listed = (url: string, repository: string): Answer => {
    listings.push({ repository, at: now() })
    if (result.listingStatus !== 200) {
      return { status: result.listingStatus, body: '{"message":"Not Found"}' }
    }
    const query = new URL(url, 'http://localhost').searchParams
    const [size, page] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)]
    const all = FILTERS.test(url)
      ? (runs.get(repository) ?? []).filter(
          (run) => Date.parse(run.created_at) < now() - 45 * 60_000,
        )
      : (runs.get(repository) ?? [])
    const workflow_runs = all
      .slice((page - 1) * size, page * size)
      .map(({ ends, ended, ...run }) =>
        now() >= ends ? { ...run, ...ended } : { ...run, status: 'in_progress', conclusion: null },
      )
    return {
      status: 200,
      headers: { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4000' },
      body: JSON.stringify({ total_count: all.length, workflow_runs }),
    }
  }
  github.always(({ method, url, body }: RecordedCall) => {
    const repository = /^\/repos\/([^/]+\/[^/?]+)/.exec(url)?.[1]?.toLowerCase() ?? ''
    return method === 'GET' ? listed(url, repository) : dispatched(repository, body)
  })
  const result: GitHubRuns = {
    ...github,
    behavior,
    listings,
    listingStatus: 200,
    addOthers: (repository, count) => {
      for (let n = 0; n < count; n++) add(repository, { event: 'push' })
    },
  }
  return result
}

function lifeOf(kind: RunBehavior, now: number): Partial<StandInRun> {
  if (kind === 'endless') return { ends: Number.POSITIVE_INFINITY }
  if (kind === 'held') return { ends: now, ended: { status: 'waiting', conclusion: null } }
  const conclusion = kind === 'unnamed' ? 'success' : kind
  const isImmediate = kind === 'skipped' || kind === 'startup_failure'
  return {
    ends: isImmediate ? now : now + RUN_TIME,
    ended: { status: 'completed', conclusion },
  }
}
