import { describe, expect, test } from '@jest/globals'
import type { Json } from '../../../src/wire/json.ts'
import {
  dispatch,
  type MemoryStore,
  memoryStore,
  poll,
  Queue,
  queueOf,
  scheduleEvent,
  updates,
} from '../../support/queue-trigger.ts'
import { single } from '../../support/stores.ts'

/**
 * The next poll begins behind the items that were passed on, which makes the service forget them.
 */
async function expectForgotten(queue: Queue, store: MemoryStore): Promise<void> {
  const run = { id: 'last', at: Date.UTC(2026, 0, 2) }
  expect((await poll(queue, {}, dispatch, { store, run })).items).toEqual([])
  expect(queue.items).toEqual([])
}

describe('with a store', () => {
  const run = (id: string, minutes = 0) => ({ id, at: Date.UTC(2026, 0, 1) + minutes * 60_000 })

  test('a failed job repeats its items to itself, others wait, then take over', async () => {
    const store = memoryStore()
    const queue = queueOf(2)
    expect((await poll(queue, {}, dispatch, { store, run: run('1') })).texts).toEqual(['t1', 't2'])
    const other = await poll(queue, {}, dispatch, { store, run: run('2', 5) })
    expect(other.texts).toEqual([])
    await other.succeed()
    expect(queue.items).toHaveLength(2)
    expect((await poll(queue, {}, dispatch, { store, run: run('1', 6) })).texts).toHaveLength(2)
    const later = await poll(queue, {}, dispatch, { store, run: run('3', 70) })
    expect(later.texts).toEqual(['t1', 't2'])
    await later.succeed()
    await expectForgotten(queue, store)
  })

  test('items of another run stop the acknowledgement, and later items are passed on once', async () => {
    const store = memoryStore()
    const queue = queueOf(1)
    await poll(queue, {}, dispatch, { store, run: run('1') })
    queue.put(...updates(2, 3))
    const second = await poll(queue, {}, dispatch, { store, run: run('2') })
    expect(second.texts).toEqual(['t2', 't3'])
    await second.succeed()
    expect(queue.items).toHaveLength(3)
    const third = await poll(queue, {}, dispatch, { store, run: run('3', 60) })
    expect(third.texts).toEqual(['t1'])
    await third.succeed()
    await expectForgotten(queue, store)
  })

  test.each([
    ['is still at work on, is not acknowledged', false, 2],
    ['is done with, is acknowledged', true, 0],
  ])('what another run took since the store was read, and %s', async (_, done, left) => {
    const inner = memoryStore()
    const id = { workflow: 'hook', trigger: 'queue' }
    const store: MemoryStore = {
      ...inner,
      async claim(wanted, by) {
        await inner.claim(
          wanted.map((one) => ({ ...one, keys: one.keys.slice(0, 1) })),
          run('other'),
        )
        if (done) await single(inner).commit(id, run('other'))
        return inner.claim(wanted, by)
      },
    }
    const queue = queueOf(2)
    const one = await poll(queue, {}, dispatch, { store, run: run('1') })
    expect(one.texts).toEqual(['t2'])
    expect(one.decisions[0]?.reason).toContain('another run took 1')
    await one.succeed()
    await poll(queue, {}, dispatch, { store, run: run('2', 1) })
    expect(queue.items).toHaveLength(left)
  })

  test('limit with a sort order passes every item on once, the newest first', async () => {
    const store = memoryStore()
    const queue = queueOf(5)
    const texts: Json[] = []
    for (let count = 0; count < 4; count++) {
      const config = { sort: { update_id: -1 }, limit: 2 }
      const one = await poll(queue, config, dispatch, { store, run: run(String(count), count) })
      texts.push(one.texts as Json[])
      await one.succeed()
    }
    expect(texts).toEqual([['t5', 't4'], ['t3', 't2'], ['t1'], []])
    await expectForgotten(queue, store)
  })

  test('skipFirst: the first successful run records its items, and the next run passes items on', async () => {
    const store = memoryStore()
    const queue = queueOf(2)
    const config = { skipFirst: true }
    await poll(queue, config, dispatch, { store, run: run('1') })
    const first = await poll(queue, config, dispatch, { store, run: run('2', 40) })
    expect([first.texts, first.decisions[0]?.reason]).toEqual([[], 'deduplicate only recorded 2'])
    await first.succeed()
    queue.put(...updates(3, 3))
    expect((await poll(queue, config, dispatch, { store, run: run('3', 41) })).texts).toEqual([
      't3',
    ])
  })

  test.each([
    [44, []],
    [45, ['t1']],
  ])('every: 45 after %d minutes', async (minutes, texts) => {
    const store = memoryStore()
    await single(store).commit({ workflow: 'hook', trigger: 'queue' }, run('1'))
    const event = scheduleEvent('*/5 * * * *')
    const other = { store, run: run('2', minutes) }
    expect((await poll(queueOf(1), { every: 45 }, event, other)).texts).toEqual(texts)
  })

  test('every counts a success without items; force and a manual run ignore it', async () => {
    const store = memoryStore()
    const config = { every: 45 }
    const event = scheduleEvent('*/5 * * * *')
    await (await poll(new Queue(), config, event, { store, run: run('1') })).succeed()
    const other = { store, run: run('2', 10) }
    const skipped = await poll(queueOf(1), config, event, other)
    expect(skipped.reason).toBe('queue: its last success is 10 minutes ago, every: 45')
    expect((await poll(queueOf(1), config, dispatch, other)).texts).toEqual(['t1'])
    expect((await poll(queueOf(1), { ...config, force: true }, event, other)).texts).toEqual(['t1'])
  })

  test('cron goes by the last success: a tick that GitHub dropped is made up for', async () => {
    const store = memoryStore()
    const id = { workflow: 'hook', trigger: 'queue' }
    const at = (hour: number, minute: number) => Date.UTC(2026, 0, 5, hour, minute)
    await single(store).commit(id, { id: '1', at: at(0, 0) })
    const config = { every: '0 9 * * *', timeZone: 'Europe/Berlin' }
    const event = scheduleEvent('*/5 * * * *')
    const due = async (hour: number, minute: number) => {
      const other = { store, run: { id: '2', at: at(hour, minute) } }
      return (await poll(queueOf(1), config, event, other)).items.length > 0
    }
    expect(await due(7, 59)).toBe(false) // 8:59 in Berlin
    expect(await due(8, 40)).toBe(true)
    await single(store).commit(id, { id: '2', at: at(8, 40) })
    expect(await due(12, 0)).toBe(false)
  })
})
