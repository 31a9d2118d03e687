import type { KeyPaths } from '../triggers/config-options.ts'
import type { Item } from '../triggers/trigger.ts'
import { toBase64 } from '../wire/bytes.ts'
import { parseDataPath, valueAtPath } from '../wire/data-path.ts'
import { isObject, type Json, type SentDigits } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'

/** An item before `config`, as its trigger found it. */
export interface Found {
  readonly item: Item
  /** If an item has no key, two items with equal `identity` are duplicates. */
  readonly identity: Json
  /** The delivery that contained the item; only if it came through the relay. */
  readonly delivery?: ItemDelivery
  readonly digits?: SentDigits
}

export interface ItemDelivery {
  readonly id: string
  /** Equal for duplicates of one delivery; only if the store is read. See `deliveryMark`. */
  readonly mark: string | undefined
  /** True if an admin sent it again, so that its key may be known. */
  readonly isReplay?: boolean
}

interface Keyed {
  /** A hash, so that the store contains no part of a payload. */
  readonly key: string
  /** About a path that does not decide, although the user chose it. */
  readonly notice?: Pick<Message, 'code' | 'text'>
}

const ID = parseDataPath('id')
const KEY = parseDataPath('key')

/**
 * The deduplication key of an item: the first of `config.deduplicateBy`, the trigger's own key,
 * `id`, `deduplicationKey` and `key` that has a value; else a hash of `identity`. It never throws.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8785 for the canonical form that is hashed
 */
export async function itemKey(
  { item, identity }: Found,
  { by, own, chosen }: KeyPaths,
): Promise<Keyed> {
  const body = isObject(item) ? item.body : undefined
  const missed: string[] = []
  for (const path of [by, own, ID, chosen, KEY]) {
    if (path === undefined) continue
    // Paths are looked up in the body first, then in the whole item.
    const text = keyString(valueAtPath(body, path)) ?? keyString(valueAtPath(item, path))
    if (text === undefined) {
      if (path === by) missed.push(`config.deduplicateBy (${path.text})`)
      if (path === chosen) missed.push(`deduplicationKey (${path.text})`)
      continue
    }
    const key = await digest(`${path.text} ${text}`)
    const isChosenIgnored = path === ID && chosen !== undefined && chosen.text !== 'id'
    if (!isChosenIgnored) return { key, ...missedNotice(missed, `their ${path.text}`) }
    const advice = `write config.deduplicateBy: ${chosen.text} to use that path`
    const sentence = `items are told apart by their id, which comes before deduplicationKey (${chosen.text}); ${advice}`
    return { key, notice: { code: 'key-by-id', text: sentence } }
  }
  const key = await digest(`item ${canonical(identity)}`)
  return { key, ...missedNotice(missed, 'a hash of the whole item') }
}

function missedNotice(missed: readonly string[], used: string): Pick<Keyed, 'notice'> {
  if (missed.length === 0) return {}
  const text = `${missed.join(' and ')} names no string or number in an item, so items are told apart by ${used}`
  return { notice: { code: 'key-missing', text } }
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
