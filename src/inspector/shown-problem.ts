import type { Problem } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { withoutTokens } from '../wire/tokens.ts'
import { lineAt } from '../workflow/code-frame.ts'
import type { ShownProblem } from './api.ts'

/** A mistake for the page: its position as numbers, without secrets and control characters. */
export function shownProblem({ message, position, hint, notes = [] }: Problem): ShownProblem {
  const shown = (text: string) => printable(withoutTokens(text))
  return {
    text: shown(message),
    place: position
      ? {
          file: position.source.name,
          line: position.line,
          column: position.column,
          length: position.length,
          text: shown(lineAt(position)),
        }
      : null,
    notes: [...(hint === undefined ? [] : [hint]), ...notes].map(shown),
  }
}
