import { describe, expect, test } from '@jest/globals'
import { changeFaults } from './support/change-faults.ts'
import { BOT, MANY_WORKFLOWS, WEBHOOK } from './support/many.ts'

/**
 * Workflows as people write them, with a trigger added to each: whatever their style, every comment
 * still speaks of what it spoke of, and nothing has changed but what a pass named.
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
