import { type Document, isMap, isScalar, isSeq, parseDocument, stringify, visit } from 'yaml'
import { UserError } from '../wire/errors.ts'
import { isObject, type Json } from '../wire/json.ts'
import { type DispatchEvent, EVENT_TYPE, WORKFLOW_INPUT } from '../wire/payload.ts'
import { hasExpression } from '../workflow/expressions.ts'
import type { NativeEvent, SourceTrigger } from '../workflow/on.ts'
import {
  columnOf,
  type Edit,
  type EntryText,
  entryTexts,
  indent,
  type Lines,
  singleQuoted,
  trimmedEnd,
} from '../workflow/spans.ts'
import { rangeOf } from '../workflow/yaml.ts'
import type { SourceFile } from './source-file.ts'

/** How the triggers of a file are reached. */
export interface Plan {
  /** Triggers that webhooks reach, or may reach. */
  readonly webhooks: readonly SourceTrigger[]
  /** Triggers that look by themselves, or may. */
  readonly polled: readonly PolledTrigger[]
  /** What a webhook starts the workflow by; `undefined` where none does. */
  readonly starting: DispatchEvent | undefined
}

export interface PolledTrigger {
  readonly trigger: SourceTrigger
  /** `undefined` where the source has a schedule of its own, or wants none. */
  readonly schedule: Schedule | undefined
}

/** @throws UserError when nothing could ever start the workflow */
export function planOf(file: SourceFile, event: DispatchEvent): Plan {
  const active = file.triggers.filter(({ config }) => config.active)
  if (active.length === 0 && file.native.length === 0) {
    throw new UserError({
      message: `no trigger of ${file.source.name} is active`,
      notes: ['a workflow needs one event at least; to rest, move the file elsewhere'],
    })
  }
  const webhooks = active.filter((trigger) => trigger.takesWebhooks || mayTakeWebhooks(trigger))
  const hasOwn = file.native.some(({ name }) => name === 'schedule')
  return {
    webhooks,
    polled: active
      .filter(({ poll }) => poll)
      .map((trigger) => {
        const { every, timeZone, skipSchedule } = trigger.config
        const isChosen = Boolean(every?.cron ?? every?.minutes)
        const isNeeded = !skipSchedule && (isChosen || !hasOwn)
        return {
          trigger,
          schedule: isNeeded ? scheduleOf(every ?? {}, timeZone, file.name) : undefined,
        }
      }),
    starting: webhooks.length > 0 ? event : undefined,
  }
}

/** `webhook: ${{ vars.WEBHOOK }}`: only the run knows which it is, so both ways stay open. */
function mayTakeWebhooks({ receive, nodes: { options } }: SourceTrigger): boolean {
  const node = receive && isMap(options) ? options.get('webhook', true) : undefined
  return isScalar(node) && typeof node.value === 'string' && hasExpression(node.value)
}

/** An entry of `on.schedule`. */
interface ScheduleEntry {
  readonly cron: string
  readonly timeZone: string | undefined
}

/** What a schedule starts at: of two entries alike, GitHub would start two runs. */
export function entryKey({ cron, timeZone = 'UTC' }: ScheduleEntry): string {
  return `${cron} ${timeZone}`
}

/** How often GitHub is to start the workflow, and whether that is as often as was asked for. */
interface Schedule extends ScheduleEntry {
  readonly isExact: boolean
}

/** Minutes between runs where the user names none; each costs a private repository one minute. */
export const DEFAULT_EVERY = 15

/** The shortest interval there is. Source: GitHub, events that trigger workflows, `schedule`. */
const SHORTEST = 5

const HOUR = 60
const DAY = 24 * HOUR

/** Intervals in minutes that a cron expression can keep up past midnight. */
const SAYABLE = [5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, DAY] as const

/** How often a trigger is to be polled: minutes, or a cron expression. */
interface Every {
  readonly minutes?: number
  readonly cron?: string
}

/**
 * The schedule of a polled trigger.
 *
 * @param every a cron expression stays as it is; 0 minutes, or nothing, is the default
 * @param timeZone of a cron expression; minutes pass alike everywhere
 * @param workflow spreads workflows over the hour: at its full and round minutes GitHub is late
 */
