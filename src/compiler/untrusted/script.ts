import { expressionSpans } from '../../workflow/expressions.ts'
import type { Stretch } from '../scalar-text.ts'

/** A script with a name in the place of each expression, for a parser of its language. */
export interface Script {
  readonly text: string
  readonly placeholders: readonly Placeholder[]
  /** The place in the value that a place outside of the placeholders stands for. */
  toValue(at: number): number
}

export interface Placeholder {
  readonly name: string
  /** The whole `${{ }}` in the value. */
  readonly braces: Stretch
}

/** Puts a name in the place of each `${{ }}` of a value. */
export function scriptOf(value: string): Script {
  const placeholders = expressionSpans(value).map(({ start, end }, index) => ({
    name: `hookline_expression_${index}_`,
    braces: { start: start - '${{'.length, end: Math.min(value.length, end + '}}'.length) },
  }))
  let at = 0
  let text = ''
  const shifts: { readonly from: number; readonly by: number }[] = []
  for (const { name, braces } of placeholders) {
    text += value.slice(at, braces.start) + name
    at = braces.end
    shifts.push({ from: text.length, by: at - text.length })
  }
  return {
    text: text + value.slice(at),
    placeholders,
    toValue: (place) => place + (shifts.findLast(({ from }) => from <= place)?.by ?? 0),
  }
}
