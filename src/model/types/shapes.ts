import type { Place } from '../../workflow/nodes.ts'
import { didYouMean } from '../../workflow/suggestion.ts'

/**
 * The type of a value in an expression, as far as the action's outputs decide it. All other values are
 * `any`, because actionlint checks them.
 */
export type Shape = Origin &
  (
    | { readonly kind: 'any' | 'number' | 'boolean' }
    | { readonly kind: 'list'; readonly item: Shape }
    | TextShape
    | ObjectShape
  )

interface Origin {
  /** Whether the value comes from Hookline: only such a value is reported. */
  readonly isHookline?: boolean
  /** Whether the sender of an event can choose the value. */
  readonly isUntrusted?: boolean
}

interface TextShape {
  readonly kind: 'text'
  /** The type of the value after `fromJSON`, for a string that is JSON. */
  readonly json?: Shape | undefined
  /** The only values that the string can have. */
  readonly values?: readonly string[]
  readonly output?: OutputShape
}

interface ObjectShape {
  readonly kind: 'object'
  /** The names in lower case, each with its written form and its shape. */
  readonly names: ReadonlyMap<string, { readonly name: string; readonly shape: Shape }>
  readonly rest?: Shape | undefined
  /** The fault of any other name; by default there is none. */
  readonly unknown?: ((name: string) => NameFault | undefined) | undefined
}

/** An output of the action, read from a step or by way of an output of its job. */
export interface OutputShape {
  /** Its name in lower case. */
  readonly name: string
  readonly step: Place
  readonly context: 'steps' | 'needs'
  /** The id of the step, or the name of the job. */
  readonly owner: string
  /** The expression of the output `triggered` of the same step, unless the job does not pass it. */
  readonly triggered: string | undefined
  /** The expression that reads a value in it safely. @param rest the access after it: `.title` */
  readonly safe: (rest: string) => { readonly hint: string; readonly notes?: readonly string[] }
}

export interface NameFault {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly notes?: readonly string[]
  /** Replaces the whole access. @param rest the access after the wrong name: `.outputs` */
  readonly whole?: (rest: string) => string
}

export const ANY: Shape = { kind: 'any' }
export const TEXT: Shape = { kind: 'text' }
export const NUMBER: Shape = { kind: 'number' }
export const BOOLEAN: Shape = { kind: 'boolean' }

/** A value that the sender of an event chooses, of any type. */
export const EVENT_VALUE: Shape = { kind: 'any', isUntrusted: true }
/** A string that the sender chooses. */
export const EVENT_TEXT: Shape = { kind: 'text', isHookline: true, isUntrusted: true }

export const EVENT_BOOLEAN: Shape = { kind: 'boolean', isHookline: true, isUntrusted: true }

export function eventText(json: Shape): Shape {
  return { ...EVENT_TEXT, kind: 'text', json }
}

/** A string that Hookline chooses. */
export function ownText(values?: readonly string[]): Shape {
  return { kind: 'text', isHookline: true, ...(values && { values }) }
}

/** An object with these names; `unknown` decides whether another name is a fault. */
export function objectShape(
  entries: Iterable<readonly [name: string, shape: Shape]>,
  unknown?: (name: string, known: readonly string[]) => NameFault | undefined,
  rest?: Shape,
): ObjectShape & Origin {
  const names = new Map([...entries].map(([name, shape]) => [name.toLowerCase(), { name, shape }]))
  const known = [...names.values()].map(({ name }) => name)
  return { kind: 'object', names, rest, unknown: unknown && ((name) => unknown(name, known)) }
}

/** The same for an object of Hookline. */
export function ownObject(...parts: Parameters<typeof objectShape>): Shape {
  return { ...objectShape(...parts), isHookline: true }
}

/**
 * A fault of an unknown output, which lists the known names.
 *
 * @param kind the title of the list
 * @param hint by default the closest known name
 */
export function unknownNameFault(
  message: string,
  name: string,
  known: readonly string[],
  kind: string,
  hint = didYouMean(name, known),
): NameFault {
  const notes = [`${kind}: ${known.join(', ') || 'none'}`]
  return { code: 'unknown-output', message, ...(hint && { hint }), notes }
}

/** Whether a value, or one in it, comes from the sender. */
export function hasUntrusted(shape: Shape): boolean {
  if (shape.isUntrusted) return true
  if (shape.kind === 'list') return hasUntrusted(shape.item)
  if (shape.kind !== 'object') return false
  const inside = [...shape.names.values()].map((one) => one.shape)
  return [...inside, ...(shape.rest ? [shape.rest] : [])].some(hasUntrusted)
}

/** The string that GitHub makes of a value. */
export function textOfShape(shape: Shape): Shape {
  if (shape.kind === 'text') return shape
  const isText = shape.isUntrusted === true && (shape.kind === 'any' || shape.kind === 'boolean')
  return isText ? EVENT_TEXT : { kind: 'text', isHookline: shape.isHookline === true }
}

export function unionOf(shapes: readonly Shape[]): Shape {
  const [first = ANY, ...others] = shapes
  if (others.length === 0) return first
  const isUntrusted = shapes.some(hasUntrusted)
  if (others.every(({ kind }) => kind === first.kind)) {
    if (first.kind === 'text') {
      const values = shapes.map((shape) => (shape.kind === 'text' && shape.values) || undefined)
      const isHookline = shapes.every((shape) => shape.isHookline)
      const all = values.every((one) => one !== undefined) ? values.flat() : undefined
      return { kind: 'text', isHookline, isUntrusted, ...(all && { values: all }) }
    }
    if (first.kind === 'boolean' || first.kind === 'number') return first
  }
  return isUntrusted ? EVENT_VALUE : ANY
}

/** The type of a JSON value that a file contains. */
export function shapeOfJson(value: unknown): Shape {
  if (typeof value === 'string') return TEXT
  if (typeof value === 'number') return NUMBER
  if (typeof value === 'boolean') return BOOLEAN
  if (Array.isArray(value)) return { kind: 'list', item: ANY }
  return typeof value === 'object' && value !== null ? objectShape([], undefined, ANY) : ANY
}
