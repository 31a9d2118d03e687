import { ExpressionError, Parser } from '@actions/expressions'
import {
  Binary,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Logical,
  Unary,
} from '@actions/expressions/ast'
import { type Token, TokenType } from '@actions/expressions/lexer'
import { isMap, isScalar, isSeq, Scalar } from 'yaml'
import type { Position, Source } from '../wire/errors.ts'
import { hasExpression } from './expression-text.ts'
import { type ExpressionSpan, expressionSpans, lex } from './expressions.ts'
import { ScalarText, type Span } from './spans.ts'
import { type Path, pairKey, positionAt } from './yaml.ts'

/**
 * Paths of a workflow where an expression can read `needs`; `*` is any key.
 *
 * Source: the contexts of GitHub's own schema, workflow-v1.0.json (a test compares the two)
 */
export const NEEDS_PLACES: readonly string[] = [
  'jobs.*.cancel-timeout-minutes',
  'jobs.*.concurrency',
  'jobs.*.container',
  'jobs.*.continue-on-error',
  'jobs.*.defaults.run',
  'jobs.*.env',
  'jobs.*.environment',
  'jobs.*.if',
  'jobs.*.name',
  'jobs.*.outputs.*',
  'jobs.*.runs-on',
  'jobs.*.secrets.*',
  'jobs.*.services',
  'jobs.*.snapshot.if',
  'jobs.*.steps.*.continue-on-error',
  'jobs.*.steps.*.env',
  'jobs.*.steps.*.if',
  'jobs.*.steps.*.name',
  'jobs.*.steps.*.run',
  'jobs.*.steps.*.timeout-minutes',
  'jobs.*.steps.*.with',
  'jobs.*.steps.*.working-directory',
  'jobs.*.strategy',
  'jobs.*.timeout-minutes',
  'jobs.*.with.*',
]

/** Paths of a workflow where an expression can read `inputs`, from the same source. */
export const INPUTS_PLACES: readonly string[] = ['concurrency', 'env', ...NEEDS_PLACES]

/** Paths whose string is an expression even without `${{ }}`. */
const CONDITION_PLACES: readonly string[] = ['jobs.*.if', 'jobs.*.snapshot.if', 'jobs.*.steps.*.if']

/** True if a path is one of the given paths, or below one. */
export function isWithin(path: Path, places: readonly string[]): boolean {
  // A step in `parallel:` is a step, too: `jobs.a.steps.0.parallel.1.run` becomes
  // `jobs.a.steps.1.run`.
  if (path[2] === 'steps' && path[4] === 'parallel') {
    return isWithin([...path.slice(0, 3), ...path.slice(5)], places)
  }
  return places.some((place) => {
    const keys = place.split('.')
    return keys.length <= path.length && keys.every((key, at) => key === '*' || key === path[at])
  })
}

/** An expression of a workflow file: the inside of `${{ }}`, or a whole `if:`. */
export class FileExpression {
  readonly text: string
  readonly scalar: Scalar<string>
  /** The path of its scalar: `['jobs', 'a', 'steps', 0, 'run']`. */
  readonly path: Path
  /** The offset of the expression in the value of its scalar. */
  readonly start: number
  /** False if its `}}` is missing; the expression then ends with the scalar. */
  readonly closed: boolean
  readonly #written: ScalarText
  #parsed: Expr | ExpressionFault | undefined

  constructor(written: ScalarText, scalar: Scalar<string>, path: Path, span: ExpressionSpan) {
    const { start, end, closed } = span
    this.#written = written
    this.text = scalar.value.slice(start, end)
    this.scalar = scalar
    this.path = path
    this.start = start
    this.closed = closed
  }

  get parsed(): Expr | ExpressionFault {
    this.#parsed ??= parseExpression(this.text, this.closed)
    return this.#parsed
  }

  /** `undefined` if the expression cannot be parsed; GitHub reports that. */
  get tree(): Expr | undefined {
    return isFault(this.parsed) ? undefined : this.parsed
  }

