import { describe, expect, test } from '@jest/globals'
import { changeFaults } from './support/change-faults.ts'
import { BOT, MANY_WORKFLOWS, WEBHOOK } from './support/many.ts'

/**
 * Workflows of many authors, with a trigger added to each: in any style, every comment stays with
 * its entry, and only the parts that a pass names change.
 */
const sampled = MANY_WORKFLOWS.filter((_, at) => at % 4 === 0)

test('there are enough of them', () => {
  expect(MANY_WORKFLOWS.length).toBeGreaterThanOrEqual(300)
})

describe.each([
  ['in one file', WEBHOOK],
  ['in two files', BOT],
])('%s', (_, trigger) => {
  test.each(sampled.map(({ name, text }) => [name, text]))(
    '%s keeps its comments, and all that no pass names',
    async (_, text) => {
      expect(await changeFaults(text, trigger)).toEqual([])
    },
  )
})
