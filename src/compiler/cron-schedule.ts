import type { PollInterval } from '../triggers/config-options.ts'

export interface ScheduleEntry {
  readonly cron: string
  readonly timeZone: string | undefined
}

/** Identifies a schedule. GitHub would start two runs for two equal entries. */
export function entryKey({ cron, timeZone = 'UTC' }: ScheduleEntry): string {
  return `${cron} ${timeZone}`
}

/** The schedule of a workflow, and whether it is as frequent as requested. */
export interface CronSchedule extends ScheduleEntry {
  readonly isExact: boolean
}

/** Default minutes between runs; each run costs a private repository one billed minute. */
export const DEFAULT_EVERY = 15

/** GitHub's shortest interval. Source: GitHub, events that trigger workflows, `schedule`. */
const SHORTEST = 5

const HOUR = 60
const DAY = 24 * HOUR

/** Intervals in minutes that a cron expression can express without a gap at midnight. */
const CRON_MINUTES = [5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, DAY] as const

/**
 * The schedule of a polled trigger.
 *
 * @param every a cron expression is used unchanged; 0 or no minutes mean the default
 * @param timeZone of a cron expression; minutes do not need one
 * @param workflow spreads workflows over the hour, because GitHub starts runs late at full and
 * round minutes
 */
export function scheduleOf(
  { minutes, cron }: Partial<PollInterval>,
  timeZone: string | undefined,
  workflow: string,
): CronSchedule {
  if (cron !== undefined) return { cron, timeZone, isExact: true }
  const wanted = minutes || DEFAULT_EVERY
  const interval = CRON_MINUTES.findLast((one) => one <= wanted) ?? SHORTEST
  const seed = [...workflow].reduce(
    (sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973,
    7,
  )
  const minute = 1 + 2 * (seed % Math.floor(Math.min(interval, HOUR) / 2))
  const hours = interval === HOUR ? '*' : interval === DAY ? `${seed % 24}` : `*/${interval / HOUR}`
  const native = interval < HOUR ? `${minute}-59/${interval} * * * *` : `${minute} ${hours} * * *`
  return { cron: native, timeZone: undefined, isExact: interval === wanted }
}
