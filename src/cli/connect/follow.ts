import type { LogEntry } from '../../relay/http/request-log.ts'
import { UserError } from '../../wire/errors.ts'
import { fieldsOf, listOf } from '../../wire/github.ts'
import { isObject } from '../../wire/json.ts'
import type { AskGitHub } from '../github.ts'
import { awaitRun, followRun, hasSucceeded, NOT_ALLOWED, type Run, runAt } from '../runs.ts'

/** What is told of a line, as `--json` prints it; `null` where there is nothing to say. */
export interface ConnectEvent {
  readonly event: 'ready' | 'request' | 'run' | 'end' | 'bye'
  /** The webhook URL, with its grant: of `ready` alone. */
  readonly url: string | null
  readonly delivery: string | null
  /** What the sender was answered. */
  readonly status: number | null
  /** Page of the run. */
  readonly run: string | null
  /** `success`, `failure`, `skipped`, … */
  readonly conclusion: string | null
  /** Why: a request was refused, a run is not known, nothing ran, or what failed. */
  readonly reason: string | null
}

export function connectEvent(
  event: ConnectEvent['event'],
  known: Partial<ConnectEvent> = {},
): ConnectEvent {
  const nothing = { url: null, delivery: null, status: null, run: null, conclusion: null }
  return { event, ...nothing, reason: null, ...known }
}

interface FollowPorts {
  readonly repository: string
  readonly ask: AskGitHub
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

/**
 * A line of the relay's log that is about the webhook: one that was let in, or refused. `undefined` for
 * what is asked of a front page, and for what else passers-by try.
 */
export function loggedRequest(line: string): LogEntry | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || typeof value.status !== 'number') return undefined
  const isAddressed = 'owner' in value
  const isRefused = value.status >= 400 && ![404, 405].includes(value.status)
  // The relay itself wrote it.
  return isAddressed || isRefused ? (value as unknown as LogEntry) : undefined
}

/** Tells of one request, and of the run that it starts until that ends. Never rejects for a run. */
export async function followRequest(
  entry: LogEntry,
  ports: FollowPorts,
  tell: (event: ConnectEvent) => void,
): Promise<void> {
  const { delivery, status, run: page = null, code = null } = entry
  tell(connectEvent('request', { delivery, status, run: page, reason: code }))
  // A handshake, or a filter, is answered on the spot: it starts nothing.
  if (status >= 300 || entry.githubStatus === undefined) return
  try {
    const run = await (page === null ? awaitRun(delivery, ports) : runAt(page, ports))
    tell(connectEvent('run', { delivery, run: run.url }))
    const ended = await followRun(run, ports, () => {})
    const reason = await endReason(ended, ports)
    tell(connectEvent('end', { delivery, run: run.url, conclusion: ended.conclusion, reason }))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const reason = error.problems
      .map(({ message, hint }) => [message, hint].filter(Boolean).join(': '))
      .join('; ')
    tell(connectEvent('run', { delivery, run: page, reason }))
  }
}

const MISSED = 'nothing ran: does the guard in `if:` name another workflow or trigger than the URL?'

/** Why a run did not do what it was to do, by its jobs; `null` where it did. */
async function endReason(run: Run, { repository, ask }: FollowPorts): Promise<string | null> {
  const { answer, refusal } = await ask(
    `/repos/${repository}/actions/runs/${run.id}/jobs?per_page=100`,
  )
  const jobs = refusal ? [] : listOf(fieldsOf(answer).jobs)
  const named = (conclusion: string) =>
    jobs.filter((job) => job.conclusion === conclusion).map(({ name }) => String(name))
  if (run.conclusion === 'skipped' || (jobs.length > 0 && named('skipped').length === jobs.length))
    return MISSED
  if (hasSucceeded(run)) {
    const skipped = named('skipped')
    return skipped.length > 0 ? `skipped: ${skipped.join(', ')} (see the summary of the run)` : null
  }
  const failures = jobs
    .filter(({ conclusion }) => conclusion === 'failure' || conclusion === 'timed_out')
    .map(({ name, steps }) => {
      const step = listOf(steps).find(({ conclusion }) => conclusion === 'failure')
      return step ? `job ${name}, step ${step.name}` : `job ${name}`
    })
  if (failures.length > 0) return failures.join('; ')
  return !refusal && jobs.length === 0 ? NOT_ALLOWED : null
}
