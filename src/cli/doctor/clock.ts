import type { Timer } from '../../relay/clock.ts'
import { isObject } from '../../wire/json.ts'
import { type Finding, failed, ok, type Target, warning } from './findings.ts'

/** The timers of HOOKLINE_SCHEDULE that are for this repository. */
export function timersFor(repository: string, timers: readonly Timer[]): readonly Timer[] {
  const wanted = repository.toLowerCase()
  return timers.filter(
    ({ repository: { owner, name } }) => `${owner}/${name}`.toLowerCase() === wanted,
  )
}

/**
 * Whether a workflow that polls starts in time.
 *
 * @param file `bot.yml`
 * @param on what stands under its `on:`
 */
export function judgePolling(
  file: string,
  on: unknown,
  { timers = [], repository }: Target,
): Finding {
  const name = file.replace(/\.ya?ml$/, '')
  const timer = timers.find(({ workflow }) => workflow === name)
  if (timer) return judgeTimed(file, on, timer)
  const message = `${file} is started by GitHub's schedule alone, which comes late, or not at all`
  const line = `*/5 * * * * ${repository} ${name}`
  const mend = `let a relay keep time, by a line of HOOKLINE_SCHEDULE: ${line}; a bot can have webhook: true`
  return warning('workflow', 'workflow_schedule_alone', message, mend)
}

/** Timers whose workflow is not there. */
export function timersWithoutWorkflow(
  { timers = [], workflow }: Target,
  files: readonly string[],
  branch: string,
): readonly Finding[] {
  const names = files.map((file) => file.replace(/\.ya?ml$/, ''))
  return timers
    .filter((timer) => workflow === undefined || timer.workflow === workflow)
    .filter((timer) => timer.ref === undefined && !names.includes(timer.workflow))
    .map((timer) => {
      const message = `HOOKLINE_SCHEDULE starts ${timer.workflow}.yml, which is not on ${branch}`
      return failed('clock', 'clock_workflow_missing', message, 'push it there, or mend the line')
    })
}

/** What a timer starts: by workflow_dispatch, without inputs. */
export function judgeTimed(file: string, on: unknown, { text }: Timer): Finding {
  const direct = dispatchOf(on)
  if (direct === undefined) {
    const message = `HOOKLINE_SCHEDULE starts ${file}, which has no trigger workflow_dispatch`
    return failed('clock', 'clock_not_startable', message, 'add it under on: workflow_dispatch:')
  }
  const inputs = isObject(direct) && isObject(direct.inputs) ? Object.entries(direct.inputs) : []
  const [required] = inputs.flatMap(([name, input]) =>
    isObject(input) && input.required === true && input.default === undefined ? [name] : [],
  )
  if (required !== undefined) {
    const message = `HOOKLINE_SCHEDULE starts ${file}, which asks for the input ${JSON.stringify(required)}`
    return failed(
      'clock',
      'clock_not_startable',
      message,
      'let it be optional, or give it a default',
    )
  }
  return ok('clock', `${file} is started in time: ${text}`)
}

/** `undefined` where the event is not there. */
function dispatchOf(on: unknown): unknown {
  if (on === 'workflow_dispatch') return {}
  if (Array.isArray(on)) return on.includes('workflow_dispatch') ? {} : undefined
  return isObject(on) && 'workflow_dispatch' in on ? (on.workflow_dispatch ?? {}) : undefined
}
