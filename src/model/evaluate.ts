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
import { TokenType } from '@actions/expressions/lexer'
import { truthy } from '@actions/expressions/result'
import type { Json, JsonObject } from '../wire/json.ts'
import { expressionSpans, lex } from '../workflow/expressions.ts'

/** What an expression comes to before a run: a value, what only a run can know, or an error of it. */
export type Outcome =
  | { readonly value: Json }
  /** `truth`: whether it would hold is known all the same. */
  | { readonly unknown: string; readonly truth?: boolean }
  | { readonly fails: string }

/** What the status functions say; `undefined` where only a run can tell. */
export interface Status {
  readonly success: boolean | undefined
  readonly failure: boolean | undefined
  readonly cancelled: boolean
}

/** Contexts by name; anything in them may be `unknown(…)`. */
export type Contexts = JsonObject

/** Begins what stands for a value that only a run can know; no text of an event holds it. */
const MARK = '\u0000not known here: '
const MARK_IN_JSON = JSON.stringify(MARK).slice(1, -1)

/** Stands in a context for what only a run can know. @param what in words: `a secret` */
export function unknown(what: string): string {
  return MARK + what
}

/** Every context that an expression of a workflow may name; Hookline's own is `on`. */
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

const MISSING: Contexts = Object.fromEntries(
  Object.entries(CONTEXTS).map(([name, what]) => [name, unknown(what)]),
)

const STATUS_FUNCTIONS = ['always', 'success', 'failure', 'cancelled'] as const

/** An expression, parsed once for many events. */
export interface Parsed {
  readonly tree: Expr
  /** Whether it asks how earlier jobs or steps ended. */
  readonly asksStatus: boolean
  readonly readsFiles: boolean
  /** The contexts that it names; of `github` only where it reads the event, as `github.event`. */
  readonly contexts: ReadonlySet<string>
}

const FUNCTIONS = [...STATUS_FUNCTIONS, 'hashFiles'].map((name) => ({
  name,
  minArgs: 0,
  maxArgs: name === 'hashFiles' ? 255 : 0,
  call: () => new data.Null(),
}))

/** @returns the reason where the text is no expression */
export function parseExpression(text: string): Parsed | { readonly fails: string } {
  try {
    const tree = new Parser(lex(text), NAMES, FUNCTIONS).parse()
    const parts = all(tree)
    const called = new Set(parts.flatMap((part) => (isCall(part) ? nameOf(part) : [])))
    return {
      tree,
      asksStatus: STATUS_FUNCTIONS.some((name) => called.has(name)),
      readsFiles: called.has('hashfiles'),
      contexts: new Set(parts.flatMap(contextOf)),
    }
  } catch (error) {
    return { fails: error instanceof Error ? error.message : 'malformed' }
  }
}

function isCall(part: Expr): part is FunctionCall {
  return part instanceof FunctionCall
}

function nameOf({ functionName }: FunctionCall): string {
  return functionName.lexeme.toLowerCase()
}

function contextOf(part: Expr): string[] {
  if (part instanceof IndexAccess) {
    const { expr, index } = part
    const isGithub = expr instanceof ContextAccess && expr.name.lexeme.toLowerCase() === 'github'
    const key = index instanceof Literal ? index.literal.coerceString().toLowerCase() : ''
    return isGithub && /^event(?:_name)?$/.test(key) ? ['github.event'] : []
  }
  return part instanceof ContextAccess ? [part.name.lexeme.toLowerCase()] : []
}

function all(tree: Expr): Expr[] {
  return [tree, ...childrenOf(tree).flatMap(all)]
}

function childrenOf(part: Expr): Expr[] {
  if (part instanceof Grouping) return [part.group]
  if (part instanceof Unary) return [part.expr]
  if (part instanceof Binary) return [part.left, part.right]
  if (part instanceof IndexAccess)
    return part.index instanceof Star ? [part.expr] : [part.expr, part.index]
  return part instanceof Logical || part instanceof FunctionCall ? part.args : []
}

