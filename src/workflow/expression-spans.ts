/** Where the inside of one `${{ }}` stands in a text. */
export interface ExpressionSpan {
  readonly start: number
  readonly end: number
  /** False when the text ends before `}}`. */
  readonly closed: boolean
}

export function hasExpression(text: string): boolean {
  return text.includes('${{')
}

/** The insides of all `${{ }}` of a text, in order. */
export function expressionSpans(text: string): ExpressionSpan[] {
  const spans: ExpressionSpan[] = []
  for (let open = text.indexOf('${{'); open >= 0; ) {
    const start = open + '${{'.length
    const end = endOfExpression(text, start)
    spans.push({ start, end: end < 0 ? text.length : end, closed: end >= 0 })
    if (end < 0) break
    open = text.indexOf('${{', end + '}}'.length)
  }
  return spans
}

/** Where the closing `}}` stands, passing over string literals (`'it''s'` is two in a row). */
function endOfExpression(text: string, start: number): number {
  let inString = false
  for (let at = start; at < text.length; at++) {
    if (text[at] === "'") inString = !inString
    if (!inString && text.startsWith('}}', at)) return at
  }
  return -1
}
