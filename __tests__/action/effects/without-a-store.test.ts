import { describe, expect, test } from '@jest/globals'
import { problemsOf } from '../../support/problems.ts'
import {
  dispatch,
  memoryStore,
  poll,
  queueOf,
  scheduleEvent,
  updates,
} from '../../support/queue-trigger.ts'

const at = (hour: number, minute: number) => ({
  run: { id: '1', at: Date.UTC(2026, 0, 5, hour, minute) },
})

test.each<[string, object, string | undefined, ReturnType<typeof at>, boolean]>([
  ['cron, due since the last tick', { every: '0 9 * * *' }, '*/5 * * * *', at(9, 3), true],
  ['cron, not due', { every: '0 9 * * *' }, '*/5 * * * *', at(9, 8), false],
  [
    'cron in a time zone',
    { every: '0 9 * * *', timeZone: 'Asia/Tokyo' },
    '*/5 * * * *',
    at(0, 2),
    true,
  ],
  ['cron that is the schedule, though late', { every: '0 9 * * *' }, '0 9 * * *', at(9, 40), true],
  ['cron without a schedule', { every: '0 9 * * *' }, undefined, at(9, 3), true],
  ['cron with a schedule that is none', { every: '0 9 * * *' }, 'x', at(9, 8), false],
  ['every minute', { every: '* * * * *' }, '*/5 * * * *', at(9, 8), true],
  ['0', { every: 0 }, '*/5 * * * *', at(9, 8), true],
  ['minutes, and a schedule as rare', { every: 45 }, '0 * * * *', at(9, 8), true],
])('every: %s', async (_, config, schedule, other, due) => {
  const { texts } = await poll(queueOf(1), config, scheduleEvent(schedule), other)
  expect(texts).toHaveLength(due ? 1 : 0)
})

describe('a store is needed for', () => {
  test.each<[string, object]>([
    ['every', { every: 45 }],
    ['limit', { limit: 1, sort: { update_id: 1 } }],
    ['limit', { limit: 1, sortScript: 'return 0' }],
    ['shouldDeduplicate', { shouldDeduplicate: true }],
    ['skipFirst', { skipFirst: true }],
  ])('%s: %j', async (option, config) => {
    const [problem] = await problemsOf(poll(queueOf(2), config, scheduleEvent('*/5 * * * *')))
    expect(problem?.message).toContain(`config.${option} needs a store`)
    expect(problem?.position).toBeDefined()
  })
})

test('limit with a sort order needs deduplication too', async () => {
  const config = { limit: 1, sort: { update_id: 1 }, shouldDeduplicate: false }
  const store = memoryStore()
  const [problem] = await problemsOf(poll(queueOf(2), config, dispatch, { store }))
  expect(problem?.message).toContain('needs shouldDeduplicate')
})

test('a value that cron does not know is a mistake at its place', async () => {
  const [problem] = await problemsOf(poll(queueOf(2), { every: '61 * * * *' }, scheduleEvent()))
  expect(problem?.message).toContain('Invalid value for minute: 61')
})

test('a duplicate in one poll is passed on once by default', async () => {
  const queue = queueOf(2)
  queue.put(...updates(2, 2))
  expect((await poll(queue)).texts).toEqual(['t1', 't2'])
  expect((await poll(queue, { shouldDeduplicate: false })).texts).toHaveLength(3)
})
