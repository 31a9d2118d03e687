/** A mistake in an expression, with the part of the string that contains it. */
export class ExpressionMistake extends Error {
  override readonly name = 'ExpressionMistake'
  /** The expression as written, to find its position in the source. */
  readonly expression: string

  constructor(message: string, expression: string) {
    super(message)
    this.expression = expression
  }
}

export function hasExpression(text: string): boolean {
  return text.includes('${{')
}