  /** The position in the file of the characters `start` to `end` of the expression. */
  span(start: number, end: number): Span {
    return this.#written.span(this.start + start, this.start + end)
  }
}

/**
 * Every expression of a node and below it, in the order of the file. The node of an alias is visited at
 * its anchor only.
 */
export function fileExpressions(text: string, node: unknown, path: Path): FileExpression[] {
  const found: FileExpression[] = []
  const at = [...path]
  const visitBelow = (key: string | number, value: unknown) => {
    at.push(key)
    visit(value)
    at.pop()
  }
  const visit = (node: unknown) => {
    if (isMap(node)) for (const pair of node.items) visitBelow(pairKey(pair), pair.value)
    else if (isSeq(node)) for (const [key, item] of node.items.entries()) visitBelow(key, item)
    else if (isScalar(node) && typeof node.value === 'string') {
      const isCondition = at.at(-1) === 'if' && isWithin(at, CONDITION_PLACES)
      if (!isCondition && !hasExpression(node.value)) return
      const scalar = node as Scalar<string> // by its value
      const { value } = scalar
      const whole = { start: 0, end: value.length, closed: true }
      const spans = hasExpression(value) ? expressionSpans(value) : [whole]
      const written = new ScalarText(text, scalar)
      const path = [...at]
      for (const span of spans) found.push(new FileExpression(written, scalar, path, span))
    }
  }
  visit(node)
  return found
}

/** The position of a part of an expression, or of the whole without the white space around it. */
export function positionIn(source: Source, expression: FileExpression, part?: Span): Position {
  const { text } = expression
  const { start, end } = part ?? {
    start: text.length - text.trimStart().length,
    end: text.trimEnd().length,
  }
  const span = expression.span(start, end)
  return positionAt(source, span.start, span.end)
}

/** A string as written within a scalar of this kind. */
export function encoded(text: string, { type }: Scalar): string {
  if (type === Scalar.QUOTE_SINGLE) return text.replaceAll("'", "''")
  return type === Scalar.QUOTE_DOUBLE ? JSON.stringify(text).slice(1, -1) : text
}

/**
 * An access to a property of a context: `.webhook`, `['webhook']`, or one known only at run time.
 */
interface ReferenceStep extends Span {
  /** `undefined` for `.*` and for a computed index. */
  readonly name: string | undefined
}

/**
 * A context in an expression, and the accesses that follow. Offsets are those of the expression.
 */
export interface Reference extends Span {
  readonly steps: readonly ReferenceStep[]
}

/**
 * The positions of a context in an expression, such as `on` or `secrets`.
 *
 * @throws Error if the lexer fails
 */
export function contextReferences(expression: string, context: string): Reference[] {
  if (!expression.toLowerCase().includes(context)) return []
  const tokens = expressionTokens(expression)
  return tokens.flatMap((token, at) =>
    isContext(tokens, at, context) ? [{ ...spanOf(token), steps: stepsFrom(tokens, at + 1) }] : [],
  )
}

/** The same; none if the lexer fails, because another check reports that. */
export function referencesIn(expression: string, context: string): Reference[] {
  try {
    return contextReferences(expression, context)
  } catch {
    return []
  }
}

/** The same for all expressions of a string with `${{ }}`. */
export function referencesInText(text: string, context: string): Reference[] {
  return expressionSpans(text).flatMap(({ start, end }) =>
    referencesIn(text.slice(start, end), context),
  )
}

/**
 * Replaces line breaks by spaces, because the lexer's columns are wrong after a line break in a
 * string.
 */
export function expressionTokens(expression: string): Token[] {
  return lex(expression.replaceAll(/[\r\n]/g, ' '))
}

export function spanOf({ range }: Token): Span {
  return { start: range.start.column, end: range.end.column }
}

/** A name is a context if it is neither a property nor a function. Names are case-insensitive. */
function isContext(tokens: readonly Token[], at: number, name: string): boolean {
  const token = tokens[at]
  if (token?.type !== TokenType.IDENTIFIER || token.lexeme.toLowerCase() !== name) return false
  return tokens[at - 1]?.type !== TokenType.DOT && tokens[at + 1]?.type !== TokenType.LEFT_PAREN
}

