import type { BaseIssue } from 'valibot'
import { type Document, isScalar, isSeq, type Node, visit } from 'yaml'
import { CONFIG_OPTIONS, MOVED_KEYS } from '../triggers/config.ts'
import type { BoundTrigger, Trigger } from '../triggers/trigger.ts'
import { VERIFY_OPTIONS } from '../triggers/verify.ts'
import type { Source } from '../wire/errors.ts'
import { isObject, type Json, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import {
  type Contexts,
  ExpressionMistake,
  fillIn,
  hasExpression,
  refuseEvent,
  refuseUnset,
} from './expressions.ts'
import { type Mistake, type MistakeCode, Refusal } from './mistakes.ts'
import { didYouMean, quoted } from './suggestion.ts'
import { type NodePair, type Path, pairOf, pathKey, positionAt, rangeOf, resolved } from './yaml.ts'

/** Options that a trigger accepts, or everything that is wrong with them. */
export function bindOptions(
  reading: Reading,
  nodes: NodePair,
  trigger: Trigger,
): BoundTrigger | { readonly problems: readonly Mistake[] } {
  const { values, mistakes } = optionValues(reading, nodes)
  // A schema takes a list for an object with the keys `0`, `1`, …
  if (Array.isArray(values)) {
    const position = positionAt(reading.source, ...rangeOf(nodes.value ?? nodes.key))
    return {
      problems: [
        { code: 'trigger-form', message: 'options are a list, not a mapping of options', position },
      ],
    }
  }
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
function bindValues(reading: Reading, nodes: NodePair, trigger: Trigger, values: Json) {
  const bound = trigger.bind(values)
  if (!reading.placeholders || !('issues' in bound)) return bound
  const unknown = bound.issues.filter((issue) => dependsOnExpression(reading, nodes, issue))
  if (unknown.length === 0) return bound
  return trigger.bind(unknown.reduce((known, issue) => without(known, pathOf(issue)), values))
}

/** Of one value, or of several together: a rule about a whole mapping that holds an expression. */
function dependsOnExpression(reading: Reading, nodes: NodePair, issue: Issue): boolean {
  const path = pathOf(issue)
  // The name of an option is text of the file, whatever its value is.
  const node = nodeAt(reading, nodes, isUnknownKey(issue) ? path.slice(0, -1) : path)
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

/** What a schema says, at the place in the file that it is about. */
function issueProblem(
  reading: Reading,
  nodes: NodePair,
  known: readonly string[],
  issue: Issue,
): Mistake {
  const path = pathOf(issue)
  const isUnknown = isUnknownKey(issue)
  // An unknown key is text of the file, unless the whole mapping comes from an expression.
  const origin = nodeAt(reading, nodes, isUnknown ? path.slice(0, -1) : path)
  const place = isUnknown ? (pairOf(origin, path.at(-1))?.key ?? nodes.key) : origin
  const position = positionAt(reading.source, ...rangeOf(place))
  const computed = isComputed(origin)
  return { ...(computed ? describeComputed(issue, path) : describe(issue, path, known)), position }
}

function isComputed(node: Node): boolean {
  return isScalar(node) && typeof node.value === 'string' && hasExpression(node.value)
}

/** A place in the options, and what a schema says about it. */
type Issue = BaseIssue<unknown>

/** What an expression gave may be a secret: its kind may be named, its text not. */
function describeComputed(issue: Issue, path: Path): Mistake {
  const option = isUnknownKey(issue) ? '' : optionName(path)
  if (issue.kind === 'schema' && issue.type !== 'picklist' && !isUnknownKey(issue)) {
    return wrongType(issue, option)
  }
  const isEmpty = issue.type === 'non_empty' || (issue.type === 'regex' && issue.input === '')
  if (isEmpty) return { code: 'option-value', message: aboutOption(option, issue) }
  const wanted = option === '' ? 'options' : `"${option}"`
  const hint = issue.type === 'regex' ? `it ${issue.message}` : undefined
  return {
    code: 'option-value',
    message: `the expression gives no valid ${wanted}`,
    ...(hint && { hint }),
  }
}

/** Where in the options an issue is. */
function pathOf(issue: Issue): Path {
  return (issue.path ?? []).map((item) => item.key as string | number) // options are JSON
}

/** What an issue says to a person. */
function describe(issue: Issue, path: Path, known: readonly string[]): Mistake {
  if (isUnknownKey(issue)) return unknownOption(path, known)
  const option = optionName(path)
  if (issue.type === 'picklist') {
    // The schema's message is the noun: `HTTP method`.
    const { message: noun, expected, input } = issue
    const allowed = [...(expected ?? '').matchAll(/"([^"]*)"/g)].map(([, name = '']) => name)
    return typeof input === 'string'
      ? withHint('option-value', `unknown ${noun} ${quoted(input)}`, input, allowed, 'allowed')
      : withHint('option-value', `${noun} is ${kindOf(input)}, not a name`, '', allowed, 'allowed')
  }
  if (issue.kind === 'schema') return wrongType(issue, option)
  return { code: 'option-value', message: aboutOption(option, issue) }
}

/**
 * `"config.limit" is less than 0`, but `"config.filter": operator $gtt is not known here`: what a
 * schema finds out by code of its own, which may be several things, is a sentence by itself.
 */
function aboutOption(option: string, { type, message }: Issue): string {
  const isSentence = type === 'raw_check' || type === 'raw_transform'
  return isSentence ? `"${option}": ${message}` : `"${option}" ${message}`
}

function optionName(path: Path): string {
  return path.filter((key) => typeof key === 'string').join('.')
}

/** valibot marks a key that a strict object does not have with an origin of its own. */
function isUnknownKey(issue: Issue): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never'
}

function unknownOption(path: Path, known: readonly string[]): Mistake {
  const name = String(path.at(-1))
  const common = Object.keys(CONFIG_OPTIONS)
  if (path.length === 1 && common.includes(name)) {
    return {
      code: 'unknown-option',
      message: `unknown option ${quoted(name)}`,
      hint: 'it belongs under "config"',
    }
  }
  const isCommon = path.length === 2 && path[0] === 'config'
  const within = path[0] === 'verify' ? VERIFY_OPTIONS : []
  const moved = isCommon ? MOVED_KEYS.get(name) : undefined
  if (moved !== undefined)
    return { code: 'unknown-option', message: `"config.${name}" is not known here`, notes: [moved] }
  const names = path.length === 1 ? known : isCommon ? common : within
  return withHint('unknown-option', `unknown option ${quoted(name)}`, name, names, 'options')
}

function withHint(
  code: MistakeCode,
  message: string,
  found: string,
  names: readonly string[],
  label: string,
): Mistake {
  const hint = didYouMean(found, names)
  const notes = names.length > 0 ? [`${label}: ${names.join(', ')}`] : []
  return { code, message, ...(hint && { hint }), notes }
}

function wrongType(issue: Issue, option: string): Mistake {
  const wanted = (issue.expected ?? 'something else')
    .replace(/^Object$/, 'a mapping of options')
    .replace(/^\((.*)\)$/, (_, kinds: string) => kinds.replaceAll(' | ', ' or a '))
  if (option === '')
    return { code: 'trigger-form', message: `options are ${kindOf(issue.input)}, not ${wanted}` }
  const article = wanted.startsWith('a ') ? '' : /^[aeiou]/.test(wanted) ? 'an ' : 'a '
  const message = `"${option}" is ${kindOf(issue.input)}, not ${article}${wanted}`
  // In YAML 1.2 `yes`, `no`, `on` and `off` are text.
  const hint = wanted === 'boolean' ? 'write true or false' : undefined
  return { code: 'option-value', message, ...(hint && { hint }) }
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`
}

/**
 * The options of a trigger as plain values, with every `${{ }}` in them filled in. The mistakes in
 * these stand by `pathKey`; the value there is `null`.
 *
 * @throws UserError when an alias is unknown, bombs, or contains itself
 */
function optionValues(
  reading: Reading,
  trigger: NodePair,
): { values: Json; mistakes: ReadonlyMap<string, Mistake> } {
  const mistakes = new Map<string, Mistake>()
  const values = mapTexts(plainValues(reading, trigger), [], (text, path) => {
    if (!hasExpression(text)) return text
    if (mistakes.size === LIMITS.problems) return null
    try {
      const [option, key] = path
      const isProof = PROOFS.includes(option)
      // What decides who may fire, is run, or says where a file goes, is not for a sender to word.
      const isOwn = isProof || (option === 'config' && PROGRAMS.includes(key))
      if (isOwn) refuseEvent(text, reading.contexts)
      const value = fillIn(text, reading.contexts)
      // Before a run every name has a placeholder, but for those that are computed.
      if (!reading.placeholders) refuseUnset(text, reading.contexts, isProof)
      return value
    } catch (error) {
      mistakes.set(pathKey(path), expressionProblem(reading, trigger, path, error))
      return null
    }
  })
  return { values: values ?? {}, mistakes }
}

/** What a request or a bot is proved by, and options that are one expression as a whole. */
const PROOFS: readonly unknown[] = [undefined, 'verify', 'token', 'secretToken']

const PROGRAMS: readonly unknown[] = [
  undefined,
  'filterScript',
  'sortScript',
  'format',
  'outputsDir',
]

function plainValues({ document, source }: Reading, { key, value: options }: NodePair): Json {
  if (options === null) return null
  try {
    const values = options.toJS(document, { maxAliasCount: LIMITS.yamlAliases }) as Json // YAML 1.2 core is JSON
    JSON.stringify(values) // throws when an alias contains itself
    return values
  } catch (cause) {
    const position = positionAt(source, ...rangeOf(key))
    const message = 'YAML: an alias is unknown, contains itself, or is used too often'
    throw new Refusal({ code: 'bad-alias', message, position }, { cause })
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
  trigger: NodePair,
  path: Path,
  error: unknown,
): Mistake {
  if (!(error instanceof ExpressionMistake)) throw error
  const { source } = reading
  const [start, end] = rangeOf(nodeAt(reading, trigger, path))
  const at = source.text.indexOf(error.expression, start)
  const found = at >= 0 && at < end
  const position = found
    ? positionAt(source, at, at + error.expression.length)
    : positionAt(source, start, end)
  const option = optionName(path)
  const message = option === '' ? error.message : `"${option}": ${error.message}`
  return { code: 'bad-expression', message, position }
}

/** The node at a path; the nearest one above it, or the trigger's name, where there is none. */
export function nodeAt(reading: Reading, trigger: NodePair, path: Path): Node {
  let node = trigger.value ?? trigger.key
  for (const key of path) {
    const value = isSeq(node) ? node.items[Number(key)] : pairOf(node, key)?.value
    const next = resolved(reading.document, value)
    if (!next) return node === trigger.value && !isScalar(node) ? trigger.key : node
    node = next
  }
  return node
}

/** What reading a part of a workflow takes. */
export interface Reading {
  readonly source: Source
  readonly document: Document.Parsed
  readonly contexts: Contexts
  /**
   * True when the contexts hold placeholders, as they do before a run: then it says nothing that an
   * option does not accept the value of an expression.
   */
  readonly placeholders?: boolean
}
