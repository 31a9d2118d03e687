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
  const values = new data.Dictionary()
  for (const [name, value] of Object.entries(contexts)) values.add(name, expressionData(value))
  return truthy(new Evaluator(parsed(condition), values).evaluate())
}

/** Entry by entry: the library's own way hands a list over as arguments, which a long one overflows. */
function expressionData(value: Json): data.ExpressionData {
  if (value === null) return new data.Null()
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  if (Array.isArray(value)) {
    const list = new data.Array()
    for (const entry of value) list.add(expressionData(entry))
    return list
  }
  const object = new data.Dictionary()
  for (const [name, entry] of Object.entries(value)) object.add(name, expressionData(entry))
  return object
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
