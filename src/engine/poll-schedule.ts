import type { Cron } from 'croner'
import { ageOf } from '../state/store.ts'
import type { Config } from '../triggers/config-options.ts'
import { OptionError } from '../wire/errors.ts'

interface ScheduleDecision {
  readonly due: boolean
  readonly reason: string
}

/** The times that `every` is compared with, in milliseconds since 1970. */
interface PollTimes {
  readonly now: number
  /** `null` before the first success; absent without a store. */
  readonly lastSuccess?: number | null
  /** The cron expression that started the run (`github.event.schedule`). */
  readonly schedule: string | undefined
}

const MINUTE = 60_000

/** GitHub starts scheduled runs at most this often. */
const SHORTEST_INTERVAL = 5 * MINUTE

/**
 * Whether `every` lets a trigger run on a `schedule` event.
 *
 * @throws OptionError if it needs a store and there is none, or if it is no cron expression
 */
export async function checkSchedule(
  every: NonNullable<Config['every']>,
  timeZone: string,
  clock: PollTimes,
): Promise<ScheduleDecision> {
  if (every.minutes === 0) return { due: true, reason: 'it runs with every schedule event' }
  if (every.cron === undefined) return dueByMinutes(every.minutes, clock)
  if (every.cron === clock.schedule) return { due: true, reason: `every: ${every.cron}` }
  return dueByCron(every.cron, timeZone, clock)
}

/**
 * A schedule that is as rare as `every` is always due: GitHub starts runs some seconds early or
 * late, so the age of the last success could be slightly too small.
 */
async function dueByMinutes(minutes: number, clock: PollTimes): Promise<ScheduleDecision> {
  const { now, lastSuccess, schedule } = clock
  if ((await shortestGap(schedule, now)) >= minutes * MINUTE) {
    return { due: true, reason: `the schedule is as rare as every: ${minutes}` }
  }
  if (lastSuccess === undefined) throw needsStore('every')
  if (lastSuccess === null) return { due: true, reason: 'it has not succeeded yet' }
  const age = ageOf(lastSuccess, now)
  if (age === Infinity) return { due: true, reason: 'its last success lies in the future' }
  const ago = Math.floor(age / MINUTE)
  const due = age >= minutes * MINUTE
  return { due, reason: `its last success is ${ago} minutes ago, every: ${minutes}` }
}

/**
 * Due if the cron expression has a time since the last success; without a known success, since the
 * previous scheduled run.
 */
async function dueByCron(
  expression: string,
  timezone: string,
  clock: PollTimes,
): Promise<ScheduleDecision> {
  const cron = await parseCron(expression, timezone)
  const { lastSuccess = null, now } = clock
  const isKnown = lastSuccess !== null && ageOf(lastSuccess, now) < Infinity
  const since = isKnown ? lastSuccess : await previousTick(clock)
  const next = cron.nextRun(new Date(since))?.getTime() ?? Infinity
  const due = next <= now
  return { due, reason: `every: ${expression} ${due ? 'is due' : 'is not due yet'}` }
}

async function parseCron(expression: string, timezone: string): Promise<Cron> {
  const { Cron } = await import('croner')
  try {
    return new Cron(expression, { timezone, mode: '5-part' })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'is not a cron expression'
    throw new OptionError('every', `config.every: ${why}`, { cause })
  }
}

async function previousTick({ now, schedule }: PollTimes): Promise<number> {
  const cron = await scheduleCron(schedule)
  return cron?.previousRuns(2, new Date(now + 1))[1]?.getTime() ?? now - SHORTEST_INTERVAL
}

/** The shortest time between two of the next scheduled runs. */
async function shortestGap(schedule: string | undefined, now: number): Promise<number> {
  const ticks = (await scheduleCron(schedule))?.nextRuns(25, new Date(now)) ?? []
  const gaps = ticks.slice(1).map((tick, index) => tick.getTime() - Number(ticks[index]))
  return gaps.length > 0 ? Math.min(...gaps) : 0
}

/**
 * The schedule of the workflow. GitHub has checked it, but the one of a test event may be invalid.
 */
async function scheduleCron(schedule: string | undefined): Promise<Cron | undefined> {
  return schedule === undefined ? undefined : parseCron(schedule, 'UTC').catch(() => undefined)
}

/** The error for an option that needs earlier runs, in a run without a store. */
export function needsStore(option: string): OptionError {
  return new OptionError(
    option,
    `config.${option} needs a store: set the input "state" to branch:<name> or file:<path>`,
  )
}
