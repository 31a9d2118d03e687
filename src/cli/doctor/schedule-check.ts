import type { Timer } from '../../relay/schedule/scheduler.ts'
import { isObject } from '../../wire/json.ts'
import {
  type DoctorFinding,
  type DoctorTarget,
  failedFinding,
  passedFinding,
  warningFinding,
} from './findings.ts'

/** The timers of HOOKLINE_SCHEDULE that are for this repository. */
export function timersFor(repository: string, timers: readonly Timer[]): readonly Timer[] {
  const wanted = repository.toLowerCase()
  return timers.filter(
    ({ repository: { owner, name } }) => `${owner}/${name}`.toLowerCase() === wanted,
  )
}

/**
 * Whether something starts a polling workflow reliably.
 *
 * @param file `bot.yml`
 * @param on the value of its `on:`
 */
export function checkPolling(
  file: string,
  on: unknown,
  { timers = [], repository }: DoctorTarget,
): DoctorFinding {
  const name = file.replace(/\.ya?ml$/, '')
  const timer = timers.find(({ workflow }) => workflow === name)
  if (timer) return checkScheduled(file, on, timer)
  const isScheduled = isObject(on) && 'schedule' in on
  const message = isScheduled
    ? `${file} is started only by GitHub's schedule, which may be late or skipped`
    : `${file} has no schedule, so it polls only when you start it`
  const line = `*/5 * * * * ${repository} ${name}`
  const hint = `Let a relay start it: add the line "${line}" to HOOKLINE_SCHEDULE. A bot can use webhook: true instead.`
  return warningFinding('workflow', 'workflow_schedule_only', message, hint)
}

/** Lines of HOOKLINE_SCHEDULE whose workflow does not exist. */
export function scheduleWithoutWorkflow(
  { timers = [], workflow }: DoctorTarget,
  files: readonly string[],
  branch: string,
): readonly DoctorFinding[] {
  const names = files.map((file) => file.replace(/\.ya?ml$/, ''))
  return timers
    .filter((timer) => workflow === undefined || timer.workflow === workflow)
    .filter((timer) => timer.ref === undefined && !names.includes(timer.workflow))
    .map((timer) => {
      const message = `HOOKLINE_SCHEDULE starts ${timer.workflow}.yml, which is not on ${branch}`
      return failedFinding(
        'schedule',
        'schedule_workflow_missing',
        message,
        'Push the workflow there, or fix the line.',
      )
    })
}

/** Whether a scheduled run can start the workflow: by workflow_dispatch, without inputs. */
export function checkScheduled(file: string, on: unknown, { text }: Timer): DoctorFinding {
  const direct = dispatchOf(on)
  if (direct === undefined) {
    const message = `HOOKLINE_SCHEDULE starts ${file}, which has no trigger workflow_dispatch`
    return failedFinding(
      'schedule',
      'schedule_not_startable',
      message,
      'Add it: on: { workflow_dispatch: }',
    )
  }
  const inputs = isObject(direct) && isObject(direct.inputs) ? Object.entries(direct.inputs) : []
  const [required] = inputs.flatMap(([name, input]) =>
    isObject(input) && input.required === true && input.default === undefined ? [name] : [],
  )
  if (required !== undefined) {
    const message = `HOOKLINE_SCHEDULE starts ${file}, which requires the input ${JSON.stringify(required)}`
    return failedFinding(
      'schedule',
      'schedule_not_startable',
      message,
      'Make the input optional, or give it a default.',
    )
  }
  return passedFinding('schedule', `${file} is started by HOOKLINE_SCHEDULE: ${text}`)
}

/** The value of `workflow_dispatch`; `undefined` without that event. */
function dispatchOf(on: unknown): unknown {
  if (on === 'workflow_dispatch') return {}
  if (Array.isArray(on)) return on.includes('workflow_dispatch') ? {} : undefined
  return isObject(on) && 'workflow_dispatch' in on ? (on.workflow_dispatch ?? {}) : undefined
}