/**
 * Evaluates by GitHub's own library whatever depends on nothing that only a run can know. Of `&&` and
 * `||` an operand that decides is enough.
 */
export function evaluateParsed(parsed: Parsed, contexts: Contexts, status: Status): Outcome {
  const { values, open } = prepared(contexts)
  const evaluation = new Evaluation(values, status)
  const isOpen = [...parsed.contexts].some((name) => open.has(name))
  return isOpen || parsed.asksStatus || parsed.readsFiles
    ? evaluation.outcome(parsed.tree)
    : evaluation.value(parsed.tree)
}

/** Contexts as the library takes them, and the names of those in which anything is unknown. */
interface Prepared {
  readonly values: data.Dictionary
  readonly open: ReadonlySet<string>
}

/** One set of contexts is asked by many expressions, and one context stands in many sets. */
const PREPARED = new WeakMap<Contexts, Prepared>()
const CONVERTED = new WeakMap<object, Converted>()

type Converted = { readonly value: data.ExpressionData; readonly isOpen: boolean }

function prepared(contexts: Contexts): Prepared {
  const before = PREPARED.get(contexts)
  if (before) return before
  const all = NAMES.map((name) => [name, contexts[name]] as const)
  const converted = all.map(([key, value]) => ({ key, ...convertedOnce(value ?? MISSING[key]) }))
  const made = {
    values: new data.Dictionary(...converted),
    open: new Set(converted.flatMap(({ key, isOpen }) => (isOpen ? key : []))),
  }
  PREPARED.set(contexts, made)
  return made
}

function convertedOnce(value: Json | undefined): Converted {
  if (typeof value !== 'object' || value === null) return convert(value)
  const before = CONVERTED.get(value)
  if (before) return before
  const made = convert(value)
  CONVERTED.set(value, made)
  return made
}

function convert(value: Json | undefined): Converted {
  const text = JSON.stringify(value ?? null)
  return { value: expressionData(text), isOpen: text.includes(MARK_IN_JSON) }
}

function expressionData(json: string): data.ExpressionData {
  return JSON.parse(json, data.reviver)
}

/** @throws nothing: a text that is no expression fails */
export function evaluateText(text: string, contexts: Contexts, status: Status): Outcome {
  const parsed = parseExpression(text)
  return 'fails' in parsed ? parsed : evaluateParsed(parsed, contexts, status)
}

/** One expression over one set of contexts. */
class Evaluation {
  readonly #contexts: data.Dictionary
  readonly #status: Status
  readonly #functions: Map<string, (typeof FUNCTIONS)[number]>

