import type { YAMLMap, YAMLSeq } from 'yaml'
import type { Edit, Lines } from './spans.ts'
import { type Path, pathKey } from './yaml.ts'

/** Where among the entries of a mapping or a list something comes to stand. */
export type Where = 'first' | 'last' | { readonly before: Key } | { readonly after: Key }
export type Key = string | number

/**
 * A change of a workflow file, by the path of what it changes. Everything else stays as it is, and
 * every comment stays with the entry that it speaks of.
 */
export type Operation =
  /** Gives an entry that is there another value, as lines at column 0. */
  | { readonly op: 'set'; readonly path: Path; readonly lines: Lines }
  /** An entry with all that is below it goes; a mapping without entries goes with the last of them. */
  | { readonly op: 'remove'; readonly path: Path }
  /**
   * Entries, as lines at column 0, come into the mapping or list at a path. Where none is there,
   * one is made, at `parent` among those beside it.
   */
  | {
      readonly op: 'insert'
      readonly path: Path
      readonly lines: Lines
      readonly where: Where
      readonly parent?: Where
    }
  /** A name, a list of names, or a mapping in braces becomes a mapping of lines; one stays so. */
  | { readonly op: 'wrap'; readonly path: Path }
  /** Characters of a text become others; edits are of its value, not of how it is written. */
  | { readonly op: 'rewriteText'; readonly path: Path; readonly edits: readonly Edit[] }

/** What comes into the same place where there is none yet is made once, for all. */
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

/** The `remove`s with those of mappings and sections that lose their last entry. */
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
