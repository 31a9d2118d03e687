import type { LogEntry } from '../../relay/http/request-log.ts'
import { MISMATCH, TOKEN_MISMATCH } from '../../triggers/verify/scheme.ts'
import { UserError } from '../../wire/errors.ts'
import { fieldsOf, jsonOf, listOf } from '../../wire/github-api.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import type { WorkflowRun } from '../../wire/run-lookup.ts'
import type { AskGitHub } from '../github-client.ts'
import { filterConditions } from '../grant/filter-expression.ts'
import { awaitRun, followRun, hasSucceeded, NOT_ALLOWED, runAt } from '../runs.ts'

/** One event of `connect`, as `--json` prints it. Values that are not known are `null`. */
export interface ConnectEvent {
  readonly event: 'ready' | 'request' | 'run' | 'end' | 'tunnel' | 'bye'
  /** The webhook URL with its credential: of `ready`, and of `tunnel` if the URL changed. */
  readonly url: string | null
  readonly delivery: string | null
  /** The type of the event, such as `checkout.session.completed`. */
  readonly type: string | null
  /** Status of the response to the sender. */
  readonly status: number | null
  /** Address of the run. */
  readonly run: string | null
  /** `success`, `failure`, `skipped`, … */
  readonly conclusion: string | null
  /** Why the request was refused or started no run, why the run is unknown, or what the run did. */
  readonly reason: string | null
}

export function connectEvent(
  event: ConnectEvent['event'],
  known: Partial<ConnectEvent> = {},
): ConnectEvent {
  const nothing = {
    ...{ url: null, delivery: null, type: null },
    ...{ status: null, run: null, conclusion: null },
  }
  return { event, ...nothing, reason: null, ...known }
}

interface FollowPorts {
  readonly repository: string
  readonly ask: AskGitHub
  /** False for a forge whose API does not list runs as GitHub's does. */
  readonly isFollowed: boolean
  /** The type of the event, if it is known. */
  readonly type?: string | undefined
  /** `config.filter` of the trigger. */
  readonly filter: JsonObject | undefined
  /** Stores the sender's secret again; `undefined` if the workflow reads none. */
  readonly secretCommand: string | undefined
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

/**
 * A log entry of the relay that concerns the webhook: an accepted or a refused request. `undefined` for
 * requests of other addresses.
 */
export function loggedRequest(line: string): LogEntry | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || typeof value.status !== 'number') return undefined
  const isAddressed = 'owner' in value
  const isRefused = value.status >= 400 && ![404, 405].includes(value.status)
  // The relay of this process wrote the line.
  return isAddressed || isRefused ? (value as unknown as LogEntry) : undefined
}

/** Reports a request, and then the run that it starts until the run ends, or why there is no run. */
export async function followRequest(
  entry: LogEntry,
  ports: FollowPorts,
  report: (event: ConnectEvent) => void,
): Promise<void> {
  const { delivery, status, run: page = null } = entry
  const noRun = noRunReason(entry, ports.filter)
  const reason = noRun ?? queuedReason(entry)
  report(connectEvent('request', { delivery, type: ports.type ?? null, status, run: page, reason }))
  if (noRun !== null) return
  if (!ports.isFollowed) {
    report(connectEvent('run', { delivery, run: page, reason: NOT_FOLLOWED }))
    return
  }
  try {
    const run = await (page === null ? awaitRun(delivery, ports) : runAt(page, ports))
    report(connectEvent('run', { delivery, run: run.url }))
    const ended = await followRun(run, ports, () => {})
    const reason = await endReason(ended, ports)
    report(connectEvent('end', { delivery, run: run.url, conclusion: ended.conclusion, reason }))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const reason = error.problems
      .map(({ message, hint }) => [message, hint].filter(Boolean).join(': '))
      .join('; ')
    report(connectEvent('run', { delivery, run: page, reason }))
  }
}

/** Why a request starts no run: its error code, or a sentence. `null` if GitHub accepted the event. */
function noRunReason(entry: LogEntry, filter: JsonObject | undefined): string | null {
  const { status, code, filtered, githubStatus, reason } = entry
  if (status >= 300 || code !== undefined) {
    return [code ?? `the relay responded with ${status}`, reason].filter(Boolean).join(': ')
  }
  if (filtered) {
    return `no run: the event does not match the filter${reason ? `: ${filterReason(reason, filter)}` : ''}`
  }
  if (githubStatus === undefined) return 'no run: the relay answered a handshake of the sender'
  return null
}

