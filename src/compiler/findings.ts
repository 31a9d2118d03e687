import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { repeatWarning, storeNeeds } from '../state/index.ts'
import { IGNORED_KEYS } from '../triggers/config.ts'
import type { Problem } from '../wire/errors.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { INPUT } from './events.ts'
import {
  type FileExpression,
  fileExpressions,
  isFault,
  keyOf,
  parseExpression,
  references,
} from './expressions.ts'
import { DEFAULT_EVERY, type Plan, type PolledTrigger, type StartingEvent } from './plan.ts'
import { jobsOf, pairsOf, resolved, type SourceFile, type SourceTrigger } from './source-file.ts'
import { inputPairs } from './two-files.ts'

/** What a file asks for that cannot be, whatever it is compiled into. */
export function fileProblems(file: SourceFile, plan: Plan, state: string): Problem[] {
  return [
    ...onProblems(file),
    ...collisionProblems(file, plan.starting),
    ...configProblems(plan, state),
    ...concurrencies(file).flatMap((concurrency) => queueProblems(file, concurrency)),
  ]
}

/** What a person should know of the compiled files, though nothing is wrong. */
export function fileNotices(file: SourceFile, { polled }: Plan, state: string): Problem[] {
  return [
    ...polled.flatMap(({ trigger }) => repeatNotices(file, trigger, state)),
    ...file.triggers.flatMap(ignoredNotices),
    ...polled.flatMap((one) => scheduleNotices(file, one)),
    ...concurrencies(file).flatMap((concurrency) => concurrencyNotices(file, concurrency)),
  ]
}

/** Expressions of the `on:` section that can mean nothing: GitHub, or the action, reads it first. */
function onProblems(file: SourceFile): Problem[] {
  const expressions = fileExpressions(file.source.text, file.on.value, ['on'])
  return expressions.flatMap((expression) => {
    const parsed = parseExpression(expression.text)
    if (isFault(parsed)) {
      return [problemAt(file, expression, parsed, `expression: ${parsed.message}`)]
    }
    return [
      ...references(expression.text, 'on').map((found) =>
        problemAt(file, expression, found, 'the context "on" is not available in "on:" itself'),
      ),
      // Secrets are handed on by name, so a name that only the run knows cannot be among them.
      ...['secrets', 'vars'].flatMap((context) =>
        references(expression.text, context)
          .filter(({ steps }) => steps[0]?.name === undefined)
          .map((found) => ({
            ...problemAt(file, expression, found, `"${context}" is read here without a name`),
            hint: `write ${context}.NAME`,
            notes: [`only what the "on:" section names is given to the action`],
          })),
      ),
    ]
  })
}

function problemAt(
  { source }: SourceFile,
  expression: FileExpression,
  found: { readonly start: number; readonly end: number },
  message: string,
): Problem {
  const { start, end } = expression.span(found.start, found.end)
  return { message, position: positionAt(source, start, end) }
}

/** Events of the source's own that could not be told from a webhook. */
function collisionProblems(file: SourceFile, starting: StartingEvent | undefined): Problem[] {
  const place = (node: Node) => positionAt(file.source, ...rangeOf(node))
  if (starting === 'workflow_dispatch') {
    return inputPairs(file)
      .filter((pair) => keyOf(pair).toLowerCase() === INPUT)
      .map(({ key }) => ({
        message: `an input cannot be named "${INPUT}": the webhook comes by this name`,
        position: place(key),
        hint: 'give it another name',
      }))
  }
  const own = file.native.find(({ name }) => name === 'repository_dispatch')
  if (starting === undefined || !own) return []
  const { key, options } = own.nodes
  const types = isMap(options) ? resolved(file.document, options.get('types', true)) : undefined
  const items = isSeq(types) ? types.items.map((item) => resolved(file.document, item)) : [types]
  const taken = items.find((item) => isScalar(item) && item.value === EVENT_TYPE)
  const isEmpty = !items.some((item) => isScalar(item) && item.value !== null)
  if (!taken && !isEmpty) return []
  return [
    {
      message: taken
        ? `the type "${EVENT_TYPE}" is what webhooks come as`
        : `"repository_dispatch" without types listens to every webhook, too`,
      position: place(taken ?? key),
      hint: taken ? 'choose another type' : 'name its types',
    },
  ]
}

