import { listOf } from './github-api.ts'
import { DISPATCH_EVENTS, type DispatchEvent } from './payload.ts'

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
export type ReadRunsPage = (page: number) => Promise<unknown>

/** Pages that one lookup reads at most. */
const MAX_PAGES = 10

const PAGE_SIZE = 100

/** Runs that one lookup reads at most. */
export const MOST_RUNS = MAX_PAGES * PAGE_SIZE

/** A delivery id at any position in the name of a run. */
const DELIVERY = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i

/**
 * The path of a page of runs. It has no filter, because GitHub's filtered listings (`event=`, `created=`)
 * can lag behind for minutes, while the unfiltered listing is current.
 */
export function runsPath(repository: string, page: number): string {
  return `/repos/${repository}/actions/runs?per_page=${PAGE_SIZE}&page=${page}`
}

/**
 * How the action begins the annotation of a run in which no trigger fired; a colon and the reason may
 * follow. Who follows the run reads it back.
 */
export const NOTHING_FIRED = 'no trigger fired'

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

/** Whether a webhook may have started the run. A manual run has no delivery id in its name. */
export function isWebhookRun({ event, delivery }: WorkflowRun): boolean {
  if (!DISPATCH_EVENTS.includes(event as DispatchEvent)) return false
  return event !== 'workflow_dispatch' || delivery !== null
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
