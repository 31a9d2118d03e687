import { data, Evaluator, type Expr, Parser } from '@actions/expressions'
import {
  Binary,
  ContextAccess,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Star,
  Unary,
} from '@actions/expressions/ast'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import { TokenType } from '@actions/expressions/lexer'
import { truthy } from '@actions/expressions/result'
import type { Json, JsonObject } from '../wire/json.ts'
import { expressionData, TO_JSON } from '../workflow/expression-data.ts'
import { hasExpression } from '../workflow/expression-text.ts'
import { expressionSpans, lex, textExpression } from '../workflow/expressions.ts'
import { childrenOf, partsOf } from '../workflow/file-expressions.ts'

/** The result of an expression before a run, one of three: a known value, an unknown value, an error. */
export type ExpressionResult = { readonly value: Json } | Unknown | { readonly fails: string }

interface Unknown {
  /** The value that it depends on, in words. */
  readonly unknown: string
  /** Set if the value is unknown and its truth is known. */
  readonly truth?: boolean
  /** All values that are possible, if these are known: `['success', 'failure', …]`. */
  readonly values?: readonly Json[]
}

/** The results of the status functions; `undefined` if only a run can know. */
export interface Status {
  readonly success: boolean | undefined
  readonly failure: boolean | undefined
  readonly cancelled: boolean
}

/** The results of the jobs before are not known. */
export const UNKNOWN_STATUS: Status = { success: undefined, failure: undefined, cancelled: false }

/** No job before has failed. */
export const SUCCESS_STATUS: Status = { success: true, failure: false, cancelled: false }

/** Contexts by name. Any value in them may be `unknownValue(…)`. */
export type PartialContexts = JsonObject

/** The beginning of the string that represents an unknown value; no string of an event contains it. */
const MARK = '\u0000not known here: '
const MARK_IN_JSON = JSON.stringify(MARK).slice(1, -1)
const VALUES_MARK = '\u0000one of: '

/**
 * Represents, in a context, a value that only a run can know.
 *
 * @param what in words: `a secret`
 * @param values all possible values, so that a comparison with another value is known to be false
 */
export function unknownValue(what: string, values?: readonly Json[]): string {
  return MARK + what + (values ? VALUES_MARK + JSON.stringify(values) : '')
}

function readUnknown(text: string): Unknown {
  const [what = '', values] = text.slice(MARK.length).split(VALUES_MARK)
  if (values === undefined) return { unknown: what }
  return { unknown: what, values: JSON.parse(values) as readonly Json[] } // written by unknown()
}

/** Whether a value of a context is unknown, or has an unknown part. */
export function hasUnknown(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).includes(MARK_IN_JSON)
}

/** `needs.<id>.result`, `steps.<id>.outcome` and `steps.<id>.conclusion`. */
export const RESULTS = ['success', 'failure', 'cancelled', 'skipped'] as const

/** The contexts of GitHub and `on`, Hookline's own; each with the words for an unknown value in it. */
const CONTEXTS: Readonly<Record<string, string>> = {
  github: 'the run itself',
  env: 'an environment variable',
  vars: 'a variable of the repository',
  secrets: 'a secret',
  runner: 'the runner',
  job: 'the job as it runs',
  jobs: 'the jobs as they ran',
  steps: 'an output of a step',
  strategy: 'the matrix',
  matrix: 'the matrix',
  needs: 'another job',
  inputs: 'an input',
  on: 'the event',
}

const NAMES = Object.keys(CONTEXTS)

const MISSING: PartialContexts = Object.fromEntries(
  Object.entries(CONTEXTS).map(([name, what]) => [name, unknownValue(what)]),
)

