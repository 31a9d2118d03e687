// Reads the runs of a repository: which of them a delivery started, and what their jobs tell.

import { fieldsOf, listOf } from '../../wire/github-api.ts'
import { jsonOf } from '../../wire/json.ts'
import {
  isRunOf,
  MOST_RUNS,
  recentRuns,
  runResult,
  runsPath,
  type WorkflowRun,
} from '../../wire/run-lookup.ts'
import { nothingFiredReason } from '../../wire/run-reasons.ts'
import type { RelayError } from '../errors.ts'
import { type DispatchOptions, type LimitedCall, openSession } from './send.ts'

/** The newest runs of a repository, newest first. */
export interface FoundRuns {
  readonly runs: readonly WorkflowRun[]
  /** True if no run since the given time is missing. */
  readonly isComplete: boolean
  /** Why a page could not be read. */
  readonly error?: RelayError
}

/** Reads the runs of a repository since a time in milliseconds since 1970. */
export type ReadRuns = (call: LimitedCall, since: number) => Promise<FoundRuns>

interface StartedRun {
  readonly run: string
  /** When GitHub started it, by GitHub's clock: milliseconds since 1970. */
  readonly started: number
}

/**
 * The runs of some deliveries since they were stored, in milliseconds since 1970; `undefined` if the
 * credential may not read runs. A replayed event has an older run with the same id.
 */
export type FindRuns = (
  dispatch: LimitedCall,
  stored: ReadonlyMap<string, number>,
) => Promise<ReadonlyMap<string, StartedRun> | undefined>

/** Bytes of a page of runs; a run takes about 10 KB. */
const PAGE_BYTES = 8 * 1024 * 1024

/** Milliseconds that a call of GitHub may have lasted when its event is stored. */
const CALL_TIME = 60_000

/** Milliseconds: clocks differ, and GitHub names whole seconds. */
export const CLOCK_TOLERANCE = 5000

/** Reads runs with the credential of a call, in its repository. */
export function runReader(options: DispatchOptions): ReadRuns {
  return async (asked, since) => {
    const { owner, name } = asked.repository
    const repository = `${owner}/${name}`
    const session = await openSession(options, asked, 'run_lookup')
    let error: RelayError | undefined
    const readPage = async (page: number) => {
      const path = runsPath(repository, page).slice(`/repos/${repository}`.length)
      const question = { method: 'GET', path, reads: true, responseBytes: PAGE_BYTES } as const
      const outcome = await session.ask(question)
      if (outcome.accepted) return fieldsOf(outcome.answer).workflow_runs
      error = outcome.error
      return undefined
    }
    const from = since - CLOCK_TOLERANCE
    const runs = await recentRuns(readPage, { since: new Date(from) })
    const isOlder = Date.parse(runs.at(-1)?.started ?? '') < from
    const isComplete = error === undefined && (runs.length < MOST_RUNS || isOlder)
    return { runs, isComplete, ...(error && { error }) }
  }
}

/** Looks for runs by the delivery ids in their names, of any workflow: each shows that GitHub accepted the event. */
export function runFinder(options: DispatchOptions): FindRuns {
  const read = runReader(options)
  return async (dispatch, stored) => {
    const { runs, error } = await read(dispatch, Math.min(...stored.values()) - CALL_TIME)
    const found = new Map<string, StartedRun>()
    for (const [delivery, at] of stored) {
      const from = at - CALL_TIME - CLOCK_TOLERANCE
      const run = runs.find((run) => isRunOf(run, delivery) && Date.parse(run.started) >= from)
      if (run) found.set(delivery, { run: run.url, started: Date.parse(run.started) })
    }
    return error === undefined || found.size > 0 ? found : undefined
  }
}

/** What the jobs of a run tell beyond its conclusion. */
export interface RunDetails {
  readonly jobs: number
  /** The jobs and steps that were skipped: `job greet`, `step Deploy`. */
  readonly skipped: readonly string[]
  /** Why no trigger fired: a code and the action's words; absent if a trigger fired. */
  readonly nothingFired?: string
  /** The job and the step that failed, with the first error. */
  readonly failed?: string
}

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
 * @param read a path of the repository, such as `/actions/runs/7/jobs`; `undefined` if GitHub refuses
 * @see https://docs.github.com/rest/checks/runs#list-check-run-annotations The id of a job is that of its check run.
 */
export async function readRunDetails(
  run: WorkflowRun,
  read: (path: string) => Promise<{ readonly text: string } | undefined>,
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
