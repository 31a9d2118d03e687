import { isMap, isScalar } from 'yaml'
import { UserError } from '../wire/errors.ts'
import { hasExpression } from '../workflow/expressions.ts'
import type { SourceFile, SourceTrigger } from './source-file.ts'

/** The event of GitHub by which a webhook starts the workflow. */
export type StartingEvent = 'repository_dispatch' | 'workflow_dispatch'

/** How the triggers of a file are reached. */
export interface Plan {
  /** Triggers that webhooks reach, or may reach. */
  readonly webhooks: readonly SourceTrigger[]
  /** Triggers that look by themselves, or may. */
  readonly polled: readonly PolledTrigger[]
  /** What a webhook starts the workflow by; `undefined` where none does. */
  readonly starting: StartingEvent | undefined
}

export interface PolledTrigger {
  readonly trigger: SourceTrigger
  /** `undefined` where the source has a schedule of its own, or wants none. */
  readonly schedule: Schedule | undefined
}

/** @throws UserError when nothing could ever start the workflow */
export function planOf(file: SourceFile, event: StartingEvent): Plan {
  const active = file.triggers.filter(({ config }) => config.active)
  if (active.length === 0 && file.native.length === 0) {
    throw new UserError({
      message: `no trigger of ${file.source.name} is active`,
      notes: ['a workflow needs one event at least; to rest, move the file elsewhere'],
    })
  }
  const webhooks = active.filter(
    (trigger) => trigger.receive && (!trigger.poll || mayReceive(trigger)),
  )
  const hasOwn = file.native.some(({ name }) => name === 'schedule')
  return {
    webhooks,
    polled: active
      .filter(({ poll }) => poll)
      .map((trigger) => {
        const { every, timeZone, skipSchedule } = trigger.config
        const isChosen = Boolean(every?.cron ?? every?.minutes)
        const isNeeded = !skipSchedule && (isChosen || !hasOwn)
        return {
          trigger,
          schedule: isNeeded ? scheduleOf(every ?? {}, timeZone, file.name) : undefined,
        }
      }),
    starting: webhooks.length > 0 ? event : undefined,
  }
}

/** `webhook: ${{ vars.WEBHOOK }}`: only the run knows which it is, so both ways stay open. */
function mayReceive({ nodes: { options } }: SourceTrigger): boolean {
  const node = isMap(options) ? options.get('webhook', true) : undefined
  return isScalar(node) && typeof node.value === 'string' && hasExpression(node.value)
}

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
const SAYABLE = [5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, DAY] as const

/** How often a trigger is to be polled: minutes, or a cron expression. */
export interface Every {
  readonly minutes?: number
  readonly cron?: string
}

/**
 * The schedule of a polled trigger.
 *
 * @param every a cron expression stays as it is; 0 minutes, or nothing, is the default
 * @param timeZone of a cron expression; minutes pass alike everywhere
 * @param workflow spreads workflows over the hour: at its full and round minutes GitHub is late
 */
export function scheduleOf(
  { minutes, cron }: Every,
  timeZone: string | undefined,
  workflow: string,
): Schedule {
  if (cron !== undefined) return { cron, timeZone, isExact: true }
  const wanted = minutes || DEFAULT_EVERY
  const said = SAYABLE.findLast((sayable) => sayable <= wanted) ?? SHORTEST
  const seed = [...workflow].reduce(
    (sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973,
    7,
  )
  const minute = 1 + 2 * (seed % Math.floor(Math.min(said, HOUR) / 2))
  const hours = said === HOUR ? '*' : said === DAY ? `${seed % 24}` : `*/${said / HOUR}`
  const native = said < HOUR ? `${minute}-59/${said} * * * *` : `${minute} ${hours} * * *`
  return { cron: native, timeZone: undefined, isExact: said === wanted }
}
