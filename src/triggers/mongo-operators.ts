import { pathMistake } from '../wire/data-path.ts'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'

const COMPARISONS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'] as const

/** Operators of queries. Operators that run scripts (`$where`) or need a schema are left out. */
const QUERY_OPERATOR_NAMES = [
  ...COMPARISONS,
  '$in',
  '$nin',
  '$exists',
  '$type',
  '$regex',
  '$mod',
  '$size',
  '$all',
  '$elemMatch',
  '$and',
  '$or',
  '$nor',
  '$not',
] as const

const EXPRESSION_OPERATOR_NAMES = [
  ...COMPARISONS,
  '$and',
  '$or',
  '$not',
  '$concat',
  '$substrBytes',
  '$substrCP',
  '$strLenCP',
  '$toLower',
  '$toUpper',
  '$trim',
  '$split',
  '$replaceAll',
  '$arrayElemAt',
  '$first',
  '$last',
  '$cond',
  '$ifNull',
  '$toString',
] as const

/**
 * Operators of projections. `$size` and `$slice` are already among the operators of expressions.
 */
const PROJECTION_OPERATOR_NAMES = ['$elemMatch', '$slice'] as const

export type QueryOperatorName = (typeof QUERY_OPERATOR_NAMES)[number]

export type ExpressionOperatorName = (typeof EXPRESSION_OPERATOR_NAMES)[number]

export type ProjectionOperatorName = (typeof PROJECTION_OPERATOR_NAMES)[number]

export const QUERY_OPERATORS: ReadonlySet<string> = new Set([...QUERY_OPERATOR_NAMES, '$options'])

export const PROJECTION_OPERATORS: ReadonlySet<string> = new Set([
  ...PROJECTION_OPERATOR_NAMES,
  ...EXPRESSION_OPERATOR_NAMES,
  ...QUERY_OPERATORS,
])

export function isProjectionOperator(name: string): boolean {
  return PROJECTION_OPERATOR_NAMES.some((known) => known === name)
}

/** The path in an expression such as `$body.title` or `$$ROOT.body.title`; `undefined` for other strings. */
export function fieldPath(expression: string): string | undefined {
  return /^\$(?:\$(?:ROOT|CURRENT)\.)?([^$].*)/s.exec(expression)?.[1]
}

/** A fault within an option, at the value that these keys lead to, or at the last key itself. */
export interface OptionFault {
  readonly keys: readonly (string | number)[]
  readonly isAboutKey?: true
  readonly message: string
}

/** The paths of a query that are none, and comparisons by order that would compare characters. */
export function queryFaults(query: JsonObject): OptionFault[] {
  return Object.entries(query).flatMap(([key, value = null]) => {
    if (!key.startsWith('$')) {
      const isCondition = isObject(value) && Object.keys(value).some((name) => name.startsWith('$'))
      const within = isCondition ? queryFaults(value) : []
      return [...pathFaults(key), ...below(key, within)]
    }
    const within = VALUES.has(key) ? [] : withinOperator(value)
    const { $options: options } = query
    return [
      ...operandFaults(key, value, options),
      ...orderFaults(key, value),
      ...below(key, within),
    ]
  })
}

const LISTS: ReadonlySet<string> = new Set(['$in', '$nin', '$all', '$mod', '$and', '$or', '$nor'])

/** Operands that mingo refuses without a reason, or takes for a query that every element matches. */
function operandFaults(operator: string, operand: Json, options: Json = ''): OptionFault[] {
  const needsList = LISTS.has(operator) && !Array.isArray(operand)
  const needsMapping = operator === '$elemMatch' && !isObject(operand)
  if (operator === '$regex' && typeof operand === 'string')
    return patternFaults(operand, String(options))
  if (!needsList && !needsMapping) return []
  return [{ keys: [operator], message: `${operator} needs a ${needsList ? 'list' : 'mapping'}` }]
}

function patternFaults(text: string, flags: string): OptionFault[] {
  try {
    // Other options may be a placeholder of a value that only a run has.
    if (/^[dgimsuvy]*$/.test(flags)) RegExp(text, flags)
    return []
  } catch (error) {
    return [{ keys: ['$regex'], message: error instanceof Error ? error.message : 'invalid' }]
  }
}

/** Operators whose operands are values of the item, even if they are mappings. */
const VALUES: ReadonlySet<string> = new Set(['$eq', '$ne', '$in', '$nin'])

function withinOperator(operand: Json): OptionFault[] {
  if (!Array.isArray(operand)) return isObject(operand) ? queryFaults(operand) : []
  return operand.flatMap((one, at) => (isObject(one) ? below(at, queryFaults(one)) : []))
}