  constructor(contexts: data.Dictionary, status: Status) {
    this.#contexts = contexts
    this.#status = status
    const says = (value: boolean) => () => new data.BooleanData(value)
    const given = { always: true, ...status }
    this.#functions = new Map(
      FUNCTIONS.map((one) => {
        const value = given[one.name as keyof typeof given] // hashFiles is none of them
        return [
          one.name.toLowerCase(),
          value === undefined ? one : { ...one, call: says(value) as never },
        ]
      }),
    )
  }

  outcome(part: Expr): Outcome {
    if (part instanceof Grouping) return this.outcome(part.group)
    if (part instanceof Logical) return this.#logical(part)
    if (part instanceof Unary) return this.#negation(part)
    if (part instanceof FunctionCall) {
      const name = nameOf(part)
      if (name === 'hashfiles') return { unknown: 'the files of the job' }
      if (name in this.#status && this.#status[name as keyof Status] === undefined) {
        return { unknown: 'how the jobs before it end' }
      }
    }
    for (const child of childrenOf(part)) {
      const found = this.outcome(child)
      if (!('value' in found)) return 'fails' in found ? found : { unknown: found.unknown }
    }
    return this.value(part)
  }

  value(part: Expr): Outcome {
    try {
      const value = new Evaluator(part, this.#contexts, this.#functions).evaluate()
      const json = JSON.stringify(value, data.replacer) ?? 'null'
      const at = json.indexOf(MARK_IN_JSON)
      const plain = JSON.parse(json) as Json
      if (at < 0) return { value: plain }
      if (typeof plain === 'string' && plain.startsWith(MARK)) {
        return { unknown: plain.slice(MARK.length) }
      }
      // Part of an object is unknown: whole it is, unless it is only asked for one of its own.
      return part instanceof ContextAccess || part instanceof IndexAccess
        ? { value: plain }
        : { unknown: /: ([^"\\]*)/.exec(json.slice(at))?.[1] ?? 'a part of it' }
    } catch (error) {
      return { fails: error instanceof Error ? firstLine(error.message) : 'it cannot be evaluated' }
    }
  }

  #negation(part: Unary): Outcome {
    const found = this.outcome(part.expr)
    if ('fails' in found) return found
    const truth = truthOf(found)
    if (truth !== undefined) return { value: !truth }
    return 'unknown' in found ? { unknown: found.unknown } : found
  }

  #logical({ operator, args }: Logical): Outcome {
    const isAnd = operator.type === TokenType.AND
    let open: { readonly unknown: string } | undefined
    let last: Outcome = { value: null }
    for (const arg of args) {
      last = this.outcome(arg)
      if ('fails' in last) return open ? { unknown: open.unknown } : last
      const truth = truthOf(last)
      // An operand that decides: which value comes out hangs on those before it, not whether it holds.
      if (truth === !isAnd) return open ? { unknown: open.unknown, truth } : last
      if ('unknown' in last && truth === undefined) open ??= last
    }
    return open ? { unknown: open.unknown } : last
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text
}

/** Whether it holds, as `if:` takes it; `undefined` where only a run can tell. */
export function truthOf(outcome: Outcome): boolean | undefined {
  if ('fails' in outcome) return undefined
  if ('unknown' in outcome) return outcome.truth
  return truthy(expressionData(JSON.stringify(outcome.value)))
}

/** A text with `${{ }}`: its value where it is one expression alone, else all of it, filled in. */
export function fillInKnown(text: string, contexts: Contexts, status: Status): Outcome {
  const spans = expressionSpans(text)
  const [only] = spans
  if (spans.length === 1 && only && only.start === 3 && only.end === text.length - 2) {
    return evaluateText(text.slice(only.start, only.end), contexts, status)
  }
  let [filled, at] = ['', 0]
  for (const { start, end, closed } of spans) {
    if (!closed) return { fails: 'an expression is not closed with }}' }
    const found = evaluateText(text.slice(start, end), contexts, status)
    if (!('value' in found)) return 'fails' in found ? found : { unknown: found.unknown }
    filled += text.slice(at, start - 3) + asText(found.value)
    at = end + 2
  }
  return { value: filled + text.slice(at) }
}

/** As GitHub puts a value into a text. */
export function asText(value: Json): string {
  return expressionData(JSON.stringify(value)).coerceString()
}

/** The value for a context: what is not known stays marked. */
export function forContext(outcome: Outcome): Json {
  if ('value' in outcome) return outcome.value
  return unknown('unknown' in outcome ? outcome.unknown : 'what fails')
}

/** A condition as one expression: GitHub makes a text around an expression part of it. */
export function conditionText(written: string): string {
  const text = written.trim()
  const spans = expressionSpans(text)
  if (spans.length === 0) return text
  const [only] = spans
  if (spans.length === 1 && only && only.start === 3 && only.end === text.length - 2) {
    return text.slice(only.start, only.end).trim()
  }
  let [pattern, at] = ['', 0]
  const parts = spans.map(({ start, end }, number) => {
    pattern += `${escaped(text.slice(at, start - 3))}{${number}}`
    at = end + 2
    return text.slice(start, end)
  })
  return `format('${pattern}${escaped(text.slice(at))}', ${parts.join(', ')})`
}

function escaped(text: string): string {
  return text.replace(/[{}']/g, '$&$&')
}
