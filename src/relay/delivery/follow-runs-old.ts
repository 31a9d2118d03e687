import type { Attempts } from '../errors.ts'
import type { Credential } from '../github/credential.ts'
import type { ReadRuns } from '../github/find-run.ts'
import { parseRepository } from '../github/repository.ts'
import type { Dispatch } from '../github/send.ts'
import type { ReceiptLine } from '../log-lines.ts'
import type { SqlStatement } from '../store/database.ts'
import { shownRequest } from './accept-old.ts'
import type { AlarmChange } from './alarms-old.ts'
import { labelOf } from './queue-name.ts'
import { newReceipt, type Receipt } from './receipt.ts'
import type { Alarm, ReceiptStore } from './receipt-store.ts'
import { type FollowedEvent, type Progress, progressOf, type RunOutcome } from './run-outcome.ts'

const MINUTE = 60_000

/** Milliseconds from the acceptance of an event to the first lookup of its run. */
const FIRST_LOOKUP = 10_000

/** Milliseconds between two lookups in one repository. */
const LOOKUP_INTERVAL = MINUTE

/** Events that are followed concurrently; further ones are `unknown`. */
const MOST_FOLLOWED = 100_000

/** Receipts that wait to be sent; while there are more, outcomes are only counted and logged. */
const MOST_RECEIPTS = 100_000

/** Events in a row without a run that begin the alarm `no_runs`. */
export const MOST_WITHOUT_RUN = 3

export interface FollowerPorts {
  readonly store: ReceiptStore
  /** The relay's own credential, which reads the runs. */
  credential(): Promise<Credential>
  readonly readRuns: ReadRuns
  /** Begins or ends an alarm. @returns its statements; none if nothing changes */
  changeAlarm(alarm: Omit<Alarm, 'since'>, isActive: boolean): AlarmChange
  /** Whether notifications are sent. */
  readonly sends: boolean
  /** Whether a run that succeeded is reported too. */
  readonly reportsSuccess: boolean
  /** Milliseconds since 1970; never jumps. */
  now(): number
  counted(outcome: RunOutcome): void
  log(line: ReceiptLine): void
  report(error: unknown): void
}

/** Outcomes that are neither counted nor reported, because they are on the way. */
const ON_THE_WAY: ReadonlySet<RunOutcome> = new Set(['pending', 'running'])

/** Outcomes that need an admin. */
const FAILURES: ReadonlySet<RunOutcome> = new Set(['failure', 'startup_failure', 'no_run'])

/** Follows the events that GitHub accepted to the runs that they start. */
export class RunFollower {
  readonly #ports: FollowerPorts
  /** No lookup in a repository before this time. */
  readonly #nextLookup = new Map<string, number>()
  #open = 0
  #unsent = 0
  #isChecking = false

  constructor(ports: FollowerPorts) {
    this.#ports = ports
  }

