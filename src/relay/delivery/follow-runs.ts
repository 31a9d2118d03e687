// Follows the events that GitHub accepted to the runs that they start, and to what these did.

import { DISPATCH_EVENTS } from '../../wire/payload.ts'
import {
  isOfWorkflow,
  isStartedBy,
  runResult,
  runsOfEvent,
  type StartedBy,
  type WorkflowRun,
} from '../../wire/run-lookup.ts'
import { nothingFiredCode } from '../../wire/run-reasons.ts'
import { RelayError } from '../errors.ts'
import type { Credential } from '../github/credential.ts'
import type { RateLimiters } from '../github/rate-limiter.ts'
import {
  CLOCK_TOLERANCE,
  type FoundRuns,
  type ReadDetails,
  type ReadRuns,
  type RunDetails,
} from '../github/runs.ts'
import type { LimitedCall } from '../github/send.ts'
import type { Runtime } from '../runtime.ts'
import type { SqlStatement } from '../store/database.ts'
import type { DeliveryTable } from '../store/deliveries.ts'
import type { Delivery, FollowedDelivery, RunOutcome, RunStep } from '../store/delivery-rows.ts'
import { holderOf, ownerOf } from '../store/queue-name.ts'
import type { Alarms } from './alarms.ts'
import { kindOf } from './answers.ts'
import { type ChangeLine, namesOf } from './log-lines.ts'
import {
  insertNotification,
  type Notification,
  type NotifySettings,
  newNotification,
} from './notify.ts'
import type { CallBudget } from './schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Milliseconds between two lookups of one queue. */
const LOOKUP_INTERVAL = MINUTE

/** Events in a row without a run that begin the alarm `no_runs`. */
const MOST_WITHOUT_RUN = 3

/** Milliseconds within which GitHub starts a run; then the outcome is `no_run`. */
export const STARTING_TIME = 2 * MINUTE

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

/** Steps and annotations are read until this part of the lookups is used up. */
const DETAILS_SHARE = 0.5

/** Queues whose runs are looked up concurrently: a slow repository holds up few others. */
const CONCURRENT = 8

interface FollowerPorts extends Pick<Runtime, 'now' | 'report'> {
  readonly table: DeliveryTable
  readonly limiters: Pick<RateLimiters, 'of'>
  /**
   * The credential that a delivery's endpoint has now.
   *
   * @throws RelayError if there is none any more
   */
  credentialOf(delivery: Pick<Delivery, 'queue' | 'owner' | 'endpoint'>): Promise<Credential>
  readonly readRuns: ReadRuns
  readonly readDetails: ReadDetails
  readonly alarms: Pick<Alarms, 'change'>
  /** Which outcomes notifications report; absent if none are sent. */
  readonly notify: Pick<NotifySettings, 'all'> | undefined
  /** To be told that notifications may have been stored. */
  notified(): void
  counted(outcome: RunOutcome): void
  log(line: ChangeLine): void
}

/** Outcomes that are neither counted nor reported, because they are on the way. */
const ON_THE_WAY: ReadonlySet<RunOutcome> = new Set(['pending', 'running'])

/** Outcomes that need an admin. */
const FAILURES: ReadonlySet<RunOutcome> = new Set(['failure', 'startup_failure', 'no_run'])

interface Followed {
  readonly event: FollowedDelivery
  readonly step: RunStep
}

export class RunFollower {
  readonly #ports: FollowerPorts
  /** No lookup of a queue before this time. */
  readonly #nextLookup = new Map<string, number>()
  #next: number | undefined = 0
  /** The calls that are left for the run that began last. */
  budget: CallBudget | undefined

  constructor(ports: FollowerPorts) {
    this.#ports = ports
  }

  /** When a run has to be looked up; `undefined` if none is followed. */
  next(): number | undefined {
    return this.#next
  }

  /** To be told that an event is followed from now on, whose first lookup is at this time. */
  follows(at: number): void {
    this.#next = Math.min(at, this.#next ?? at)
  }

