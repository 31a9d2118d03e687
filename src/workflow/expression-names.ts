import type { Expr } from '@actions/expressions/ast'
import { Binary, ContextAccess, Grouping, IndexAccess, Literal } from '@actions/expressions/ast'
import {
  isFault,
  parseExpression,
  partsOf,
  type Reference,
  referencesIn,
} from './file-expressions.ts'
import type { Span } from './spans.ts'
import { didYouMean } from './suggestion.ts'

/** What can stand behind a value: any name, none since it is a text, or these names. */
export type Shape =
  | { readonly kind: 'any' }
  | { readonly kind: 'text' }
  | {
      readonly kind: 'object'
      /** By their names in lower case, as they are written and what they are. */
      readonly names: ReadonlyMap<string, { readonly name: string; readonly shape: Shape }>
      /** What a name is that is not one of these. */
      readonly rest?: Shape
      /** What is wrong with another name than these; by default nothing is. */
      readonly unknown?: (name: string) => NameFault | undefined
    }

/** What is wrong with a name, for a person. */
export interface NameFault {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly notes?: readonly string[]
}

export interface PlacedFault extends NameFault {
  /** In the expression. */
  readonly span: Span
}

export const ANY: Shape = { kind: 'any' }
export const TEXT: Shape = { kind: 'text' }

/** An object of these names; another one is a fault where `unknown` says so. */
export function objectOf(
  entries: Iterable<readonly [name: string, shape: Shape]>,
  unknown?: (name: string, known: readonly string[]) => NameFault | undefined,
  rest?: Shape,
): Shape {
  const names = new Map([...entries].map(([name, shape]) => [name.toLowerCase(), { name, shape }]))
  const known = [...names.values()].map(({ name }) => name)
  return {
    kind: 'object',
    names,
    ...(rest && { rest }),
    ...(unknown && { unknown: (name) => unknown(name, known) }),
  }
}

/** A fault that names what there is, and what was probably meant. */
export function unknownName(
  code: string,
  message: string,
  name: string,
  known: readonly string[],
  kind: string,
): NameFault {
  const hint = didYouMean(name, known)
  const notes = [`${kind}: ${known.join(', ') || 'none'}`]
  return { code, message, ...(hint && { hint }), notes }
}

/**
 * What an expression reads that is not there, and how it compares what can never be equal.
 *
 * @param text the inside of `${{ }}`, or a whole condition
 * @param contexts what each context has here; one that is not named is not looked into
 */
export function nameFaults(text: string, contexts: ReadonlyMap<string, Shape>): PlacedFault[] {
  const faults = [...contexts].flatMap(([context, shape]) =>
    referencesIn(text, context).flatMap((reference) => faultOf(text, reference, shape) ?? []),
  )
  return [...faults, ...comparisonFaults(text, contexts)]
}

function faultOf(text: string, { start, steps }: Reference, root: Shape): PlacedFault | undefined {
  let shape = root
  for (const step of steps) {
    if (shape.kind === 'any' || step.name === undefined) return undefined
    if (shape.kind === 'text') {
      const whole = text.slice(start, text.lastIndexOf('.', step.start))
      const span = { start: step.start, end: step.end }
      const message = `an output is a text: "${step.name}" is not in it`
      return {
        span,
        code: 'text-as-object',
        message,
        hint: `write fromJSON(${whole}).${step.name}`,
      }
    }
    const known = shape.names.get(step.name.toLowerCase())
    if (!known) {
      const fault = shape.unknown?.(step.name)
      if (fault) return { ...fault, span: { start: step.start, end: step.end } }
    }
    shape = known?.shape ?? shape.rest ?? ANY
  }
  return undefined
}

/** The shape that a path of names leads to. */
export function shapeAt(reference: Reference, root: Shape | undefined): Shape {
  let shape = root ?? ANY
  for (const { name } of reference.steps) {
    if (shape.kind !== 'object' || name === undefined) return ANY
    shape = shape.names.get(name.toLowerCase())?.shape ?? shape.rest ?? ANY
  }
  return shape
}

/** `steps.a.outputs.b == true`: GitHub makes numbers of both, and of a text such as `true` none. */
function comparisonFaults(text: string, contexts: ReadonlyMap<string, Shape>): PlacedFault[] {
  if (!/[!=]=/.test(text) || !/\btrue\b/i.test(text)) return []
  const tree = parseExpression(text)
  if (isFault(tree)) return []
  return partsOf(tree).flatMap((part) => {
    if (!(part instanceof Binary) || !/^[!=]=$/.test(part.operator.lexeme)) return []
    const [value, other] = isTrue(part.right) ? [part.left, part.right] : [part.right, part.left]
    const token = isTrue(other) ? literalOf(other)?.token : undefined
    const place = placeOf(value)
    if (!token || place === undefined) return []
    const isText = [...contexts].some(([context, shape]) =>
      referencesIn(text, context).some(
        (reference) => reference.start === place && shapeAt(reference, shape).kind === 'text',
      ),
    )
    if (!isText) return []
    const { lexeme } = part.operator
    return [
      {
        span: { start: token.range.start.column, end: token.range.end.column },
        code: 'text-as-boolean',
        message: `an output is a text, and no text ${lexeme === '==' ? 'equals' : 'is'} true or false: this is ${lexeme === '==' ? 'never' : 'always'} so`,
        hint: `write ${lexeme} 'true'`,
      },
    ]
  })
}

function literalOf(part: Expr): Literal | undefined {
  if (part instanceof Grouping) return literalOf(part.group)
  return part instanceof Literal ? part : undefined
}

function isTrue(part: Expr): boolean {
  return literalOf(part)?.token.lexeme.toLowerCase() === 'true'
}

/** Where the name of a context stands from which a value is read, and nothing else. */
export function placeOf(part: Expr): number | undefined {
  if (part instanceof Grouping) return placeOf(part.group)
  if (part instanceof IndexAccess) return placeOf(part.expr)
  return part instanceof ContextAccess ? part.name.range.start.column : undefined
}
