import { listOf } from './github-api.ts'
import { UUID } from './uuid.ts'

export interface WorkflowRun {
  readonly id: number
  /** Delivery id in the name of the run; `null` if the workflow has no `run-name` with the id. */
  readonly delivery: string | null
  /** File name without its extension. */
  readonly workflow: string
  /** Event that started the run: `repository_dispatch`. */
  readonly event: string
  /** `queued`, `in_progress`, `completed`, … */
  readonly state: string
  /** `success`, `failure`, …; `null` until the run is completed. */
  readonly conclusion: string | null
  /** Time of creation in ISO 8601. */
  readonly started: string
  readonly url: string
}

/**
 * Reads one page of a repository's runs, newest first, by the path of `runsPath`.
 *
 * @returns the field `workflow_runs` of GitHub's response
 */
type ReadRunsPage = (page: number) => Promise<unknown>

/** Pages that one lookup reads at most. */
const MAX_PAGES = 10

const PAGE_SIZE = 100

/** Runs that one lookup reads at most. */
export const MOST_RUNS = MAX_PAGES * PAGE_SIZE

/** A delivery id at any position in the name of a run. */
const DELIVERY = new RegExp(UUID, 'i')

/**
 * The path of a page of runs. It has no filter, because GitHub's filtered listings (`event=`, `created=`)
 * can lag behind for minutes, while the unfiltered listing is current.
 */
export function runsPath(repository: string, page: number): string {
  return `/repos/${repository}/actions/runs?per_page=${PAGE_SIZE}&page=${page}`
}

interface LookupRange {
  /** Ends the lookup at the first page with a run that was created before this time. */
  readonly since?: Date | undefined
  /** Ends the lookup after a page. */
  isEnough?(runs: readonly WorkflowRun[]): boolean
}

/** The runs of a repository, newest first: all of at most 10 pages of 100 runs. */
export async function recentRuns(
  readPage: ReadRunsPage,
  { since, isEnough = () => false }: LookupRange = {},
): Promise<readonly WorkflowRun[]> {
  const runs: WorkflowRun[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const read = listOf(await readPage(page)).map(readRun)
    runs.push(...read)
    const oldest = read.at(-1)
    const isOlder = since !== undefined && Date.parse(oldest?.started ?? '') < since.getTime()
    if (read.length < PAGE_SIZE || isOlder || isEnough(runs)) break
  }
  return runs
}

export const RUN_RESULTS = [
  'running',
  'waiting_for_approval',
  'success',
  'failure',
  'skipped',
  'startup_failure',
] as const

export type RunResult = (typeof RUN_RESULTS)[number]

/**
 * The meaning of a run's state and conclusion. A run that needs an approval has the status `waiting`, or
 * ended with `action_required`.
 *
 * @see https://docs.github.com/rest/actions/workflow-runs
 */
export function runResult({
  state,
  conclusion,
}: Pick<WorkflowRun, 'state' | 'conclusion'>): RunResult {
  if (state === 'waiting' || conclusion === 'action_required') return 'waiting_for_approval'
  if (conclusion === null) return 'running'
  if (conclusion === 'success' || conclusion === 'neutral') return 'success'
  if (conclusion === 'skipped' || conclusion === 'startup_failure') return conclusion
  return 'failure'
}

/** An event whose runs are wanted. */
export interface StartedBy {
  readonly delivery: string
  /** File name of the workflow without its extension; absent if any workflow may have the run. */
  readonly workflow?: string | undefined
  /** Milliseconds since 1970; absent if the delivery id was not used before. */
  readonly since?: number | undefined
  /** Address of the run, if GitHub named it. */
  readonly url?: string | null | undefined
}

/** If an event starts several runs, the first of these results is the result of the event. */
const PRIORITY: readonly RunResult[] = [
  'failure',
  'startup_failure',
  'waiting_for_approval',
  'running',
  'success',
  'skipped',
]

/** The runs that an event started in its own workflow file, the one that counts first. */
export function runsOfEvent<Run extends WorkflowRun>(
  runs: readonly Run[],
  event: StartedBy,
): readonly Run[] {
  const rank = (run: Run) => PRIORITY.indexOf(runResult(run))
  return runs
    .filter((run) => isStartedBy(run, event) && isOfWorkflow(run, event))
    .toSorted((one, other) => rank(one) - rank(other))
}

/** True for a run of any workflow that the event started; a replayed event has runs from before. */
export function isStartedBy(run: WorkflowRun, { delivery, since, url }: StartedBy): boolean {
  if (typeof url === 'string' && run.url === url) return true
  return isRunOf(run, delivery) && (since === undefined || Date.parse(run.started) >= since)
}

/** Another workflow may start with the same event, and have the same `run-name`. */
export function isOfWorkflow(
  run: Pick<WorkflowRun, 'workflow'>,
  { workflow }: Pick<StartedBy, 'workflow'>,
): boolean {
  return workflow === undefined || run.workflow === workflow
}

/** Whether the name of the run contains a delivery id; upper and lower case are equal. */
export function isRunOf(run: WorkflowRun, delivery: string): boolean {
  return run.delivery?.toLowerCase() === delivery.toLowerCase()
}

/** A run as GitHub's API describes it. */
export function readRun(run: Readonly<Record<string, unknown>>): WorkflowRun {
  const { id, path, event, status, conclusion, created_at, html_url, display_title } = run
  const [delivery = null] = DELIVERY.exec(String(display_title)) ?? []
  return {
    id: Number(id),
    delivery,
    workflow: /([^/]+?)(?:\.ya?ml)?(?:@.*)?$/.exec(String(path))?.[1] ?? '',
    event: String(event),
    state: String(status),
    conclusion: typeof conclusion === 'string' ? conclusion : null,
    started: String(created_at),
    url: String(html_url),
  }
}
