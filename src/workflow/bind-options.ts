import type { BaseIssue } from 'valibot'
import { isScalar, type Node } from 'yaml'
import { CONFIG_OPTIONS, MOVED_KEYS } from '../items/config.ts'
import type { Problem } from '../protocol/errors.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { BoundTrigger, Trigger } from '../triggers/trigger.ts'
import { hasExpression } from './expressions.ts'
import { keyAt, nodeAt, optionValues, type Path, pathKey } from './options.ts'
import { quoted } from './quoted.ts'
import type { Reading, TriggerNodes } from './reading.ts'
import { positionAt, rangeOf } from './source.ts'
import { didYouMean } from './suggestion.ts'

/** A place in the options, and what a schema says about it. */
type Issue = BaseIssue<unknown>

/** Options that a trigger accepts, or everything that is wrong with them. */
export function bindOptions(
  reading: Reading,
  nodes: TriggerNodes,
  trigger: Trigger,
): BoundTrigger | { readonly problems: readonly Problem[] } {
  const { values, mistakes } = optionValues(reading, nodes)
  if (Array.isArray(values)) return { problems: [listOfOptions(reading, nodes)] }
  const bound = trigger.bind(values)
  const issues = 'issues' in bound ? withUnknownOptions(bound.issues, trigger.optionNames) : []
  const news = issues.filter((issue) => !mistakes.has(pathKey(pathOf(issue))))
  const problems = news
    .slice(0, LIMITS.problems)
    .map((issue) => issueProblem(reading, nodes, trigger.optionNames, issue))
  return 'issues' in bound || mistakes.size > 0
    ? { problems: [...mistakes.values(), ...problems] }
    : bound
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

/** What an expression gave may be a secret: its kind may be named, its text not. */
function describeComputed(issue: Issue, path: Path): Problem {
  const option = isUnknownKey(issue) ? '' : optionName(path)
  if (issue.kind === 'schema' && issue.type !== 'picklist' && !isUnknownKey(issue)) {
    return wrongType(issue, option)
  }
  if (issue.type === 'non_empty') return { message: `"${option}": ${issue.message}` }
  const wanted = option === '' ? 'options' : `"${option}"`
  return { message: `the expression gives no valid ${wanted}` }
}

function pathOf(issue: Issue): Path {
  return (issue.path ?? []).map((item) => item.key as string | number) // options are JSON
}

function describe(issue: Issue, path: Path, known: readonly string[]): Problem {
  if (isUnknownKey(issue)) return unknownOption(issue, path, known)
  const option = optionName(path)
  if (issue.type === 'picklist') return notAllowed(issue)
  if (issue.kind === 'schema') return wrongType(issue, option)
  return { message: `"${option}": ${issue.message}` }
}

function optionName(path: Path): string {
  return path.filter((key) => typeof key === 'string').join('.')
}

/** valibot marks a key that a strict object does not have with an origin of its own. */
function isUnknownKey(issue: Issue): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never'
}

/** A mapping within the options says in its message what there is: `options: scheme, secret`. */
function optionsOf({ message }: Issue): string[] {
  const [, names] = /^options: (.*)/.exec(message) ?? []
  return names?.split(', ') ?? []
}

function unknownOption(issue: Issue, path: Path, known: readonly string[]): Problem {
  const name = String(path.at(-1))
  const common = Object.keys(CONFIG_OPTIONS)
  if (path.length === 1 && common.includes(name)) {
    return { message: `unknown option ${quoted(name)}`, hint: 'it belongs under "config"' }
  }
  const isCommon = path.length === 2 && path[0] === 'config'
  const moved = isCommon ? MOVED_KEYS.get(name) : undefined
  if (moved !== undefined) return { message: `"config.${name}" is not known here`, notes: [moved] }
  const names = path.length === 1 ? known : isCommon ? common : optionsOf(issue)
  return withHint(`unknown option ${quoted(name)}`, name, names, 'options')
}

/** The schema's message is the noun: `HTTP method`. */
function notAllowed({ message: noun, expected, input }: Issue): Problem {
  const allowed = [...(expected ?? '').matchAll(/"([^"]*)"/g)].map(([, name = '']) => name)
  if (typeof input === 'string') {
    return withHint(`unknown ${noun} ${quoted(input)}`, input, allowed, 'allowed')
  }
  return withHint(`${noun} is ${kindOf(input)}, not a name`, '', allowed, 'allowed')
}

function withHint(
  message: string,
  found: string,
  names: readonly string[],
  label: string,
): Problem {
  const hint = didYouMean(found, names)
  const notes = names.length > 0 ? [`${label}: ${names.join(', ')}`] : []
  return { message, ...(hint && { hint }), notes }
}

function wrongType(issue: Issue, option: string): Problem {
  const wanted = (issue.expected ?? 'something else').replace(/^Object$/, 'a mapping of options')
  if (option === '') return { message: `options are ${kindOf(issue.input)}, not ${wanted}` }
  return { message: `"${option}" is ${kindOf(issue.input)}, not ${article(wanted)}` }
}

function article(noun: string): string {
  if (noun.startsWith('a ')) return noun
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`
}
