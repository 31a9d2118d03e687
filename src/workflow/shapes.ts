import { didYouMean } from './suggestion.ts'

/** The type of a value and of its properties, as far as a file determines it. */
export type Shape =
  | { readonly kind: 'any' | 'text' | 'number' | 'boolean' | 'null' }
  | { readonly kind: 'list'; readonly item: Shape }
  | {
      readonly kind: 'object'
      /** The names by lower-case name, each with its written form and its shape. */
      readonly names: ReadonlyMap<string, { readonly name: string; readonly shape: Shape }>
      /** The shape of any other name. */
      readonly rest?: Shape
      /** The fault of any other name; by default there is none. */
      readonly unknown?: (name: string) => NameFault | undefined
    }

/** The message for a wrong name. */
export interface NameFault {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly notes?: readonly string[]
}

export const ANY: Shape = { kind: 'any' }
export const TEXT: Shape = { kind: 'text' }
export const NUMBER: Shape = { kind: 'number' }
export const BOOLEAN: Shape = { kind: 'boolean' }
export const NULL: Shape = { kind: 'null' }

/** An object with these names; `unknown` decides whether another name is a fault. */
export function objectShape(
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

/** A fault that lists the known names and suggests the closest. */
export function unknownNameFault(
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

/** The shape of a value that has one of these shapes. */
export function unionOf(
  shapes: readonly Shape[],
  unknown?: Parameters<typeof objectShape>[1],
): Shape {
  const [first] = shapes
  if (!first || shapes.some(({ kind }) => kind !== first.kind)) return ANY
  if (first.kind === 'list') {
    const items = shapes.flatMap((shape) => (shape.kind === 'list' ? [shape.item] : []))
    return { kind: 'list', item: unionOf(items, unknown) }
  }
  if (first.kind !== 'object') return first
  const objects = shapes.flatMap((shape) => (shape.kind === 'object' ? [shape] : []))
  const byName = new Map<string, Shape[]>()
  for (const { names } of objects) {
    for (const { name, shape } of names.values()) {
      byName.set(name, [...(byName.get(name) ?? []), shape])
    }
  }
  const isOpen = objects.some(({ rest }) => rest !== undefined)
  const entries = [...byName].map(([name, all]) => {
    // The name may be missing then, so its value can be anything.
    return [name, all.length < objects.length ? ANY : unionOf(all, unknown)] as const
  })
  return objectShape(entries, isOpen ? undefined : unknown, isOpen ? ANY : undefined)
}

/** The type of a JSON value. */
export function shapeOfJson(value: unknown): Shape {
  if (value === null) return NULL
  if (typeof value === 'string') return TEXT
  if (typeof value === 'number') return NUMBER
  if (typeof value === 'boolean') return BOOLEAN
  if (Array.isArray(value)) return { kind: 'list', item: unionOf(value.map(shapeOfJson)) }
  if (typeof value !== 'object') return ANY
  return objectShape(Object.entries(value).map(([name, one]) => [name, shapeOfJson(one)] as const))
}
