import type { PollInterval } from '../triggers/config.ts'

/** An entry of `on.schedule`. */
export interface ScheduleEntry {
  readonly cron: string
  readonly timeZone: string | undefined
}

/** What a schedule starts at: of two entries alike, GitHub would start two runs. */
export function entryKey({ cron, timeZone = 'UTC' }: ScheduleEntry): string {
  return `${cron} ${timeZone}`
}

/** How often GitHub is to start the workflow, and whether that is as often as was asked for. */
export interface Schedule extends ScheduleEntry {
  readonly isExact: boolean
}

/** Minutes between runs where the user names none; each costs a private repository one minute. */
export const DEFAULT_EVERY = 15

/** The shortest interval there is. Source: GitHub, events that trigger workflows, `schedule`. */
const SHORTEST = 5

const HOUR = 60
const DAY = 24 * HOUR

/** Intervals in minutes that a cron expression can keep up past midnight. */
const CRON_MINUTES = [5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, DAY] as const

/**
 * The schedule of a polled trigger.
 *
 * @param every a cron expression stays as it is; 0 minutes, or nothing, is the default
 * @param timeZone of a cron expression; minutes pass alike everywhere
 * @param workflow spreads workflows over the hour: at its full and round minutes GitHub is late
 */
export function scheduleOf(
  { minutes, cron }: Partial<PollInterval>,
  timeZone: string | undefined,
  workflow: string,
): Schedule {
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
