import { fieldsOf, jsonOf, listOf } from '../../wire/github-api.ts'
import { runResult, type WorkflowRun } from '../../wire/run-lookup.ts'
import { nothingFiredReason } from '../../wire/run-reasons.ts'
import { type DispatchOptions, type LimitedCall, openSession } from './send.ts'

/** What the jobs of a run tell beyond its conclusion. */
export interface RunDetails {
  /** Number of jobs. */
  readonly jobs: number
  /** The jobs and steps that were skipped: `job greet`, `step Deploy`. */
  readonly skipped: readonly string[]
  /** Why no trigger fired: a code and the action's words; absent if a trigger fired. */
  readonly nothingFired?: string
  /** The job and the step that failed, with the first error. */
  readonly failed?: string
}

/** Reads a path of the repository, such as `/actions/runs/7/jobs`; `undefined` if GitHub refuses. */
type ReadPath = (path: string) => Promise<{ readonly text: string } | undefined>

/** Reads the jobs of a run that ended, and their annotations; `undefined` if GitHub does not show them. */
export type ReadDetails = (call: LimitedCall, run: WorkflowRun) => Promise<RunDetails | undefined>

/** Bytes of a list of jobs. */
const JOBS_BYTES = 2 * 1024 * 1024

/** Jobs whose annotations are read: the action is in one of the first. */
const MOST_JOBS = 3

/** Characters of a reason. */
const REASON_LENGTH = 500

type Fields = Readonly<Record<string, unknown>>

/** Reads with the credential of a call, in its repository. */
export function detailsReader(options: DispatchOptions): ReadDetails {
  return async (asked, run) => {
    const session = await openSession(options, asked, 'run_lookup')
    return readRunDetails(run, async (path) => {
      const question = { method: 'GET', path, reads: true, responseBytes: JOBS_BYTES } as const
      const outcome = await session.ask(question)
      return outcome.accepted ? outcome.answer : undefined
    })
  }
}

/**
 * The details of a run that ended; `undefined` if GitHub does not show its jobs.
 *
 * @see https://docs.github.com/rest/checks/runs#list-check-run-annotations The id of a job is that of its check run.
 */
export async function readRunDetails(
  run: WorkflowRun,
  read: ReadPath,
): Promise<RunDetails | undefined> {
  const answer = await read(`/actions/runs/${run.id}/jobs?per_page=100`)
  if (!answer) return undefined
  const { total_count, jobs: listed } = fieldsOf(answer)
  const jobs = listOf(listed)
  const known = { jobs: Number(total_count), skipped: skippedParts(jobs) }
  const hasSucceeded = runResult(run) === 'success'
  // If every step of every job ran, a trigger fired.
  const mayBeIdle = known.skipped.length > 0 ? jobs.filter((job) => !isSkipped(job)) : []
  const wanted = hasSucceeded ? mayBeIdle : jobs.filter(hasFailed)
  const annotations: Fields[] = []
  for (const { id } of wanted.slice(0, MOST_JOBS)) {
    if (typeof id !== 'number') continue
    const page = await read(`/check-runs/${id}/annotations?per_page=50`)
    if (!page) return undefined
    annotations.push(...listOf(jsonOf(page.text)))
  }
  return { ...known, ...(hasSucceeded ? whatFired(annotations) : whatFailed(wanted, annotations)) }
}

function skippedParts(jobs: readonly Fields[]): string[] {
  const named = (kind: string, parts: readonly Fields[]) =>
    parts.filter(isSkipped).map(({ name }) => `${kind} ${name}`)
  return [
    ...named('job', jobs),
    ...named(
      'step',
      jobs.flatMap((job) => listOf(job.steps)),
    ),
  ]
}

function isSkipped({ conclusion }: Fields): boolean {
  return conclusion === 'skipped'
}

function hasFailed({ conclusion }: Fields): boolean {
  return conclusion === 'failure' || conclusion === 'timed_out'
}

function whatFired(annotations: readonly Fields[]): Pick<RunDetails, 'nothingFired'> {
  const [reason] = annotations.flatMap((one) => nothingFiredReason(messageOf(one)) ?? [])
  return reason === undefined ? {} : { nothingFired: reason.slice(0, REASON_LENGTH) }
}

function whatFailed(
  jobs: readonly Fields[],
  annotations: readonly Fields[],
): Pick<RunDetails, 'failed'> {
  const [job] = jobs
  if (!job) return {}
  const step = listOf(job.steps).find(hasFailed)
  const place = step ? `job ${job.name}, step ${step.name}` : `job ${job.name}`
  const error = annotations
    .filter(({ annotation_level }) => annotation_level === 'failure')
    .map(messageOf)
    .find((message) => !BARE_EXIT.test(message))
  return { failed: (error === undefined ? place : `${place}: ${error}`).slice(0, REASON_LENGTH) }
}

function messageOf({ message }: Fields): string {
  return typeof message === 'string' ? message : ''
}

/** GitHub's own error of a command that failed. */
const BARE_EXIT = /^Process completed with exit code \d+\.$/