/** The accesses after a context, up to the first computed one. */
function stepsFrom(tokens: readonly Token[], start: number): ReferenceStep[] {
  const steps: ReferenceStep[] = []
  for (let at = start; ; ) {
    const [open, token, close] = tokens.slice(at, at + 3)
    const isDot = open?.type === TokenType.DOT
    if (!token || (!isDot && open?.type !== TokenType.LEFT_BRACKET)) return steps
    const isText = token.type === TokenType.STRING && close?.type === TokenType.RIGHT_BRACKET
    const text = isText ? String(token.value) : undefined
    const word = token.type === TokenType.STAR ? undefined : token.lexeme
    const name = isDot ? word : text
    steps.push({ ...spanOf(token), name })
    if (name === undefined) return steps
    at += isDot ? 2 : 3
  }
}

interface ExpressionFault extends Span {
  readonly message: string
}

/**
 * The tree of an expression. Every name counts as known, because GitHub decides which contexts and
 * functions exist at a path, and changes that.
 */
export function parseExpression(text: string, closed = true): Expr | ExpressionFault {
  if (text.trim() === '') return faultAt('is empty', { start: 0, end: text.length }, text)
  try {
    const tokens = expressionTokens(text)
    const names = tokens.filter(({ type }) => type === TokenType.IDENTIFIER)
    return new Parser(
      tokens,
      names.map(({ lexeme }) => lexeme),
      names.map(({ lexeme: name }) => ({ name, minArgs: 0, maxArgs: Number.MAX_SAFE_INTEGER })),
    ).parse()
  } catch (error) {
    if (!(error instanceof ExpressionError)) return lexicalFault(error, text, closed)
    const { pos } = error
    const isEnd = error.message === "Unexpected symbol: 'EOF'"
    const message = isEnd ? 'ends where a value or a bracket was expected' : error.message
    const token = expressionTokens(text).find(({ range }) => range.start.column === pos.column)
    return faultAt(message, token ? spanOf(token) : { start: pos.column, end: text.length }, text)
  }
}

export function isFault(parsed: Expr | ExpressionFault): parsed is ExpressionFault {
  return 'message' in parsed
}

/** The lexer reports the position of a fault only in its message. */
function lexicalFault(error: unknown, text: string, closed: boolean): ExpressionFault {
  const message = error instanceof Error ? error.message : ''
  const symbol = /^(Unexpected symbol: .*)\. Located at position (\d+) within expression/s.exec(
    message,
  )
  if (symbol) {
    const start = Number(symbol[2]) - 1
    const isOpen = !closed && text[start] === '}' && !text.includes('}}')
    const what = isOpen ? 'is not closed with }}' : 'Unexpected symbol'
    return faultAt(what, { start, end: text.length }, text)
  }
  const tooLong = message === 'ErrorExceededMaxLength'
  return faultAt(tooLong ? 'is longer than 21,000 characters' : message, { start: 0, end: 1 }, text)
}

/** A position within the string, even if the fault is at its end. */
function faultAt(message: string, { start, end }: Span, text: string): ExpressionFault {
  const from = Math.max(0, Math.min(start, text.length - 1))
  return { message, start: from, end: Math.max(from + 1, Math.min(end, text.length)) }
}

/** The expression itself and all of its parts, recursively. */
export function partsOf(tree: Expr, parts: Expr[] = []): Expr[] {
  parts.push(tree)
  for (const child of childrenOf(tree)) partsOf(child, parts)
  return parts
}

export function childrenOf(tree: Expr): Expr[] {
  if (tree instanceof FunctionCall || tree instanceof Logical) return tree.args
  if (tree instanceof Binary) return [tree.left, tree.right]
  if (tree instanceof Unary) return [tree.expr]
  if (tree instanceof Grouping) return [tree.group]
  return tree instanceof IndexAccess ? [tree.expr, tree.index] : []
}
