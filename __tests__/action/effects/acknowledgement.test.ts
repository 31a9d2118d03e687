import { describe, expect, test } from '@jest/globals'
import { LIMITS } from '../../../src/wire/limits.ts'
import { textsAtLevel } from '../../../src/wire/messages.ts'
import {
  dispatch,
  memoryStore,
  poll,
  Queue,
  queueOf,
  updates,
} from '../../support/queue-trigger.ts'

describe('the acknowledgement after a successful job', () => {
  test.each<[string, object, string[], number[]]>([
    ['everything', {}, ['t1', 't2', 't3', 't4'], []],
    ['what filter drops too', { filter: { text: 't2' } }, ['t2'], []],
    ['what skip drops too', { skip: 3 }, ['t4'], []],
    ['not what limit cuts off', { limit: 3 }, ['t1', 't2', 't3'], [4]],
    [
      'ignored ones before the first cut off',
      { filter: { text: { $ne: 't2' } }, limit: 1 },
      ['t1'],
      [3, 4],
    ],
    ['all, though nothing fired', { filter: { text: 'none' } }, [], []],
  ])('%s', async (_, config, texts, left) => {
    const queue = queueOf(4)
    const run = await poll(queue, config)
    expect(run.texts).toEqual(texts)
    expect(queue.items).toHaveLength(4)
    await run.succeed()
    expect(queue.items.map(({ update_id }) => update_id)).toEqual(left)
  })

  test('nothing, when there was nothing', async () => {
    expect((await poll(new Queue())).effects).toEqual([])
  })

  test('not what would not fit into the outputs', async () => {
    const queue = new Queue()
    queue.put(...updates(1, 5, (n) => ({ text: String(n).repeat(150_000) })))
    const run = await poll(queue)
    expect(run.items).toHaveLength(2)
    expect(JSON.stringify(run.contexts).length).toBeLessThanOrEqual(LIMITS.itemsUnits)
    expect(run.decisions[0]?.reason).toBe('3 would not fit into the outputs')
    await run.succeed()
    expect(queue.items).toHaveLength(3)
    const next = await poll(queue)
    await next.succeed()
    expect((await poll(queue)).items).toHaveLength(1)
  })

  test('sorted items that do not fit are cut in the order of the queue', async () => {
    const queue = new Queue()
    queue.put(...updates(1, 4, (n) => ({ text: String(n).repeat(150_000) })))
    const run = await poll(queue, { sort: { update_id: -1 } })
    expect(run.items.map(({ update_id }) => update_id)).toEqual([2, 1])
    await run.succeed()
    expect(queue.items).toHaveLength(2)
  })

  test.each([
    ['without a store', undefined],
    ['with a store', memoryStore()],
  ])(
    'an item that fits into no outputs is left out by its number, and goes with the rest: %s',
    async (_, store) => {
      const queue = new Queue()
      queue.put(...updates(1, 3), { update_id: 4, text: 'x'.repeat(LIMITS.itemsUnits) })
      queue.put(...updates(5, 6))
      const other = store ? { store } : {}
      const run = await poll(queue, {}, dispatch, other)
      expect(run.texts).toEqual(['t1', 't2', 't3', 't5', 't6'])
      expect(textsAtLevel(run.messages, 'error')).toEqual([
        expect.stringMatching(/update_id 4\): too large for the outputs of the job: 450\d{3} /),
      ])
      expect(run.decisions[0]?.reason).toBe('1 left out as too large')
      await run.succeed()
      const next = await poll(queue, {}, dispatch, other)
      expect([next.items, next.messages, queue.items]).toEqual([[], [], []])
    },
  )

  test('effects are plain text for another process', async () => {
    const { effects } = await poll(queueOf(2), { limit: 1 })
    expect(JSON.parse(JSON.stringify(effects))).toEqual([
      { kind: 'acknowledge', workflow: 'hook', trigger: 'queue', cursor: 2 },
    ])
  })
})
