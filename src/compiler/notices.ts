import { isMap } from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import type { Plan, PolledTrigger } from './plan.ts'
import { DEFAULT_EVERY } from './schedule.ts'
import type { SourceFile } from './source-file.ts'

/** What a person should know of the compiled files, though nothing is wrong. */
export function notices(file: SourceFile, { polled }: Plan): Problem[] {
  return [...polled.flatMap((one) => scheduleNotice(file, one)), ...concurrencyNotice(file)]
}

/** Where the schedule is none that the user wrote. */
function scheduleNotice({ source }: SourceFile, { trigger, schedule }: PolledTrigger): Problem[] {
  const minutes = trigger.config.every?.minutes
  if (!schedule || (minutes && schedule.isExact) || trigger.config.every?.cron) return []
  const position = positionAt(source, ...rangeOf(trigger.nodes.key))
  const message = minutes
    ? `cron cannot say "every ${minutes} minutes": the schedule is "${schedule.cron}"`
    : `"${trigger.name}" is polled every ${DEFAULT_EVERY} minutes`
  const hint = minutes
    ? 'the store tells which of these runs is due'
    : '"config.every" changes that'
  return [{ message, position, hint }]
}

/** The items of a run are called side by side, and by default GitHub keeps only the newest waiting. */
function concurrencyNotice({ source, sections }: SourceFile): Problem[] {
  const section = sections.get('concurrency')
  if (!section || (isMap(section.value) && section.value.has('queue'))) return []
  return [
    {
      message: 'events that wait for this concurrency group are cancelled by newer ones',
      position: positionAt(source, ...rangeOf(section.key)),
      hint: 'add "queue: max" to keep them all',
    },
  ]
}
