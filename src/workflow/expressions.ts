import { data, Evaluator, type Expr, Lexer, Parser } from '@actions/expressions'
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
import { type Token, TokenType } from '@actions/expressions/lexer'
import { truthy } from '@actions/expressions/result'
import type { Json, JsonObject } from '../wire/json.ts'

/** What an expression may name: `secrets`, `vars`, `github`, `env`. */
export type Contexts = Readonly<Record<string, JsonObject>>

/** A mistake in an expression, with the part of the text that holds it. */
export class ExpressionMistake extends Error {
  override readonly name = 'ExpressionMistake'
  /** The expression as it was written, for finding its place in the source. */
  readonly expression: string

  constructor(message: string, expression: string) {
    super(message)
    this.expression = expression
  }
}

/**
 * Fills in the `${{ }}` of a text, in GitHub's own expression language. A text that is one single
 * expression becomes its value, of whatever type; otherwise the values are put in as text.
 *
 * @throws ExpressionMistake when one is not closed, does not parse, or names an unknown context
 */
export function fillIn(text: string, contexts: Contexts): Json {
  const parts = split(text)
  const [only] = parts
  if (parts.length === 1 && only?.isExpression) {
    return JSON.parse(JSON.stringify(evaluate(only.text, contexts), data.replacer)) as Json
  }
  return parts
    .map((part) => (part.isExpression ? evaluate(part.text, contexts).coerceString() : part.text))
    .join('')
}

/**
 * A text with `${{ }}` in it as one expression: that of a text which is nothing else, and `format('a {0}',
 * x)` for any other. A text without one is a text in quotes.
 */
export function textExpression(text: string): string {
  const spans = expressionSpans(text).filter(({ closed }) => closed)
  const expressions = spans.map(({ start, end }) => text.slice(start, end).trim())
  const [only] = spans
  if (!only) return `'${text.replaceAll("'", "''")}'`
  if (only.start === '${{'.length && only.end === text.length - '}}'.length)
    return expressions[0] ?? ''
  let pattern = ''
  let at = 0
  for (const [index, { start, end }] of spans.entries()) {
    pattern += `${escapedPattern(text.slice(at, start - '${{'.length))}{${index}}`
    at = end + '}}'.length
  }
  return `format('${pattern}${escapedPattern(text.slice(at))}', ${expressions.join(', ')})`
}

