import { data, Evaluator, ExpressionError, Lexer, Parser } from '@actions/expressions'
import type { Json, JsonObject } from '../protocol/json.ts'
import { expressionSpans } from './expression-spans.ts'

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
  try {
    const { tokens } = new Lexer(expression).lex()
    const tree = new Parser(tokens, Object.keys(contexts), []).parse()
    return new Evaluator(tree, contextData(contexts)).evaluate()
  } catch (error) {
    throw new ExpressionMistake(explain(error, Object.keys(contexts)), expression.trim())
  }
}

/** The library's own messages name what is wrong; anything else could carry a value. */
function explain(error: unknown, names: readonly string[]): string {
  if (!(error instanceof ExpressionError)) return 'expression cannot be evaluated'
  return `expression: ${error.message} (contexts here: ${names.join(', ')})`
}

function contextData(contexts: Contexts): data.Dictionary {
  // The reviver turns every object into a Dictionary; JSON.parse is typed `any`.
  return JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
}

function plain(value: data.ExpressionData): Json {
  return JSON.parse(JSON.stringify(value, data.replacer)) as Json
}
