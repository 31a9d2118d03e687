import { executionAsyncId } from 'node:async_hooks'
import { expect, test } from '@jest/globals'

test('no promise of a suite is told to anybody', async () => {
  await Promise.resolve()
  expect(executionAsyncId()).toBe(0)
})
