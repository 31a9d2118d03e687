import { data, Evaluator, Parser } from '@actions/expressions'
import { TokenType } from '@actions/expressions/lexer'
import { truthy } from '@actions/expressions/result'
import type { Json } from '../wire/json.ts'
import { expressionData, TO_JSON } from './expression-data.ts'
import { ExpressionMistake } from './expression-text.ts'
import { andOperands, lex } from './expressions.ts'

/** The names that a condition at the relay can use, in addition to GitHub's own functions. */
export const CONDITION_NAMES = ['method', 'path', 'query', 'headers', 'body'] as const

export type EventContexts = Readonly<Record<(typeof CONDITION_NAMES)[number], Json>>

const FUNCTIONS = new Map([[TO_JSON.name.toLowerCase(), TO_JSON]])

/**
 * Whether a condition in GitHub's expression language is true. It has no `${{ }}` around it.
 *
 * @throws Error of any kind if it cannot be evaluated
 */
export function holds(condition: string, contexts: EventContexts): boolean {
  const values = new data.Dictionary()
  for (const [name, value] of Object.entries(contexts)) values.add(name, expressionData(value))
  return truthy(new Evaluator(parsedCondition(condition), values, FUNCTIONS).evaluate())
}

function parsedCondition(condition: string) {
  return new Parser(lex(condition), [...CONDITION_NAMES], []).parse()
}

/** A double has 15 exact digits, so two ids that differ in the last digit would be equal. */
const LONG_INTEGER = /^[+-]?0*[1-9]\d{15,}(?:\.\d*)?$/

/** @throws ExpressionMistake with its position, if the string is no condition, or never does what it says */
export function checkCondition(condition: string): void {
  if (condition.trim() === '') throw new ExpressionMistake('it is empty', condition)
  try {
    parsedCondition(condition)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'malformed'
    throw new ExpressionMistake(why, condition)
  }
  const long = lex(condition).find(
    ({ type, lexeme }) => type === TokenType.NUMBER && LONG_INTEGER.test(lexeme),
  )
  if (long) {
    const why = `${long.lexeme} has 16 or more digits: write it in quotes, '${long.lexeme}'`
    throw new ExpressionMistake(why, condition)
  }
}

/**
 * The parts of a condition that do not hold, as they are written. Only parts that are joined by `&&` at
 * the top level are told apart.
 */
export function unmetParts(condition: string, contexts: EventContexts): string[] {
  return andOperands(condition).filter((part) => {
    try {
      return !holds(part, contexts)
    } catch {
      return true
    }
  })
}
