import { fieldPath, isProjectionOperator } from '../triggers/mongo-operators.ts'
import type { Item } from '../triggers/trigger.ts'
import { isObject, type Json, type JsonObject, parsePlainJson, record } from '../wire/json.ts'
import {
  decodedKey,
  encodedKey,
  keysNamed,
  read,
  type Selector,
  selectorOf,
} from './mongo-paths.ts'

/** One path of a projection. Nested mappings are paths too: `{a: {b: 1}}` is `{'a.b': 1}`. */
interface Field {
  readonly selector: Selector
  readonly value: Json
}

/**
 * Prepares a projection for mingo, whose paths are names with dots between them. If a path names a
 * key with dots or brackets, the key gets another name in both, until `decode` restores it in the JSON.
 */
export function projectionOf(query: JsonObject) {
  const fields = fieldsOf(query, '')
  const paths = [...fields.map(({ selector }) => selector), ...fields.flatMap(expressionPaths)]
  return (item: Item) => {
    if (paths.every((selector) => isPlain(item, selector))) {
      return { item, query, decode: (result: Item) => JSON.stringify(result) }
    }
    let encoded: Json = item
    const entries = fields.flatMap(({ selector, value }): (readonly [string, Json])[] => {
      const found = readsField(value) ? keysNamed(item, selector) : []
      for (const keys of found) encoded = withEncodedKeys(encoded, keys)
      const written = selector.path.steps.map(({ name = '' }) => name)
      const wanted = computed(value, item)
      return (found.length > 0 ? found : [written]).map(
        (keys) => [keys.map(encodedKey).join('.'), wanted] as const,
      )
    })
    const copy = encoded as Item // a renamed item is an object, too
    return { item: copy, query: record(entries), decode: decodedJson }
  }
}

function fieldsOf(query: JsonObject, parent: string): Field[] {
  return Object.entries(query).flatMap(([key, value = null]) => {
    const path = parent === '' || key.startsWith('[') ? parent + key : `${parent}.${key}`
    const isNested = isObject(value) && !Object.keys(value).some((name) => name.startsWith('$'))
    return isNested && Object.keys(value).length > 0
      ? fieldsOf(value, path)
      : [{ selector: selectorOf(path), value }]
  })
}

/** Whether mingo finds in the item what a path names, or nothing if it names nothing. */
function isPlain(item: Item, { path, text, needsCopy }: Selector): boolean {
  if (needsCopy || text !== path.text) return false
  const names = path.steps.map(({ name }) => name)
  return keysNamed(item, { path, text, needsCopy }).every((keys) => keys.length === names.length)
}

/** Whether a field passes on what its path names, as opposed to a computed value. */
function readsField(value: Json): boolean {
  if (isObject(value)) return Object.keys(value).every(isProjectionOperator)
  return typeof value === 'number' || typeof value === 'boolean'
}

function expressionPaths({ value }: Field): Selector[] {
  const paths = (part: Json): Selector[] => {
    if (typeof part === 'string') return [fieldPath(part) ?? []].flat().map(selectorOf)
    if (Array.isArray(part)) return part.flatMap(paths)
    return isObject(part) ? Object.values(part).flatMap(paths) : []
  }
  return readsField(value) ? [] : paths(value)
}

/** An expression with the values of its paths. */
function computed(value: Json, item: Item): Json {
  const replaced = (part: Json): Json => {
    if (Array.isArray(part)) return part.map(replaced)
    if (isObject(part)) {
      const members = Object.entries(part)
      return record(members.map(([name, inner]) => [name, replaced(inner)]))
    }
    const path = typeof part === 'string' ? fieldPath(part) : undefined
    if (path === undefined) return part
    const literal = read(item, selectorOf(path)) as Json // `undefined` if the path names nothing
    return { $literal: literal }
  }
  return readsField(value) ? value : replaced(value)
}

function withEncodedKeys(value: Json, [key, ...rest]: readonly string[]): Json {
  if (key === undefined) return value
  if (Array.isArray(value)) {
    const isIndex = /^\d+$/.test(key)
    return value.map((one, at) => {
      if (!isIndex) return withEncodedKeys(one, [key, ...rest])
      return at === Number(key) ? withEncodedKeys(one, rest) : one
    })
  }
  if (!isObject(value)) return value
  const encoded = encodedKey(key)
  const members = Object.entries(value)
  return record(
    members.map(([name, inner]) =>
      name === key || name === encoded ? [encoded, withEncodedKeys(inner, rest)] : [name, inner],
    ),
  )
}

function decodedJson(result: Item): string {
  // An operator may return a value that JSON does not have, such as a date.
  return JSON.stringify(withDecodedKeys(parsePlainJson(JSON.stringify(result))))
}

function withDecodedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(withDecodedKeys)
  if (!isObject(value)) return value
  const members = Object.entries(value)
  return record(members.map(([name, inner]) => [decodedKey(name), withDecodedKeys(inner)]))
}
