import { parse } from 'yaml'
import type { Operation } from '../../../src/workflow/operations.ts'
import { applyEdits } from '../../../src/workflow/spans.ts'
import type { Path } from '../../../src/workflow/yaml.ts'

type Value = unknown
type Fields = Record<string, Value>

/**
 * What operations make of a workflow as plain values: the same as the patch, but without any notion of
 * how a file is written.
 */
export function changedValue(value: Value, operations: readonly Operation[]): Value {
  // What goes may make room for something of the same name.
  const last = (one: Operation) => (one.op === 'remove' ? 0 : 1)
  const inOrder = operations.toSorted((one, other) => last(one) - last(other))
  const root = { top: named(structuredClone(value) ?? {}, operations) }
  for (const operation of inOrder) apply(root, operation)
  return root.top
}

/** A list of names that becomes a mapping, before anything else is done to it. */
function named(value: Value, operations: readonly Operation[]): Value {
  const root: Fields = { top: value }
  for (const { op, path } of operations) {
    if (op !== 'wrap') continue
    const [parent, key] = placeOf(root, path)
    const there = parent[key]
    const names = Array.isArray(there) ? there : typeof there === 'string' ? [there] : undefined
    if (names) parent[key] = Object.fromEntries(names.map((name) => [String(name), null]))
  }
  return root.top
}

function placeOf(root: Fields, path: Path): [Fields, string] {
  const keys = ['top', ...path].map(String)
  const last = keys.pop() ?? ''
  let at = root
  for (const key of keys) {
    at[key] ??= {}
    at = at[key] as Fields
  }
  return [at, last]
}

function apply(root: Fields, operation: Operation): void {
  const { op, path } = operation
  if (op === 'wrap') return
  const [parent, key] = placeOf(root, path)
  if (op === 'remove') {
    removed(root, path)
    return
  }
  if (op === 'rewriteText') {
    parent[key] = applyEdits(String(parent[key]), operation.edits)
    return
  }
  const { lines } = operation
  if (op === 'set') {
    parent[key] = (parse(`x: ${lines.length === 1 ? lines[0] : block(lines)}`) as Fields).x
    return
  }
  const added: Value = parse(lines.join('\n'))
  const there = parent[key]
  if (!Array.isArray(added)) parent[key] = { ...(added as Fields), ...(there as Fields | null) }
  else {
    const items = Array.isArray(there) ? there : []
    parent[key] = operation.where === 'last' ? [...items, ...added] : [...added, ...items]
  }
}

function block([first = '', ...more]: readonly string[]): string {
  return [first, ...more.map((line) => `  ${line}`)].join('\n')
}

/** A mapping goes with the last of its entries. */
function removed(root: Fields, path: Path): void {
  if (path.length === 0) return
  const [parent, key] = placeOf(root, path)
  delete parent[key]
  if (Object.keys(parent).length === 0) removed(root, path.slice(0, -1))
}