  /** Looks up the runs that are due. Never rejects. */
  async run(budget: CallBudget): Promise<void> {
    const { table, now, report, notified } = this.#ports
    this.#next = undefined
    this.budget = budget
    try {
      for (const [queue, time] of this.#nextLookup) {
        if (time <= now()) this.#nextLookup.delete(queue)
      }
      const due = byQueue(await table.dueRuns(now()))
      const queues = [...due.keys()].filter((queue) => !this.#nextLookup.has(queue))
      for (let at = 0; at < queues.length && !budget.isUsedUp; ) {
        const some = queues.slice(at, at + Math.min(CONCURRENT, budget.attempts))
        at += some.length
        await Promise.all(
          some.map(async (queue) => {
            this.#nextLookup.set(queue, now() + LOOKUP_INTERVAL)
            await this.#lookUp(due.get(queue) ?? [], budget).catch(report)
          }),
        )
      }
      notified()
      const next = await table.nextRun()
      if (next === undefined) return
      // A queue that was looked up a moment ago waits for its next lookup, one without calls left does not.
      const lookups = [...due.keys()].map((queue) => this.#nextLookup.get(queue) ?? now())
      const isOverdue = next <= now() && lookups.length > 0
      this.follows(isOverdue ? Math.min(...lookups) : next)
    } catch (error) {
      report(error)
      this.follows(now() + MINUTE)
    }
  }

  /** One lookup serves all events of the queue that are due. */
  async #lookUp(events: readonly FollowedDelivery[], budget: CallBudget): Promise<void> {
    const { table, now } = this.#ports
    const [first] = events
    if (!first) return
    const { asked, found } = await this.#read(first, events)
    const steps: Followed[] = []
    for (const event of events) {
      const step = progressOf(event, found, now())
      steps.push({
        event,
        step: asked ? await this.#detailed(event, step, { asked, found, budget }) : step,
      })
    }
    await table.write(steps.flatMap((followed) => this.#statementsOf(followed)))
    const changed = steps.filter(({ event, step }) => step.outcome !== event.outcome)
    for (const followed of changed) this.#report(followed)
    await this.#checkEndpoints(changed.map(({ event }) => event))
  }

  async #read(
    first: FollowedDelivery,
    events: readonly FollowedDelivery[],
  ): Promise<{ readonly asked?: LimitedCall; readonly found: FoundRuns }> {
    const { credentialOf, readRuns } = this.#ports
    try {
      const [owner = '', name = ''] = first.repository.split('/')
      const asked = { repository: { owner, name }, credential: await credentialOf(first) }
      const since = Math.min(...events.map(({ accepted }) => accepted))
      return { asked, found: await readRuns(asked, since) }
    } catch (error) {
      // The endpoint was deleted, or has no credential any more.
      if (error instanceof RelayError) return { found: { runs: [], isComplete: false, error } }
      throw error
    }
  }

  /** Reads the jobs of a run that ended, because a run in which nothing fired succeeds too. */
  async #detailed(
    event: FollowedDelivery,
    step: RunStep,
    { asked, found, budget }: { asked: LimitedCall; found: FoundRuns; budget: CallBudget },
  ): Promise<RunStep> {
    const isEnded = step.outcome === 'success' || step.outcome === 'failure'
    const run = found.runs.find(({ url }) => url === step.run)
    if (!isEnded || step.outcome === event.outcome || !run) return step
    const limiter = this.#ports.limiters.of(holderOf(event.queue), ownerOf(event.queue))
    const isAllowed = limiter.lookupsUsed < DETAILS_SHARE && !budget.isUsedUp
    const details = isAllowed && (await this.#ports.readDetails(asked, run).catch(() => undefined))
    return details ? withDetails(step, details) : { ...step, details: 'not_read' }
  }

  /** The step, and the notification of a new outcome with it, so that a restart neither loses nor repeats one. */
  #statementsOf({ event, step }: Followed): SqlStatement[] {
    const { table, notify, now } = this.#ports
    const statement = table.progress(event, step)
    const { outcome } = step
    const isReported = outcome !== event.outcome && outcome !== null && !ON_THE_WAY.has(outcome)
    const isWanted = notify && (notify.all || outcome !== 'success')
    if (!isReported || !isWanted) return [statement]
    return [statement, insertNotification(runNotification(event, step, now()))]
  }

  /** Begins the alarm of an endpoint whose last events have no run, or ends it. */
  async #checkEndpoints(events: readonly FollowedDelivery[]): Promise<void> {
    const { table, alarms } = this.#ports
    const subjects = new Map(
      events.map((event) => [`${endpointName(event)} ${event.repository}`, event]),
    )
    for (const [subject, event] of subjects) {
      const last = await table.lastOutcomes(event, MOST_WITHOUT_RUN)
      const lacksRuns =
        last.length === MOST_WITHOUT_RUN && last.every((outcome) => outcome === 'no_run')
      // One or two events without a run neither begin an alarm nor end it.
      if (!lacksRuns && last[0] === 'no_run') continue
      await alarms.change('no_runs', subject, lacksRuns)
    }
  }

  #report({ event, step }: Followed): void {
    const { outcome, run } = step
    const reason = publicReason(step)
    if (outcome === null || ON_THE_WAY.has(outcome)) return
    this.#ports.counted(outcome)
    this.#ports.log({
      change: 'run',
      ...(FAILURES.has(outcome) && { level: 'error' }),
      outcome,
      ...namesOf(event),
      ...(reason !== null && { reason }),
      ...(run !== null && { run }),
    })
  }
}

function byQueue(events: readonly FollowedDelivery[]): Map<string, FollowedDelivery[]> {
  const queues = new Map<string, FollowedDelivery[]>()
  for (const event of events) {
    const known = queues.get(event.queue)
    if (known) known.push(event)
    else queues.set(event.queue, [event])
  }
  return queues
}

function endpointName({ owner, endpoint }: Pick<Delivery, 'owner' | 'endpoint'>): string {
  return `${owner}/${endpoint ?? ''}`
}