/** The properties of `github` that only a run knows. Source: GitHub's documentation of the context. */
export const UNKNOWN_OF_GITHUB: JsonObject = Object.fromEntries(
  `action action_path action_ref action_repository action_status actor actor_id api_url base_ref env
  event_path graphql_url head_ref job path ref ref_name ref_protected ref_type repository
  repository_id repository_owner repository_owner_id repositoryUrl retention_days run_id run_number
  run_attempt secret_source server_url sha token triggering_actor workflow workflow_ref workflow_sha
  workspace`
    .split(/\s+/)
    .map((name) => [name, unknownValue(`github.${name}`)]),
)

const STATUS_FUNCTIONS = ['always', 'success', 'failure', 'cancelled'] as const

/** A parsed expression, for many events. */
export interface Parsed {
  readonly tree: Expr
  readonly callsStatus: boolean
  readonly readsFiles: boolean
  /** The names of the contexts that it reads; `github.event` if it reads the event. */
  readonly contexts: ReadonlySet<string>
}

const FUNCTIONS = [...STATUS_FUNCTIONS, 'hashFiles'].map((name) => ({
  name,
  minArgs: 0,
  maxArgs: name === 'hashFiles' ? 255 : 0,
  call: () => new data.Null(),
}))

/** @returns the reason if the text is not an expression */
export function parseForEvaluation(text: string): Parsed | { readonly fails: string } {
  if (text.trim() === '') return { fails: 'an expression was expected' }
  try {
    const tree = new Parser(lex(text), NAMES, FUNCTIONS).parse()
    const parts = partsOf(tree)
    const called = new Set(
      parts.flatMap((part) => (part instanceof FunctionCall ? calledName(part) : [])),
    )
    return {
      tree,
      callsStatus: STATUS_FUNCTIONS.some((name) => called.has(name)),
      readsFiles: called.has('hashfiles'),
      contexts: new Set(parts.flatMap(contextsReadBy)),
    }
  } catch (error) {
    return { fails: error instanceof Error ? error.message : 'malformed' }
  }
}

function calledName({ functionName }: FunctionCall): string {
  return functionName.lexeme.toLowerCase()
}

function contextsReadBy(part: Expr): string[] {
  if (part instanceof IndexAccess) {
    const { expr, index } = part
    const isGithub = expr instanceof ContextAccess && expr.name.lexeme.toLowerCase() === 'github'
    const key = index instanceof Literal ? index.literal.coerceString().toLowerCase() : ''
    return isGithub && /^event(?:_name)?$/.test(key) ? ['github.event'] : []
  }
  return part instanceof ContextAccess ? [part.name.lexeme.toLowerCase()] : []
}

/**
 * Evaluates an expression with GitHub's own library. A part that depends on an unknown value is unknown,
 * except: an operand that decides `&&` or `||`, and a comparison that has one result for all possible values.
 */
export function evaluateParsed(
  parsed: Parsed,
  contexts: PartialContexts,
  status: Status,
): ExpressionResult {
  const { values, open } = prepared(contexts)
  const evaluation = new ExpressionEvaluation(values, status)
  const isOpen = [...parsed.contexts].some((name) => open.has(name))
  return isOpen || parsed.callsStatus || parsed.readsFiles
    ? evaluation.outcome(parsed.tree)
    : evaluation.value(parsed.tree)
}

/** Contexts in the types of the library, and the names of those with unknown values. */
interface Prepared {
  readonly values: data.Dictionary
  readonly open: ReadonlySet<string>
}

/** Many expressions read one set of contexts, and many sets share a context, so each is converted once. */
const PREPARED = new WeakMap<PartialContexts, Prepared>()
const CONVERTED = new WeakMap<object, Converted>()

type Converted = { readonly value: data.ExpressionData; readonly isOpen: boolean }

function prepared(contexts: PartialContexts): Prepared {
  const before = PREPARED.get(contexts)
  if (before) return before
  const all = NAMES.map((name) => [name, contexts[name]] as const)
  const converted = all.map(([key, value]) => ({ key, ...convertedOnce(value ?? MISSING[key]) }))
  const result = {
    values: new data.Dictionary(...converted),
    open: new Set(converted.flatMap(({ key, isOpen }) => (isOpen ? key : []))),
  }
  PREPARED.set(contexts, result)
  return result
}

