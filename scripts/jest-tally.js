/**
 * What jest counted, as far as it is told here.
 *
 * @typedef {object} Counts
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numRuntimeErrorTestSuites files that could not even be loaded
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 */

/** How long a run that failed is given to end by itself, in milliseconds. */
const FAREWELL = 5000

/**
 * Ends a run with one plain line that any CI can read: `12 passed, 0 failed`. A run that failed is
 * ended: a setup that threw left open what it had opened, and jest would wait for that without end.
 */
export default class Tally {
  /**
   * @param {unknown} _contexts
   * @param {Counts} counts
   */
  onRunComplete(_contexts, counts) {
    // At the very end, since jest writes its own summary after all reporters.
    process.once('exit', () => process.stdout.write(`${tally(counts)}\n`))
    if (failures(counts) > 0) setTimeout(() => process.exit(1), FAREWELL).unref()
  }
}

/** @param {Counts} counts */
export function tally(counts) {
  const failed = failures(counts)
  const skipped = counts.numPendingTests + counts.numTodoTests
  const line = `${counts.numPassedTests} passed, ${failed} failed`
  return skipped > 0 ? `${line}, ${skipped} skipped` : line
}

/** @param {Counts} counts */
function failures({ numFailedTests, numRuntimeErrorTestSuites }) {
  return numFailedTests + numRuntimeErrorTestSuites
}
