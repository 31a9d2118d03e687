import { FORBIDDEN_SEGMENTS, type KeyPaths } from '../triggers/config.ts'
import type { Item } from '../triggers/trigger.ts'
import { toBase64 } from '../wire/bytes.ts'
import { isObject, type Json, valueAt } from '../wire/json.ts'

/** An item as its trigger found it. */
export interface Found {
  readonly item: Item
  /** What makes it the same as another one, when no key tells them apart. */
  readonly identity: Json
  /** The delivery that brought it, where the relay did. */
  readonly delivery?: Delivery
}

export interface Delivery {
  readonly id: string
  /** What tells the relay's repeats of it, where the store is asked; see `deliveryMark`. */
  readonly mark: string | undefined
}

interface Keyed {
  /** A hash, so that nothing of a payload stands in a store. */
  readonly key: string
  readonly notice?: string
}

/**
 * The key of an item: its trigger's own, `id`, the user's path, `key`, or the hash of what it is.
 * Paths are looked up in the body first, then in the whole item. It never throws.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8785 for the canonical form that is hashed
 */
export async function itemKey(
  { item, identity }: Found,
  { own, chosen }: KeyPaths,
): Promise<Keyed> {
  for (const path of [own, 'id', chosen, 'key']) {
    const text = path === undefined ? undefined : lookUp(item, path)
    if (text === undefined) continue
    const key = await digest(`${path} ${text}`)
    if (path !== 'id' || chosen === undefined || chosen === 'id') return { key }
    const notice = `items are told apart by their id, which comes before deduplicationKey (${chosen})`
    return { key, notice }
  }
  return { key: await digest(`item ${canonical(identity)}`) }
}

function lookUp(item: Json, path: string): string | undefined {
  const segments = path.split('.')
  if (segments.some((segment) => FORBIDDEN_SEGMENTS.has(segment))) return undefined
  const body = isObject(item) ? (item.body as Json | undefined) : undefined
  // Names of headers are in lower case, whatever the user writes.
  const isHeader = segments[0] === 'headers'
  const lower = isHeader ? segments.map((segment) => segment.toLowerCase()) : segments
  return keyText(valueAt(body, segments)) ?? keyText(valueAt(item, lower))
}

/** A key is a text that is not empty, or a number. */
function keyText(value: Json | undefined): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * JSON text that is the same for every order of keys: keys sorted by UTF-16 code units, nothing
 * between the tokens. Texts are compared as they are, without normalising Unicode; -0 is 0, and what JSON has
 * no number for (NaN, Infinity) is null.
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

/** SHA-256 of a text, in base64 without padding. */
export async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toBase64(new Uint8Array(hash)).replace('=', '')
}