function convertedOnce(value: Json | undefined): Converted {
  if (typeof value !== 'object' || value === null) return convert(value)
  const before = CONVERTED.get(value)
  if (before) return before
  const converted = convert(value)
  CONVERTED.set(value, converted)
  return converted
}

function convert(value: Json | undefined): Converted {
  const text = JSON.stringify(value ?? null)
  return { value: expressionData(value ?? null), isOpen: text.includes(MARK_IN_JSON) }
}

/** The same for a part of an expression. */
export function evaluateTree(
  tree: Expr,
  contexts: PartialContexts,
  status: Status,
): ExpressionResult {
  return new ExpressionEvaluation(prepared(contexts).values, status).outcome(tree)
}

/** An invalid expression is an outcome, not an exception. */
export function evaluateText(
  text: string,
  contexts: PartialContexts,
  status: Status,
): ExpressionResult {
  const parsed = parseForEvaluation(text)
  return 'fails' in parsed ? parsed : evaluateParsed(parsed, contexts, status)
}

class ExpressionEvaluation {
  readonly #contexts: data.Dictionary
  readonly #status: Status
  readonly #functions: Map<string, FunctionDefinition>

  constructor(contexts: data.Dictionary, status: Status) {
    this.#contexts = contexts
    this.#status = status
    const returning = (value: boolean) => () => new data.BooleanData(value)
    const results = { always: true, ...status }
    this.#functions = new Map(
      [...FUNCTIONS, TO_JSON].map((one): [string, FunctionDefinition] => {
        const value = results[one.name as keyof typeof results] // undefined for hashFiles
        return [
          one.name.toLowerCase(),
          value === undefined ? one : { ...one, call: returning(value) },
        ]
      }),
    )
  }

  outcome(part: Expr): ExpressionResult {
    if (part instanceof Grouping) return this.outcome(part.group)
    if (part instanceof Logical) return this.#logical(part)
    if (part instanceof Unary) return this.#negation(part)
    if (part instanceof FunctionCall) {
      const name = calledName(part)
      if (name === 'hashfiles') return { unknown: 'the files of the job' }
      if (name in this.#status && this.#status[name as keyof Status] === undefined) {
        return { unknown: 'how the jobs before it end', values: [true, false] }
      }
    }
    if (part instanceof Binary) {
      const known = this.#comparison(part)
      if (known) return known
    }
    for (const child of childrenOf(part)) {
      if (child instanceof Star) continue
      const found = this.outcome(child)
      if (!('value' in found)) return 'fails' in found ? found : { unknown: found.unknown }
    }
    return this.value(part)
  }

  value(part: Expr): ExpressionResult {
    try {
      const value = new Evaluator(part, this.#contexts, this.#functions).evaluate()
      const json = JSON.stringify(value, data.replacer) ?? 'null'
      const at = json.indexOf(MARK_IN_JSON)
      const plain = JSON.parse(json) as Json
      if (at < 0) return { value: plain }
      if (typeof plain === 'string' && plain.startsWith(MARK)) return readUnknown(plain)
      // An object with an unknown part is unknown, but the expression may go on to a known part of it.
      return part instanceof ContextAccess || part instanceof IndexAccess
        ? { value: plain }
        : { unknown: /: ([^"\\]*)/.exec(json.slice(at))?.[1] ?? 'a part of it' }
    } catch (error) {
      const why = error instanceof Error ? error.message.split('\n', 1)[0] : undefined
      return { fails: why ?? 'it cannot be evaluated' }
    }
  }

  /** The result of a comparison of an unknown value, if it is the same for all possible values. */
  #comparison(part: Binary): ExpressionResult | undefined {
    const [left, right] = [this.outcome(part.left), this.outcome(part.right)]
    const [lefts, rights] = [possibleValues(left), possibleValues(right)]
    if (!lefts || !rights || lefts.length * rights.length < 2) return undefined
    const results = lefts.flatMap((one) => rights.map((other) => compared(part, one, other)))
    const [first] = results
    return first !== undefined && results.every((one) => one === first)
      ? { value: first }
      : undefined
  }

  #negation(part: Unary): ExpressionResult {
    const found = this.outcome(part.expr)
    if ('fails' in found) return found
    const truth = truthOf(found)
    if (truth !== undefined) return { value: !truth }
    return 'unknown' in found ? { unknown: found.unknown, values: [true, false] } : found
  }

  #logical({ operator, args }: Logical): ExpressionResult {
    const isAnd = operator.type === TokenType.AND
    let open: { readonly unknown: string } | undefined
    let last: ExpressionResult = { value: null }
    for (const arg of args) {
      last = this.outcome(arg)
      if ('fails' in last) return open ? { unknown: open.unknown } : last
      const truth = truthOf(last)
      // This operand decides the truth; the value still depends on the unknown operands before it.
      if (truth === !isAnd) return open ? { unknown: open.unknown, truth } : last
      if ('unknown' in last && truth === undefined) open ??= last
    }
    return open ? { unknown: open.unknown } : last
  }
}

