import { isScalar, type Node, visit } from 'yaml'
import type { BoundTrigger, Trigger } from '../triggers/trigger.ts'
import type { Problem } from '../wire/errors.ts'
import { isObject, type Json, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { hasExpression } from './expression-spans.ts'
import { describe, describeComputed, type Issue, isUnknownKey, pathOf } from './option-issues.ts'
import { keyAt, nodeAt, optionValues, type Path, pathKey } from './options.ts'
import type { Reading, TriggerNodes } from './reading.ts'
import { positionAt, rangeOf } from './source.ts'

/** Options that a trigger accepts, or everything that is wrong with them. */
export function bindOptions(
  reading: Reading,
  nodes: TriggerNodes,
  trigger: Trigger,
): BoundTrigger | { readonly problems: readonly Problem[] } {
  const { values, mistakes } = optionValues(reading, nodes)
  if (Array.isArray(values)) return { problems: [listOfOptions(reading, nodes)] }
  const bound = bindValues(reading, nodes, trigger, values)
  const issues = 'issues' in bound ? withUnknownOptions(bound.issues, trigger.optionNames) : []
  const news = issues.filter((issue) => !mistakes.has(pathKey(pathOf(issue))))
  const problems = news
    .slice(0, LIMITS.problems)
    .map((issue) => issueProblem(reading, nodes, trigger.optionNames, issue))
  return 'issues' in bound || mistakes.size > 0
    ? { problems: [...mistakes.values(), ...problems] }
    : bound
}

/** Options whose value is not known yet count as absent where their stand-in is not accepted. */
function bindValues(reading: Reading, nodes: TriggerNodes, trigger: Trigger, values: Json) {
  const bound = trigger.bind(values)
  if (!reading.standIns || !('issues' in bound)) return bound
  const unknown = bound.issues.filter((issue) => dependsOnExpression(reading, nodes, issue))
  if (unknown.length === 0) return bound
  return trigger.bind(unknown.reduce((known, issue) => without(known, pathOf(issue)), values))
}

/** Of one value, or of several together: a rule about a whole mapping that holds an expression. */
function dependsOnExpression(reading: Reading, nodes: TriggerNodes, issue: Issue): boolean {
  const node = nodeAt(reading, nodes, pathOf(issue))
  if (issue.kind === 'schema') return isComputed(node)
  let found = false
  visit(node, {
    Scalar(_, scalar) {
      found ||= isComputed(scalar)
    },
  })
  return found
}

/** A value without the part that stands at a path. */
function without(value: Json, [key, ...rest]: Path): Json {
  if (Array.isArray(value)) return value.filter((_, at) => at !== key)
  if (!isObject(value)) return value
  const entries = Object.entries(value as Record<string, Json>).flatMap(([name, part]) => {
    if (name !== String(key)) return [[name, part] as const]
    return rest.length > 0 ? [[name, without(part, rest)] as const] : []
  })
  return record(entries)
}

/** The library stops at the first unknown key; this is about all of them. */
function withUnknownOptions(issues: readonly Issue[], known: readonly string[]): Issue[] {
  return issues.flatMap((issue) => {
    const [place, ...deeper] = issue.path ?? []
    if (place?.type !== 'object' || deeper.length > 0 || !isUnknownKey(issue)) return issue
    const unknown = Object.keys(place.input).filter((key) => !known.includes(key))
    return unknown.map((key): Issue => ({ ...issue, path: [{ ...place, key }] }))
  })
}

/** A schema takes a list for an object with the keys `0`, `1`, … */
function listOfOptions({ source }: Reading, { key, options }: TriggerNodes): Problem {
  const position = positionAt(source, ...rangeOf(options ?? key))
  return { message: 'options are a list, not a mapping of options', position }
}

/** What a schema says, at the place in the file that it is about. */
function issueProblem(
  reading: Reading,
  nodes: TriggerNodes,
  known: readonly string[],
  issue: Issue,
): Problem {
  const path = pathOf(issue)
  const find = isUnknownKey(issue) ? keyAt : nodeAt
  const position = positionAt(reading.source, ...rangeOf(find(reading, nodes, path)))
  // An unknown key is text of the file, unless the whole mapping comes from an expression.
  const origin = isUnknownKey(issue) ? path.slice(0, -1) : path
  const computed = isComputed(nodeAt(reading, nodes, origin))
  return { ...(computed ? describeComputed(issue, path) : describe(issue, path, known)), position }
}

function isComputed(node: Node): boolean {
  return isScalar(node) && typeof node.value === 'string' && hasExpression(node.value)
}
