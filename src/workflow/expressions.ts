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
import { ExpressionMistake } from './expression-text.ts'

/** The contexts that an expression can read: `secrets`, `vars`, `github`, `env`. */
export type Contexts = Readonly<Record<string, JsonObject>>

/**
 * Evaluates the `${{ }}` of a string in GitHub's expression language. A string that is exactly one
 * expression becomes its value, of any type; otherwise the values are inserted as strings.
 *
 * @throws ExpressionMistake if an expression is not closed, does not parse, or reads an unknown
 * context
 */
export function fillIn(text: string, contexts: Contexts): Json {
  const parts = templateParts(text)
  const [only] = parts
  if (parts.length === 1 && only?.isExpression) {
    return JSON.parse(
      JSON.stringify(evaluateExpression(only.text, contexts), data.replacer),
    ) as Json
  }
  return parts
    .map((part) =>
      part.isExpression ? evaluateExpression(part.text, contexts).coerceString() : part.text,
    )
    .join('')
}

/**
 * Converts a string with `${{ }}` to one expression: the expression itself if there is nothing
 * else, and otherwise `format('a {0}', x)`. A string without expressions is quoted.
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
 * Refuses an expression that reads a secret or variable that is unset or empty. Forgetting to pass
 * it to the action is the most common mistake, and everyone could guess the empty value.
 *
 * @param strict see `unsetReads`; the expression must then not be empty for any other reason,
 * either
 * @throws ExpressionMistake that names the secret or variable
 */
export function refuseUnset(text: string, contexts: Contexts, strict: boolean): void {
  const values = contextData(contexts)
  for (const part of templateParts(text)) {
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
 * Refuses an expression whose value the sender of an event can choose.
 *
 * @throws ExpressionMistake for `github.event`, `github.head_ref`, or all of `github`
 */
export function refuseEvent(text: string, contexts: Contexts): void {
  for (const part of templateParts(text)) {
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

interface TemplatePart {
  readonly text: string
  readonly isExpression: boolean
}

function templateParts(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
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

function evaluateExpression(expression: string, contexts: Contexts): data.ExpressionData {
  const tree = parse(expression, Object.keys(contexts))
  try {
    return new Evaluator(tree, contextData(contexts)).evaluate()
  } catch {
    // The library's message may contain a value.
    throw new ExpressionMistake('expression cannot be evaluated', expression.trim(), {
      isOfValue: lex(expression).some(({ lexeme }) =>
        Object.hasOwn(contexts, lexeme.toLowerCase()),
      ),
    })
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

/**
 * The tokens of an expression. Strings are unescaped here, because the library only unescapes the
 * first `''`.
 */
export function lex(expression: string): Token[] {
  const { tokens } = new Lexer(expression).lex()
  return tokens.map((token) => {
    if (token.type !== TokenType.STRING) return token
    return { ...token, value: token.lexeme.slice(1, -1).replaceAll("''", "'") }
  })
}

/** The operands of a condition that is one `&&`; otherwise the condition itself. */
export function andOperands(condition: string): string[] {
  const starts = [0]
  for (const line of condition.split('\n')) starts.push((starts.at(-1) ?? 0) + line.length + 1)
  const cuts: number[] = []
  let depth = 0
  for (const { type, range } of lex(condition)) {
    if (type === TokenType.LEFT_PAREN || type === TokenType.LEFT_BRACKET) depth++
    if (type === TokenType.RIGHT_PAREN || type === TokenType.RIGHT_BRACKET) depth--
    if (depth > 0) continue
    if (type === TokenType.OR) return [condition.trim()]
    const at = (starts[range.start.line] ?? 0) + range.start.column
    if (type === TokenType.AND) cuts.push(at)
  }
  const from = [0, ...cuts.map((cut) => cut + 2)]
  return from.map((start, number) => condition.slice(start, cuts[number]).trim())
}

function contextData(contexts: Contexts): data.Dictionary {
  // The reviver converts every object into a Dictionary; `JSON.parse` returns `any`.
  return JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
}

/** The offsets of the inside of `${{ }}` in a string. */
export interface ExpressionSpan {
  readonly start: number
  readonly end: number
  /** False if the string ends before `}}`. */
  readonly closed: boolean
}

/** The insides of all `${{ }}` in a string, in order. */
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

/** The offset of the closing `}}`, outside of string literals (`'it''s'` is two in a row). */
function endOfExpression(text: string, start: number): number {
  let inString = false
  for (let at = start; at < text.length; at++) {
    if (text[at] === "'") inString = !inString
    if (!inString && text.startsWith('}}', at)) return at
  }
  return -1
}

/** Contexts whose values a person sets, and may forget. */
const SETTINGS = ['secrets', 'vars', 'env']

/** Functions with a boolean result, which count as comparisons. */
const QUESTIONS = ['contains', 'startswith', 'endswith']

/**
 * The secrets and variables, as `secrets.NAME`, that are unset or empty and that affect the value
 * of an expression. In `a || b` only the operand that is the result counts, so that a setting may
 * have a fallback; of `a && b` comparisons do not count, except as the last operand.
 *
 * @param strict false to ignore all comparisons, because a comparison with an unset value may be
 * intended
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
    const name = valueAt(index).coerceString()
    // A name that is computed from an unset variable is empty; the variable is the mistake.
    if (name === '' && inner.length > 0) return inner
    return [`${context}.${name || '<empty name>'}`, ...inner]
  }
}

function isComparison(part: Expr): boolean {
  if (part instanceof Grouping) return isComparison(part.group)
  const isQuestion =
    part instanceof FunctionCall && QUESTIONS.includes(part.functionName.lexeme.toLowerCase())
  return part instanceof Unary || part instanceof Binary || isQuestion
}