  /**
   * To be told of each event that GitHub accepted. Only events of the relay's own credential are
   * followed, and none that a receipt started. Never rejects.
   */
  async follow(dispatch: Dispatch, { run = '' }: Pick<Attempts, 'run'>): Promise<void> {
    const { delivery, credential, isNotification = false } = dispatch
    if (!credential.isOwn || isNotification) return
    const { store, now, report } = this.#ports
    const { owner, name } = dispatch.repository
    const event: FollowedEvent = {
      delivery,
      repository: `${owner}/${name}`.toLowerCase(),
      credential: labelOf(credential, ''),
      ...shownRequest(dispatch.request, now()),
      at: now(),
      outcome: run === '' ? 'pending' : 'running',
      reason: '',
      conclusion: '',
      run,
      since: now(),
      failures: 0,
      next: now() + FIRST_LOOKUP,
    }
    if (this.#open >= MOST_FOLLOWED) return this.#reportOutcome(event, 'unknown', 'too_many_events')
    this.#open++
    await store.follow(event).catch((error: unknown) => {
      report(error)
      this.#reportOutcome(event, 'unknown', 'disk')
    })
  }

  /** Looks up the runs that are due. To be called every few seconds. Never rejects. */
  async check(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    const { store, now, report } = this.#ports
    try {
      const { open, receipts } = await store.counts()
      this.#open = open
      this.#unsent = receipts
      for (const [repository, time] of this.#nextLookup) {
        if (time <= now()) this.#nextLookup.delete(repository)
      }
      for (const repository of await store.dueRepositories(now())) {
        if (this.#nextLookup.has(repository)) continue
        this.#nextLookup.set(repository, now() + LOOKUP_INTERVAL)
        await this.#lookUp(repository)
      }
    } catch (error) {
      report(error)
    } finally {
      this.#isChecking = false
    }
  }

  /** One lookup serves all events of the repository that are due. */
  async #lookUp(repository: string): Promise<void> {
    const { store, credential, readRuns, now } = this.#ports
    const events = await store.due(repository, now())
    const since = Math.min(...events.map(({ at }) => at))
    const asked = { repository: parseRepository(repository), credential: await credential() }
    const found = await readRuns(asked, since)
    const steps = events.map((event) => ({ event, step: progressOf(event, found, now()) }))
    const changed = steps.filter(({ event, step }) => step.outcome !== event.outcome)
    await store.write(steps.flatMap(({ event, step }) => this.#statementsOf(event, step)))
    for (const { event, step } of changed) {
      this.#reportOutcome({ ...event, run: step.run }, step.outcome, step.reason)
    }
    await this.#checkCredentials(changed.map(({ event }) => event))
  }

  /** The step, and the receipt of a new outcome with it, so that a restart neither loses nor repeats one. */
  #statementsOf(event: FollowedEvent, step: Progress): SqlStatement[] {
    const { store, sends, reportsSuccess, now } = this.#ports
    const statement = store.progress(event, step, now())
    const isReported = step.outcome !== event.outcome && !ON_THE_WAY.has(step.outcome)
    const isWanted = reportsSuccess || step.outcome !== 'success'
    if (!isReported || !isWanted || !sends) return [statement]
    if (this.#unsent >= MOST_RECEIPTS) return [statement]
    this.#unsent++
    return [statement, store.receipt(runReceipt(event, step, now()))]
  }

  /** Begins the alarm of a credential whose last events have no run, or ends it. */
  async #checkCredentials(events: readonly FollowedEvent[]): Promise<void> {
    const { store, changeAlarm } = this.#ports
    const subjects = new Map(
      events.map((event) => [`${event.repository} ${event.credential}`, event]),
    )
    for (const [subject, event] of subjects) {
      const last = await store.lastOutcomes(event, MOST_WITHOUT_RUN)
      const lacksRuns =
        last.length === MOST_WITHOUT_RUN && last.every((outcome) => outcome === 'no_run')
      // One or two events without a run neither begin an alarm nor end it.
      if (!lacksRuns && last[0] === 'no_run') continue
      const change = changeAlarm({ kind: 'no_runs', subject }, lacksRuns)
      await store.write(change.statements)
      change.apply()
    }
  }

  #reportOutcome(event: FollowedEvent, outcome: RunOutcome, reason: string): void {
    if (ON_THE_WAY.has(outcome)) return
    const { delivery, repository, credential, run } = event
    this.#ports.counted(outcome)
    this.#ports.log({
      receipts: outcome,
      ...(FAILURES.has(outcome) && { level: 'error' }),
      delivery,
      repository,
      credential,
      ...(reason !== '' && { reason }),
      ...(run !== '' && { run }),
    })
  }
}

/** The receipt of an outcome. It contains nothing of the payload. */
export function runReceipt(event: FollowedEvent, step: Progress, now: number): Receipt {
  const { outcome, reason, conclusion, run } = step
  const { delivery, repository, credential, at } = event
  const data = {
    delivery,
    repository,
    credential,
    accepted_at: new Date(at).toISOString(),
    outcome,
    ...(reason !== '' && { reason }),
    ...(conclusion !== '' && { conclusion }),
    ...(run !== '' && { run }),
  }
  return newReceipt(`run.${outcome}`, data, now)
}
