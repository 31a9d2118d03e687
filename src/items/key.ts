import * as v from 'valibot'
import { isObject, type Json } from '../wire/json.ts'
import type { Found } from './candidate.ts'
import { canonical } from './canonical.ts'
import { digest } from './digest.ts'

/** Names of what every object inherits: never part of a path. */
export const FORBIDDEN_SEGMENTS: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
])

/** Schema of a path to a key, such as `data.id`. */
export const keyPath = v.pipe(
  v.string(),
  v.nonEmpty('is empty'),
  v.check(
    (path) => !path.split('.').some((segment) => FORBIDDEN_SEGMENTS.has(segment)),
    'names what every object inherits',
  ),
)

/** Paths to what tells items apart. */
export interface KeyPaths {
  /** The trigger's own: `update_id`. */
  readonly own: string | undefined
  /** The user's, `deduplicationKey`. */
  readonly chosen: string | undefined
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
    const ignored = path === 'id' && chosen !== undefined && chosen !== 'id'
    return ignored ? { key, notice: idWins(chosen) } : { key }
  }
  return { key: await digest(`item ${canonical(identity)}`) }
}

function idWins(chosen: string): string {
  return `items are told apart by their id, which comes before deduplicationKey (${chosen})`
}

function lookUp(item: Json, path: string): string | undefined {
  const segments = path.split('.')
  const body = isObject(item) ? (item.body as Json | undefined) : undefined
  return keyText(valueAt(body, segments)) ?? keyText(valueAt(item, asHeader(segments)))
}

/** Names of headers are in lower case, whatever the user writes. */
function asHeader(segments: readonly string[]): readonly string[] {
  return segments[0] === 'headers' ? segments.map((segment) => segment.toLowerCase()) : segments
}

/** A key is a text that is not empty, or a number. */
function keyText(value: Json | undefined): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function valueAt(value: Json | undefined, segments: readonly string[]): Json | undefined {
  let at = value
  for (const segment of segments) at = memberOf(at, segment)
  return at
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  if (typeof value !== 'object' || value === null || FORBIDDEN_SEGMENTS.has(name)) return undefined
  return Object.hasOwn(value, name) ? value[name] : undefined
}
