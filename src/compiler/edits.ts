import type { Stretch } from './scalar-text.ts'

/** A stretch of a text, and what shall stand there instead. */
export interface Edit extends Stretch {
  readonly text: string
}

/** Applies edits that do not overlap; every other character stays as it is. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of inOrder(edits)) {
    if (edit.start < at) throw new RangeError('edits overlap')
    parts.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return parts.join('') + text.slice(at)
}

/** Where a place of the edited text was before; for what an edit put there, where that edit began. */
export function placeBefore(edits: readonly Edit[], place: number): number {
  let shift = 0
  for (const { start, end, text } of inOrder(edits)) {
    if (place < start + shift) break
    if (place < start + shift + text.length) return start
    shift += text.length - (end - start)
  }
  return place - shift
}

function inOrder(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((one, other) => one.start - other.start || one.end - other.end)
}
