import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import type { ObjectStorage } from '../../../src/relay/workers/object-database.ts'
import { type IndexPorts, ObjectIndex } from '../../../src/relay/workers/object-index.ts'
import { LIMITS } from '../../support/fake-outbox.ts'
import { HOUR, START } from '../../support/fake-time.ts'
import { objectStorage } from '../../support/object-storage.ts'
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

test.each([
  ['a report that has not arrived', 'before', 'report'],
  ['a reservation whose event is not stored', 'after', 'reserve'],
] as const)('%s: the index then counts the events of both', async (_, time, call) => {
  const { put, alarm, hold, counted, reported } = await outboxObjects()
  await put('r', 'a', { wait: HOUR })
  const held = hold(time, call)
  const work = [() => alarm('r'), () => put('r', 'b', { wait: HOUR })]
  const [first, second] = call === 'report' ? work : [...work].reverse()
  const begun = [first?.()]
  const release = await held
  begun.push(second?.())
  // The second one may end only if it does not wait for the first.
  await Promise.race([begun[1], sleep(300)])
  release()
  await Promise.all(begun)
  expect(reported).toEqual([])
  expect(await counted()).toEqual({ r: 2 })
})

test('an event that arrives during the report of an empty queue is counted, and delivered', async () => {
  const { put, alarm, hold, counted, delivered } = await outboxObjects()
  await put('r', 'a')
  const held = hold('after', 'report')
  const ending = alarm('r')
  const release = await held
  const storing = put('r', 'b')
  await Promise.race([storing, sleep(300)])
  release()
  await ending
  expect(await storing).toEqual({ result: true })
  expect(await counted()).toEqual({ r: 1 })
  await alarm('r')
  expect([delivered, await counted()]).toEqual([['a', 'b'], {}])
})

describe('an index with room for 100 events', () => {
  async function indexOf100() {
    const index = indexIn(await objectStorage(), { limits: { ...LIMITS, events: 100 } })
    /** Reserves room for events of a credential until there is none. @returns how many have room */
    return async (queue: string, holder: string) => {
      const event = { queue, holder, bytes: 1, waits: true, isInDoubt: false }
      let count = 0
      while (await index.reserve(event)) count++
      return count
    }
  }

  test('has room for 25 events of another owner after seven tokens of one owner', async () => {
    const fill = await indexOf100()
    const counts: number[] = []
    for (const token of ['1', '2', '3', '4', '5', '6', '7']) {
      counts.push(await fill(`stranger/r${token}#${token}`, token))
    }
    expect(counts).toEqual([50, 0, 0, 0, 0, 0, 0])
    expect(await fill('stranger-2/r#8', '8')).toBe(25)
    expect(await fill('other/r#own', 'own')).toBe(13)
  })

  test('limits a token over all owners, and each queue of the own credential by itself', async () => {
    const fill = await indexOf100()
    expect(await fill('a/r#own', 'own')).toBe(50)
    expect(await fill('a/r2#own', 'own')).toBe(25)
    expect(await fill('b/r#1', '1')).toBe(13)
    expect(await fill('c/r#1', '1')).toBe(0)
  })
})

function indexIn(storage: ObjectStorage, ports: Partial<IndexPorts>): ObjectIndex {
  return new ObjectIndex(storage, {
    limits: LIMITS,
    minInterval: 0,
    now: () => START,
    deleteCopies: () => {},
    askUsage: () => {},
    report: (error) => {
      throw error
    },
    ...ports,
  })
}
