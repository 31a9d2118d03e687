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

/** Ends a run with one plain line that any CI can read: `12 passed, 0 failed`. */
export default class Tally {
  /**
   * @param {unknown} _contexts
   * @param {Counts} counts
   */
  onRunComplete(_contexts, counts) {
    // At the very end, since jest writes its own summary after all reporters.
    process.once('exit', () => process.stdout.write(`${tally(counts)}\n`))
  }
}

/** @param {Counts} counts */
export function tally(counts) {
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites
  const skipped = counts.numPendingTests + counts.numTodoTests
  const line = `${counts.numPassedTests} passed, ${failed} failed`
  return skipped > 0 ? `${line}, ${skipped} skipped` : line
}
