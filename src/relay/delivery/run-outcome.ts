import { DISPATCH_EVENTS } from '../../wire/payload.ts'
import { isRunOf, type WorkflowRun } from '../../wire/run-lookup.ts'
import { CLOCK_TOLERANCE, type FoundRuns } from '../github/find-run.ts'
import { refusesCredential } from '../github/send.ts'

/**
 * How far an accepted event has come.
 *
 * - `pending`: no run is known yet, and the event is not older than 2 minutes
 * - `running`: its run is queued or in progress
 * - `waiting_for_approval`: its run waits for a person
 * - `success`, `failure`: its run ended; `failure` includes `cancelled` and `timed_out`
 * - `skipped`: every job was skipped
 * - `startup_failure`: the run failed before a job: a policy, or an invalid workflow
 * - `no_run`: no run was found within 2 minutes
 * - `unknown`: GitHub does not tell
 */
export type RunOutcome =
  | 'pending'
  | 'running'
  | 'waiting_for_approval'
  | 'success'
  | 'failure'
  | 'skipped'
  | 'startup_failure'
  | 'no_run'
  | 'unknown'

/** An event that GitHub accepted. Times are milliseconds since 1970. */
export interface FollowedEvent {
  /** Id of the event, or of its batch. */
  readonly delivery: string
  /** `owner/name` in lower case. */
  readonly repository: string
  /** The shown credential, such as `endpoint:octo/orders`. */
  readonly credential: string
  /** `<workflow>/<trigger>[/<rest>]`, without the query. */
  readonly path: string
  readonly method: string
  /** When the request arrived. */
  readonly received: number
  /** When GitHub accepted the event. */
  readonly at: number
  readonly outcome: RunOutcome
  /** Why the outcome is `unknown`; empty for other outcomes. */
  readonly reason: string
  /** GitHub's conclusion of the run; empty until it ends. */
  readonly conclusion: string
  /** Address of the run; empty if it is not known. */
  readonly run: string
  /** When the event got its outcome. */
  readonly since: number
  /** Lookups in a row that failed. */
  readonly failures: number
  /** When to look again; `null` if the outcome is final. */
  readonly next: number | null
}

export type Progress = Pick<
  FollowedEvent,
  'outcome' | 'reason' | 'conclusion' | 'run' | 'failures' | 'next'
>

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Milliseconds within which GitHub starts a run. */
const STARTING_TIME = 2 * MINUTE

/** Milliseconds for which a run that was not found in time may still appear. */
const LATE_TIME = HOUR

/** Milliseconds after which a run that does not end is not followed any further. */
const LONGEST_RUN = 7 * 24 * HOUR

/** Failed lookups in a row, a minute apart, after which the outcome is `unknown`. */
const MOST_FAILURES = 10

/** The same if GitHub refuses to show the runs: another try will not help. */
const MOST_REFUSALS = 2

/** An event whose run waits for a day is looked up every tenth of that time. */
const AGE_SHARE = 0.1

/** If an event starts several runs, the first of these outcomes is the outcome of the event. */
const PRIORITY: readonly RunOutcome[] = [
  'failure',
  'startup_failure',
  'waiting_for_approval',
  'running',
  'success',
  'skipped',
]

/** The next step of an event after a lookup of the runs in its repository. */
export function progressOf(event: FollowedEvent, found: FoundRuns, now: number): Progress {
  const [first] = found.runs
    .filter((run) => isOfEvent(run, event))
    .map((run) => ({ run, outcome: runOutcome(run) }))
    .sort((a, b) => PRIORITY.indexOf(a.outcome) - PRIORITY.indexOf(b.outcome))
  if (!first) return progressWithoutRun(event, found, now)
  const { run, outcome } = first
  const of = { run: run.url, conclusion: run.conclusion ?? '' }
  // Another run of the same event may start later.
  const isEarly = outcome === 'skipped' && now - event.at < STARTING_TIME
  if (isEarly) return undecided(event, now, { outcome: 'running', ...of })
  if (outcome === 'running' || outcome === 'waiting_for_approval') {
    return undecided(event, now, { outcome, ...of })
  }
  return { outcome, reason: '', failures: 0, next: null, ...of }
}

function progressWithoutRun(
  event: FollowedEvent,
  { runs, isComplete, error }: FoundRuns,
  now: number,
): Progress {
  if (error) {
    const failures = event.failures + 1
    const most = refusesCredential(error) ? MOST_REFUSALS : MOST_FAILURES
    if (failures >= most) return unknown(event, error.code)
    return { ...event, failures, next: now + MINUTE }
  }
  const age = now - event.at
  if (age < STARTING_TIME) return undecided(event, now, event)
  if (!isComplete) return unknown(event, 'too_many_runs')
  // GitHub named the run when it accepted the event, or in an earlier listing.
  if (event.run !== '') return undecided(event, now, event)
  if (runs.some((run) => mayBeOf(run, event))) return unknown(event, 'no_delivery_id')
  const { next, ...missing } = undecided(event, now, { ...event, outcome: 'no_run' })
  return { ...missing, next: age < LATE_TIME ? next : null }
}

/** The outcome may change: later lookups follow, farther apart the older the event is. */
function undecided(
  event: FollowedEvent,
  now: number,
  { outcome, run, conclusion }: Pick<Progress, 'outcome' | 'run' | 'conclusion'>,
): Progress {
  const age = now - event.at
  if (age > LONGEST_RUN) return unknown(event, 'too_long')
  const next = now + Math.max(MINUTE, Math.round(age * AGE_SHARE))
  return { outcome, reason: '', conclusion, run, failures: 0, next }
}

function unknown({ run }: FollowedEvent, reason: string): Progress {
  return { outcome: 'unknown', reason, conclusion: '', run, failures: 0, next: null }
}

/** True for a run that the event started; a replayed event has runs from before. */
function isOfEvent(run: WorkflowRun, event: FollowedEvent): boolean {
  if (event.run !== '' && run.url === event.run) return true
  return isRunOf(run, event.delivery) && startsAfter(run, event)
}

/** True for a run that may be of the event: it began later, and its name has no delivery id. */
function mayBeOf(run: WorkflowRun, event: FollowedEvent): boolean {
  const isDispatched = DISPATCH_EVENTS.some((name) => name === run.event)
  return isDispatched && run.delivery === null && startsAfter(run, event)
}

function startsAfter({ started }: WorkflowRun, { at }: FollowedEvent): boolean {
  return Date.parse(started) >= at - CLOCK_TOLERANCE
}

/**
 * https://docs.github.com/rest/actions/workflow-runs: a run that needs an approval has the status
 * `waiting`, or ended with `action_required`.
 */
function runOutcome({ state, conclusion }: WorkflowRun): RunOutcome {
  if (state === 'waiting' || conclusion === 'action_required') return 'waiting_for_approval'
  if (conclusion === null) return 'running'
  if (conclusion === 'success' || conclusion === 'neutral') return 'success'
  if (conclusion === 'skipped' || conclusion === 'startup_failure') return conclusion
  return 'failure'
}