/** The paths of a projection that are none, as fields and in expressions, and operands of a wrong form. */
export function projectionFaults(projection: JsonObject): OptionFault[] {
  const fields = fieldsOf(projection)
  const [first] = fields
  const other = fields.find(({ isOmitted }) => isOmitted !== first?.isOmitted)
  const mixed = 'a projection either passes fields on (1) or leaves fields out (0), not both'
  return [
    ...partFaults(projection),
    ...(other ? [{ keys: other.keys, isAboutKey: true, message: mixed } as const] : []),
  ]
}

/** The fields of a projection, apart from `_id`, which may be left out with other fields passed on. */
function fieldsOf(projection: JsonObject): { keys: string[]; isOmitted: boolean }[] {
  return Object.entries(projection).flatMap(([key, value = null]) => {
    const isNested = isObject(value) && !Object.keys(value).some((name) => name.startsWith('$'))
    const isOmitted = value === 0 || value === false
    if (isNested) return fieldsOf(value).map((field) => ({ ...field, keys: [key, ...field.keys] }))
    // Only a run knows the value of an expression.
    const isUnknown = typeof value === 'string' && value.includes('${{')
    return isUnknown || (key === '_id' && isOmitted) ? [] : [{ keys: [key], isOmitted }]
  })
}

function partFaults(part: JsonObject): OptionFault[] {
  return Object.entries(part).flatMap(([key, value = null]) => {
    if (key === '$elemMatch') return below(key, withinOperator(value))
    const own = key.startsWith('$')
      ? [...formFaults(key, value), ...orderFaults(key, value)]
      : pathFaults(key)
    return [...own, ...below(key, expressionFaults(value))]
  })
}

/** The number of values that operators of expressions take; 0 for any number. */
const ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ...COMPARISONS.map((name) => [name, 2] as const),
  ...(['$and', '$or', '$concat', '$ifNull'] as const).map((name) => [name, 0] as const),
  ['$arrayElemAt', 2],
  ['$split', 2],
  ['$substrBytes', 3],
  ['$substrCP', 3],
])

function formFaults(operator: string, operand: Json): OptionFault[] {
  const fault = (form: string) => [{ keys: [operator], message: `${operator} needs ${form}` }]
  const isList = Array.isArray(operand)
  const count = ARGUMENTS.get(operator)
  if (operator === '$replaceAll' && !isObject(operand)) {
    return fault('a mapping with input, find and replacement')
  }
  if (operator === '$cond' && (isList ? operand.length !== 3 : !isObject(operand))) {
    return fault('a list of 3 values, or a mapping with if, then and else')
  }
  if (count === undefined || (isList && (count === 0 || operand.length === count))) return []
  return fault(count === 0 ? 'a list' : `a list of ${count} values`)
}

function expressionFaults(value: Json): OptionFault[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => below(at, expressionFaults(one)))
  if (isObject(value)) return partFaults(value)
  const path = typeof value === 'string' ? fieldPath(value) : undefined
  const mistake = path === undefined ? undefined : pathMistake(path)
  return mistake === undefined ? [] : [{ keys: [], message: `the path ${mistake}` }]
}

/** The paths of a sort order that are none. */
export function sortFaults(order: JsonObject): OptionFault[] {
  return Object.keys(order).flatMap(pathFaults)
}

function pathFaults(key: string): OptionFault[] {
  const mistake = pathMistake(key)
  if (mistake === undefined) return []
  return [{ keys: [key], isAboutKey: true, message: `the path ${mistake}` }]
}

/** Long integers of an item are strings, which mingo compares by character. */
function orderFaults(operator: string, operand: Json): OptionFault[] {
  const isOrder = ORDER_OPERATORS.has(operator)
  const isLong = (one: Json) => typeof one === 'string' && /^[-+]?\d{16,}$/.test(one)
  if (!isOrder || ![operand].flat().some(isLong)) return []
  return [{ keys: [operator], message: orderOfLongIntegers(operator) }]
}

export const ORDER_OPERATORS: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte'])

export function orderOfLongIntegers(operator: string): string {
  return `${operator} cannot compare integers of 16 or more digits, because they are strings in the item; compare them in filterScript with BigInt()`
}

function below(key: string | number, faults: readonly OptionFault[]): OptionFault[] {
  return faults.map((fault) => ({ ...fault, keys: [key, ...fault.keys] }))
}

/** An escape, a class, or what RE2 does not have: lookaround and backreferences. */
const PARTS = /(?<unknown>\(\?<?[=!]|\\[1-9]|\\k<)|\\.|\[(?:\\.|[^\]\\])*\]/gs

/** True for a pattern that RE2 does not have, and which therefore needs an engine that backtracks. */
export function needsBacktracking(pattern: string): boolean {
  return [...pattern.matchAll(PARTS)].some(({ groups }) => groups?.unknown !== undefined)
}
