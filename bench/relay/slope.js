/**
 * The line of best fit by least squares.
 *
 * @param {readonly (readonly [x: number, y: number])[]} points
 * @returns {{ slope: number, error: number }} with the standard error; both are `NaN` for fewer
 * than three points
 */
export function leastSquares(points) {
  const count = points.length
  if (count < 3) return { slope: Number.NaN, error: Number.NaN }
  const x = points.reduce((sum, [at]) => sum + at, 0) / count
  const y = points.reduce((sum, [, value]) => sum + value, 0) / count
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  const slope = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread
  const rest = points.reduce((sum, [at, value]) => sum + (value - y - slope * (at - x)) ** 2, 0)
  return { slope, error: Math.sqrt(rest / (count - 2) / spread) }
}
