import type { DeliveryScene, GitHubRule, Reply, SeenCall } from './delivery-scene.ts'

/** How GitHub treats an event: the run that it starts, if any. */
export type RunBehavior =
  | 'success'
  | 'failure'
  | 'skipped'
  | 'held'
  | 'startup_failure'
  | 'none'
  | 'unnamed'
  | 'endless'
  | 'nothing_fired'
  | 'other_workflow'

/** An annotation of a job, as GitHub lists it. */
export interface Annotation {
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly message: string
}

interface Run {
  readonly id: number
  readonly event: string
  readonly path: string
  readonly display_title: string
  readonly created_at: string
  readonly html_url: string
  readonly behavior: RunBehavior
  /** Milliseconds since 1970 at which the run ends, and how. */
  readonly ends: number
  readonly ended: { readonly status: string; readonly conclusion: string | null }
}

/** Milliseconds that a run takes. */
const RUN_TIME = 40_000

/** A listing with one of these parameters is stale: it misses all runs of the last 45 minutes. */
const FILTERS = /[?&](?:event|created|status|branch|actor|head_sha)=/

/** GitHub's answers for a scene: it starts runs, and lists them with their jobs and annotations. */
export class RunsAtGitHub {
  /** By `owner/name` in lower case. */
  readonly behavior = new Map<string, RunBehavior>()
  /** The annotations of jobs in which nothing fired, or that failed. */
  annotations: Partial<Record<RunBehavior, readonly Annotation[]>> = {
    nothing_fired: [
      { annotation_level: 'warning', message: 'a warning' },
      { annotation_level: 'notice', message: 'no trigger fired: method: post is not among put' },
    ],
    failure: [
      { annotation_level: 'failure', message: 'Process completed with exit code 1.' },
      { annotation_level: 'failure', message: 'the secret WEBHOOK_SECRET is not set' },
    ],
  }
  /** First pages of listings of runs, in order. */
  readonly listings: { readonly repository: string; readonly at: number }[] = []
  /** Status of the next listings, if not 200. */
  listingStatus = 200
  /** Milliseconds by which GitHub's clock is ahead. */
  clockAhead = 0
  /** Milliseconds of the responses to events. */
  delay = 0
  /** `x-ratelimit-limit` of all responses. */
  limit = 5000
  now = () => 0
  readonly #runs = new Map<string, Run[]>()
  #nextId = 1

  readonly rule: GitHubRule = (call) => {
    const { method, url, repository } = call
    if (method === 'POST') return this.#dispatched(call)
    if (url.includes('/annotations')) return this.#annotations(repository, url)
    if (url.includes('/jobs')) return this.#jobs(repository, url)
    return this.#list(repository, url)
  }

  of(scene: DeliveryScene): this {
    this.now = () => scene.time.now
    return this
  }

  /** Adds runs that other events started, as the newest of a repository. */
  addOthers(repository: string, count: number): void {
    for (let n = 0; n < count; n++) this.add(repository, 'push', 'success', 'push')
  }

  add(repository: string, title: string, behavior: RunBehavior, event = 'repository_dispatch') {
    const [id, now] = [this.#nextId++, this.now() + this.clockAhead]
    const isImmediate = behavior === 'skipped' || behavior === 'startup_failure'
    const ends =
      behavior === 'endless'
        ? Number.POSITIVE_INFINITY
        : this.now() + (isImmediate || behavior === 'held' ? 0 : RUN_TIME)
    const conclusion = ['failure', 'skipped', 'startup_failure'].includes(behavior)
      ? behavior
      : 'success'
    const file = behavior === 'other_workflow' ? 'other' : 'hook'
    const run: Run = {
      ...{ id, event, behavior, ends },
      path: `.github/workflows/${file}.yml`,
      display_title: title,
      created_at: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
      html_url: `https://github.com/${repository}/actions/runs/${id}`,
      ended:
        behavior === 'held'
          ? { status: 'waiting', conclusion: null }
          : { status: 'completed', conclusion },
    }
    this.#runs.set(repository, [run, ...(this.#runs.get(repository) ?? [])])
    return run
  }

  #dispatched({ repository, delivery }: SeenCall): Reply {
    const behavior = this.behavior.get(repository) ?? 'success'
    const title = behavior === 'unnamed' ? 'webhook' : `hook ${delivery}`
    if (behavior !== 'none') this.add(repository, title, behavior)
    // GitHub's clock is read when the response begins.
    const date = new Date(this.now() + this.clockAhead + this.delay).toUTCString()
    return { status: 204, headers: { date }, delay: this.delay }
  }

  #list(repository: string, url: string): Reply {
    if (!/[?&]page=(?!1$)/.test(url)) this.listings.push({ repository, at: this.now() })
    if (this.listingStatus !== 200) return { status: this.listingStatus, body: '{"message":"x"}' }
    const query = new URL(url, 'http://localhost').searchParams
    const [size, page] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)]
    const all = (this.#runs.get(repository) ?? []).filter(
      (run) => !FILTERS.test(url) || Date.parse(run.created_at) < this.now() - 45 * 60_000,
    )
    const workflow_runs = all
      .slice((page - 1) * size, page * size)
      .map(({ ends, ended, behavior: _, ...run }) =>
        this.now() >= ends
          ? { ...run, ...ended }
          : { ...run, status: 'in_progress', conclusion: null },
      )
    return this.#json({ total_count: all.length, workflow_runs })
  }

  #runAt(repository: string, pattern: RegExp, url: string): Run | undefined {
    const id = Number(pattern.exec(url)?.[1])
    return this.#runs.get(repository)?.find((run) => run.id === id)
  }

  #jobs(repository: string, url: string): Reply {
    const run = this.#runAt(repository, /runs\/(\d+)\/jobs/, url)
    if (!run) return { status: 404, body: '{}' }
    const isIdle = run.behavior === 'nothing_fired'
    const job = {
      id: run.id,
      name: 'hook',
      conclusion: run.ended.conclusion,
      steps: [
        { name: 'Run hookline', conclusion: 'success' },
        {
          name: 'Deploy',
          conclusion: isIdle ? 'skipped' : run.behavior === 'failure' ? 'failure' : 'success',
        },
      ],
    }
    return this.#json({ total_count: 1, jobs: [job] })
  }

  #annotations(repository: string, url: string): Reply {
    const run = this.#runAt(repository, /check-runs\/(\d+)\/annotations/, url)
    const isTold = run?.behavior === 'nothing_fired' || run?.behavior === 'failure'
    return this.#json(isTold ? (this.annotations[run.behavior] ?? []) : [])
  }

  #json(value: unknown): Reply {
    const headers = {
      'x-ratelimit-limit': String(this.limit),
      'x-ratelimit-remaining': String(this.limit - 1),
    }
    return { status: 200, headers, body: JSON.stringify(value) }
  }
}
