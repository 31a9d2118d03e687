import { isMap, isScalar } from 'yaml'
import { UserError } from '../wire/errors.ts'
import { hasExpression } from '../workflow/expressions.ts'
import type { StartingEvent } from './events.ts'
import { type Schedule, scheduleOf } from './schedule.ts'
import type { SourceFile, SourceTrigger } from './source-file.ts'

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
  return {
    webhooks,
    polled: active.filter(({ poll }) => poll).map((trigger) => polledTrigger(file, trigger)),
    starting: webhooks.length > 0 ? event : undefined,
  }
}

/** `webhook: ${{ vars.WEBHOOK }}`: only the run knows which it is, so both ways stay open. */
function mayReceive({ nodes: { options } }: SourceTrigger): boolean {
  const node = isMap(options) ? options.get('webhook', true) : undefined
  return isScalar(node) && typeof node.value === 'string' && hasExpression(node.value)
}

function polledTrigger(file: SourceFile, trigger: SourceTrigger): PolledTrigger {
  const { every, timeZone, skipSchedule } = trigger.config
  const hasOwn = file.native.some(({ name }) => name === 'schedule')
  const isChosen = Boolean(every?.cron ?? every?.minutes)
  const isNeeded = !skipSchedule && (isChosen || !hasOwn)
  return { trigger, schedule: isNeeded ? scheduleOf(every ?? {}, timeZone, file.name) : undefined }
}
