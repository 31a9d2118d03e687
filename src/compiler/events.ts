import { isMap, isSeq, stringify } from 'yaml'
import { isObject, type Json } from '../wire/json.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import type { EntryText } from './entry-texts.ts'
import { entryKey, type ScheduleEntry } from './schedule.ts'
import type { NativeEvent, SourceFile } from './source-file.ts'
import { indent, type Lines, quoted } from './yaml-lines.ts'

/** What the triggers need of GitHub. */
export interface Needs {
  /** Whether a trigger is reached by webhooks. */
  readonly webhooks: boolean
  readonly schedule: readonly ScheduleEntry[]
}

/** The keys of the listening file's `on:`: what the triggers need, and the source's own events. */
export function eventLines(file: SourceFile, texts: readonly EntryText[], needs: Needs): string[] {
  const own = (name: string) => file.native.find((event) => event.name === name)
  const dispatch = own('repository_dispatch')
  const schedule = own('schedule')
  const others = file.native.filter(
    (event) => !(event === dispatch && needs.webhooks) && event !== schedule,
  )
  return [
    ...(needs.webhooks ? dispatchLines(file, dispatch) : []),
    ...scheduleLines(needs.schedule, schedule && textOf(texts, schedule), schedule, file),
    ...others.flatMap((event) => otherLines(file, texts, event)),
  ]
}

function textOf(texts: readonly EntryText[], { nodes }: NativeEvent): Lines {
  return texts.find((text) => text.nodes === nodes)?.lines ?? []
}

/** The types that the source itself listens to come first; without a list it listens to all. */
function dispatchLines(file: SourceFile, own: NativeEvent | undefined): string[] {
  if (!own) return ['repository_dispatch:', `  types: [${EVENT_TYPE}]`]
  const options = optionsOf(file, own)
  if (!isObject(options) || options.types === undefined) return ['repository_dispatch:']
  const types = [options.types].flat().map(String)
  const all = [...new Set([...types, EVENT_TYPE])]
  return ['repository_dispatch:', ...indent(stringify({ types: all }).trimEnd().split('\n'), 2)]
}

function scheduleLines(
  entries: readonly ScheduleEntry[],
  text: Lines | undefined,
  own: NativeEvent | undefined,
  file: SourceFile,
): string[] {
  const there = own ? ownEntries(file, own) : []
  const added = entries.filter((entry) => !there.includes(entryKey(entry))).flatMap(entryLines)
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

function ownEntries(file: SourceFile, own: NativeEvent): string[] {
  const entries = [optionsOf(file, own)].flat()
  return entries.flatMap((entry) =>
    isObject(entry) && typeof entry.cron === 'string'
      ? [entryKey({ cron: entry.cron, timeZone: String(entry.timezone ?? 'UTC') })]
      : [],
  )
}

function entryLines({ cron, timeZone }: ScheduleEntry): string[] {
  const zone =
    timeZone === undefined || timeZone === 'UTC' ? [] : [`  timezone: ${quoted(timeZone)}`]
  return [`- cron: ${quoted(cron)}`, ...zone]
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

export function optionsOf({ document }: SourceFile, { nodes }: NativeEvent): Json {
  return (nodes.options?.toJS(document) ?? null) as Json // YAML 1.2 core is JSON
}
