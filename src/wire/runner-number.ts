/**
 * A number as a runner prints it in `${{ }}`, `toJSON` and `env`: 15 significant digits, and an exponent
 * from 1E+15 and from 1E-05 on.
 *
 * Source: actions/runner, `ExpressionConstants.NumberFormat` ("G15" of .NET)
 */
export function runnerNumber(value: number): string {
  // The format of nearly every number, without a conversion.
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value)
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : value < 0 ? '-Infinity' : 'NaN'
  const [digits = '', exponent = ''] = value.toExponential(14).split('e')
  const power = Number(exponent)
  if (power > -5 && power < 15) return String(Number(value.toPrecision(15)))
  const mantissa = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits
  const sign = power < 0 ? '-' : '+'
  return `${mantissa}E${sign}${String(Math.abs(power)).padStart(2, '0')}`
}

/** True if a runner prints the digits of a number as they are. */
export function isPrintedExactly(value: number): boolean {
  // The conversion takes long, and a body can have millions of whole numbers.
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return true
  return runnerNumber(value) === String(value)
}

/** The longest number that is written without an exponent. */
const MOST_DIGITS = 40

/** All digits of a number, without an exponent unless it is very large or very small: `0.00001`. */
export function decimalDigits(value: number): string {
  const text = String(value)
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (Math.max(point, digits.length - point) > MOST_DIGITS) return text
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}
