import type { ArrayOrObject } from 'mingo/types'
import { resolve } from 'mingo/util'
import { type DataPath, indexOf, keyFor, parseDataPath } from '../wire/data-path.ts'
import { isObject } from '../wire/json.ts'

/** A path in the form that mingo reads: names with dots between them. */
export interface Selector {
  readonly path: DataPath
  readonly text: string
  /** Whether mingo would not find the keys of the path, even where MongoDB's reading does. */
  readonly needsCopy: boolean
}

/** Begins a sign for characters of a key that mingo would read as a part of the path. */
const ESCAPE = '\u{F0000}'

/** A key as a name for mingo, which reads dots and empty names. */
export function encodedKey(key: string): string {
  return key.replaceAll('.', `${ESCAPE}1`) || `${ESCAPE}2`
}

export function decodedKey(name: string): string {
  return name.replaceAll(`${ESCAPE}1`, '.').replaceAll(`${ESCAPE}2`, '')
}

export function selectorOf(text: string): Selector {
  const path = parseDataPath(text)
  const names = path.steps.map(({ name = '' }) => encodedKey(name))
  const isEncoded = names.some((name, at) => name !== path.steps[at]?.name)
  const [first, header = ''] = names
  const needsCopy = isEncoded || (first === 'headers' && header !== header.toLowerCase())
  return { path, text: names.join('.'), needsCopy }
}

/**
 * A value in which mingo finds what the path names. It is the value itself if MongoDB's reading of
 * the path finds something. Otherwise, keys with dots or brackets count: `fields.System.State` also
 * names the key `System.State` of `fields`. Then the result is a copy that contains only this path.
 */
export function readableBy(value: unknown, { path, needsCopy }: Selector): unknown {
  const isPlain = names(value, path, 0)
  if (isPlain && !needsCopy) return value
  return spine(value, path, 0, isPlain ? 1 : path.steps.length) ?? value
}

export function isNamed(value: unknown, selector: Selector): boolean {
  return keysNamed(value, selector).length > 0
}

/**
 * The keys that a path names, one sequence for each reading; in a list of objects, there can be
 * several: `System.State` in one element, and `State` below `System` in another.
 */
export function keysNamed(value: unknown, { path }: Selector): readonly (readonly string[])[] {
  const longest = names(value, path, 0) ? 1 : path.steps.length
  const all = sequences(value, path, 0, longest)
  return [...new Map(all.map((keys) => [JSON.stringify(keys), keys])).values()]
}

function sequences(value: unknown, path: DataPath, from: number, longest: number): string[][] {
  const left = path.steps.length - from
  if (left === 0) return value === undefined ? [] : [[]]
  if (Array.isArray(value)) {
    const index = indexOf(path, from)
    return index === undefined
      ? value.flatMap((one) => (isObject(one) ? sequences(one, path, from, longest) : []))
      : sequences(value[index], path, from + 1, longest).map((keys) => [String(index), ...keys])
  }
  if (!isObject(value)) return []
  for (let length = 1; length <= Math.min(longest, left); length++) {
    const key = keyFor(value, path, from, length)
    const inner = key === undefined ? [] : sequences(value[key], path, from + length, longest)
    if (key !== undefined && inner.length > 0) return inner.map((keys) => [key, ...keys])
  }
  return []
}

/** The value or, through a list, the values that a path names. */
export function read(value: unknown, selector: Selector): unknown {
  const source = readableBy(value, selector) as ArrayOrObject // an item, or a copy of its parts
  return resolve(source, selector.text)
}

/** MongoDB reads a name on each element of a list, but not on lists within the list. */
function names(value: unknown, path: DataPath, from: number): boolean {
  if (from === path.steps.length) return value !== undefined
  if (Array.isArray(value)) {
    const index = indexOf(path, from)
    if (index !== undefined) return names(value[index], path, from + 1)
    return value.some((element) => isObject(element) && names(element, path, from))
  }
  if (!isObject(value)) return false
  const key = keyFor(value, path, from, 1)
  return key !== undefined && names(value[key], path, from + 1)
}

/** @returns `undefined` if the path names nothing */
function spine(value: unknown, path: DataPath, from: number, longest: number): unknown {
  const left = path.steps.length - from
  if (left === 0) return value
  if (Array.isArray(value)) {
    const index = indexOf(path, from)
    if (index !== undefined) {
      const inner = spine(value[index], path, from + 1, longest)
      return inner === undefined ? undefined : value.with(index, inner)
    }
    const inner = value.map((one) => (isObject(one) ? spine(one, path, from, longest) : undefined))
    return inner.some((one) => one !== undefined) ? inner.map((one) => one ?? {}) : undefined
  }
  if (!isObject(value)) return undefined
  for (let length = 1; length <= Math.min(longest, left); length++) {
    const key = keyFor(value, path, from, length)
    const inner = key === undefined ? undefined : spine(value[key], path, from + length, longest)
    if (inner === undefined) continue
    const keys = path.steps.slice(from, from + length).map(({ name = '' }) => encodedKey(name))
    return keys.reduceRight((within, key) => ({ [key]: within }), inner)
  }
  return undefined
}
