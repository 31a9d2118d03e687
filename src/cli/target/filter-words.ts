import { wantedText } from '../../engine/unmet-conditions.ts'
import { isObject, type Json, type JsonObject } from '../../wire/json.ts'

/**
 * The conditions of a filter in words: `body.type must be one of "created", "updated"`. An event must meet
 * all of them.
 *
 * @param filter a valid MongoDB query
 */
export function filterWords(filter: JsonObject): string[] {
  return Object.entries(filter)
    .flatMap(([key, value]) => conjuncts(key, value))
    .map(conditionWords)
}

/** One condition of a query: a path with one operator, or an operator over queries. */
interface QueryCondition {
  readonly key: string
  readonly operator: string
  readonly value: Json
}

/** `{a: {$gt: 1, $lt: 5}}` is two conditions, and `$and` is those of its queries. */
function conjuncts(key: string, value: Json): QueryCondition[] {
  if (key === '$and' && Array.isArray(value)) {
    return value.flatMap((query) =>
      isObject(query)
        ? Object.entries(query).flatMap(([one, of]) => conjuncts(one, of ?? null))
        : [],
    )
  }
  if (key.startsWith('$')) return [{ key: '', operator: key, value }]
  const operators = isObject(value) ? Object.entries(value) : []
  const isPlain = operators.length === 0 || !operators.every(([name]) => name.startsWith('$'))
  // $options changes the meaning of $regex, so that the two stay together.
  const isOne = isPlain || operators.some(([name]) => name === '$options')
  if (isOne) return [{ key, operator: '$eq', value }]
  return operators.map(([operator, operand]) => ({ key, operator, value: operand ?? null }))
}

function conditionWords({ key, operator, value }: QueryCondition): string {
  const wanted = operator === '$eq' ? value : { [operator]: value }
  return key === ''
    ? `${operator}: ${JSON.stringify(value)}`
    : `${key} must be ${wantedText(wanted)}`
}
