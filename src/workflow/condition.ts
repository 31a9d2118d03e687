import { data, Evaluator, Parser } from '@actions/expressions'
import { truthy } from '@actions/expressions/result'
import type { Json } from '../wire/json.ts'
import { ExpressionMistake, lex } from './expressions.ts'

/** What a condition at the relay may name, beside GitHub's own functions. */
export const CONDITION_NAMES = ['method', 'path', 'query', 'headers', 'body'] as const

export type EventContexts = Readonly<Record<(typeof CONDITION_NAMES)[number], Json>>

/**
 * Whether a condition in GitHub's own expression language holds, without `${{ }}` around it.
 *
 * @throws Error of any kind when it cannot be evaluated
 */
export function holds(condition: string, contexts: EventContexts): boolean {
  // The reviver turns every object into a Dictionary; JSON.parse is typed `any`.
  const values = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
  return truthy(new Evaluator(parsed(condition), values).evaluate())
}

function parsed(condition: string) {
  return new Parser(lex(condition), [...CONDITION_NAMES], []).parse()
}

/** @throws ExpressionMistake with its place, for what is no condition */
export function checkCondition(condition: string): void {
  try {
    parsed(condition)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'malformed'
    throw new ExpressionMistake(why, condition)
  }
}
