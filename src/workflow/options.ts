import type { BaseIssue } from 'valibot'
import { type Document, isScalar, isSeq, type Node, visit } from 'yaml'
import { CONFIG_OPTIONS, MOVED_KEYS } from '../triggers/config-options.ts'
import { ORDER_OPERATORS, orderOfLongIntegers } from '../triggers/mongo-operators.ts'
import { type BoundTrigger, OTHER_OPTIONS, type Trigger } from '../triggers/trigger.ts'
import type { Source } from '../wire/errors.ts'
import { isObject, type Json, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { ExpressionMistake, hasExpression } from './expression-text.ts'
import type { Contexts } from './expressions.ts'
import type { Mistake, MistakeCode } from './mistakes.ts'
import { didYouMean, quoted } from './suggestion.ts'
import { type NodePair, type Path, pairOf, pathKey, positionAt, rangeOf, resolved } from './yaml.ts'

/** The valid options of a trigger, or all of their mistakes. */
export function bindOptions(
  reading: Reading,
  nodes: NodePair,
  trigger: Trigger,
): BoundTrigger | { readonly problems: readonly Mistake[] } {
  const { values, mistakes } = optionValues(reading, nodes)
  const list = listForMapping(values)
  if (list) {
    const position = positionAt(reading.source, ...rangeOf(nearestNode(reading, nodes, list)))
    const [name, item] = list
    const whose = item === undefined ? '' : 'an item of '
    const subject = name === undefined ? 'options are' : `${whose}"${name}" is`
    const message = `${subject} a list, not a mapping of options`
    return { problems: [{ code: 'trigger-form', message, position }] }
  }
  const bound = bindValues(reading, nodes, trigger, values)
  const issues = 'issues' in bound ? withUnknownOptions(bound.issues, trigger.optionNames) : []
  const news = issues.filter((issue) => !mistakes.has(pathKey(issuePath(issue))))
  const problems = news
    .slice(0, LIMITS.problems)
    .map((issue) => issueProblem(reading, nodes, trigger.optionNames, issue))
  return 'issues' in bound || mistakes.size > 0
    ? { problems: [...mistakes.values(), ...problems] }
    : bound
}

/** The path of the first list that a schema would accept as an object with the keys `0`, `1`, … */
function listForMapping(values: Json): Path | undefined {
  if (Array.isArray(values)) return []
  if (!isObject(values)) return undefined
  if (Array.isArray(values.config)) return ['config']
  const entry = Array.isArray(values.verify) ? values.verify.findIndex(Array.isArray) : -1
  return entry < 0 ? undefined : ['verify', entry]
}

/** An option whose value is not known yet counts as absent if its placeholder is not accepted. */
function bindValues(reading: Reading, nodes: NodePair, trigger: Trigger, values: Json) {
  const bound = trigger.bind(values)
  if (!reading.placeholders || !('issues' in bound)) return bound
  const unknown = bound.issues
    .filter((issue) => dependsOnExpression(reading, nodes, issue))
    .map(subjectPath)
  if (unknown.length === 0) return bound
  const bindWithout = (paths: readonly Path[]) => {
    const known = new KnownOptions(values, paths)
    const rest = trigger.bind(known.values)
    return 'issues' in rest ? { issues: rest.issues.map((issue) => known.written(issue)) } : rest
  }
  const known = bindWithout(unknown)
  if (!('issues' in known)) return known
  // The rest of such a mapping may lack what only the run knows.
  const mappings = new Set(
    unknown.flatMap((path) => path.slice(1).map((_, at) => pathKey(path.slice(0, at + 1)))),
  )
  const isRest = (issue: Issue) => mappings.has(pathKey(subjectPath(issue)))
  const certain = known.issues.filter((issue) => !isRest(issue))
  if (certain.length > 0) return { issues: certain }
  return bindWithout([...unknown, ...known.issues.map(subjectPath)])
}

/** Options without the values at some paths. */
class KnownOptions {
  readonly values: Json
  /** The indices in the file of the items that each list still has. */
  readonly #indices = new Map<unknown, readonly number[]>()

  constructor(values: Json, unknown: readonly Path[]) {
    this.values = this.#without(values, unknown) ?? {}
  }

  /** `undefined` for a value at one of the paths, and for a list without any item left. */
  #without(value: Json, paths: readonly Path[]): Json | undefined {
    if (paths.some(({ length }) => length === 0)) return undefined
    if (paths.length === 0 || typeof value !== 'object' || value === null) return value
    const below = new Map<string, Path[]>()
    for (const [key, ...rest] of paths) {
      const others = below.get(String(key))
      if (others) others.push(rest)
      else below.set(String(key), [rest])
    }
    const entries = Object.entries(value).flatMap(([key, part]) => {
      const known = this.#without(part, below.get(key) ?? [])
      return known === undefined ? [] : [[key, known] as const]
    })
    if (!Array.isArray(value)) return record(entries)
    const items = entries.map(([, item]) => item)
    this.#indices.set(
      items,
      entries.map(([key]) => Number(key)),
    )
    return items.length > 0 ? items : undefined
  }

  /** An issue of these options, with the indices that its items have in the file. */
  written(issue: Issue): Issue {
    let list: unknown = this.values
    const path = issue.path?.map((item) => {
      const key = this.#indices.get(list)?.[Number(item.key)] ?? item.key
      list = typeof list === 'object' && list ? Reflect.get(list, String(item.key)) : undefined
      return { ...item, key }
    })
    return { ...issue, path: path as Issue['path'] } // the same items, of which only keys changed
  }
}

