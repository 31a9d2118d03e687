import { isMap } from 'yaml'
import type { Problem } from '../protocol/errors.ts'
import { rangeOf } from '../workflow/options.ts'
import { positionAt } from '../workflow/source.ts'
import type { Plan, PolledTrigger } from './plan.ts'
import { DEFAULT_EVERY } from './schedule.ts'
import type { SourceFile } from './source-file.ts'

/** What a person should know of the compiled files, though nothing is wrong. */
export function notices(file: SourceFile, { polled }: Plan): Problem[] {
  return [...polled.flatMap((one) => scheduleNotice(file, one)), ...concurrencyNotice(file)]
}

function scheduleNotice({ source }: SourceFile, { trigger, schedule }: PolledTrigger): Problem[] {
  if (!schedule || schedule.isExact) return []
  const position = positionAt(source, ...rangeOf(trigger.nodes.key))
  const message = `"${trigger.name}" is polled by the schedule ${schedule.cron}`
  return [
    { message, position, notes: [`every ${DEFAULT_EVERY} minutes unless "config.every" says`] },
  ]
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
