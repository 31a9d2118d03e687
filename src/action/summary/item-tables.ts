import type { Evaluation } from '../../engine/result.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import type { Item, Trigger } from '../../triggers/trigger.ts'
import { isObject, type Json } from '../../wire/json.ts'
import { withheld } from './arrival.ts'
import { code, counted, escapeHtml, paragraph, table, triggerName } from './html.ts'
import { SUMMARY } from './limits.ts'
import { kindOf, type Readers, secretsIn } from './withheld.ts'

/** The items as jobs get them, a table for each trigger that fired. */
export function itemTables({ contexts, owners, items }: Evaluation, readers: Readers): string[] {
  if (items.length === 0) return []
  const all = handedOn(contexts, owners)
  const shown = all.slice(0, SUMMARY.items)
  const left = all.length - shown.length
  return [
    ...bySource(shown).flatMap((own) => itemTable(own, readers)),
    ...(left > 0 ? [paragraph(`${counted(left, 'more item')}: see the output items.`)] : []),
    ...(readers.isPublic ? [paragraph(NO_VALUES)] : []),
  ]
}

const NO_VALUES = 'Values are not shown: anybody can read the summaries of a public repository.'

interface HandedOn {
  /** There where the event concerns several workflows. */
  readonly workflow: string | undefined
  readonly trigger: string
  readonly item: Item
}

/** Items with the trigger they are of; with `outputsMode: combine` one context holds them all. */
function handedOn(contexts: Evaluation['contexts'], owners: Evaluation['owners']): HandedOn[] {
  return contexts.flatMap((context, at) =>
    Object.entries(context).flatMap(([trigger, { outcome, outputs }]) => {
      if (outcome !== 'success') return []
      return [outputs].flat().map((item) => ({ workflow: owners[at], trigger, item }))
    }),
  )
}

/** Together what one trigger of one workflow handed on, in the order of the first items. */
function bySource(all: readonly HandedOn[]): HandedOn[][] {
  const sources = new Map<string, HandedOn[]>()
  for (const one of all) {
    const source = JSON.stringify([one.workflow, one.trigger])
    sources.set(source, [...(sources.get(source) ?? []), one])
  }
  return [...sources.values()]
}

function itemTable(own: readonly HandedOn[], readers: Readers): string[] {
  const [first] = own
  if (!first) return []
  const { trigger } = first
  const items = own.map(({ item }) => item)
  const known = TRIGGERS.get(trigger)
  const nameable = (name: string) => isNameable(name, known, readers)
  const columns = columnsOf(known, items).filter(nameable)
  const rows = items.map((item, at) => [
    String(at + 1),
    ...columns.map((path) => cell(valueAt(item, path), readers)),
  ])
  const heads = columns.map((path) => code(path, SUMMARY.name))
  return [
    ...(columns.length > 0 ? table([`Item of ${triggerName(first)}`, ...heads], rows) : []),
    ...otherFields(items, columns, nameable),
  ]
}

/** Names of fields are the sender's text too, but for those that a trigger declares. */
function isNameable(path: string, trigger: Trigger | undefined, readers: Readers): boolean {
  const [name = ''] = path.split('.', 1)
  const declared = trigger !== undefined && Object.hasOwn(trigger.outputs, name)
  return declared || (!readers.isPublic && secretsIn(path, readers).length === 0)
}

/** What tells most, as the trigger says; then what `format` made. What nobody chose stays out. */
function columnsOf(trigger: Trigger | undefined, items: readonly Item[]): string[] {
  const own = trigger?.columns ?? []
  const made = fieldsOf(items).filter(
    (field) => !(trigger && Object.hasOwn(trigger.outputs, field)),
  )
  const isThere = (path: string) => items.some((item) => valueAt(item, path) !== undefined)
  return [...new Set([...own.filter(isThere), ...made])].slice(0, SUMMARY.columns)
}

function fieldsOf(items: readonly Item[]): string[] {
  return [...new Set(items.flatMap((item) => Object.keys(item)))]
}

function otherFields(
  items: readonly Item[],
  columns: readonly string[],
  nameable: (name: string) => boolean,
): string[] {
  const shown = new Set(columns.map((path) => path.split('.', 1)[0]))
  const others = fieldsOf(items).filter((field) => !shown.has(field))
  if (others.length === 0) return []
  const named = others.filter(nameable).slice(0, SUMMARY.names)
  const left = others.length - named.length
  const list = [
    ...named.map((name) => code(name, SUMMARY.name)),
    ...(left > 0 ? [`${left} more`] : []),
  ]
  return [paragraph(`Further fields: ${list.join(', ')}.`)]
}

/** A field of its own, or else a field within one. */
function valueAt(item: Item, path: string): Json | undefined {
  if (Object.hasOwn(item, path)) return item[path]
  return path
    .split('.')
    .reduce<Json | undefined>(
      (at, name) => (isObject(at) && Object.hasOwn(at, name) ? (at[name] as Json) : undefined),
      item,
    )
}

/** The whole of a value is searched for secrets, before it is cut. */
function cell(value: Json | undefined, readers: Readers): string {
  if (value === undefined) return ''
  if (readers.isPublic) return escapeHtml(kindOf(value))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const [secret] = secretsIn(text, readers)
  if (secret !== undefined) return withheld(secret)
  return text === '' ? '' : code(text, SUMMARY.value)
}