/**
 * The unmet conditions as the workflow file writes them. The relay names them in the expression language
 * that they were translated into.
 */
function filterReason(reason: string, filter: JsonObject = {}): string {
  const unmet = filterConditions(filter).filter(
    ({ expression }) => expression !== undefined && reason.includes(expression),
  )
  return unmet.length === 0 ? reason : unmet.map(({ words }) => words).join('; ')
}

/** Why GitHub does not have the event yet; `null` if it has. */
function queuedReason({ queued }: LogEntry): string | null {
  if (queued === undefined) return null
  return `queued (${queued}): the relay sends the event again, also after a restart of connect`
}

const NOT_FOLLOWED = 'open its page to see how it ends: connect follows runs of GitHub only'

const ALL_SKIPPED =
  'every job was skipped. Compare the job condition (`if:`) with the workflow and the trigger in the URL.'

/**
 * The first error or warning of a job, such as the reason that a signature was refused; `undefined` if there
 * is none, or if the token may not read it.
 *
 * @see https://docs.github.com/rest/checks/runs#list-check-run-annotations The id of a job is that of its check run.
 */
async function firstAnnotation(
  jobs: ReturnType<typeof listOf>,
  level: 'failure' | 'warning',
  { repository, ask }: Pick<FollowPorts, 'repository' | 'ask'>,
): Promise<string | undefined> {
  for (const { id } of jobs) {
    if (typeof id !== 'number') continue
    const { answer, refusal } = await ask(
      `/repos/${repository}/check-runs/${id}/annotations?per_page=50`,
    )
    const [message] = (refusal ? [] : listOf(jsonOf(answer.text)))
      .filter((annotation) => annotation.annotation_level === level)
      .map((annotation) => String(annotation.message))
      .filter((text) => !BARE_EXIT.test(text))
    if (message !== undefined) return message
  }
  return undefined
}

/** GitHub's own error of a command that failed. */
const BARE_EXIT = /^Process completed with exit code \d+\.$/

/** The conclusions of a job that failed. */
const FAILED = ['failure', 'timed_out']

/** Why a run failed, what it skipped, or that every step ran; `null` if GitHub names no step. */
async function endReason(
  run: WorkflowRun,
  { repository, ask, secretCommand }: FollowPorts,
): Promise<string | null> {
  const { answer, refusal } = await ask(
    `/repos/${repository}/actions/runs/${run.id}/jobs?per_page=100`,
  )
  const jobs = refusal ? [] : listOf(fieldsOf(answer).jobs)
  const named = (conclusion: string) =>
    jobs.filter((job) => job.conclusion === conclusion).map(({ name }) => String(name))
  if (run.conclusion === 'skipped' || (jobs.length > 0 && named('skipped').length === jobs.length))
    return ALL_SKIPPED
  if (hasSucceeded(run)) {
    const steps = jobs.flatMap((job) => listOf(job.steps))
    const skippedSteps = steps
      .filter(({ conclusion }) => conclusion === 'skipped')
      .map(({ name }) => `step ${name}`)
    const skipped = [...named('skipped').map((name) => `job ${name}`), ...skippedSteps]
    if (skipped.length === 0) return steps.length > 0 ? 'every step ran' : null
    const warning = await firstAnnotation(jobs, 'warning', { repository, ask })
    const isMismatch = [MISMATCH, TOKEN_MISMATCH].some((text) => warning?.includes(text))
    return [
      `skipped: ${skipped.join(', ')} (${warning ?? 'see the summary of the run'})`,
      ...(isMismatch && secretCommand !== undefined
        ? [`Store the secret of this URL, and send a new event: ${secretCommand}`]
        : []),
    ].join('. ')
  }
  const failed = jobs.filter(({ conclusion }) => FAILED.includes(String(conclusion)))
  const failures = failed.map(({ name, steps }) => {
    const step = listOf(steps).find(({ conclusion }) => conclusion === 'failure')
    return step ? `job ${name}, step ${step.name}` : `job ${name}`
  })
  if (failures.length > 0) {
    const error = await firstAnnotation(failed, 'failure', { repository, ask })
    return [failures.join('; '), ...(error === undefined ? [] : [`(${error})`])].join(' ')
  }
  return !refusal && jobs.length === 0 ? NOT_ALLOWED : null
}