/** Whether a value, or a part of a mapping that a rule concerns, contains an expression. */
function dependsOnExpression(reading: Reading, nodes: NodePair, issue: Issue): boolean {
  const path = issuePath(issue)
  // Keys are written in the file, even if their values come from expressions.
  const isOfKeys = issue.expected === OTHER_OPTIONS
  const mapping = isUnknownKey(issue) ? path.slice(0, -1) : isOfKeys ? subjectPath(issue) : path
  const node = nearestNode(reading, nodes, mapping)
  if (issue.kind === 'schema' || isOfKeys) return isComputed(node)
  let found = false
  visit(node, {
    Scalar(_, scalar) {
      found ||= isComputed(scalar)
    },
  })
  return found
}

/** The library reports only the first unknown key; this adds the others. */
function withUnknownOptions(issues: readonly Issue[], known: readonly string[]): Issue[] {
  return issues.flatMap((issue) => {
    const [place, ...deeper] = issue.path ?? []
    if (place?.type !== 'object' || deeper.length > 0 || !isUnknownKey(issue)) return issue
    const unknown = Object.keys(place.input).filter((key) => !known.includes(key))
    return unknown.map((key): Issue => ({ ...issue, path: [{ ...place, key }] }))
  })
}

/** A schema's issue as a problem, with its position in the file. */
function issueProblem(
  reading: Reading,
  nodes: NodePair,
  known: readonly string[],
  issue: Issue,
): Mistake {
  const path = issuePath(issue)
  const isUnknown = isUnknownKey(issue)
  // An unknown key is written in the file, unless an expression returns the whole mapping.
  const isAboutKey = isUnknown || issue.path?.at(-1)?.origin === 'key'
  const origin = nearestNode(reading, nodes, isAboutKey ? path.slice(0, -1) : path)
  const computed = isComputed(origin)
  const key = isAboutKey && !computed ? (pairOf(origin, path.at(-1))?.key ?? nodes.key) : undefined
  const position = positionAt(reading.source, ...rangeOf(key ?? origin))
  const mistake = computed
    ? describeComputed(issue, subjectPath(issue))
    : describe(issue, path, known)
  return { ...mistake, position }
}

function isComputed(node: Node): boolean {
  return isScalar(node) && typeof node.value === 'string' && hasExpression(node.value)
}

/** An issue of a schema, with a path in the options. */
type Issue = BaseIssue<unknown>

