/**
 * One line of the result.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {number} measured
 * @property {string} unit `×` for a ratio
 * @property {number} [atMost] the goal
 * @property {number} [atLeast] the goal
 * @property {readonly [number, number]} [spread] of a ratio: the range of the middle half of the
 * rounds
 * @property {string} [detail] the absolute figures
 */

export const LEGEND = `A ratio (×) is that of the medians behind it; in brackets, between which two the ratios of the
middle half of all rounds lie. Variants take turns, one run each a round; CPU is user and system.`

/** @param {readonly Row[]} rows */
export function report(rows) {
  for (const row of rows) {
    const measured = `${row.measured.toFixed(2)} ${row.unit}`
    const spread = row.spread ? `(${row.spread.map((end) => end.toFixed(2)).join('–')})` : ''
    const parts = [row.what.padEnd(58), measured.padStart(9), spread.padEnd(12), goal(row)]
    console.log([...parts, row.detail ?? ''].join('  ').trimEnd())
  }
}

/** @param {Row} row */
function goal({ measured, atMost, atLeast }) {
  if (atMost !== undefined) return verdict(measured <= atMost, `at most ${atMost.toFixed(2)}`)
  if (atLeast !== undefined) return verdict(measured >= atLeast, `at least ${atLeast.toFixed(2)}`)
  return ''.padEnd(24)
}

/**
 * @param {boolean} met
 * @param {string} text
 */
function verdict(met, text) {
  return `${met ? 'ok   ' : 'SHORT'} (${text})`.padEnd(24)
}
