/** A mistake in an expression, with the part of the string that contains it. */
export class ExpressionMistake extends Error {
  override readonly name = 'ExpressionMistake'
  /** The expression as written, to find its position in the source. */
  readonly expression: string
  /** True if another value of a context may be evaluated. */
  readonly isOfValue: boolean

  constructor(message: string, expression: string, { isOfValue = false } = {}) {
    super(message)
    this.expression = expression
    this.isOfValue = isOfValue
  }
}

export function hasExpression(text: string): boolean {
  return text.includes('${{')
}
