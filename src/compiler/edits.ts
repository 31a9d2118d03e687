import type { Stretch } from './scalar-text.ts'

/** A stretch of a text, and what shall stand there instead. */
export interface Edit extends Stretch {
  readonly text: string
}

/** Applies edits that do not overlap; every other character stays as it is. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < at) throw new RangeError('edits overlap')
    parts.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return parts.join('') + text.slice(at)
}
