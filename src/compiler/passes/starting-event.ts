import { isAlias, isMap, isScalar, isSeq, type Node, stringify } from 'yaml'
import { isObject, type Json } from '../../wire/json.ts'
import { type DispatchEvent, EVENT_TYPE, WORKFLOW_INPUT } from '../../wire/payload.ts'
import { isUnderKey } from '../../workflow/document.ts'
import { asFindings, type Mistake } from '../../workflow/mistakes.ts'
import type { NativeEvent } from '../../workflow/on.ts'
import type { Operation } from '../../workflow/operations.ts'
import { namedEntries } from '../../workflow/patch.ts'
import { indent, type Lines, singleQuoted } from '../../workflow/spans.ts'
import {
  nodeBelow,
  type Path,
  pairKey,
  pairOf,
  pairsOf,
  positionAt,
  rangeOf,
  resolved,
} from '../../workflow/yaml.ts'
import { inputPairs, startConditions, workflowInputs } from '../calling-job.ts'
import { entryKey, type ScheduleEntry } from '../cron-schedule.ts'
import type { Pass, Plan, WorkflowStarts } from '../plan.ts'
import type { SourceFile } from '../source-file.ts'

/** Makes the `on:` section native: replaces the triggers by the event that starts them. */
export const startingEvent: Pass = {
  run(plan, part) {
    if (part === 'jobs') return { operations: calledOperations(plan) }
    const own = asFindings([...collisionProblems(plan), ...timeProblems(plan)], 'error')
    if (part === 'whole') return { operations: onOperations(plan), findings: own }
    const inputs = asFindings(reservedInputProblems(plan.file), 'error')
    return {
      operations: [{ op: 'insert', path: [], lines: listeningLines(plan), where: 'last' }],
      findings: [...own, ...inputs],
      isBlocked: inputs.length > 0,
    }
  },
}

const ON: Path = ['on']

/** In the one-file form, every native event of the source remains unchanged. */
function onOperations(plan: Plan): Operation[] {
  const { file, starting } = plan
  const timeless = timelessSchedule(plan)
  const own = file.native.find(({ name }) => name === starting)
  const [first] = file.triggers
  const lines = starting && !own && first ? eventLines(starting) : []
  return [
    { op: 'wrap', path: ON },
    ...[...file.triggers, ...(timeless ? [timeless] : [])].map(
      ({ name }): Operation => ({ op: 'remove', path: [...ON, name] }),
    ),
    ...(first && lines.length > 0
      ? [{ op: 'insert', path: ON, lines, where: { before: first.name } } as const]
      : []),
    ...(starting && own ? addedOperations(file, own) : []),
  ]
}

/** The event that starts the triggers, if the source does not listen to it. */
function eventLines(starting: DispatchEvent): Lines {
  if (starting === 'workflow_dispatch') {
    return [`${starting}:`, '  inputs:', ...indent(INPUT, 4)]
  }
  return [`${starting}:`, `  types: [${EVENT_TYPE}]`]
}

const INPUT: Lines = [`${WORKFLOW_INPUT}:`, '  type: string']

/** Extends a native event of the source that also starts the triggers. */
function addedOperations(file: SourceFile, { name, nodes }: NativeEvent): Operation[] {
  const path = [...ON, name]
  const options = resolved(file.document, nodes.value)
  if (name === 'workflow_dispatch') {
    const inputs = pairOf(options, 'inputs')?.value
    const isOpen = isOpenAt(nodes.value) && isOpenAt(inputs)
    const added = { [WORKFLOW_INPUT]: { type: 'string' } }
    return isOpen
      ? [{ op: 'insert', path: [...path, 'inputs'], lines: INPUT, where: 'last', parent: 'last' }]
      : withAdded(file, path, nodes.value, 'inputs', (there) => ({ ...Object(there), ...added }))
  }
  const types = pairOf(options, 'types')?.value
  const isOne = isScalar(types) && types.value !== null
  if (isOpenAt(nodes.value) && isOne) {
    const lines = [`[${String(types.value)}, ${EVENT_TYPE}]`]
    return [{ op: 'set', path: [...path, 'types'], lines }]
  }
  const isOpen = isOpenAt(nodes.value) && isOpenAt(types)
  const lines = [`- ${EVENT_TYPE}`]
  return isOpen
    ? [{ op: 'insert', path: [...path, 'types'], lines, where: 'last', parent: 'last' }]
    : withAdded(file, path, nodes.value, 'types', (there) => [there ?? [], EVENT_TYPE].flat())
}

/** Whether something can be added to a node; an alias is written elsewhere. */
function isOpenAt(node: unknown): boolean {
  return !isAlias(node)
}