function escapedPattern(text: string): string {
  return text.replaceAll(/[{}']/g, '$&$&')
}

/**
 * Refuses a text with an expression that reads a secret or a variable which is not set or empty:
 * forgetting to hand them to the action is the easiest mistake there is, and what is then compared
 * with is known to everyone.
 *
 * @param strict see `unsetReads`; then an expression must not be empty in any other way either
 * @throws ExpressionMistake that names it, for a text that `fillIn` fills in
 */
export function refuseUnset(text: string, contexts: Contexts, strict: boolean): void {
  const values = contextData(contexts)
  for (const part of split(text)) {
    if (!part.isExpression) continue
    const expression = part.text.trim()
    const tree = parse(expression, Object.keys(contexts))
    const names = unsetReads(tree, values, strict)
    if (names.length > 0) {
      const found = `${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} empty`
      const [context = ''] = names[0]?.split('.', 1) ?? []
      const kind = context === 'secrets' ? 'secret' : 'variable'
      const remedy =
        context === 'env'
          ? 'is the variable set where the action runs?'
          : `is the ${kind} set, and given to the action under "${context}", or to dev in .env?`
      throw new ExpressionMistake(`${found}: ${remedy}`, expression)
    }
    const isBlank = new Evaluator(tree, values).evaluate().coerceString().trim() === ''
    if (strict && isBlank) {
      throw new ExpressionMistake('the expression is empty', expression)
    }
  }
}

/**
 * Refuses a text with an expression that can hold what the sender of an event worded.
 *
 * @throws ExpressionMistake for `github.event`, `github.head_ref`, or all of `github`
 */
export function refuseEvent(text: string, contexts: Contexts): void {
  for (const part of split(text)) {
    if (!part.isExpression || !readsEvent(parse(part.text, Object.keys(contexts)))) continue
    const message = 'the expression reads the event, which its sender words: take it from the item'
    throw new ExpressionMistake(message, part.text.trim())
  }
}

const OF_SENDERS = ['event', 'head_ref']

function readsEvent(part: Expr): boolean {
  if (part instanceof Grouping) return readsEvent(part.group)
  if (isComparison(part)) return false
  if (part instanceof FunctionCall || part instanceof Logical) return part.args.some(readsEvent)
  if (part instanceof ContextAccess) return part.name.lexeme.toLowerCase() === 'github'
  if (!(part instanceof IndexAccess)) return false
  const { expr, index } = part
  const isNamed = expr instanceof ContextAccess && index instanceof Literal
  if (isNamed && !OF_SENDERS.includes(index.literal.coerceString().toLowerCase())) return false
  return readsEvent(expr) || (!(index instanceof Star) && readsEvent(index))
}

interface Part {
  readonly text: string
  readonly isExpression: boolean
}

function split(text: string): Part[] {
  const parts: Part[] = []
  let at = 0
  for (const { start, end, closed } of expressionSpans(text)) {
    const open = start - '${{'.length
    if (!closed) throw new ExpressionMistake('expression is not closed with }}', text.slice(open))
    parts.push({ text: text.slice(at, open), isExpression: false })
    parts.push({ text: text.slice(start, end), isExpression: true })
    at = end + '}}'.length
  }
  parts.push({ text: text.slice(at), isExpression: false })
  return parts.filter((part) => part.isExpression || part.text !== '')
}

function evaluate(expression: string, contexts: Contexts): data.ExpressionData {
  const tree = parse(expression, Object.keys(contexts))
  try {
    return new Evaluator(tree, contextData(contexts)).evaluate()
  } catch {
    // The message could carry a value.
    throw new ExpressionMistake('expression cannot be evaluated', expression.trim())
  }
}

function parse(expression: string, names: string[]): Expr {
  try {
    return new Parser(lex(expression), names, []).parse()
  } catch (error) {
    const why = error instanceof Error ? error.message : 'malformed'
    const message = `expression: ${why} (contexts here: ${names.join(', ')})`
    throw new ExpressionMistake(message, expression.trim())
  }
}

/** The tokens of an expression; the library's own value of a string undoes only its first `''`. */
export function lex(expression: string): Token[] {
  const { tokens } = new Lexer(expression).lex()
  return tokens.map((token) => {
    if (token.type !== TokenType.STRING) return token
    return { ...token, value: token.lexeme.slice(1, -1).replaceAll("''", "'") }
  })
}

function contextData(contexts: Contexts): data.Dictionary {
  // The reviver turns every object into a Dictionary; JSON.parse is typed `any`.
  return JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
}

/** Where the inside of one `${{ }}` stands in a text. */
interface ExpressionSpan {
  readonly start: number
  readonly end: number
  /** False when the text ends before `}}`. */
  readonly closed: boolean
}

export function hasExpression(text: string): boolean {
  return text.includes('${{')
}

/** The insides of all `${{ }}` of a text, in order. */
export function expressionSpans(text: string): ExpressionSpan[] {
  const spans: ExpressionSpan[] = []
  for (let open = text.indexOf('${{'); open >= 0; ) {
    const start = open + '${{'.length
    const end = endOfExpression(text, start)
    spans.push({ start, end: end < 0 ? text.length : end, closed: end >= 0 })
    if (end < 0) break
    open = text.indexOf('${{', end + '}}'.length)
  }
  return spans
}

/** Where the closing `}}` stands, passing over string literals (`'it''s'` is two in a row). */
function endOfExpression(text: string, start: number): number {
  let inString = false
  for (let at = start; at < text.length; at++) {
    if (text[at] === "'") inString = !inString
    if (!inString && text.startsWith('}}', at)) return at
  }
  return -1
}

/** Contexts whose values a person sets, and may have forgotten. */
const SETTINGS = ['secrets', 'vars', 'env']

/** Functions that say whether something is so, as comparisons do. */
const QUESTIONS = ['contains', 'startswith', 'endswith']

/**
 * The secrets and variables that an expression reads although they are not set or empty, as
 * `secrets.NAME`, where that shows in what comes out. Of `a || b` only the operand counts that comes
 * out, so that a setting may have a second one behind it; of `a && b` no comparison but the last
 * operand.
 *
 * @param strict false where a comparison may well be with what is not set: it counts nowhere then
 */
function unsetReads(tree: Expr, contexts: data.Dictionary, strict: boolean): readonly string[] {
  const valueAt = (part: Expr) => new Evaluator(part, contexts).evaluate()
  return [...new Set(readsOf(tree))]

  function readsOf(part: Expr): string[] {
    if (part instanceof Grouping) return readsOf(part.group)
    if (part instanceof IndexAccess) return ofIndex(part)
    if (part instanceof Logical) return ofLogical(part)
    if (isComparison(part) && !strict) return []
    if (part instanceof Unary) return readsOf(part.expr)
    if (part instanceof Binary) return [part.left, part.right].flatMap(readsOf)
    if (part instanceof FunctionCall) return part.args.flatMap(readsOf)
    return []
  }

  function ofLogical({ operator, args }: Logical): string[] {
    const isOr = operator.lexeme === '||'
    const decided = args.findIndex((part) => truthy(valueAt(part)) === isOr)
    if (isOr) return (decided < 0 ? args : args.slice(decided, decided + 1)).flatMap(readsOf)
    const evaluated = decided < 0 ? args : args.slice(0, decided + 1)
    return evaluated.flatMap((part, at) =>
      at < evaluated.length - 1 && isComparison(part) ? [] : readsOf(part),
    )
  }

  function ofIndex(access: IndexAccess): string[] {
    const { expr, index } = access
    const inner = index instanceof Star ? [] : readsOf(index)
    const context = expr instanceof ContextAccess ? expr.name.lexeme.toLowerCase() : ''
    if (!SETTINGS.includes(context)) return [...readsOf(expr), ...inner]
    if (index instanceof Star || truthy(valueAt(access))) return inner
    return [`${context}.${valueAt(index).coerceString()}`, ...inner]
  }
}

function isComparison(part: Expr): boolean {
  if (part instanceof Grouping) return isComparison(part.group)
  const isQuestion =
    part instanceof FunctionCall && QUESTIONS.includes(part.functionName.lexeme.toLowerCase())
  return part instanceof Unary || part instanceof Binary || isQuestion
}
