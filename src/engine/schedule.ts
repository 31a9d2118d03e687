import type { Cron } from 'croner'
import { ageOf } from '../state/store.ts'
import type { Config } from '../triggers/config.ts'
import { OptionError } from '../wire/errors.ts'

/** Whether a trigger is to run now, and in words why. */
interface ScheduleDecision {
  readonly due: boolean
  readonly reason: string
}

/** What `every` is measured against. Times are milliseconds since 1970. */
interface Clock {
  readonly now: number
  /** `null` before the first success; absent when there is no store. */
  readonly lastSuccess?: number | null
  /** The cron expression that started the run (`github.event.schedule`). */
  readonly schedule: string | undefined
}

const MINUTE = 60_000

/** GitHub starts scheduled runs this often at most. */
const SHORTEST_INTERVAL = 5 * MINUTE

/**
 * Whether `every` lets a trigger run on a `schedule` event.
 *
 * @throws OptionError when it would need a store, or is not a cron expression after all
 */
export async function checkSchedule(
  every: NonNullable<Config['every']>,
  timeZone: string,
  clock: Clock,
): Promise<ScheduleDecision> {
  if (every.minutes === 0) return { due: true, reason: 'it runs with every schedule event' }
  if (every.cron === undefined) return dueByMinutes(every.minutes, clock)
  if (every.cron === clock.schedule) return { due: true, reason: `every: ${every.cron}` }
  return dueByCron(every.cron, timeZone, clock)
}

/** A run starts a few seconds earlier or later in its minute: where every start counts, none asks. */
async function dueByMinutes(minutes: number, clock: Clock): Promise<ScheduleDecision> {
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

/** Due when a time that it names lies after the last success, or the schedule's tick before this. */
async function dueByCron(
  expression: string,
  timezone: string,
  clock: Clock,
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

/** When the schedule that started this run would have started one the time before. */
async function previousTick({ now, schedule }: Clock): Promise<number> {
  const cron = await scheduleCron(schedule)
  return cron?.previousRuns(2, new Date(now + 1))[1]?.getTime() ?? now - SHORTEST_INTERVAL
}

/** The shortest time between two of the schedule's next ticks. */
async function shortestGap(schedule: string | undefined, now: number): Promise<number> {
  const ticks = (await scheduleCron(schedule))?.nextRuns(25, new Date(now)) ?? []
  const gaps = ticks.slice(1).map((tick, index) => tick.getTime() - Number(ticks[index]))
  return gaps.length > 0 ? Math.min(...gaps) : 0
}

/** The schedule of the workflow: GitHub has checked it, but a test event may say anything. */
async function scheduleCron(schedule: string | undefined): Promise<Cron | undefined> {
  return schedule === undefined ? undefined : parseCron(schedule, 'UTC').catch(() => undefined)
}

/** An option that is meant across runs, in a run that remembers nothing. */
export function needsStore(option: string): OptionError {
  return new OptionError(
    option,
    `config.${option} needs a store: set the input "state" to branch:<name> or file:<path>`,
  )
}
