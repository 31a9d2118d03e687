import type { Problem } from '../wire/errors.ts'
import type { Plan, PolledTrigger } from './plan.ts'
import type { SourceTrigger } from './source-file.ts'

/** What `config` asks for and the compiled files cannot give. */
export function configProblems({ webhooks, polled }: Plan, state: string): Problem[] {
  const triggers = [...webhooks, ...polled.map(({ trigger }) => trigger)]
  const stateless = state === 'none'
  return [
    ...triggers.flatMap(exported),
    ...(stateless ? triggers.flatMap((trigger) => remembering(trigger)) : []),
    ...(stateless ? polled.flatMap(rarerThanCron) : []),
  ]
}

function exported({ config, positionOf }: SourceTrigger): Problem[] {
  if (!config.exportOutputs) return []
  const position = positionOf(['config', 'exportOutputs'])
  const hint = 'leave it out: jobs get their outputs as "on"'
  return [{ message: '"exportOutputs" writes a file that no other job sees', position, hint }]
}

/** Options that mean something only across runs. A default that would like a store does without. */
function remembering({ config, positionOf, poll }: SourceTrigger): Problem[] {
  const { shouldDeduplicate, skipFirst, limit, sort, sortScript } = config
  const isCut = poll && limit !== undefined && (sort ?? sortScript) !== undefined
  const options = [
    ...(shouldDeduplicate ? ['shouldDeduplicate'] : []),
    ...(skipFirst ? ['skipFirst'] : []),
    ...(isCut ? ['limit'] : []),
  ]
  return options.map((option) => needsStore(option, positionOf(['config', option])))
}

/** Between the ticks of the nearest schedule only a store tells when the last success was. */
function rarerThanCron({ trigger, schedule }: PolledTrigger): Problem[] {
  if (!trigger.config.every?.minutes || schedule?.isExact !== false) return []
  const problem = needsStore('every', trigger.positionOf(['config', 'every']))
  const notes = [...(problem.notes ?? []), 'or choose minutes that divide an hour or a day']
  return [{ ...problem, notes }]
}

function needsStore(option: string, position: Problem['position'] & object): Problem {
  const notes = ['build with --state branch:hookline-state']
  return { message: `"${option}" needs a store`, position, notes }
}
