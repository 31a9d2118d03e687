import { Lexer } from '@actions/expressions'
import { type Token, TokenType } from '@actions/expressions/lexer'
import type { Stretch } from './scalar-text.ts'

/** A step into a context: `.webhook`, `['webhook']`, or one that is only known at run time. */
export interface Step extends Stretch {
  /** `undefined` for `.*` and for a computed index. */
  readonly name: string | undefined
}

/** A context where an expression names it, and the steps from there. Offsets are the expression's. */
export interface Reference extends Stretch {
  readonly steps: readonly Step[]
}

/**
 * Where an expression names a context: `on`, `secrets`.
 *
 * @throws Error when the text cannot be cut into tokens
 */
export function references(expression: string, context: string): Reference[] {
  const tokens = lex(expression)
  return tokens.flatMap((token, at) =>
    isContext(tokens, at, context)
      ? [{ ...stretchOf(token), steps: stepsFrom(tokens, at + 1) }]
      : [],
  )
}

/** Line breaks become spaces, since the lexer's columns are wrong after one within a string. */
export function lex(expression: string): Token[] {
  return new Lexer(expression.replaceAll(/[\r\n]/g, ' ')).lex().tokens
}

export function stretchOf({ range }: Token): Stretch {
  return { start: range.start.column, end: range.end.column }
}

/** A name is a context when it is no property and no function. Names ignore case. */
function isContext(tokens: readonly Token[], at: number, name: string): boolean {
  const token = tokens[at]
  if (token?.type !== TokenType.IDENTIFIER || token.lexeme.toLowerCase() !== name) return false
  return tokens[at - 1]?.type !== TokenType.DOT && tokens[at + 1]?.type !== TokenType.LEFT_PAREN
}

function stepsFrom(tokens: readonly Token[], start: number): Step[] {
  const steps: Step[] = []
  for (let at = start; ; ) {
    const read = readStep(tokens, at)
    if (!read) return steps
    steps.push(read.step)
    if (read.step.name === undefined) return steps
    at = read.next
  }
}

function readStep(
  tokens: readonly Token[],
  at: number,
): { readonly step: Step; readonly next: number } | undefined {
  const [open, token, close] = tokens.slice(at, at + 3)
  if (!open || !token) return undefined
  if (open.type === TokenType.DOT) {
    const name = token.type === TokenType.STAR ? undefined : token.lexeme
    return { step: { ...stretchOf(token), name }, next: at + 2 }
  }
  if (open.type !== TokenType.LEFT_BRACKET) return undefined
  const literal = token.type === TokenType.STRING && close?.type === TokenType.RIGHT_BRACKET
  return {
    step: { ...stretchOf(token), name: literal ? stringOf(token) : undefined },
    next: at + 3,
  }
}

/** From the lexeme, since the lexer's own value undoes only the first `''` of a string. */
function stringOf({ lexeme }: Token): string {
  return lexeme.slice(1, -1).replaceAll("''", "'")
}
