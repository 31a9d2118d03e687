import { expect, test } from '@jest/globals'
import { HOUR } from '../../support/fake-time.ts'
import { outboxObjects } from '../../support/outbox-objects.ts'
import { until } from '../../support/until.ts'

test.each([
  ['after its last event was delivered, before its report', 'before', 'report'],
  ['after its reservation, before its event was stored', 'after', 'reserve'],
] as const)('a queue that ends %s uses no quota an hour later', async (_, time, call) => {
  const { put, alarm, restart, hold, counted, clock, delivered, storageOf } = await outboxObjects()
  if (call === 'report') await put('quiet', 'a')
  const held = hold(time, call)
  void (call === 'report' ? alarm('quiet') : put('quiet', 'a'))
  await held
  await restart('quiet')
  await alarm('quiet')
  expect(delivered).toEqual(call === 'report' ? ['a'] : [])
  expect(await counted()).toEqual({ quiet: 1 })
  await put('busy', 'b', { wait: 24 * HOUR })
  expect(await counted()).toEqual({ quiet: 1, busy: 1 })
  clock.now += HOUR + 1
  await put('busy', 'c', { wait: 24 * HOUR })
  await until(async () => !('quiet' in (await counted())))
  expect(await counted()).toEqual({ busy: 2 })
  const { sql } = await storageOf('quiet')
  await until(() => sql.exec('SELECT name FROM sqlite_master').toArray().length === 0)
})
