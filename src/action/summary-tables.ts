import type { Evaluation } from '../engine/evaluation.ts'
import type { Item, Trigger } from '../triggers/trigger.ts'
import { bodyBytes } from '../wire/bytes.ts'
import { PayloadError } from '../wire/errors.ts'
import { type Json, type JsonObject, valueAt } from '../wire/json.ts'
import { parseWebhookPath, splitOnce } from '../wire/path.ts'
import {
  type ClientPayload,
  type GitHubEvent,
  HEADER,
  readClientPayload,
  webhookPayload,
} from '../wire/payload.ts'
import { counted } from '../wire/printable.ts'
import { maskedOutputs } from './outputs.ts'

/** The items in the form that jobs get, in one table for each trigger that fired. */
export function itemTables({ items, runs }: Evaluation, readers: Readers): string[] {
  if (items.length === 0) return []
  const isMany = new Set(runs.map(({ workflow }) => workflow)).size > 1
  let shown = 0
  let left = 0
  const tables = runs.flatMap(({ workflow, trigger: { name, definition }, contexts }) => {
    // With `outputsMode: combine` one context contains all items.
    const all = contexts.flatMap((context) => {
      const { outcome, outputs = [] } = context[name] ?? {}
      return outcome === 'success' ? [outputs].flat() : []
    })
    const own = all.slice(0, SUMMARY.items - shown)
    shown += own.length
    left += all.length - own.length
    const title = triggerName({ workflow: isMany ? workflow.name : undefined, trigger: name })
    return own.length > 0 ? itemTable(title, own, definition, readers) : []
  })
  return [
    ...tables,
    ...(left > 0 ? [paragraph(`${counted(left, 'more item')}: see the output items.`)] : []),
    ...(readers.isPublic ? [paragraph(NO_VALUES)] : []),
  ]
}

const NO_VALUES =
  'Values are not shown, because anyone can read the summaries of a public repository.'

function itemTable(
  title: string,
  items: readonly Item[],
  { outputs, columns: declared }: Trigger,
  readers: Readers,
): string[] {
  const fields = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const isDeclared = (name: string) => Object.hasOwn(outputs, name)
  // Names of fields are untrusted input, too, unless the trigger declares them.
  const isNameable = (path: string) =>
    isDeclared(path.split('.', 1)[0] ?? '') ||
    (!readers.isPublic && secretsIn(path, readers).length === 0)
  // The path is the name of a field, or leads to a field within one.
  const fieldOf = (item: Item, path: string) =>
    Object.hasOwn(item, path) ? item[path] : valueAt(item, path.split('.'))
  const isThere = (path: string) => items.some((item) => fieldOf(item, path) !== undefined)
  // The trigger's own columns first, then the fields that `format` added. Other fields have no
  // column.
  const chosen = (declared ?? []).filter(isThere)
  const made = fields.filter((field) => !isDeclared(field))
  const columns = [...new Set([...chosen, ...made])].slice(0, SUMMARY.columns).filter(isNameable)
  const heads = columns.map((path) => htmlCode(path, SUMMARY.name))
  const rows = items.map((item, at) => [
    String(at + 1),
    ...columns.map((path) => cell(fieldOf(item, path), readers)),
  ])
  const inTable = new Set(columns.map((path) => path.split('.', 1)[0]))
  const others = fields.filter((field) => !inTable.has(field))
  const named = others.filter(isNameable).slice(0, SUMMARY.names)
  const left = others.length - named.length
  const list = [
    ...named.map((name) => htmlCode(name, SUMMARY.name)),
    ...(left > 0 ? [`${left} more`] : []),
  ]
  return [
    ...(columns.length > 0 ? htmlTable([`Item of ${title}`, ...heads], rows) : []),
    ...(others.length > 0 ? [paragraph(`Further fields: ${list.join(', ')}.`)] : []),
  ]
}

/** Searches the whole value for secrets, before it is shortened. */
function cell(value: Json | undefined, readers: Readers): string {
  if (value === undefined) return ''
  if (readers.isPublic) return escapeHtml(typeAndSize(value))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const [secret] = secretsIn(text, readers)
  if (secret !== undefined) return withheld(secret)
  return text === '' ? '' : htmlCode(text, SUMMARY.value)
}

/** The facts of a webhook that need no look into its body. */
export interface WebhookArrival {
  /** Upper case. */
  readonly method: string
  /** As the relay forwarded it, with its query. */
  readonly path: string
  readonly contentType: string | undefined
  /** Bytes of the body as received; `undefined` if it cannot be decoded. */
  readonly size: number | undefined
  /** True for the events of a batch. */
  readonly isBatch: boolean
  readonly delivery: string | undefined
  readonly receivedAt: string | undefined
}

/** The webhook of an event; `undefined` if it contains none. */
export async function arrivalOf(event: GitHubEvent): Promise<WebhookArrival | undefined> {
  try {
    const payload = webhookPayload(event)
    if (payload === undefined) return undefined
    const client = readClientPayload(payload)
    const { method, path, headers } = client
    const { [HEADER.delivery]: delivery, [HEADER.receivedAt]: receivedAt } = headers
    const contentType = headers['content-type']
    const isBatch = HEADER.batch in headers
    const size = isBatch ? undefined : await bodySize(client)
    return { method, path, contentType, size, isBatch, delivery, receivedAt }
  } catch (error) {
    if (error instanceof PayloadError) return undefined
    throw error
  }
}