/** An event with aliases replaced by their values. */
function withAdded(
  { document }: SourceFile,
  path: Path,
  options: Node | null,
  key: string,
  add: (there: unknown) => unknown,
): Operation[] {
  const value = (options?.toJS(document) ?? {}) as Record<string, unknown>
  const lines = [JSON.stringify({ ...value, [key]: add(value[key]) })]
  return [{ op: 'set', path, lines }]
}

/**
 * The `on:` of the listening file: the events of the triggers, and the native events of the source.
 */
function listeningLines(plan: Plan): Lines {
  const { file, starting } = plan
  const { source, native, on } = file
  const own = native.find(({ name }) => name === starting)
  const scheduled = native.find(({ name }) => name === 'schedule')
  const added = addedSchedule(plan, scheduled)
  const operations = [
    ...(own ? addedOperations(file, own) : []),
    ...(scheduled && added.length > 0 ? scheduleOperations(file, scheduled, added) : []),
    ...native.flatMap((event) => calledOutputOperations(plan, event)),
  ]
  const there = namedEntries(file.lines, ON, operations)
  const linesOf = (event: NativeEvent) => there.find(({ name }) => name === event.name)?.lines ?? []
  const others = native.filter(({ name }) => name !== starting && name !== 'schedule')
  const comments = file.lines.commentsOf(ON)
  const commentsAt = (role: string) => textsOf(comments.filter((one) => one.role === role))
  const textsOf = (some: typeof comments) =>
    some.map(({ start, end }) => source.text.slice(start, end))
  const isUnder = (comment: (typeof comments)[number]) => isUnderKey(source.text, on, comment)
  const besides = comments.filter(({ role }) => role === 'beside')
  const [beside, ...more] = textsOf(besides.filter((one) => !isUnder(one)))
  return [
    ...commentsAt('above'),
    beside === undefined ? 'on:' : `on: ${beside}`,
    ...indent(
      [
        ...textsOf(besides.filter(isUnder)),
        ...(own ? linesOf(own) : starting ? eventLines(starting) : []),
        ...(scheduled && !timelessSchedule(plan) ? linesOf(scheduled) : []),
        ...(!scheduled && added.length > 0 ? ['schedule:', ...indent(added, 2)] : []),
        // GitHub's schedule can be late or skip a run, so a person or a cron service can start
        // a poll, too.
        ...(plan.isStartedByHand ? ['workflow_dispatch:'] : []),
        ...others.flatMap(linesOf),
        // A line can end in only one comment.
        ...more,
        ...commentsAt('below'),
      ],
      2,
    ),
    '',
  ]
}

/** The schedule entries that the triggers need in addition to those of the source. */
function addedSchedule({ file, polled }: WorkflowStarts, own: NativeEvent | undefined): Lines {
  const there = own ? [optionsOf(file, own)].flat() : []
  const known = there.flatMap((entry) =>
    isObject(entry) && typeof entry.cron === 'string'
      ? [entryKey({ cron: entry.cron, timeZone: String(entry.timezone ?? 'UTC') })]
      : [],
  )
  const wanted = polled.flatMap(({ schedule }): ScheduleEntry[] => (schedule ? [schedule] : []))
  const entries = [...new Map(wanted.map((entry) => [entryKey(entry), entry])).values()]
  return entries
    .filter((entry) => !known.includes(entryKey(entry)))
    .flatMap(({ cron, timeZone = 'UTC' }) => [
      `- cron: ${singleQuoted(cron)}`,
      ...(timeZone === 'UTC' ? [] : [`  timezone: ${singleQuoted(timeZone)}`]),
    ])
}

function scheduleOperations(file: SourceFile, own: NativeEvent, added: Lines): Operation[] {
  const path = [...ON, own.name]
  if (isOpenAt(own.nodes.value)) return [{ op: 'insert', path, lines: added, where: 'last' }]
  const there = stringify(optionsOf(file, own)).trimEnd().split('\n')
  return [{ op: 'set', path, lines: ['', ...there, ...added] }]
}

/**
 * The `schedule` of a source without a time, which a list of events cannot have. It is left out of
 * the file, because GitHub's parser would report it where the source has no text.
 */
function timelessSchedule(plan: WorkflowStarts): NativeEvent | undefined {
  const own = plan.file.native.find(({ name }) => name === 'schedule')
  const isEmpty = own && optionsOf(plan.file, own) === null
  return isEmpty && addedSchedule(plan, own).length === 0 ? own : undefined
}

