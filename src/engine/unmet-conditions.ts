import { isObject, type Json, type JsonObject, scalarText, typeName } from '../wire/json.ts'
import { ScriptFailure, type Scripts } from './scripts.ts'

/** A condition of a filter that an item does not meet. */
export interface UnmetCondition {
  /** `body.action`, or an operator such as `$or`. */
  readonly path: string
  /** `undefined` if the path names nothing in the item. */
  readonly found: Json | undefined
  /** As the filter writes it. */
  readonly wanted: Json
  /** The path that names the value, if `path` lacks `body.` at its beginning. */
  readonly meant?: string
}

/**
 * Evaluates each condition of a filter by itself; an operator other than `$and` is one condition.
 *
 * @param limit milliseconds, because a pattern can take years
 * @returns none if the evaluation takes too long
 */
export async function unmetConditions(
  filter: JsonObject,
  items: readonly JsonObject[],
  scripts: Pick<Scripts, 'within'>,
  limit: number,
): Promise<UnmetCondition[]> {
  const { compileQuery, mongoFor } = await import('./mongo.ts')
  const { isNamed, read, selectorOf } = await import('./mongo-paths.ts')
  const mongo = await mongoFor(filter)
  const unmet = (query: JsonObject, item: JsonObject): UnmetCondition[] =>
    Object.entries(query).flatMap(([path, wanted = null]) => {
      if (path === '$and' && Array.isArray(wanted)) {
        return wanted.flatMap((one) => (isObject(one) ? unmet(one, item) : []))
      }
      if (compileQuery('filter', { [path]: wanted }, mongo)(item) === true) return []
      if (path.startsWith('$')) return [{ path, found: undefined, wanted }]
      const selector = selectorOf(path)
      if (isNamed(item, selector)) {
        return [{ path, found: read(item, selector) as Json, wanted }] // a part of the item
      }
      const meant = path.startsWith('[') ? `body${path}` : `body.${path}`
      const isMeant = isNamed(item, selectorOf(meant))
      return [{ path, found: undefined, wanted, ...(isMeant && { meant }) }]
    })
  try {
    return await scripts.within(limit, () => items.flatMap((item) => unmet(filter, item)))
  } catch (error) {
    if (error instanceof ScriptFailure) return []
    throw error
  }
}

/** Whether the filter, and not the event, may be wrong: a path without a value, or another type. */
export function isSuspicious(condition: UnmetCondition): boolean {
  const { path, found, wanted } = condition
  if (path.startsWith('$')) return false
  return found === undefined || unequalTypes(found, wanted) !== undefined
}

/**
 * A condition in words: `body.action is "closed", wanted "opened"`.
 *
 * @param showValues whether the sentence may contain values of the event
 */
export function unmetText(condition: UnmetCondition, showValues: boolean): string {
  const { path, found, wanted, meant } = condition
  const text = wantedText(wanted)
  if (path.startsWith('$')) return `${path} is not true: ${text}`
  if (found === undefined) {
    const hint = meant === undefined ? '' : `; the event has ${meant}`
    return `${path} is missing, wanted ${text}${hint}`
  }
  const types = unequalTypes(found, wanted)
  if (types) {
    // The text of the filter's own value reveals nothing.
    const isWantedText =
      typeof found !== 'object' && scalarText(found) === scalarText(types.operand)
    const shown = showValues || isWantedText ? withType(found) : typeName(found)
    return `${path}: ${shown} ${types.relation}`
  }
  return `${path} is ${showValues ? JSON.stringify(found) : 'another value'}, wanted ${text}`
}

/**
 * The wanted value of a filter in words: `"opened"`, or `one of "opened", "closed"` for `$in`. Any other
 * operator is shown as the filter writes it.
 */
export function wantedText(wanted: Json): string {
  const operators = isObject(wanted) ? Object.entries(wanted) : []
  const [[operator, values] = []] = operators
  return operators.length === 1 && operator === '$in' && Array.isArray(values)
    ? `one of ${listText(values)}`
    : JSON.stringify(wanted)
}

function listText(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}

/** A comparison that no value of the found type can meet. */
interface TypeMismatch {
  /** `is not true (a boolean)` */
  readonly relation: string
  /** The wanted value, if it is a single one. */
  readonly operand?: Json
}

const ORDER: ReadonlyMap<string, string> = new Map([
  ['$gt', 'greater than'],
  ['$gte', 'at least'],
  ['$lt', 'less than'],
  ['$lte', 'at most'],
])

/** The operators that compare with elements of a list. */
const OF_LISTS: readonly string[] = ['$size', '$all', '$elemMatch']

function unequalTypes(found: Json, wanted: Json): TypeMismatch | undefined {
  const isQuery = isObject(wanted) && Object.keys(wanted).some((name) => name.startsWith('$'))
  const operators = isQuery ? Object.entries(wanted) : [['$eq', wanted] as const]
  for (const [operator, operand = null] of operators) {
    const mismatch = mismatchOf(found, operator, operand)
    if (mismatch) return mismatch
  }
  return undefined
}

function mismatchOf(found: Json, operator: string, operand: Json): TypeMismatch | undefined {
  if (OF_LISTS.includes(operator)) {
    return Array.isArray(found) ? undefined : { relation: `is not a list, which ${operator} needs` }
  }
  const isOfType = (type: string) =>
    typeName(found) === type ||
    (Array.isArray(found) && found.some((one) => typeName(one) === type))
  if (operator === '$regex') {
    if (isOfType('a string')) return undefined
    return { relation: 'is not a string, which $regex needs' }
  }
  if (operator === '$in' && Array.isArray(operand)) {
    if (operand.some((one) => isOfType(typeName(one)))) return undefined
    const types = [...new Set(operand.map(typeName))].join(' or ')
    const each = operand.length > 1 ? 'each ' : ''
    return operand.length === 0
      ? undefined
      : { relation: `is not one of ${listText(operand)} (${each}${types})` }
  }
  const order = ORDER.get(operator)
  if ((operator !== '$eq' && order === undefined) || isOfType(typeName(operand))) return undefined
  const relation = `is not ${order === undefined ? '' : `${order} `}${withType(operand)}`
  return { relation, operand }
}

function withType(value: Json): string {
  return value === null ? 'null' : `${JSON.stringify(value)} (${typeName(value)})`
}
