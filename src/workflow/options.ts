import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import { type Problem, UserError } from '../wire/errors.ts'
import { type Json, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { hasExpression } from './expression-spans.ts'
import { ExpressionMistake, fillIn } from './expressions.ts'
import type { Reading, TriggerNodes } from './reading.ts'
import { positionAt, rangeOf } from './source.ts'

/** Where in the options a value stands: `['method', 0]`. */
export type Path = readonly (string | number)[]

/** A path as a key of a map. */
export function pathKey(path: Path): string {
  return JSON.stringify(path)
}

/**
 * The options of a trigger as plain values, with every `${{ }}` in them filled in. The mistakes in
 * these stand by `pathKey`; the value there is `null`.
 *
 * @throws UserError when an alias is unknown, bombs, or contains itself
 */
export function optionValues(
  reading: Reading,
  trigger: TriggerNodes,
): { values: Json; mistakes: ReadonlyMap<string, Problem> } {
  const mistakes = new Map<string, Problem>()
  const values = mapTexts(plainValues(reading, trigger), [], (text, path) => {
    if (!hasExpression(text)) return text
    if (mistakes.size === LIMITS.problems) return null
    try {
      return fillIn(text, reading.contexts)
    } catch (error) {
      mistakes.set(pathKey(path), expressionProblem(reading, trigger, path, error))
      return null
    }
  })
  return { values: values ?? {}, mistakes }
}

function plainValues({ document, source }: Reading, { key, options }: TriggerNodes): Json {
  if (options === null) return null
  try {
    const values = options.toJS(document, { maxAliasCount: LIMITS.yamlAliases }) as Json // YAML 1.2 core is JSON
    JSON.stringify(values) // throws when an alias contains itself
    return values
  } catch (cause) {
    const position = positionAt(source, ...rangeOf(key))
    const message = 'YAML: an alias is unknown, contains itself, or is used too often'
    throw new UserError({ message, position }, { cause })
  }
}

function mapTexts(value: Json, path: Path, change: (text: string, path: Path) => Json): Json {
  if (typeof value === 'string') return change(value, path)
  if (Array.isArray(value)) return value.map((part, at) => mapTexts(part, [...path, at], change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return record(entries.map(([key, part]) => [key, mapTexts(part, [...path, key], change)]))
}

function expressionProblem(
  reading: Reading,
  trigger: TriggerNodes,
  path: Path,
  error: unknown,
): Problem {
  if (!(error instanceof ExpressionMistake)) throw error
  const { source } = reading
  const [start, end] = rangeOf(nodeAt(reading, trigger, path))
  const at = source.text.indexOf(error.expression, start)
  const found = at >= 0 && at < end
  const position = found
    ? positionAt(source, at, at + error.expression.length)
    : positionAt(source, start, end)
  return { message: error.message, position }
}

/** The node at a path; the nearest one above it, or the trigger's name, where there is none. */
export function nodeAt(reading: Reading, trigger: TriggerNodes, path: Path): Node {
  let node = trigger.options ?? trigger.key
  for (const key of path) {
    const next = child(reading, node, key)
    if (!next) return node === trigger.options && !isScalar(node) ? trigger.key : node
    node = next
  }
  return node
}

/** The node of a key itself, for a key that should not be there. */
export function keyAt(reading: Reading, trigger: TriggerNodes, path: Path): Node {
  const parent = nodeAt(reading, trigger, path.slice(0, -1))
  return pairOf(parent, path.at(-1))?.key ?? trigger.key
}

function child(reading: Reading, node: Node, key: string | number): Node | undefined {
  const value = isSeq(node) ? node.items[Number(key)] : pairOf(node, key)?.value
  const found = isAlias(value) ? value.resolve(reading.document) : (value as Node | undefined)
  return found ?? undefined
}

function pairOf(node: Node, key: string | number | undefined): Pair<Node, Node | null> | undefined {
  if (!isMap(node)) return undefined
  const pairs = node.items as Pair<Node, Node | null>[] // a parsed document holds nodes only
  return pairs.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key))
}
