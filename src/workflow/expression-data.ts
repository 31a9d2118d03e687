import { data } from '@actions/expressions'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import type { Json } from '../wire/json.ts'
import { runnerNumber } from '../wire/runner-number.ts'

/** A number that prints as on a runner; the library prints up to 17 digits. */
class RunnerNumber extends data.NumberData {
  override coerceString(): string {
    return runnerNumber(this.value)
  }
}

/**
 * Converts a value for the library entry by entry: it passes a list as arguments, and a long one overflows
 * the stack.
 */
export function expressionData(value: Json): data.ExpressionData {
  if (value === null) return new data.Null()
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new RunnerNumber(value)
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

/** Marks a string that is printed without its quotes. */
const UNQUOTED = '\u0000number: '
const UNQUOTED_IN_JSON = /"\\u0000number: ([^"]*)"/g

/** The library's own function prints numbers otherwise than a runner. */
export const TO_JSON: FunctionDefinition = {
  name: 'toJSON',
  minArgs: 1,
  maxArgs: 1,
  call: (value?: data.ExpressionData) => new data.StringData(runnerJson(value ?? new data.Null())),
}

function runnerJson(value: data.ExpressionData): string {
  const json = JSON.stringify(
    value,
    (key, entry: unknown) =>
      entry instanceof data.NumberData
        ? UNQUOTED + runnerNumber(entry.value)
        : data.replacer(key, entry),
    '  ',
  )
  return json.replace(UNQUOTED_IN_JSON, '$1')
}
