import type { Node } from 'yaml'
import type { Position, Source } from '../wire/errors.ts'

/** The place of a stretch of text, cut at the end of its first line. Offsets are UTF-16 units. */
export function positionAt(source: Source, start: number, end: number): Position {
  const before = source.text.slice(0, start)
  const lineStart = before.lastIndexOf('\n') + 1
  const lineEnd = source.text.indexOf('\n', start)
  const stop = Math.min(end, lineEnd < 0 ? source.text.length : lineEnd)
  return {
    source,
    line: before.split('\n').length,
    column: start - lineStart + 1,
    length: Math.max(1, stop - start),
  }
}

/** Where a node stands in its source, in UTF-16 units. */
export function rangeOf(node: Node): [start: number, end: number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0]
}
