import { FORBIDDEN_SEGMENTS, type KeyPaths } from '../triggers/config-options.ts'
import type { Item } from '../triggers/trigger.ts'
import { toBase64 } from '../wire/bytes.ts'
import { isObject, type Json, type SentDigits, valueAt } from '../wire/json.ts'

/** An item before `config`, as its trigger found it. */
export interface Found {
  readonly item: Item
  /** If an item has no key, two items with equal `identity` are duplicates. */
  readonly identity: Json
  /** The delivery that contained the item; only if it came through the relay. */
  readonly delivery?: Delivery
  readonly digits?: SentDigits
}

export interface Delivery {
  readonly id: string
  /** Equal for duplicates of one delivery; only if the store is read. See `deliveryMark`. */
  readonly mark: string | undefined
}

interface Keyed {
  /** A hash, so that the store contains no part of a payload. */
  readonly key: string
  readonly notice?: string
}

/**
 * The deduplication key of an item: the first of the trigger's own key, `id`, the user's path and
 * `key` that has a value; else a hash of `identity`. Each path is looked up in the body first, then
 * in the whole item. It never throws.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8785 for the canonical form that is hashed
 */
export async function itemKey(
  { item, identity }: Found,
  { own, chosen }: KeyPaths,
): Promise<Keyed> {
  for (const path of [own, 'id', chosen, 'key']) {
    const text = path === undefined ? undefined : keyAt(item, path)
    if (text === undefined) continue
    const key = await digest(`${path} ${text}`)
    if (path !== 'id' || chosen === undefined || chosen === 'id') return { key }
    const notice = `items are told apart by their id, which comes before deduplicationKey (${chosen})`
    return { key, notice }
  }
  return { key: await digest(`item ${canonical(identity)}`) }
}

function keyAt(item: Json, path: string): string | undefined {
  const segments = path.split('.')
  if (segments.some((segment) => FORBIDDEN_SEGMENTS.has(segment))) return undefined
  const body = isObject(item) ? (item.body as Json | undefined) : undefined
  // Names of headers are in lower case in the item, but not always in the user's path.
  const isHeader = segments[0] === 'headers'
  const lower = isHeader ? segments.map((segment) => segment.toLowerCase()) : segments
  return keyString(valueAt(body, segments)) ?? keyString(valueAt(item, lower))
}

/** A key is a string that is not empty, or a finite number. */
function keyString(value: Json | undefined): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * JSON that does not depend on the order of keys: keys are sorted by UTF-16 code units, without
 * white space. Strings are not Unicode-normalized; -0 becomes 0, and NaN and Infinity, which JSON
 * lacks, become null.
 *
 * Source: RFC 8785, JSON Canonicalization Scheme
 */
export function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`)
  return `{${members.join(',')}}`
}

/** SHA-256 of a string, in base64 without padding. */
export async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toBase64(new Uint8Array(hash)).replace('=', '')
}
