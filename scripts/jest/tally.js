import { relative } from 'node:path'

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

/**
 * One test, as far as it is told here.
 *
 * @typedef {object} TestOutcome
 * @property {string} status
 * @property {string} fullName
 * @property {number} [invocations] how often it was run
 */

/** How long a run that failed is given to end by itself, in milliseconds. */
const FAREWELL = 5000

/**
 * Ends a run with one plain line that any CI can read: `12 passed, 0 failed`. A run that failed is
 * ended: a setup that threw left open what it had opened, and jest would wait for that without end.
 */
export default class Tally {
  /** @type {string[]} */
  #retried = []

  /**
   * @param {{path: string}} suite
   * @param {{testResults: TestOutcome[]}} result
   */
  onTestResult({ path }, { testResults }) {
    const file = relative(process.cwd(), path)
    for (const name of passedAtSecondTry(testResults)) this.#retried.push(`${file}: ${name}`)
  }

  /**
   * @param {unknown} _contexts
   * @param {Counts} counts
   */
  onRunComplete(_contexts, counts) {
    // At the very end, since jest writes its own summary after all reporters.
    process.once('exit', () => {
      for (const name of this.#retried) process.stdout.write(`passed at the second try: ${name}\n`)
      process.stdout.write(`${tally(counts)}\n`)
    })
    if (failures(counts) > 0) setTimeout(() => process.exit(1), FAREWELL).unref()
  }
}

/** @param {TestOutcome[]} outcomes */
export function passedAtSecondTry(outcomes) {
  return outcomes
    .filter(({ status, invocations = 1 }) => status === 'passed' && invocations > 1)
    .map(({ fullName }) => fullName)
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
