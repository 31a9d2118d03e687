import { Context } from 'mingo/core'
import { $arrayElemAt, $first, $last } from 'mingo/operators/expression/array'
import * as boolean from 'mingo/operators/expression/boolean'
import * as comparison from 'mingo/operators/expression/comparison'
import { $cond, $ifNull } from 'mingo/operators/expression/conditional'
import {
  $concat,
  $replaceAll,
  $split,
  $strLenCP,
  $substrBytes,
  $substrCP,
  $toLower,
  $toUpper,
  $trim,
} from 'mingo/operators/expression/string'
import { $toString } from 'mingo/operators/expression/type'
import { $elemMatch, $slice } from 'mingo/operators/projection'
import * as array from 'mingo/operators/query/array'
import { $eq, $gt, $gte, $in, $lt, $lte, $ne, $nin } from 'mingo/operators/query/comparison'
import { $exists, $type } from 'mingo/operators/query/element'
import { $mod } from 'mingo/operators/query/evaluation'
import { $and, $nor, $not, $or } from 'mingo/operators/query/logical'
import { Query } from 'mingo/query'
import type { ExpressionOperator, Options, ProjectionOperator, QueryOperator } from 'mingo/types'
import type {
  ExpressionOperatorName,
  ProjectionOperatorName,
  QueryOperatorName,
} from '../triggers/mongo-operators.ts'
import type { Item } from '../triggers/trigger.ts'
import { isObject, type Json, type JsonObject, record } from '../wire/json.ts'
import { readableBy, selectorOf } from './mongo-paths.ts'
import { projectionOf } from './projection.ts'

type ComparisonName = Exclude<QueryOperatorName, '$regex' | keyof typeof LOGICAL>

/** Operators that combine queries; their queries read the paths. */
const LOGICAL = { $and, $or, $nor, $not }

/** Operators that read a path. */
const comparisons: Record<ComparisonName, QueryOperator> = {
  $eq,
  $ne,
  $gt,
  $gte,
  $lt,
  $lte,
  $in,
  $nin,
  $exists,
  $type,
  $mod,
  $size: array.$size,
  $all: array.$all,
  $elemMatch: array.$elemMatch,
}

const expression: Record<ExpressionOperatorName, ExpressionOperator> = {
  $eq: comparison.$eq,
  $ne: comparison.$ne,
  $gt: comparison.$gt,
  $gte: comparison.$gte,
  $lt: comparison.$lt,
  $lte: comparison.$lte,
  $and: boolean.$and,
  $or: boolean.$or,
  $not: boolean.$not,
  $concat,
  $substrBytes,
  $substrCP,
  $strLenCP,
  $toLower,
  $toUpper,
  $trim,
  $split,
  $replaceAll,
  $arrayElemAt,
  $first,
  $last,
  $cond,
  $ifNull,
  $toString,
}

/** The value of a path, which `projectionOf` has read. */
const $literal: ExpressionOperator = (_item: unknown, value: unknown, _: Options) => value

const projection: Record<ProjectionOperatorName, ProjectionOperator> = {
  $elemMatch,
  $slice,
}

/** An operator that finds keys with dots, brackets or capitals too; see `readableBy`. */
function withOwnPaths(operator: QueryOperator): QueryOperator {
  // Their types differ in what `value` is, which they check themselves.
  const compile = operator as (path: string, value: unknown, options: Options) => Matches
  return (path: string, value: unknown, options: Options): Matches => {
    const selector = selectorOf(path)
    const matches = compile(selector.text, value, options)
    return (item) => matches(readableBy(item, selector))
  }
}

type Matches = (item: unknown) => boolean

/** The library, as the options of a workflow use it. */
export interface Mongo {
  readonly Query: typeof Query
  /** Allows only the operators above. Scripts are disabled, because they would run in this process. */
  readonly options: { readonly scriptEnabled: false; readonly context: Context }
}

/**
 * Prepares the library for an option.
 *
 * @param option a query, a projection or a sort order
 */
export async function mongoFor(option: unknown): Promise<Mongo> {
  // Few options have a pattern, and the engine for patterns takes 50 ms to load.
  const hasPattern = JSON.stringify(option).includes('"$regex"')
  const patterns = hasPattern ? await import('./patterns.ts') : {}
  const reading = Object.entries({ ...comparisons, ...patterns })
  const wrapped = reading.map(([name, operator]) => [name, withOwnPaths(operator)] as const)
  const query = { ...Object.fromEntries(wrapped), ...LOGICAL }
  const context = Context.init({ query, expression: { ...expression, $literal }, projection })
  return { Query, options: { scriptEnabled: false, context } }
}

/** An option as a function of an item: of `filter` a boolean, of `filterOutputs` the JSON of the result. */
export function compileQuery(
  option: 'filter' | 'filterOutputs',
  query: JsonObject,
  { Query, options }: Mongo,
): (item: Item) => boolean | string {
  if (option === 'filter') {
    const compiled = new Query(query, options)
    return (item) => compiled.test(comparable(item))
  }
  const all = new Query({}, options)
  const prepare = projectionOf(query)
  return (item) => {
    const { item: encoded, query: paths, decode } = prepare(item)
    // A projection that removes fields removes them from the given item. mingo's own copy would take
    // a key `__proto__` for the prototype.
    const [result = {}] = all.find<Item>([structuredClone(encoded)], paths).all()
    return decode(result)
  }
}

/** An item whose records equal the mappings of a query. */
function comparable(item: Item): Item {
  const members = Object.entries(item).map(
    ([name, value]) => [name, isObject(value) ? withPrototypes(value) : value] as const,
  )
  return record(members)
}

/** Records have no prototype, and mingo takes them for another type than the mappings of a query. */
function withPrototypes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withPrototypes)
  if (!isObject(value) || Object.getPrototypeOf(value) !== null) return value
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([name, inner]) => [name, withPrototypes(inner)]))
}