export function scheduleOf(
  { minutes, cron }: Every,
  timeZone: string | undefined,
  workflow: string,
): Schedule {
  if (cron !== undefined) return { cron, timeZone, isExact: true }
  const wanted = minutes || DEFAULT_EVERY
  const said = SAYABLE.findLast((sayable) => sayable <= wanted) ?? SHORTEST
  const seed = [...workflow].reduce(
    (sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973,
    7,
  )
  const minute = 1 + 2 * (seed % Math.floor(Math.min(said, HOUR) / 2))
  const hours = said === HOUR ? '*' : said === DAY ? `${seed % 24}` : `*/${said / HOUR}`
  const native = said < HOUR ? `${minute}-59/${said} * * * *` : `${minute} ${hours} * * *`
  return { cron: native, timeZone: undefined, isExact: said === wanted }
}

/** The entries of the `on:` section as text, in the order of the file. */
export function onEntryTexts({ source, on, triggers, native }: SourceFile): EntryText[] {
  const nodes = [...triggers, ...native]
    .map((entry) => entry.nodes)
    .sort((one, other) => rangeOf(one.key)[0] - rangeOf(other.key)[0])
  return entryTexts(source.text, on.value, nodes)
}

/**
 * The edits that make the `on:` section GitHub's own: triggers go, the event that starts them comes,
 * and every other event stays as it stands.
 *
 * @param starting `undefined` when no trigger is active
 */
export function onSectionEdits(file: SourceFile, starting: DispatchEvent | undefined): Edit[] {
  const { text } = file.source
  const texts = onEntryTexts(file)
  const own = file.native.find(({ name }) => name === starting)
  const isTrigger = (entry: EntryText) => file.triggers.some(({ nodes }) => nodes === entry.nodes)
  const first = texts.find(isTrigger)
  const linesFor = (entry: EntryText): Lines => {
    if (starting && own && entry.nodes === own.nodes) return startingLines(file, starting, texts)
    if (!isTrigger(entry)) return entry.lines
    return starting && !own && entry === first ? startingLines(file, starting, texts) : []
  }
  const { key, value } = file.on
  if (isMap(value) && !value.flow) {
    const column = columnOf(text, rangeOf(value)[0])
    return texts.flatMap((entry) => {
      const lines = linesFor(entry)
      if (lines === entry.lines || !entry.span) return []
      const blank = /^\s*\n/.exec(text.slice(entry.span.start, entry.span.end))?.[0] ?? ''
      const above = lines.length > 0 ? blank : ''
      return [
        {
          ...entry.span,
          text:
            above +
            indent(lines, column)
              .map((line) => `${line}\n`)
              .join(''),
        },
      ]
    })
  }
  const start = text.indexOf(':', rangeOf(key)[1]) + 1
  const end = value ? trimmedEnd(text, start, rangeOf(value)[1]) : start
  const lines = indent(texts.flatMap(linesFor), columnOf(text, rangeOf(key)[0]) + 2)
  // What is said behind the whole section stays behind its key.
  const [said = ''] = /^[ \t]*#[^\n]*/.exec(text.slice(end)) ?? []
  return [{ start, end: end + said.length, text: [said, ...lines].join('\n') }]
}

/** What is said behind the key `on:` itself, with the space before it. */
export function onComment({ source: { text }, on }: SourceFile): string {
  const colon = text.indexOf(':', rangeOf(on.key)[1]) + 1
  const isBelow = on.value && text.slice(colon, rangeOf(on.value)[0]).includes('\n')
  const from = isBelow || !on.value ? colon : trimmedEnd(text, colon, rangeOf(on.value)[1])
  return /^[ \t]*#[^\n]*/.exec(text.slice(from))?.[0] ?? ''
}

/** The event that starts the triggers; one of the source's own listens to what it did, too. */
function startingLines(
  file: SourceFile,
  starting: DispatchEvent,
  texts: readonly EntryText[],
): string[] {
  const own = file.native.find(({ name }) => name === starting)
  if (!own) return lines({ [starting]: starting === 'workflow_dispatch' ? WITH_INPUT : TYPES })
  const entry = entryDocument(file, own, textOf(texts, own))
  if (starting === 'workflow_dispatch') addInput(entry, starting)
  else addType(entry, starting)
  return entry.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd().split('\n')
}

const WITH_INPUT = { inputs: { [WORKFLOW_INPUT]: { type: 'string' } } }
const TYPES = { types: [EVENT_TYPE] }

/** `types: [webhook]` stays on one line, as people write it. */
function lines(value: object): string[] {
  const text = stringify(value, { lineWidth: 0 }).trimEnd()
  return text.replace(/types:\n\s+- (\w+)$/, 'types: [$1]').split('\n')
}

/** The entry of an event as a document of its own, its comments kept where it stands by itself. */
function entryDocument(file: SourceFile, own: NativeEvent, entry: Lines): Document {
  const written = parseDocument(entry.join('\n'))
  let hasAlias = false
  visit(written, {
    Alias() {
      hasAlias = true
    },
  })
  // What an alias stands for is written elsewhere in the file.
  return written.errors.length === 0 && !hasAlias
    ? written
    : parseDocument(stringify({ [own.name]: optionsOf(file, own) }))
}

/** `workflow_dispatch` with the input that brings a webhook. */
function addInput(document: Document, event: string): void {
  const options = document.get(event, true)
  const inputs = isMap(options) ? options.get('inputs', true) : undefined
  if (isMap(inputs))
    inputs.set(WORKFLOW_INPUT, document.createNode(WITH_INPUT.inputs[WORKFLOW_INPUT]))
  else if (isMap(options)) options.set('inputs', document.createNode(WITH_INPUT.inputs))
  else document.set(event, document.createNode(WITH_INPUT))
}

/** `repository_dispatch` with the type of webhooks among its own. */
function addType(document: Document, event: string): void {
  const options = document.get(event, true)
  const types = isMap(options) ? options.get('types', true) : undefined
  if (isSeq(types)) types.add(document.createNode(EVENT_TYPE))
  else if (isMap(options)) {
    const isOne = isScalar(types) && types.value !== null
    options.set(
      'types',
      document.createNode(isOne ? [String(types.value), EVENT_TYPE] : EVENT_TYPE),
    )
  } else document.set(event, document.createNode({ types: EVENT_TYPE }))
}

/** What the triggers of a file that polls need of GitHub. */
interface Needs {
  /** `undefined` where no trigger is reached by webhooks. */
  readonly starting: DispatchEvent | undefined
  readonly schedule: readonly ScheduleEntry[]
}

/** The keys of the listening file's `on:`: what the triggers need, and the source's own events. */
export function eventLines(file: SourceFile, { starting, schedule }: Needs): string[] {
  const texts = onEntryTexts(file)
  const own = file.native.find(({ name }) => name === 'schedule')
  const others = file.native.filter(({ name }) => name !== starting && name !== 'schedule')
  // Comments after the last entry, where its value is empty and they would go with it.
  const { source, on } = file
  const tail = source.text.slice(texts.at(-1)?.span?.end ?? on.end, on.end).trimEnd()
  return [
    ...(starting ? startingLines(file, starting, texts) : []),
    ...scheduleLines(schedule, own && textOf(texts, own), own, file),
    ...others.flatMap((event) => otherLines(file, texts, event)),
    ...(tail === '' ? [] : tail.split('\n').map((line) => line.trim())),
  ]
}

function textOf(texts: readonly EntryText[], { nodes }: NativeEvent): Lines {
  return texts.find((text) => text.nodes === nodes)?.lines ?? []
}

function scheduleLines(
  entries: readonly ScheduleEntry[],
  text: Lines | undefined,
  own: NativeEvent | undefined,
  file: SourceFile,
): string[] {
  const there = own ? [optionsOf(file, own)].flat() : []
  const known = there.flatMap((entry) =>
    isObject(entry) && typeof entry.cron === 'string'
      ? [entryKey({ cron: entry.cron, timeZone: String(entry.timezone ?? 'UTC') })]
      : [],
  )
  const added = entries
    .filter((entry) => !known.includes(entryKey(entry)))
    .flatMap(({ cron, timeZone = 'UTC' }) => [
      `- cron: ${singleQuoted(cron)}`,
      ...(timeZone === 'UTC' ? [] : [`  timezone: ${singleQuoted(timeZone)}`]),
    ])
  if (!text || !own) return added.length > 0 ? ['schedule:', ...indent(added, 2)] : []
  if (added.length === 0) return [...text]
  const { options } = own.nodes
  if (!isSeq(options) || options.flow) {
    return [
      'schedule:',
      ...indent([...stringify(optionsOf(file, own)).trimEnd().split('\n'), ...added], 2),
    ]
  }
  const item = text.find((line) => line.trimStart().startsWith('- ')) ?? ''
  return [...text, ...indent(added, item.length - item.trimStart().length)]
}

/** A source that can be called has outputs of its jobs; in the listening file these are one job's. */
function otherLines(file: SourceFile, texts: readonly EntryText[], event: NativeEvent): string[] {
  const { options } = event.nodes
  if (event.name !== 'workflow_call' || !isMap(options) || !options.has('outputs')) {
    return [...textOf(texts, event)]
  }
  const call = optionsOf(file, event)
  if (!isObject(call) || !isObject(call.outputs)) return [...textOf(texts, event)]
  const outputs = Object.entries(call.outputs).map(([name, output]) => [
    name,
    { ...(isObject(output) && output), value: `\${{ jobs.each.outputs.${name} }}` },
  ])
  const native = { workflow_call: { ...call, outputs: Object.fromEntries(outputs) } }
  return stringify(native, { lineWidth: 0 }).trimEnd().split('\n')
}

/** The `outputs:` of a source that can be called, for the jobs file. */
export function callOutputLines(file: SourceFile): string[] {
  const call = file.native.find(({ name }) => name === 'workflow_call')
  const options = call && optionsOf(file, call)
  if (!isObject(options) || options.outputs === undefined) return []
  return stringify({ outputs: options.outputs }, { lineWidth: 0 }).trimEnd().split('\n')
}

function optionsOf({ document }: SourceFile, { nodes }: NativeEvent): Json {
  return (nodes.options?.toJS(document) ?? null) as Json // YAML 1.2 core is JSON
}