/** The notification of an outcome. It contains nothing of the payload. */
export function runNotification(
  event: Pick<FollowedDelivery, 'id' | 'owner' | 'repository' | 'endpoint' | 'accepted'>,
  step: Pick<RunStep, 'outcome' | 'outcomeReason' | 'conclusion' | 'run'>,
  now: number,
): Notification {
  const { outcome, conclusion, run } = step
  const { id, repository, accepted } = event
  const reason = publicReason(step)
  const data = {
    delivery: id,
    repository,
    endpoint: endpointName(event),
    accepted_at: new Date(accepted).toISOString(),
    outcome,
    ...(reason !== null && { reason }),
    ...(conclusion !== null && { conclusion }),
    ...(run !== null && { run }),
  }
  return newNotification(`run.${outcome}`, data, now)
}

/** The reason without values of the event, for the log and for notifications. */
function publicReason({ outcome, outcomeReason }: Pick<RunStep, 'outcome' | 'outcomeReason'>) {
  // The error of a failed run may quote the payload.
  if (outcome === 'failure' || outcomeReason === null) return null
  return outcome === 'nothing_fired' ? nothingFiredCode(outcomeReason) : outcomeReason
}

/** The next step of an event after a lookup of the runs in its repository. */
function progressOf(event: FollowedDelivery, found: FoundRuns, now: number): RunStep {
  const [run] = runsOfEvent(found.runs, startedBy(event))
  if (!run) return progressWithoutRun(event, found, now)
  const outcome = runResult(run)
  const of = { run: run.url, conclusion: run.conclusion }
  // Another run of the same event may start later.
  const isEarly = outcome === 'skipped' && now - event.accepted < STARTING_TIME
  if (isEarly) return undecided(event, now, { outcome: 'running', ...of })
  if (outcome === 'running' || outcome === 'waiting_for_approval') {
    return undecided(event, now, { outcome, ...of })
  }
  return { outcome, outcomeReason: null, details: null, failures: 0, next: null, ...of }
}

function withDetails(step: RunStep, { nothingFired, failed }: RunDetails): RunStep {
  if (nothingFired !== undefined) {
    return { ...step, outcome: 'nothing_fired', outcomeReason: nothingFired }
  }
  return failed === undefined ? step : { ...step, outcomeReason: failed }
}

function progressWithoutRun(
  event: FollowedDelivery,
  { runs, isComplete, error }: FoundRuns,
  now: number,
): RunStep {
  if (error) {
    const failures = event.failures + 1
    const isRefused = !['not_now', 'ambiguous'].includes(kindOf(error) ?? '')
    if (failures >= (isRefused ? MOST_REFUSALS : MOST_FAILURES)) return unknown(event, error.code)
    return { ...event, failures, next: now + MINUTE }
  }
  const age = now - event.accepted
  if (age < STARTING_TIME) return undecided(event, now, event)
  if (!isComplete) return unknown(event, 'too_many_runs')
  // GitHub named the run when it accepted the event, or in an earlier listing.
  if (event.run !== null) return undecided(event, now, event)
  const wanted = startedBy(event)
  const ofWorkflow = runs.filter((run) => isOfWorkflow(run, wanted))
  if (ofWorkflow.some((run) => mayBeOf(run, event))) return unknown(event, 'no_delivery_id')
  const isElsewhere = runs.some((run) => isStartedBy(run, wanted))
  const { next, ...missing } = undecided(event, now, { ...event, outcome: 'no_run' })
  const outcomeReason = isElsewhere ? 'other_workflow' : null
  return { ...missing, outcomeReason, next: age < LATE_TIME ? next : null }
}

/** The outcome may change: later lookups follow, farther apart the older the event is. */
function undecided(
  event: FollowedDelivery,
  now: number,
  { outcome, run, conclusion }: Pick<RunStep, 'outcome' | 'run' | 'conclusion'>,
): RunStep {
  const age = now - event.accepted
  if (age > LONGEST_RUN) return unknown(event, 'too_long')
  const next = now + Math.max(MINUTE, Math.round(age * AGE_SHARE))
  return { outcome, outcomeReason: null, conclusion, details: null, run, failures: 0, next }
}

function unknown({ run }: FollowedDelivery, outcomeReason: string): RunStep {
  const nothing = { conclusion: null, details: null, failures: 0, next: null }
  return { outcome: 'unknown', outcomeReason, run, ...nothing }
}

function startedBy({ batch, id, path, run: url, accepted }: FollowedDelivery): StartedBy {
  const [workflow] = path.split('/', 1)
  return { delivery: batch ?? id, workflow, url, since: accepted - CLOCK_TOLERANCE }
}

/** True for a run that may be of the event: it began later, and its name has no delivery id. */
function mayBeOf(run: WorkflowRun, event: FollowedDelivery): boolean {
  const isDispatched = DISPATCH_EVENTS.some((name) => name === run.event)
  const isLater = Date.parse(run.started) >= event.accepted - CLOCK_TOLERANCE
  return isDispatched && run.delivery === null && isLater
}
