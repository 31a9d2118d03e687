import { Context, ProcessingMode } from 'mingo/core'
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
import type { ExpressionOperator, ProjectionOperator, QueryOperator } from 'mingo/types'
import type {
  ExpressionOperatorName,
  ProjectionOperatorName,
  QueryOperatorName,
} from '../triggers/mongo-operators.ts'

const query: Record<Exclude<QueryOperatorName, '$regex'>, QueryOperator> = {
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
  $and,
  $or,
  $nor,
  $not,
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

const projection: Record<ProjectionOperatorName, ProjectionOperator> = {
  $elemMatch,
  $slice,
}

/** The library, as the options of a workflow use it. */
export interface Mongo {
  readonly Query: typeof Query
  /** Allows only the operators above. Scripts are disabled, because they would run in this process. */
  readonly options: { readonly scriptEnabled: false; readonly context: Context }
  /** For a projection that removes fields: mingo would otherwise remove them from the given item. */
  readonly cloning: Mongo['options'] & { readonly processingMode: ProcessingMode }
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
  const context = Context.init({ query: { ...query, ...patterns }, expression, projection })
  const options = { scriptEnabled: false, context } as const
  return {
    Query,
    options,
    cloning: { ...options, processingMode: ProcessingMode.CLONE_INPUT },
  }
}
