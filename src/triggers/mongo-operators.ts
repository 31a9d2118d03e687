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

/** Operators of expressions in a projection. */
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

/** An escape, a class, or what RE2 does not have: lookaround and backreferences. */
const PARTS = /(?<unknown>\(\?<?[=!]|\\[1-9]|\\k<)|\\.|\[(?:\\.|[^\]\\])*\]/gs

/** True if a query contains such a pattern at any depth. */
export function hasBacktracking(query: unknown): boolean {
  if (typeof query !== 'object' || query === null) return false
  return Object.entries(query).some(([name, value]) =>
    name === '$regex' && typeof value === 'string'
      ? needsBacktracking(value)
      : hasBacktracking(value),
  )
}

/** True for a pattern that RE2 does not have, and which therefore needs an engine that backtracks. */
export function needsBacktracking(pattern: string): boolean {
  return [...pattern.matchAll(PARTS)].some(({ groups }) => groups?.unknown !== undefined)
}
