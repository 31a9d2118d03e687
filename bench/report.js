/**
 * One line of the result.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {number} measured
 * @property {string} unit `×` for a ratio
 * @property {number} [atMost] the goal
 * @property {number} [atLeast] the goal
 * @property {string} [detail] the absolute figures
 */

/** @param {readonly Row[]} rows */
export function report(rows) {
  for (const row of rows) {
    const measured = `${row.measured.toFixed(2)} ${row.unit}`
    console.log([row.what.padEnd(58), measured.padStart(9), goal(row), row.detail].join('  '))
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
