import { expect, test } from '@jest/globals'
import type { StateStore } from '../../src/state/store.ts'
import { dispatch, memoryStore, poll, queueOf } from '../support/queue-trigger.ts'

test('of two failed runs of one key that are re-run together, one passes the item on', async () => {
  const [memory, queue] = [memoryStore(), queueOf(1)]
  const failed = new Set<string>()
  let beforeAnswer = async () => {}
  const store: StateStore = {
    ...memory,
    async endedRuns(runs) {
      const ended = new Set(runs.filter((run) => failed.has(run)))
      await beforeAnswer()
      return ended
    },
  }
  let minute = 0
  const start = async (id: string) => {
    const at = ++minute * 60_000
    memory.clock.now = at
    return (await poll(queue, {}, dispatch, { store, run: { id, at } })).texts
  }

  // Run 1 fails, then run 2 claims the item and fails, too.
  expect(await start('1')).toEqual(['t1'])
  failed.add('1')
  expect(await start('2')).toEqual(['t1'])
  failed.add('2')

  // Both are re-run: run 2 claims again while run 1 waits for the response that run 2 had failed.
  let second: readonly unknown[] = []
  beforeAnswer = async () => {
    beforeAnswer = async () => {}
    second = await start('2')
  }
  const first = await start('1')
  expect([first, second]).toEqual([[], ['t1']])
})
