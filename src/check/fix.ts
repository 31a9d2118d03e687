import type { Source } from '../wire/errors.ts'
import { DocumentLines } from '../workflow/document.ts'
import { patch } from '../workflow/patch.ts'
import { applyEdits } from '../workflow/spans.ts'
import type { RuleFile } from './rule.ts'
import { RULES } from './rules.ts'

/** A source after its fixes, and the number of findings that are gone. */
export interface Fixed {
  readonly source: Source
  readonly count: number
}

/**
 * Applies the fixes of all rules. The fix of a rule is applied only if the rule then finds less.
 *
 * @param read parses a source
 */
export function fixSource(original: Source, read: (source: Source) => RuleFile): Fixed {
  let file = read(original)
  let count = 0
  for (const rule of RULES) {
    const operations = rule.fix?.(file) ?? []
    if (operations.length === 0) continue
    const { source, document } = file.file
    const text = applyEdits(
      source.text,
      patch(new DocumentLines(source.text, document), operations),
    )
    const next = read({ ...source, text })
    const fixed = file.findings(rule).length - next.findings(rule).length
    if (fixed <= 0) continue
    count += fixed
    file = next
  }
  return { source: file.file.source, count }
}
