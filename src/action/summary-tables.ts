import type { Evaluation } from '../engine/result.ts'
import { TRIGGERS } from '../triggers/index.ts'
import type { Item, Trigger } from '../triggers/trigger.ts'
import { bodyBytes } from '../wire/bytes.ts'
import { PayloadError } from '../wire/errors.ts'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import {
  type ClientPayload,
  HEADER,
  type PlatformEvent,
  readClientPayload,
  webhookPayload,
} from '../wire/payload.ts'
import { code, counted, escapeHtml, paragraph, SUMMARY, table, triggerName } from './html.ts'
import { maskedOutputs } from './outputs.ts'

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

/** What of a webhook is told without looking into its body. */
export interface Arrival {
  /** Upper case. */
  readonly method: string
  /** As it was forwarded, with its query. */
  readonly path: string
  readonly contentType: string | undefined
  /** Bytes of the body as they were received; `undefined` when they do not decode. */
  readonly size: number | undefined
  readonly delivery: string | undefined
  readonly receivedAt: string | undefined
}

/** The webhook that an event carries; `undefined` when it carries none. */
export async function arrivalOf(event: PlatformEvent): Promise<Arrival | undefined> {
  try {
    const payload = webhookPayload(event)
    if (payload === undefined) return undefined
    const client = readClientPayload(payload)
    const { method, path, headers } = client
    const { [HEADER.delivery]: delivery, [HEADER.receivedAt]: receivedAt } = headers
    const contentType = headers['content-type']
    return { method, path, contentType, size: await size(client), delivery, receivedAt }
  } catch (error) {
    if (error instanceof PayloadError) return undefined
    throw error
  }
}

async function size({ body, headers }: ClientPayload): Promise<number | undefined> {
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)
  const encoding = typeof body === 'string' ? headers[HEADER.bodyEncoding] : undefined
  try {
    return (await bodyBytes(text, encoding)).length
  } catch {
    return undefined
  }
}

export function arrivalTable(arrival: Arrival | undefined, readers: Readers): string[] {
  if (!arrival) return []
  const { method, path, contentType, size, delivery, receivedAt } = arrival
  const shown = (text: string) => {
    const [secret] = secretsIn(text, readers)
    return secret === undefined ? code(text, SUMMARY.found) : withheld(secret)
  }
  const type = size === 0 || contentType === undefined ? '' : `${shown(contentType)}, `
  const rows = [
    ['Request', `${shown(method)} ${shown(shownPath(path, readers))}`],
    ['Body', size === undefined ? 'not readable' : `${type}${sizeText(size)}`],
    ...(delivery === undefined ? [] : [['Delivery', shown(delivery)]]),
    ...(receivedAt === undefined ? [] : [['Received', shown(receivedAt)]]),
  ]
  return table(['What arrived', ''], rows)
}

function withheld(secret: string): string {
  return `not shown: holds the secret ${escapeHtml(secret.slice(0, SUMMARY.name))}`
}

/**
 * A path without the values of its query: some senders have no other place for a key. Where anybody
 * can read the summary, what follows the trigger is left out too: it is the sender's text.
 */
function shownPath(path: string, { isPublic }: Readers): string {
  const [route = '', query] = path.replace(/^\//, '').split(/\?(.*)/s)
  if (isPublic) return publicPath(path)
  if (query === undefined || query === '') return route
  const names = query.split('&').map((pair) => pair.split('=', 1)[0])
  return `${route}?${names.map((name) => `${name}=…`).join('&')}`
}

function publicPath(path: string): string {
  const { workflow, trigger, path: rest, querystring } = parseWebhookPath(path)
  const named = [workflow, trigger].every((name) => /^[\w.-]{1,100}$/.test(name))
  if (!named) return '(not a webhook path)'
  return `${workflow}/${trigger}${rest === '/' ? '' : '/…'}${querystring === '' ? '' : '?…'}`
}

function sizeText(bytes: number): string {
  if (bytes === 0) return 'none'
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} KB`
}

/** Who may read a summary, and what must not stand in it. */
export interface Readers {
  /** True where anybody can: then no text of a sender is shown, only its kind and size. */
  readonly isPublic: boolean
  /** What the action was given, by name. */
  readonly secrets: JsonObject
}

/** The names of the secrets that a text holds, in any form in which GitHub would mask it. */
function secretsIn(text: string, { secrets }: Readers): readonly string[] {
  return maskedOutputs(new Map([['', text]]), secrets).map(({ secret }) => secret)
}

/** A value in words: `text of 12 characters`. */
export function kindOf(value: Json): string {
  if (value === null) return 'nothing'
  if (typeof value === 'string') return `text of ${value.length} characters`
  if (Array.isArray(value)) return `list of ${value.length}`
  if (typeof value === 'object') return `object of ${Object.keys(value).length} fields`
  return typeof value
}