async function bodySize({ body, headers }: ClientPayload): Promise<number | undefined> {
  if (headers[HEADER.bodyEncoding] === 'url') return Number(headers[HEADER.bodyLength]) || undefined
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)
  const encoding = typeof body === 'string' ? headers[HEADER.bodyEncoding] : undefined
  try {
    return (await bodyBytes(text, encoding)).length
  } catch {
    return undefined
  }
}

export function arrivalTable(arrival: WebhookArrival | undefined, readers: Readers): string[] {
  if (!arrival) return []
  const { method, path, contentType, size, isBatch, delivery, receivedAt } = arrival
  const shown = (text: string) => {
    const [secret] = secretsIn(text, readers)
    return secret === undefined ? htmlCode(text, SUMMARY.found) : withheld(secret)
  }
  const type = size === 0 || contentType === undefined ? '' : `${shown(contentType)}, `
  const bytes =
    size !== undefined && size >= 1000 ? `${(size / 1000).toFixed(1)} KB` : `${size} bytes`
  const body = size === undefined ? 'not readable' : `${type}${size === 0 ? 'none' : bytes}`
  const rows = [
    ['Request', `${shown(method)} ${shown(summaryPath(path, readers))}`],
    // The table of triggers has the number of a batch's events; the size of all together would not help.
    ...(isBatch ? [] : [['Body', body]]),
    ...(delivery === undefined ? [] : [['Delivery', shown(delivery)]]),
    ...(receivedAt === undefined ? [] : [['Received', shown(receivedAt)]]),
  ]
  return htmlTable(['Webhook', ''], rows)
}

function withheld(secret: string): string {
  return `not shown: holds the secret ${escapeHtml(secret.slice(0, SUMMARY.name))}`
}

/**
 * A path without the values of its query, because some senders can put a key only there. In a
 * public repository the part after the trigger is left out, too, because it is untrusted input.
 */
function summaryPath(path: string, { isPublic }: Readers): string {
  if (isPublic) {
    const { workflow, trigger, path: rest, querystring } = parseWebhookPath(path)
    const named = [workflow, trigger].every((name) => /^[\w.-]{1,100}$/.test(name))
    if (!named) return '(not a webhook path)'
    return `${workflow}/${trigger}${rest === '/' ? '' : '/…'}${querystring === '' ? '' : '?…'}`
  }
  const [route, query] = splitOnce(path.replace(/^\//, ''), '?')
  if (query === '') return route
  const names = query.split('&').map((pair) => pair.split('=', 1)[0])
  return `${route}?${names.map((name) => `${name}=…`).join('&')}`
}

/** The readers of a summary, and the secrets that it must not contain. */
export interface Readers {
  /** True if anyone can read it: then it shows only the type and size of a sender's values. */
  readonly isPublic: boolean
  /** The secrets that the action was given, by name. */
  readonly secrets: JsonObject
}

/** True if the summary and an annotation may contain the value at a path of the item. */
export function isShown(path: string, value: Json, readers: Readers): boolean {
  if (readers.isPublic || /^\W*(?:headers|query|querystring|search)\b/.test(path)) return false
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= SUMMARY.value && secretsIn(text, readers).length === 0
}

/** The names of the secrets that a string contains, in any form that GitHub would mask. */
function secretsIn(text: string, { secrets }: Readers): readonly string[] {
  return maskedOutputs(new Map([['', text]]), secrets).map(({ secret }) => secret)
}

/** The type and size of a value: `text of 12 characters`. */
export function typeAndSize(value: Json): string {
  if (value === null) return 'nothing'
  if (typeof value === 'string') return `text of ${value.length} characters`
  if (Array.isArray(value)) return `list of ${value.length}`
  if (typeof value === 'object') return `object of ${Object.keys(value).length} fields`
  return typeof value
}

/**
 * Escapes HTML, the pipe of Markdown tables, line breaks and control characters. A line of the
 * summary is never empty, so no Markdown block can begin in it.
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"'|`]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    .replace(CONTROL, '\ufffd')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the function replaces control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g

export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // Half of a surrogate pair is no character.
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return `${start}… (${text.length} characters)`
}

/** As code: there GitHub makes no link of an address, and notifies no mentioned user. */
export function htmlCode(text: string, most: number): string {
  return `<code>${escapeHtml(cut(text, most))}</code>`
}

/** A trigger, with its workflow where there are several: `hook / webhook`. */
export function triggerName(of: {
  readonly workflow?: string | undefined
  trigger: string
}): string {
  const trigger = htmlCode(of.trigger, SUMMARY.name)
  return of.workflow === undefined ? trigger : `${htmlCode(of.workflow, SUMMARY.name)} / ${trigger}`
}

export function paragraph(html: string): string {
  return `<p>${html}</p>`
}

/** @param rows cells as HTML */
export function htmlTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (tag: 'th' | 'td', cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return ['<table>', line('th', head), ...rows.map((cells) => line('td', cells)), '</table>']
}

/**
 * Limits of a job summary. GitHub drops the whole summary of a step above 1 MiB. A character takes
 * up to five bytes when it is escaped; even then the summary stays below.
 *
 * Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export const SUMMARY = {
  /** Rows of items, for all triggers together. */
  items: 20,
  columns: 6,
  /** Characters of a value in a row. */
  value: 160,
  /** Names of fields without a column. */
  names: 40,
  /** Characters of a name. */
  name: 80,
  decisions: 40,
  checks: 10,
  /** Characters of the value that a condition found. */
  found: 200,
  /** Warnings; and as many notices. */
  notes: 10,
  /** Characters of the reason why a trigger did not fire, or of the steps of its items. */
  why: 500,
  /** Characters of a paragraph. */
  text: 2000,
} as const
