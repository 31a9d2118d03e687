import { fieldsOf, jsonOf, listOf } from '../../wire/github-api.ts'
import { NOTHING_FIRED, type WorkflowRun } from '../../wire/run-lookup.ts'
import type { DispatchOptions, LimitedCall } from './send.ts'
import { GitHubSession } from './send.ts'

/** What the jobs of a run tell beyond its conclusion. */
export interface RunDetails {
  /** Why no trigger fired, in the action's words or empty; absent if a trigger fired. */
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

export function detailsReader(options: DispatchOptions): ReadDetails {
  return async (asked, { id, conclusion }) => {
    const limited = await options.govern?.(asked)
    const call = limited ? limited(options.call) : options.call
    const session = new GitHubSession(options, call, 'run_lookup', asked)
    const read = async (path: string) => {
      const question = { method: 'GET', path, reads: true, responseBytes: JOBS_BYTES } as const
      const outcome = await session.ask(question)
      return outcome.accepted ? outcome.answer : undefined
    }
    const answer = await read(`/actions/runs/${id}/jobs?per_page=100`)
    if (!answer) return undefined
    const jobs = listOf(fieldsOf(answer).jobs)
    const wanted = conclusion === 'success' ? jobsThatSkip(jobs) : jobs.filter(hasFailed)
    const annotations: Fields[] = []
    for (const job of wanted.slice(0, MOST_JOBS)) {
      if (typeof job.id !== 'number') continue
      // The id of a job is that of its check run.
      const listed = await read(`/check-runs/${job.id}/annotations?per_page=50`)
      if (!listed) return undefined
      annotations.push(...listOf(jsonOf(listed.text)))
    }
    return conclusion === 'success' ? whatFired(annotations) : whatFailed(wanted, annotations)
  }
}

/** If every step of every job ran, a trigger fired. */
function jobsThatSkip(jobs: readonly Fields[]): readonly Fields[] {
  const isSkipped = ({ conclusion }: Fields) => conclusion === 'skipped'
  const hasSkipped = jobs.some((job) => isSkipped(job) || listOf(job.steps).some(isSkipped))
  return hasSkipped ? jobs.filter((job) => !isSkipped(job)) : []
}

function hasFailed({ conclusion }: Fields): boolean {
  return conclusion === 'failure' || conclusion === 'timed_out'
}

function whatFired(annotations: readonly Fields[]): RunDetails {
  const messages = annotations.map(messageOf)
  const told = messages.find((message) => message.startsWith(NOTHING_FIRED))
  if (told === undefined) return {}
  const reason = told.slice(NOTHING_FIRED.length).replace(/^: /, '')
  // In a public repository the annotation names no value, and a warning may say more.
  const warning = annotations.find(({ annotation_level }) => annotation_level === 'warning')
  return { nothingFired: (reason || (warning ? messageOf(warning) : '')).slice(0, REASON_LENGTH) }
}

function whatFailed(jobs: readonly Fields[], annotations: readonly Fields[]): RunDetails {
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
