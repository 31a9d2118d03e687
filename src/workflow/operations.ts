import type { YAMLMap, YAMLSeq } from 'yaml'
import type { Edit, Lines } from './spans.ts'
import { type Path, pathKey } from './yaml.ts'

/** The position of a new entry among the entries of a mapping or a list. */
export type Where = 'first' | 'last' | { readonly before: Key } | { readonly after: Key }
export type Key = string | number

/**
 * A change of a workflow file at a path. Everything else remains unchanged, and every comment stays
 * with its entry.
 */
export type Operation =
  /** Replaces the value of a key, by lines at column 0; not an item of a list. A path through an alias is an error. */
  | { readonly op: 'set'; readonly path: Path; readonly lines: Lines }
  /** Removes an entry and everything below it; also a mapping that loses its last entry. */
  | { readonly op: 'remove'; readonly path: Path }
  /**
   * Adds entries, as lines at column 0, to the mapping or list at a path. If the path does not
   * exist, it is created, at the position `parent` among its siblings.
   */
  | {
      readonly op: 'insert'
      readonly path: Path
      readonly lines: Lines
      readonly where: Where
      readonly parent?: Where
    }
  /** Converts a name, a list of names, or a mapping in braces to a block mapping. */
  | { readonly op: 'wrap'; readonly path: Path }
  /** Edits the value of a string; offsets are those of the value, not of its written form. */
  | { readonly op: 'rewriteText'; readonly path: Path; readonly edits: readonly Edit[] }

/** Merges operations that create the same missing mapping, so that it is created once. */
export function withMerged(
  operations: readonly Operation[],
  isThere: (path: Path) => boolean,
): readonly Operation[] {
  const merged = new Map<string, Operation>()
  for (const one of operations) {
    const key = one.op === 'insert' && !isThere(one.path) ? `${pathKey(one.path)}` : undefined
    const known = key === undefined ? undefined : merged.get(key)
    if (one.op === 'insert' && known?.op === 'insert') {
      const isFirst = one.where === 'first' && one.path.length === 0
      const lines = isFirst ? [...one.lines, ...known.lines] : [...known.lines, ...one.lines]
      merged.set(pathKey(one.path), { ...known, lines })
    } else merged.set(key ?? `#${merged.size}`, one)
  }
  return [...merged.values()]
}

/** The `remove` operations, including those of mappings and sections that lose their last entry. */
export function withoutEmptied(
  operations: readonly Operation[],
  collectionAt: (path: Path) => YAMLMap | YAMLSeq | undefined,
): readonly Operation[] {
  const counts = new Map<string, { readonly path: Path; count: number }>()
  for (const { op, path } of operations) {
    if (op !== 'remove' || path.length < 2) continue
    const parent = path.slice(0, -1)
    const known = counts.get(pathKey(parent)) ?? { path: parent, count: 0 }
    known.count++
    counts.set(pathKey(parent), known)
  }
  const isFilled = (path: Path) =>
    operations.some(
      (one) => (one.op === 'insert' || one.op === 'wrap') && pathKey(one.path) === pathKey(path),
    )
  const emptied = [...counts.values()].filter(
    ({ path, count }) => collectionAt(path)?.items.length === count && !isFilled(path),
  )
  if (emptied.length === 0) return operations
  const gone = new Set(emptied.map(({ path }) => pathKey(path)))
  const rest = operations.filter(
    ({ op, path }) => op !== 'remove' || !gone.has(pathKey(path.slice(0, -1))),
  )
  const whole = emptied.map(({ path }): Operation => ({ op: 'remove', path }))
  return withoutEmptied([...rest, ...whole], collectionAt)
}
