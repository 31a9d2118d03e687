import { storeNeeds } from '../state/index.ts'
import { IGNORED_KEYS } from '../triggers/config-options.ts'
import { contextReferences, isFault, positionIn } from '../workflow/file-expressions.ts'
import type { Mistake } from '../workflow/mistakes.ts'
import type { SourceTrigger } from '../workflow/on.ts'
import type { Span } from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { DEFAULT_EVERY } from './cron-schedule.ts'
import type { Plan, PolledTrigger } from './plan.ts'
import type { SourceFile } from './source-file.ts'

/** Options of triggers that are impossible in any compiled file. */
export function triggerProblems(plan: Plan): Mistake[] {
  return [
    ...onProblems(plan.file),
    ...configProblems(plan),
    ...plan.polled.flatMap(({ trigger }) => cronProblems(trigger)),
  ]
}

/** The maximum of each field of a cron expression, and its unit. */
const CRON_FIELDS = [
  [59, 'minutes'],
  [23, 'hours'],
  [31, 'days'],
  [12, 'months'],
  [7, 'days of the week'],
] as const

/**
 * Checked here, because GitHub's parser would report a schedule that the source does not contain.
 */
function cronProblems({ config: { every }, positionOf }: SourceTrigger): Mistake[] {
  const fields = every?.cron?.split(/\s+/) ?? []
  return CRON_FIELDS.flatMap(([most, what], at) => {
    const numbers = (fields[at]?.replaceAll(/\/\d+/g, '').match(/\d+/g) ?? []).map(Number)
    const found = numbers.find((number) => number > most)
    if (found === undefined) return []
    const message = `"config.every": ${what} go up to ${most}, and here is ${found}`
    return [{ code: 'option-value', message, position: positionOf(['config', 'every']) }]
  })
}

/** Facts about the triggers that the user should know, although nothing is wrong. */
export function triggerNotices({ file, polled }: Plan): Mistake[] {
  return [
    ...file.triggers.flatMap(ignoredNotices),
    ...polled.flatMap((one) => scheduleNotices(file, one)),
  ]
}

/** Expressions of the `on:` section with no value when GitHub or the action reads them. */
function onProblems({ source, expressions }: SourceFile): Mistake[] {
  return expressions.flatMap((expression): Mistake[] => {
    if (expression.path[0] !== 'on') return []
    const { text, closed, parsed } = expression
    const at = ({ start, end }: Span) => positionIn(source, expression, { start, end })
    if (!closed) {
      const position = at({ start: -'${{'.length, end: text.trimEnd().length })
      return [{ code: 'bad-expression', message: 'expression is not closed with }}', position }]
    }
    if (isFault(parsed)) {
      const message = `expression: ${parsed.message}`
      return [{ code: 'bad-expression', message, position: at(parsed) }]
    }
    const ofEvent = contextReferences(text, 'on').map((found): Mistake => {
      const message = 'the context "on" is not available under "on:"'
      return { code: 'context-not-here', message, position: at(found) }
    })
    // Secrets are passed to the action by name, so a computed name cannot be among them.
    const unnamed = ['secrets', 'vars'].flatMap((context) =>
      contextReferences(text, context)
        .filter(({ steps }) => steps[0]?.name === undefined)
        .map(
          (found): Mistake => ({
            code: 'unnamed-value',
            message: `"${context}" is read without a name`,
            position: at(found),
            hint: `write ${context}.NAME`,
            notes: ['the compiled file passes only named secrets and variables to the action'],
          }),
        ),
    )
    return [...ofEvent, ...unnamed]
  })
}

/** Options of `config` that the compiled files cannot support. */
function configProblems({ webhooks, polled, options: { state, forge } }: Plan): Mistake[] {
  const triggers = [...new Set([...webhooks, ...polled.map(({ trigger }) => trigger)])]
  const schedules = new Map(polled.map(({ trigger, schedule }) => [trigger, schedule]))
  const exported = triggers
    .filter(({ config }) => config.exportOutputs)
    .map(
      ({ positionOf }): Mistake => ({
        code: 'lost-outputs',
        message: '"exportOutputs" has no effect: no other job can read the file',
        position: positionOf(['config', 'exportOutputs']),
        hint: 'remove it: jobs read the outputs from the context "on"',
      }),
    )
  const lacking = triggers.flatMap((trigger) =>
    storeNeeds(trigger, {
      hasStore: state !== 'none',
      isPolled: trigger.poll !== undefined,
      isEveryExact: schedules.get(trigger)?.isExact !== false,
    }).map(({ option, needs }): Mistake => {
      const position = trigger.positionOf(['config', option])
      if (needs === 'shouldDeduplicate') {
        return {
          code: 'option-needs',
          message: `"${option}" with a sort order needs "shouldDeduplicate"`,
          position,
        }
      }
      const notes = [
        // The settings of other forges refuse a store on a branch.
        `write "state: ${forge === 'github' ? 'branch:hookline-state' : 'file:<path>'}" under "hookline:"`,
        ...(option === 'every' ? ['or choose minutes that divide an hour or a day'] : []),
      ]
      return { code: 'option-needs', message: `"${option}" needs a store`, position, notes }
    }),
  )
  return [...exported, ...lacking]
}

/** Keys of another program, which have no effect here. */
function ignoredNotices({ config, positionOf }: SourceTrigger): Mistake[] {
  const ignored = [...IGNORED_KEYS].filter(([key]) => key in config)
  return ignored.map(([key, advice]) => ({
    code: 'idle-option',
    message: `"config.${key}" has no effect`,
    position: positionOf(['config', key]),
    notes: [advice],
  }))
}

/** The schedules that differ from the user's. */
function scheduleNotices({ source }: SourceFile, { trigger, schedule }: PolledTrigger): Mistake[] {
  const minutes = trigger.config.every?.minutes
  if (!schedule || (minutes && schedule.isExact) || trigger.config.every?.cron) return []
  const position = positionAt(source, ...rangeOf(trigger.nodes.key))
  const message = minutes
    ? `cron cannot say "every ${minutes} minutes": the schedule is "${schedule.cron}"`
    : `"${trigger.name}" is polled every ${DEFAULT_EVERY} minutes`
  const hint = minutes
    ? 'runs that are not due skip the poll, by the time in the store'
    : 'to change it, set "config.every"'
  return [{ code: 'poll-schedule', message, position, hint }]
}