/** What `config` asks for and the compiled files cannot give. */
function configProblems({ webhooks, polled }: Plan, state: string): Problem[] {
  const triggers = [...new Set([...webhooks, ...polled.map(({ trigger }) => trigger)])]
  const schedules = new Map(polled.map(({ trigger, schedule }) => [trigger, schedule]))
  const exported = triggers.flatMap(({ config, positionOf }): Problem[] => {
    if (!config.exportOutputs) return []
    const position = positionOf(['config', 'exportOutputs'])
    const hint = 'leave it out: jobs get their outputs as "on"'
    return [{ message: '"exportOutputs" writes a file that no other job sees', position, hint }]
  })
  const lacking = triggers.flatMap((trigger) =>
    storeNeeds(trigger, {
      hasStore: state !== 'none',
      isPolled: trigger.poll !== undefined,
      isEveryExact: schedules.get(trigger)?.isExact !== false,
    }).map(({ option, needs }): Problem => {
      const position = trigger.positionOf(['config', option])
      if (needs === 'shouldDeduplicate') {
        return { message: `"${option}" with a sort order needs "shouldDeduplicate"`, position }
      }
      const notes = [
        'build with --state branch:hookline-state',
        ...(option === 'every' ? ['or choose minutes that divide an hour or a day'] : []),
      ]
      return { message: `"${option}" needs a store`, position, notes }
    }),
  )
  return [...exported, ...lacking]
}

/** Of a service that forgets nothing, every entry comes again where nothing is remembered. */
function repeatNotices({ source }: SourceFile, trigger: SourceTrigger, state: string): Problem[] {
  const message = repeatWarning(trigger, { hasStore: state !== 'none', isPolled: true })
  if (message === undefined) return []
  const position = positionAt(source, ...rangeOf(trigger.nodes.key))
  return [{ message, position, hint: 'build with --state branch:hookline-state' }]
}

/** Keys of another program, which mean nothing here. */
function ignoredNotices({ config, positionOf }: SourceTrigger): Problem[] {
  return [...IGNORED_KEYS].flatMap(([key, advice]) =>
    key in config
      ? [
          {
            message: `"config.${key}" does nothing here`,
            position: positionOf(['config', key]),
            notes: [advice],
          },
        ]
      : [],
  )
}

/** Where the schedule is none that the user wrote. */
function scheduleNotices({ source }: SourceFile, { trigger, schedule }: PolledTrigger): Problem[] {
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

/** `concurrency` of the workflow or of a job. */
interface Concurrency {
  readonly key: Node
  readonly settings: Node | undefined
  /** `undefined` where only the run knows. */
  readonly cancels: boolean | undefined
}

function concurrencies(file: SourceFile): Concurrency[] {
  const own = file.sections.get('concurrency')
  const inJobs = jobsOf(file).flatMap(({ node }) =>
    isMap(node) ? pairsOf(node).filter((pair) => keyOf(pair) === 'concurrency') : [],
  )
  return [...(own ? [own] : []), ...inJobs].map(({ key, value }) => {
    const settings = resolved(file.document, value)
    const says: unknown = (isMap(settings) && settings.get('cancel-in-progress')) ?? false
    return { key, settings, cancels: typeof says === 'boolean' ? says : undefined }
  })
}

/** GitHub refuses a queue whose members cancel each other. */
function queueProblems(file: SourceFile, { settings, cancels }: Concurrency): Problem[] {
  const queue = isMap(settings) ? settings.get('queue', true) : undefined
  if (!isScalar(queue) || queue.value !== 'max' || cancels !== true) return []
  return [
    {
      message: 'GitHub refuses "queue: max" beside "cancel-in-progress: true"',
      position: positionAt(file.source, ...rangeOf(queue)),
      hint: 'leave one of the two out',
    },
  ]
}

/** By default GitHub keeps only the newest of the runs that wait; whoever cancels wants that. */
function concurrencyNotices(file: SourceFile, { key, settings, cancels }: Concurrency): Problem[] {
  if (!settings || (isMap(settings) && settings.has('queue')) || cancels !== false) return []
  return [
    {
      message: 'events that wait for this concurrency group are cancelled by newer ones',
      position: positionAt(file.source, ...rangeOf(key)),
      hint: 'add "queue: max" to keep them all',
    },
  ]
}
