import { data, Evaluator, type Expr, Lexer, Parser } from '@actions/expressions'
import type { Json, JsonObject } from '../wire/json.ts'
import { unsetReads } from './unset.ts'

/** What an expression may name: `secrets`, `vars`, `github`, `env`. */
export type Contexts = Readonly<Record<string, JsonObject>>

/** A mistake in an expression, with the stretch of the text that holds it. */
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
  if (parts.length === 1 && only?.isExpression) return plain(evaluate(only.text, contexts))
  return parts
    .map((part) => (part.isExpression ? evaluate(part.text, contexts).coerceString() : part.text))
    .join('')
}

/**
 * Refuses a text with an expression that reads a secret or a variable which is not set or empty:
 * forgetting to hand them to the action is the easiest mistake there is, and what is then compared
 * with is known to everyone.
 *
 * @param strict see `unsetReads`; then an expression must not come to nothing in any other way either
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
      throw new ExpressionMistake(`${found}: ${remedy(names[0] ?? '')}`, expression)
    }
    const isBlank = new Evaluator(tree, values).evaluate().coerceString().trim() === ''
    if (strict && isBlank) {
      throw new ExpressionMistake('the expression comes to nothing', expression)
    }
  }
}

function remedy(name: string): string {
  const [context = ''] = name.split('.', 1)
  if (context === 'env') return 'is the variable set where the action runs?'
  const kind = context === 'secrets' ? 'secret' : 'variable'
  return `is the ${kind} set, and given to the action under "${context}", or to dev in .env?`
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
    return new Parser(new Lexer(expression).lex().tokens, names, []).parse()
  } catch (error) {
    const why = error instanceof Error ? error.message : 'malformed'
    const message = `expression: ${why} (contexts here: ${names.join(', ')})`
    throw new ExpressionMistake(message, expression.trim())
  }
}

function contextData(contexts: Contexts): data.Dictionary {
  // The reviver turns every object into a Dictionary; JSON.parse is typed `any`.
  return JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
}

function plain(value: data.ExpressionData): Json {
  return JSON.parse(JSON.stringify(value, data.replacer)) as Json
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