function timeProblems(plan: WorkflowStarts): Mistake[] {
  const { source, on } = plan.file
  const timeless = timelessSchedule(plan)
  if (!timeless) return []
  const example = 'schedule: [{cron: "17 5 * * *"}]'
  return [
    {
      code: 'refused-by-github',
      message: 'the event "schedule" needs a cron expression',
      position: positionAt(source, ...rangeOf(timeless.nodes.key)),
      hint: isMap(on.value) ? `write ${example}` : `write each event as a key, and ${example}`,
    },
  ]
}

/**
 * The outputs of a source that can be called; in the listening file, they come from the calling
 * jobs.
 */
function calledOutputOperations(plan: Plan, { name, nodes }: NativeEvent) {
  const { document } = plan.file
  const outputs = nodeBelow(document, nodes.value, 'outputs')
  if (name !== 'workflow_call' || !isMap(outputs)) return []
  const calling = startConditions(plan).native === undefined ? ['each'] : ['each', 'once']
  return pairsOf(outputs).map((pair): Operation => {
    const path = [...ON, name, 'outputs', pairKey(pair)]
    const value = `\${{ ${calling.map((job) => `jobs.${job}.outputs.${pairKey(pair)}`).join(' || ')} }}`
    if (isMap(pair.value) && pair.value.has('value')) {
      return { op: 'set', path: [...path, 'value'], lines: [value] }
    }
    const output = pair.value?.toJS(document) as unknown
    const there = typeof output === 'object' ? output : {}
    return { op: 'set', path, lines: [JSON.stringify({ ...there, value })] }
  })
}

/** Makes the jobs file callable with one item and with the inputs of the source's native events. */
function calledOperations({ file }: Plan): Operation[] {
  const lines = [
    'on:',
    '  workflow_call:',
    '    inputs:',
    '      on:',
    '        description: The on context of one item, as JSON.',
    '        required: true',
    '        type: string',
    ...workflowInputs(file).flatMap(({ name, type }) => [
      `      ${name}:`,
      `        type: ${type}`,
    ]),
    ...indent(callOutputLines(file), 4),
  ]
  return [
    { op: 'remove', path: ON },
    { op: 'insert', path: [], lines, where: { before: 'on' } },
  ]
}

function callOutputLines(file: SourceFile): Lines {
  const call = file.native.find(({ name }) => name === 'workflow_call')
  const options = call && optionsOf(file, call)
  if (!isObject(options) || options.outputs === undefined) return []
  return stringify({ outputs: options.outputs }, { lineWidth: 0 }).trimEnd().split('\n')
}

function optionsOf({ document }: SourceFile, { nodes }: NativeEvent): Json {
  return (nodes.value?.toJS(document) ?? null) as Json // YAML 1.2 core is JSON
}

/** Inputs of the source with the name of the input for the item. */
function reservedInputProblems(file: SourceFile): Mistake[] {
  return inputPairs(file)
    .filter((pair) => pairKey(pair).toLowerCase() === 'on')
    .map(({ key }) => ({
      code: 'reserved-name',
      message: 'an input cannot be named "on": the compiled file has an input with this name',
      position: positionAt(file.source, ...rangeOf(key)),
    }))
}

/** Native events of the source that cannot be distinguished from a webhook. */
function collisionProblems({ file, starting }: WorkflowStarts): Mistake[] {
  const place = (node: Node) => positionAt(file.source, ...rangeOf(node))
  if (starting === 'workflow_dispatch') {
    return inputPairs(file)
      .filter((pair) => pairKey(pair).toLowerCase() === WORKFLOW_INPUT)
      .map(({ key }) => ({
        code: 'reserved-name',
        message: `an input cannot be named "${WORKFLOW_INPUT}": the relay sends the webhook in this input`,
        position: place(key),
        hint: 'give it another name',
      }))
  }
  const own = file.native.find(({ name }) => name === 'repository_dispatch')
  if (starting === undefined || !own) return []
  const { key, value: options } = own.nodes
  const types = nodeBelow(file.document, options, 'types')
  const items = isSeq(types) ? types.items.map((item) => resolved(file.document, item)) : [types]
  const taken = items.find((item) => isScalar(item) && item.value === EVENT_TYPE)
  const isEmpty = !items.some((item) => isScalar(item) && item.value !== null)
  if (!taken && !isEmpty) return []
  return [
    {
      code: 'event-collision',
      message: taken
        ? `the type "${EVENT_TYPE}" is the type of webhooks`
        : `"repository_dispatch" without types starts for every webhook`,
      position: place(taken ?? key),
      hint: taken ? 'choose another type' : 'add "types:"',
    },
  ]
}