/** The value of an expression may be a secret, so the message names its type only. */
function describeComputed(issue: Issue, path: Path): Mistake {
  const option = isUnknownKey(issue) ? '' : optionName(path)
  if (issue.kind === 'schema' && issue.type !== 'picklist' && !isUnknownKey(issue)) {
    // Quotes around an expression do not change the type of its value.
    const { hint: _, ...mistake } = wrongType(issue, option)
    const isText =
      typeof issue.input === 'string' && /^(number|boolean)$/.test(issue.expected ?? '')
    return isText ? { ...mistake, hint: FROM_JSON } : mistake
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

/** GitHub's variables and secrets are strings. */
const FROM_JSON = 'convert the string: ${{ fromJSON(…) }}'

function issuePath(issue: Issue): Path {
  return (issue.path ?? []).map((item) => item.key as string | number) // options are JSON
}

/** The path of the mapping, for an issue of a whole mapping that is shown at one of its keys. */
function subjectPath(issue: Issue): Path {
  const path = issuePath(issue)
  const isOfMapping = issue.type === 'raw_transform' && issue.path?.at(-1)?.origin === 'key'
  return isOfMapping ? path.slice(0, -1) : path
}

function describe(issue: Issue, path: Path, known: readonly string[]): Mistake {
  if (isUnknownKey(issue)) return unknownOption(path, known, issue.message)
  const option = optionName(subjectPath(issue))
  if (issue.type === 'picklist') {
    // The schema's message is a noun: `HTTP method`.
    const { message: noun, expected, input } = issue
    const allowed = [...(expected ?? '').matchAll(/"([^"]*)"/g)].map(([, name = '']) => name)
    const isName = typeof input === 'string'
    const type = yamlTypeInWords(input)
    const message = isName ? `unknown ${noun} ${quoted(input)}` : `${noun} is ${type}, not a name`
    return withHint('option-value', message, isName ? input : '', allowed, 'allowed')
  }
  if (issue.kind === 'schema') return wrongType(issue, option)
  return { code: 'option-value', message: aboutOption(option, issue) }
}

/**
 * The beginning of a message: `"config.limit" is less than 0`, but `"config.filter": operator $gtt
 * is not known here`, because an issue of a schema's own code is a sentence by itself.
 */
function aboutOption(option: string, { type, message }: Issue): string {
  const isSentence = type === 'raw_check' || type === 'raw_transform'
  return isSentence ? `"${option}": ${message}` : `"${option}" ${message}`
}

function optionName(path: Path): string {
  return path.filter((key) => typeof key === 'string').join('.')
}

/** valibot marks an unknown key of a strict object by its `origin`. */
function isUnknownKey(issue: Issue): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never'
}

/** @param listed the message of a mapping within an option, which lists its keys */
function unknownOption(path: Path, known: readonly string[], listed: string): Mistake {
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
  const within = path[0] === 'verify' ? listed.replace('options: ', '').split(', ') : []
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
    return {
      code: 'trigger-form',
      message: `options are ${yamlTypeInWords(issue.input)}, not ${wanted}`,
    }
  const article = wanted.startsWith('a ') ? '' : /^[aeiou]/.test(wanted) ? 'an ' : 'a '
  const message = `"${option}" is ${yamlTypeInWords(issue.input)}, not ${article}${wanted}`
  // In YAML 1.2 `yes`, `no`, `on` and `off` are strings.
  const isUnquoted = wanted === 'string' && typeof issue.input === 'number'
  const hint =
    wanted === 'boolean' ? 'write true or false' : isUnquoted ? 'write it in quotes' : undefined
  return { code: 'option-value', message, ...(hint && { hint }) }
}

function yamlTypeInWords(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (Number.isNaN(value)) return 'NaN'
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`
}

/**
 * The options of a trigger as plain values, with all `${{ }}` evaluated. Mistakes in expressions
 * are listed by `pathKey`; the value there is `null`.
 *
 * @throws UserError if an alias is unknown, expands too much, or contains itself
 */
function optionValues(
  reading: Reading,
  trigger: NodePair,
): { values: Json; mistakes: ReadonlyMap<string, Mistake> } {
  const mistakes = new Map<string, Mistake>()
  // YAML 1.2 core is JSON, and the parser has checked the aliases.
  const plain = (trigger.value?.toJS(reading.document, { maxAliasCount: -1 }) ?? null) as Json
  const values = mapScalars(plain, [], (scalar, path) => {
    const value = typeof scalar === 'string' ? evaluated(scalar, path) : scalar
    const [option, key] = path
    // Numbers of these two options are compared with the values of an item.
    const isCompared = option === 'config' && (key === 'filter' || key === 'filterOutputs')
    if (typeof value === 'number' && isCompared) {
      const mistake = longInteger(reading, trigger, path, value)
      if (mistake) mistakes.set(pathKey(path), mistake)
    }
    return value
  })
  return { values: values ?? {}, mistakes }

  function evaluated(text: string, path: Path): Json {
    const { contexts, expressions, placeholders } = reading
    if (!expressions || !hasExpression(text)) return text
    if (mistakes.size === LIMITS.problems) return null
    try {
      const [option, key] = path
      const isAuthentication = AUTHENTICATION_OPTIONS.includes(option)
      // The sender of an event must not choose who can start a run, which code runs, or where a
      // file is written.
      const isOwn = isAuthentication || (option === 'config' && PROGRAMS.includes(key))
      if (isOwn) expressions.refuseEvent(text, contexts)
      const value = expressions.fillIn(text, contexts)
      // Before a run every name has a placeholder, except computed names.
      if (!placeholders) expressions.refuseUnset(text, contexts, isAuthentication)
      return value
    } catch (error) {
      // A placeholder is no JSON, so `fromJSON(vars.LIST)` has a value only in a run.
      if (placeholders && error instanceof ExpressionMistake && error.isOfValue) return text
      mistakes.set(pathKey(path), expressionProblem(reading, trigger, path, error))
      return null
    }
  }
}

/** JSON numbers of so many digits are strings in an item, so that no such number matches. */
function longInteger(
  reading: Reading,
  trigger: NodePair,
  path: Path,
  value: number,
): Mistake | undefined {
  if (!Number.isInteger(value) || Math.abs(value) < 1e15) return undefined
  const node = nearestNode(reading, trigger, path)
  const digits = isScalar(node) && !isComputed(node) ? node.source : undefined
  if (digits !== undefined && /^[\d.+-]+e|\./i.test(digits)) return undefined
  const position = positionAt(reading.source, ...rangeOf(node))
  const operator = path.findLast((key) => ORDER_OPERATORS.has(String(key)))
  const option = optionName(path)
  if (operator !== undefined) {
    const message = `"${option}": ${orderOfLongIntegers(String(operator))}`
    return { code: 'option-value', message, position }
  }
  return {
    code: 'option-value',
    message: `"${option}" is an integer of 16 or more digits, which is a string in the item`,
    position,
    // The item has the digits without a `+`, and in decimal.
    hint: `write it in quotes${digits === undefined ? '' : `: "${BigInt(digits.replace('+', ''))}"`}`,
  }
}

/** Options that authenticate a request or a bot, and options that are a single expression. */
const AUTHENTICATION_OPTIONS: readonly unknown[] = [undefined, 'verify', 'token', 'secretToken']

const PROGRAMS: readonly unknown[] = [
  undefined,
  'filterScript',
  'sortScript',
  'format',
  'outputsDir',
]

function mapScalars(
  value: Json,
  path: Path,
  change: (scalar: string | number, path: Path) => Json,
): Json {
  if (typeof value === 'string' || typeof value === 'number') return change(value, path)
  if (Array.isArray(value)) return value.map((part, at) => mapScalars(part, [...path, at], change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return record(entries.map(([key, part]) => [key, mapScalars(part, [...path, key], change)]))
}

function expressionProblem(
  reading: Reading,
  trigger: NodePair,
  path: Path,
  error: unknown,
): Mistake {
  if (!(error instanceof ExpressionMistake)) throw error
  const { source } = reading
  const [start, end] = rangeOf(nearestNode(reading, trigger, path))
  const at = source.text.indexOf(error.expression, start)
  const found = at >= 0 && at < end
  const position = found
    ? positionAt(source, at, at + error.expression.length)
    : positionAt(source, start, end)
  const option = optionName(path)
  const message = option === '' ? error.message : `"${option}": ${error.message}`
  return { code: 'bad-expression', message, position }
}

/** The node at a path; if it does not exist, its nearest parent, or the trigger's name. */
export function nearestNode(reading: Reading, trigger: NodePair, path: Path): Node {
  let node = trigger.value ?? trigger.key
  for (const key of path) {
    const value = isSeq(node) ? node.items[Number(key)] : pairOf(node, key)?.value
    const next = resolved(reading.document, value)
    if (!next) return node === trigger.value && !isScalar(node) ? trigger.key : node
    node = next
  }
  return node
}

/** The inputs for reading a part of a workflow. */
export interface Reading {
  readonly source: Source
  readonly document: Document.Parsed
  readonly contexts: Contexts
  /**
   * The evaluation of expressions. The action leaves its library out for a section that has none.
   */
  readonly expressions:
    | Pick<typeof import('./expressions.ts'), 'fillIn' | 'refuseEvent' | 'refuseUnset'>
    | undefined
  /** The triggers that a section can declare, by each of their names. */
  readonly triggers: ReadonlyMap<string, Trigger>
  /**
   * True if the contexts contain placeholders, as before a run. An option that does not accept the
   * value of an expression is then no mistake.
   */
  readonly placeholders?: boolean
}