/** The values that an outcome can have; `undefined` if these are not known. */
function possibleValues(outcome: ExpressionResult): readonly Json[] | undefined {
  if ('value' in outcome) return [outcome.value]
  return 'unknown' in outcome ? outcome.values : undefined
}

/** Compares two values by the operator of a comparison, with GitHub's rules. */
function compared({ operator }: Binary, left: Json, right: Json): boolean {
  const literals = [left, right].map((value) => new Literal(expressionData(value), operator))
  const [one, other] = literals
  if (!one || !other) return false
  const result = new Evaluator(new Binary(one, operator, other), new data.Dictionary()).evaluate()
  return truthy(result)
}

/** The truth of an outcome by the rules of `if:`; `undefined` if only a run can know. */
export function truthOf(outcome: ExpressionResult): boolean | undefined {
  if ('fails' in outcome) return undefined
  if ('value' in outcome) return isTruthy(outcome.value)
  if (outcome.truth !== undefined || !outcome.values) return outcome.truth
  const truths = outcome.values.map(isTruthy)
  return truths.every((one) => one === truths[0]) ? truths[0] : undefined
}

function isTruthy(value: Json): boolean {
  return truthy(expressionData(value))
}

/**
 * Evaluates the `${{ }}` of a string. A string that is one expression has the value and type of the
 * expression.
 */
export function fillInKnown(text: string, contexts: PartialContexts): ExpressionResult {
  const spans = expressionSpans(text)
  const [only] = spans
  if (spans.length === 1 && only && only.start === 3 && only.end === text.length - 2) {
    return evaluateText(text.slice(only.start, only.end), contexts, SUCCESS_STATUS)
  }
  let [filled, at] = ['', 0]
  for (const { start, end, closed } of spans) {
    if (!closed) return { fails: 'an expression is not closed with }}' }
    const found = evaluateText(text.slice(start, end), contexts, SUCCESS_STATUS)
    if (!('value' in found)) return 'fails' in found ? found : { unknown: found.unknown }
    filled += text.slice(at, start - 3) + asText(found.value)
    at = end + 2
  }
  return { value: filled + text.slice(at) }
}

/** Converts a value to a string as GitHub does within a longer string. */
export function asText(value: Json): string {
  return expressionData(value).coerceString()
}

export function forContext(outcome: ExpressionResult): Json {
  if ('value' in outcome) return outcome.value
  if ('fails' in outcome) return unknownValue('an expression that fails')
  return unknownValue(outcome.unknown, outcome.values)
}

/**
 * Converts a condition to one expression; GitHub turns characters around `${{ }}` into a call of
 * `format`.
 */
export function conditionText(written: string): string {
  const text = written.trim()
  return hasExpression(text) ? textExpression(text) : text
}
