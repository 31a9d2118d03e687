import { ExpressionError, Parser } from '@actions/expressions'
import type { Expr } from '@actions/expressions/ast'
import type { FunctionInfo } from '@actions/expressions/funcs/info'
import { type Token, TokenType } from '@actions/expressions/lexer'
import { lex, stretchOf } from './references.ts'
import type { Stretch } from './scalar-text.ts'

/** What is wrong with an expression, and where in it. */
export interface ExpressionFault extends Stretch {
  readonly message: string
}

/**
 * The tree of an expression. Every name counts as known: which contexts and functions there are in
 * which place is for GitHub to say, and changes.
 */
export function parseExpression(text: string): Expr | ExpressionFault {
  if (text.trim() === '') return faultAt('is empty', { start: 0, end: text.length }, text)
  try {
    const tokens = lex(text)
    const names = tokens.filter(({ type }) => type === TokenType.IDENTIFIER)
    return new Parser(
      tokens,
      names.map(({ lexeme }) => lexeme),
      names.map(anyFunction),
    ).parse()
  } catch (error) {
    return error instanceof ExpressionError ? syntaxFault(error, text) : lexicalFault(error, text)
  }
}

export function isFault(parsed: Expr | ExpressionFault): parsed is ExpressionFault {
  return 'message' in parsed
}

function anyFunction({ lexeme }: Token): FunctionInfo {
  return { name: lexeme, minArgs: 0, maxArgs: Number.MAX_SAFE_INTEGER }
}

function syntaxFault({ message, pos }: ExpressionError, text: string): ExpressionFault {
  const token = lex(text).find(({ range }) => range.start.column === pos.column)
  return faultAt(message, token ? stretchOf(token) : { start: pos.column, end: text.length }, text)
}

/** The lexer says where it stopped in words only. */
function lexicalFault(error: unknown, text: string): ExpressionFault {
  const message = error instanceof Error ? error.message : ''
  const symbol = /^(Unexpected symbol: .*)\. Located at position (\d+) within expression/s.exec(
    message,
  )
  if (symbol) {
    const start = Number(symbol[2]) - 1
    return faultAt('Unexpected symbol', { start, end: text.length }, text)
  }
  const tooLong = message === 'ErrorExceededMaxLength'
  return faultAt(tooLong ? 'is longer than 21,000 characters' : message, { start: 0, end: 1 }, text)
}

/** Within the text, also where the fault is its end. */
function faultAt(message: string, { start, end }: Stretch, text: string): ExpressionFault {
  const from = Math.max(0, Math.min(start, text.length - 1))
  return { message, start: from, end: Math.max(from + 1, Math.min(end, text.length)) }
}
