import { expect, test } from '@jest/globals'
import { tally } from '../../scripts/jest/tally.js'

const none = {
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
}

test.each([
  ['passed tests', { numPassedTests: 3 }, '3 passed, 0 failed, 0 skipped'],
  ['failed tests', { numPassedTests: 3, numFailedTests: 2 }, '3 passed, 2 failed, 0 skipped'],
  [
    'a file that does not load as failed',
    { numRuntimeErrorTestSuites: 1 },
    '0 passed, 1 failed, 0 skipped',
  ],
  [
    'skipped and planned tests',
    { numPendingTests: 2, numTodoTests: 1 },
    '0 passed, 0 failed, 3 skipped',
  ],
])('the last line of a run counts %s', (_, counts, line) => {
  expect(tally({ ...none, ...counts })).toBe(line)
})
