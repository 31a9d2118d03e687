import { isMap, isScalar, isSeq, type Pair, type Scalar } from 'yaml'
import { expressionSpans, hasExpression } from '../workflow/expressions.ts'
import type { Path } from '../workflow/options.ts'
import { CONDITION_PLACES, isWithin } from './places.ts'
import { ScalarText, type Stretch } from './scalar-text.ts'

/** An expression of a workflow file: what stands within `${{ }}`, or a whole `if:`. */
export interface FileExpression {
  readonly text: string
  /** The keys above it: `['jobs', 'a', 'steps', 0, 'run']`. */
  readonly path: Path
  /** Where the characters `start` to `end` of the expression stand in the file. */
  stretch(start: number, end: number): Stretch
}

/** Every expression at and below a node, in the order of the file. */
export function fileExpressions(text: string, node: unknown, path: Path): FileExpression[] {
  return scalarsBelow(node, path).flatMap((found) => expressionsOf(text, found))
}

/** A text somewhere in a file. */
export interface FoundScalar {
  readonly scalar: Scalar<string>
  readonly path: Path
}

/** Every text at and below a node; what an alias stands for is found where it is written. */
export function scalarsBelow(node: unknown, path: Path): FoundScalar[] {
  if (isMap(node)) {
    return node.items.flatMap((pair) => scalarsBelow(pair.value, [...path, keyOf(pair)]))
  }
  if (isSeq(node)) return node.items.flatMap((item, at) => scalarsBelow(item, [...path, at]))
  return isText(node) ? [{ scalar: node, path }] : []
}

export function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}

function isText(node: unknown): node is Scalar<string> {
  return isScalar(node) && typeof node.value === 'string'
}

function expressionsOf(text: string, { scalar, path }: FoundScalar): FileExpression[] {
  const { value } = scalar
  if (!hasExpression(value)) {
    return isWithin(path, CONDITION_PLACES) ? [expression(text, scalar, path, 0, value.length)] : []
  }
  return expressionSpans(value).map(({ start, end }) => expression(text, scalar, path, start, end))
}

function expression(
  text: string,
  scalar: Scalar<string>,
  path: Path,
  from: number,
  to: number,
): FileExpression {
  let written: ScalarText | undefined
  return {
    text: scalar.value.slice(from, to),
    path,
    stretch(start, end) {
      written ??= new ScalarText(text, scalar)
      return written.stretch(from + start, from + end)
    },
  }
}
