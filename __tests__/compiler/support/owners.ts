import { isScalar } from 'yaml'
import { DocumentLines } from '../../../src/workflow/document.ts'
import type { Path } from '../../../src/workflow/yaml.ts'

/** A comment by what it speaks of. */
export interface OwnedComment {
  readonly owner: readonly string[]
  readonly role: string
  readonly text: string
}

/** Every comment of a workflow; the items of a list count by what they are, not by their place. */
export function ownedComments(text: string): OwnedComment[] {
  const lines = DocumentLines.of({ name: 'a.yml', file: 'a.yml', text })
  const nameOf = (path: Path) => {
    const value = lines.entry(path)?.value
    const last = path.at(-1)
    return typeof last === 'number' && isScalar(value) ? String(value.value) : String(last)
  }
  return lines.comments.map(({ owner, role, start, end }) => ({
    owner: owner.map((_, at) => nameOf(owner.slice(0, at + 1))),
    role,
    text: text.slice(start, end).trimEnd(),
  }))
}

/** A line of a failure. */
export function said({ owner, role, text }: OwnedComment): string {
  return `${role} ${owner.join('.')}: ${text}`
}
