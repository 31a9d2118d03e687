import { relative } from 'node:path'

/**
 * The counts of jest for the last line.
 *
 * @typedef {object} Counts
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numRuntimeErrorTestSuites files that could not be loaded
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 */

/** Milliseconds until a failed run is ended; a failed setup may have left sockets open. */
const EXIT_DELAY = 5000

/**
 * A reporter of jest that ends a run with one line for any CI to read: `12 passed, 0 failed, 0 skipped`.
 *
 * If `HOOKLINE_FORBID_SKIPS` is set, as in `.ci/run`, a skipped test fails the run, because `.ci/run`
 * provides everything that a test may need. A forgotten `.only` skips its neighbors and fails too.
 */
export default class Tally {
  /** @type {string[]} */
  #skipped = []

  /**
   * @param {{ path: string }} suite
   * @param {{ testResults: { status: string, fullName: string }[] }} result
   */
  onTestResult({ path }, { testResults }) {
    const file = relative(process.cwd(), path)
    for (const { status, fullName } of testResults)
      if (status === 'pending' || status === 'todo') this.#skipped.push(`${file}: ${fullName}`)
  }

  /**
   * @param {unknown} _contexts
   * @param {Counts} counts
   */
  onRunComplete(_contexts, counts) {
    const isForbidden = Boolean(process.env.HOOKLINE_FORBID_SKIPS) && this.#skipped.length > 0
    // jest prints its own summary after all reporters, so the line is printed when the process exits.
    process.once('exit', (code) => {
      if (isForbidden) process.exitCode = 1
      else if (code !== 0 && failures(counts) === 0)
        process.stdout.write('failed outside of a test, see above\n')
      for (const name of isForbidden ? this.#skipped : [])
        process.stdout.write(`skipped unexpectedly: ${name}\n`)
      process.stdout.write(`${tally(counts)}\n`)
    })
    if (failures(counts) > 0) setTimeout(() => process.exit(1), EXIT_DELAY).unref()
  }
}

/** @param {Counts} counts */
export function tally(counts) {
  const failed = failures(counts)
  const skipped = counts.numPendingTests + counts.numTodoTests
  return `${counts.numPassedTests} passed, ${failed} failed, ${skipped} skipped`
}

/** @param {Counts} counts */
function failures({ numFailedTests, numRuntimeErrorTestSuites }) {
  return numFailedTests + numRuntimeErrorTestSuites
}
