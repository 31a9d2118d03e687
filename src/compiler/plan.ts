import { UserError } from '../wire/errors.ts'
import { isObject, type Json } from '../wire/json.ts'
import { type Permissions, permissionUnion } from './permissions.ts'
import { type Schedule, scheduleOf } from './schedule.ts'
import type { SourceFile, SourceTrigger } from './source-file.ts'

/** How the triggers of a file are reached, and what its jobs may do. */
export interface Plan {
  /** Triggers that webhooks reach. */
  readonly webhooks: readonly SourceTrigger[]
  /** Triggers that look by themselves. */
  readonly polled: readonly PolledTrigger[]
  readonly permissions: Permissions | undefined
}

export interface PolledTrigger {
  readonly trigger: SourceTrigger
  /** `undefined` where the source has a schedule of its own, or wants none. */
  readonly schedule: Schedule | undefined
}

/** @throws UserError when nothing could ever start the workflow */
export function planOf(file: SourceFile): Plan {
  const active = file.triggers.filter(({ config }) => config.active)
  if (active.length === 0 && file.native.length === 0) {
    throw new UserError({
      message: `no trigger of ${file.source.name} is active`,
      notes: ['a workflow needs one event at least; to rest, move the file elsewhere'],
    })
  }
  return {
    webhooks: active.filter(({ poll, receive }) => receive && !poll),
    polled: active.filter(({ poll }) => poll).map((trigger) => polledTrigger(file, trigger)),
    permissions: permissionsOf(file),
  }
}

function polledTrigger(file: SourceFile, trigger: SourceTrigger): PolledTrigger {
  const { every, timeZone, skipSchedule } = trigger.config
  const hasOwn = file.native.some(({ name }) => name === 'schedule')
  const isChosen = Boolean(every?.cron ?? every?.minutes)
  const isNeeded = !skipSchedule && (isChosen || !hasOwn)
  return { trigger, schedule: isNeeded ? scheduleOf(every ?? {}, timeZone, file.name) : undefined }
}

function permissionsOf({ document, sections }: SourceFile): Permissions | undefined {
  const value = (key: string) => sections.get(key)?.value?.toJS(document) as Json | undefined
  const jobs = value('jobs')
  const declared = Object.values(isObject(jobs) ? jobs : {}).map((job) =>
    isObject(job) ? (job.permissions as Json | undefined) : undefined,
  )
  return permissionUnion(value('permissions'), declared)
}
