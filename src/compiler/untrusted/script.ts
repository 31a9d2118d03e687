import type { Span } from '../spans.ts'

/** A script with a name in the place of each expression, for a parser of its language. */
export interface Script {
  readonly text: string
  readonly placeholders: readonly Placeholder[]
  /** The place in the value that a place outside of the placeholders stands for. */
  toValue(at: number): number
}

export interface Placeholder {
  readonly name: string
  /** Where the name stands in the script. */
  readonly at: number
  readonly expression: string
  /** The whole `${{ }}` in the value. */
  readonly braces: Span
}

/** A name in the place of an expression; its number is the first group. */
export const PLACEHOLDER: RegExp = /hookline_expression_(\d+)_/

/** Puts a name in the place of each `${{ }}` of a value. */
export function scriptOf(value: string, spans: readonly Span[]): Script {
  const placeholders: Placeholder[] = []
  const parts: string[] = []
  let [end, length] = [0, 0]
  for (const [index, span] of spans.entries()) {
    const name = `hookline_expression_${index}_`
    const braces = {
      start: span.start - '${{'.length,
      end: Math.min(value.length, span.end + '}}'.length),
    }
    const before = value.slice(end, braces.start)
    const at = length + before.length
    placeholders.push({ name, at, expression: value.slice(span.start, span.end), braces })
    parts.push(before, name)
    end = braces.end
    length = at + name.length
  }
  return {
    text: parts.join('') + value.slice(end),
    placeholders,
    toValue(place) {
      const last = placeholders.findLast(({ at, name }) => at + name.length <= place)
      return last ? place - last.at - last.name.length + last.braces.end : place
    },
  }
}
