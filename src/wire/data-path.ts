import { isObject, type Json, valueAt } from './json.ts'

/** A path into data, such as `body.events[0].action`. */
export interface DataPath {
  /** As the option writes it. */
  readonly text: string
  readonly steps: readonly PathStep[]
}

interface PathStep {
  /** Name of a key, or index of an element; `undefined` for `[]`, which only occurs within a key. */
  readonly name: string | undefined
  readonly isQuoted: boolean
  /** The part of the path's text, for keys that contain the characters of a path: `data[email]`. */
  readonly start: number
  readonly end: number
}

/** A string that is not a path; the message continues the name of its option. */
export class PathMistake extends Error {
  override readonly name = 'PathMistake'
}

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** `.name`, `['name']`, `["name"]`, `[0]`, `[name]` or `[]`; a quote within quotes is doubled. */
const STEP =
  /(?:^|(?<!^)\.)(?<name>[^.[]+)|\['(?<single>(?:[^']|'')*)'\]|\["(?<double>(?:[^"]|"")*)"\]|\[(?<plain>[^\]['"]*)\]/y

/**
 * Parses a path: `a.b`, `a[0]`, `a.0`, `a['b.c']`.
 *
 * @throws PathMistake
 */
export function parseDataPath(text: string): DataPath {
  if (text === '') throw new PathMistake('is empty')
  const steps: PathStep[] = []
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at
    const groups = STEP.exec(text)?.groups
    if (!groups) {
      const rest = JSON.stringify(text.slice(at))
      throw new PathMistake(`is not a path from ${rest} on; write a key with dots as a['b.c']`)
    }
    const { single, double } = groups
    const quoted = single?.replaceAll("''", "'") ?? double?.replaceAll('""', '"')
    const name = quoted ?? groups.name ?? (groups.plain || undefined)
    if (FORBIDDEN.has(name ?? '')) {
      throw new PathMistake(`names ${name}, which every object inherits`)
    }
    const start = text[at] === '.' ? at + 1 : at
    steps.push({ name, isQuoted: quoted !== undefined, start, end: STEP.lastIndex })
  }
  return { text, steps }
}

/** Why a string is no path; `undefined` if it is one. */
export function pathMistake(text: string): string | undefined {
  try {
    parseDataPath(text)
    return undefined
  } catch (error) {
    if (error instanceof PathMistake) return error.message
    throw error
  }
}

/**
 * The keys of an object that a run of steps can name. One step is its name; several steps are a key
 * with dots or brackets, as the path writes it.
 */
export function keyFor(
  object: Readonly<Record<string, unknown>>,
  { text, steps }: DataPath,
  from: number,
  length: number,
): string | undefined {
  const [first, last] = [steps[from], steps[from + length - 1]]
  if (!first || !last) return undefined
  const key = length === 1 ? first.name : text.slice(first.start, last.end)
  if (key === undefined) return undefined
  if (Object.hasOwn(object, key)) return key
  // The item has the names of headers in lower case.
  const isHeader = from === 1 && steps[0]?.name === 'headers'
  return isHeader && Object.hasOwn(object, key.toLowerCase()) ? key.toLowerCase() : undefined
}

/** The index of an element, if a step is one. */
export function indexOf({ steps }: DataPath, at: number): number | undefined {
  const name = steps[at]?.name ?? ''
  return /^\d+$/.test(name) ? Number(name) : undefined
}

/** Keys and indexes from a value to a value within it. */
type Location = readonly (string | number)[]

/**
 * The location that a path names, read step by step. Only if there is none, keys count that contain
 * the dots or brackets of the path: `fields.System.State` also names the key `System.State`.
 *
 * @returns `undefined` if the path names nothing
 */
function locate(
  value: Json | undefined,
  path: DataPath,
  from: number,
  to: number,
): Location | undefined {
  return find(value, path, from, to, 1) ?? find(value, path, from, to, to)
}

function find(
  value: Json | undefined,
  path: DataPath,
  from: number,
  to: number,
  longest: number,
): Location | undefined {
  if (value === undefined) return undefined
  if (from === to) return []
  if (Array.isArray(value)) {
    const index = indexOf(path, from)
    if (index === undefined) return undefined
    const rest = find(value[index], path, from + 1, to, longest)
    return rest && [index, ...rest]
  }
  if (!isObject(value)) return undefined
  const object = value as Record<string, Json>
  for (let length = 1; length <= Math.min(longest, to - from); length++) {
    const key = keyFor(object, path, from, length)
    if (key === undefined) continue
    const rest = find(object[key], path, from + length, to, longest)
    if (rest) return [key, ...rest]
  }
  return undefined
}

export function valueAtPath(value: Json | undefined, path: DataPath): Json | undefined {
  const location = locate(value, path, 0, path.steps.length)
  return location && valueAt(value, location)
}

/**
 * The locations that a path names, in which `*` stands for every element of a list; `undefined` for
 * each place without a value.
 */
export function locationsAt(
  value: Json | undefined,
  path: DataPath,
  from = 0,
): readonly (Location | undefined)[] {
  const { steps } = path
  const star = steps.findIndex((step, at) => at >= from && step.name === '*' && !step.isQuoted)
  const list = star < 0 ? undefined : locate(value, path, from, star)
  const elements = list && valueAt(value, list)
  if (!Array.isArray(elements)) return [locate(value, path, from, steps.length)]
  return elements.flatMap((element, index) =>
    locationsAt(element, path, star + 1).map(
      (location) => location && [...(list ?? []), index, ...location],
    ),
  )
}

/** The values that a path names, in which `*` stands for every element of a list. */
export function valuesAtPath(value: Json, path: DataPath): (Json | undefined)[] {
  return locationsAt(value, path).map((location) => location && valueAt(value, location))
}
