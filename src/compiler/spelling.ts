import { isMap, isScalar, Scalar } from 'yaml'
import { modernPattern } from '../triggers/webhook.ts'
import { type Source, UserError } from '../wire/errors.ts'
import { parseYaml, rangeOf } from '../workflow/yaml.ts'
import { encoded, fileExpressions, keyOf } from './expressions.ts'
import { type NodePair, pairsOf } from './source-file.ts'
import { applyEdits, type Edit, type Span } from './spans.ts'
import { quoted } from './yaml-lines.ts'

/** A word of another language, which a person writes by habit, and what GitHub has in its place. */
export interface Slip extends Span {
  readonly message: string
  readonly hint: string
  readonly replacement: string
}

/** `===`, `!==` and text in double quotes, outside of texts in single quotes. */
export function slipsOf(expression: string): Slip[] {
  if (!/["=]/.test(expression)) return []
  const parts = expression.matchAll(/'(?:[^']|'')*'|(?<operator>[!=]==)|"(?<text>[^"]*)"/g)
  return [...parts].flatMap(({ 0: found, index, groups }): Slip[] => {
    const span = { start: index, end: index + found.length }
    if (groups?.operator !== undefined) {
      const replacement = groups.operator.slice(0, 2)
      const message = `expression: "${found}" is no operator here`
      return [{ ...span, message, hint: `write ${replacement}`, replacement }]
    }
    if (groups?.text === undefined) return []
    const replacement = `'${groups.text.replaceAll("'", "''")}'`
    const message = 'expression: text in double quotes'
    return [{ ...span, message, hint: `use single quotes: ${replacement}`, replacement }]
  })
}

/** What was written otherwise, and how often. */
export interface Spelled {
  readonly source: Source
  readonly count: number
}

/** A file with such words, and old path patterns, as GitHub and the triggers read them. */
export function spelled(source: Source): Spelled {
  try {
    const { contents } = parseYaml(source)
    const pairs = isMap(contents) ? pairsOf(contents) : []
    const edits = pairs.flatMap((pair) =>
      keyOf(pair) === 'on'
        ? patternEdits(pair)
        : fileExpressions(source.text, pair.value, [keyOf(pair)]).flatMap((expression) =>
            slipsOf(expression.text).map((slip) => ({
              ...expression.span(slip.start, slip.end),
              text: encoded(slip.replacement, expression.found.scalar),
            })),
          ),
    )
    return { source: { ...source, text: applyEdits(source.text, edits) }, count: edits.length }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { source, count: 0 } // whoever reads the file next tells what is wrong with it
  }
}

/** `path: /a/:b?` as `path: /a{/:b}`. */
function patternEdits({ value: on }: NodePair): Edit[] {
  const triggers = isMap(on) ? pairsOf(on) : []
  return triggers.flatMap(({ value }) => {
    const path = isMap(value) ? value.get('path', true) : undefined
    const modern =
      isScalar(path) && typeof path.value === 'string' ? modernPattern(path.value) : undefined
    if (!isMap(value) || !isScalar(path) || modern === undefined) return []
    const isPlain = path.type === Scalar.PLAIN && /^\/[^,#]*$/.test(modern) && !value.flow
    const [start, end] = rangeOf(path)
    return [{ start, end, text: isPlain ? modern : quoted(modern) }]
  })
}
