import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  type DeliveryScene,
  type DeliverySetup,
  type EventOptions,
  eventOf,
  type GitHubRule,
  id,
  membersOf,
  type Reply,
  type SeenCall,
  startScene,
} from '../../support/delivery-scene.ts'
import { HOUR, MINUTE, SECOND } from '../../support/fake-time.ts'

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

const NO_RUNS: Reply = { status: 200, body: '{"total_count":0,"workflow_runs":[]}' }

/** Collects events in front of a GitHub that answers batches by a rule. */
async function begin(
  reply: (call: SeenCall) => Reply = () => ({ status: 204 }),
  setup: DeliverySetup = {},
) {
  const rule: GitHubRule = (call) => (call.method === 'POST' ? reply(call) : NO_RUNS)
  const scene = await startScene(rule, setup)
  scenes.push(scene)
  const { put } = scene
  return {
    ...scene,
    /** Stores an event for a batch of so many seconds. */
    give: (
      delivery: string,
      seconds: number,
      more: { grouping?: string; quiet?: number; event?: EventOptions } = {},
    ) => {
      const { grouping = 'g', quiet, event = {} } = more
      const { clientPayload } = eventOf(delivery, event)
      const collection = {
        grouping,
        period: seconds * SECOND,
        quiet: quiet === undefined ? null : quiet * SECOND,
        length: clientPayload.length + 500,
      }
      return put(delivery, { reason: 'batch', collection, event })
    },
    /** The delivery ids of the events of each POST. */
    sent: () => scene.posts().map(({ body }) => membersOf(body)),
  }
}

describe('a batch', () => {
  test('is one event with the id of its first member when its seconds are over', async () => {
    const { give, time, posts, sent, rows, deliveries } = await begin()
    for (let n = 1; n <= 3; n++) await give(id(n), 60)
    await time.pass(59 * SECOND)
    expect(posts()).toEqual([])
    await time.pass(2 * SECOND)
    expect(sent()).toEqual([[1, 2, 3].map(id)])
    expect(posts()[0]?.delivery).toBe(id(1))
    expect(await rows()).toMatchObject(
      [1, 2, 3].map((n) => ({ id: id(n), state: 'delivered', batch: id(1), attempts: 1 })),
    )
    expect((await deliveries.table.figures()).imbalance).toBe(0)
  })

  test('is sent if no event arrives within its debounce seconds, and at the latest with its seconds', async () => {
    const quiet = await begin()
    await quiet.give(id(1), 600, { quiet: 60 })
    await quiet.time.pass(30 * SECOND)
    await quiet.give(id(2), 600, { quiet: 60 })
    await quiet.time.pass(59 * SECOND)
    expect(quiet.posts()).toEqual([])
    await quiet.time.pass(2 * SECOND)
    expect(quiet.sent()).toEqual([[id(1), id(2)]])
    const steady = await begin()
    for (let n = 1; n <= 20; n++) {
      await steady.give(id(n), 120, { quiet: 60 })
      await steady.time.pass(10 * SECOND)
    }
    expect(steady.sent()[0]).toHaveLength(12)
  })

  test('that begins later is sent earlier if its time is shorter', async () => {
    const { give, time, sent } = await begin()
    await give(id(1), 600)
    await time.pass(5 * SECOND)
    await give(id(2), 600, { grouping: 'h', quiet: 10 })
    await give(id(3), 20, { grouping: 'i' })
    await time.pass(9 * SECOND)
    expect(sent()).toEqual([])
    await time.pass(2 * SECOND)
    expect(sent()).toEqual([[id(2)]])
    await time.pass(10 * SECOND)
    expect(sent()).toEqual([[id(2)], [id(3)]])
    await time.pass(580 * SECOND)
    expect(sent()).toEqual([[id(2)], [id(3)], [id(1)]])
  })

  test('has events of one queue and grouping, and delays no other event', async () => {
    const { give, put, time, posts, sent } = await begin()
    await give(id(1), 60)
    await give(id(2), 60, { grouping: 'other' })
    await give(id(3), 60, { event: { name: 'another' } })
    await give(id(4), 60)
    await put(id(5))
    await time.pass(SECOND)
    expect(posts().map(({ delivery }) => delivery)).toEqual([id(5)])
    await time.pass(MINUTE)
    const batches = sent().map((each) => each.join())
    expect(batches.toSorted()).toEqual([id(5), `${id(1)},${id(4)}`, id(2), id(3)].toSorted())
  })

  test.each([
    ['256 events', 300, '{}', [256, 44]],
    ['400,000 characters', 40, 'x'.repeat(20_000), [19, 19, 2]],
  ])(
    'is full with %s, and is sent immediately; the next one begins',
    async (_name, count, body, sizes) => {
      const { give, time, sent } = await begin()
      await give(id(1), 60, { event: { body } })
      await time.pass(SECOND)
      for (let n = 2; n <= count; n++) await give(id(n), 60, { event: { body } })
      await time.pass(SECOND)
      expect(sent().map(({ length }) => length)).toEqual(sizes.slice(0, -1))
      await time.pass(2 * MINUTE)
      const batches = sent()
      expect(batches.map(({ length }) => length)).toEqual(sizes)
      expect(batches.flat()).toEqual(Array.from({ length: count }, (_, n) => id(n + 1)))
    },
  )

  test('that is larger than GitHub accepts is divided, and each part has an id of its own', async () => {
    const { give, time, sent, posts, states } = await begin()
    const bodies = () => randomBytes(2000).toString('base64')
    for (let n = 1; n <= 100; n++) await give(id(n), 60, { event: { body: bodies() } })
    await time.pass(2 * MINUTE)
    expect(sent().flat().toSorted()).toEqual(Array.from({ length: 100 }, (_, n) => id(n + 1)))
    expect(new Set(posts().map(({ delivery }) => delivery)).size).toBe(posts().length)
    expect(await states()).toMatchObject({ delivered: 100 })
  })

  test.each([
    [413, 'is too large'],
    [422, 'is too large'],
    [422, 'invalid'],
  ])(
    'that GitHub refuses with %i %s is halved until the bad event is alone, and dead',
    async (status, message) => {
      const { give, time, sent, states, rows, log, posts } = await begin(({ body }) =>
        membersOf(body).includes(id(5))
          ? { status, body: JSON.stringify({ message }) }
          : { status: 204 },
      )
      for (let n = 1; n <= 16; n++) await give(id(n), 60)
      await time.pass(5 * MINUTE)
      expect(await states()).toMatchObject({ delivered: 15, dead: 1, waiting: 0 })
      expect((await rows()).find((row) => row.state === 'dead')).toMatchObject({ id: id(5) })
      expect(log).toContainEqual(expect.objectContaining({ change: 'divided', events: 16 }))
      // Each other event arrives once.
      const accepted = sent()
        .filter((members) => !members.includes(id(5)))
        .flat()
      expect(accepted.toSorted()).toEqual(
        Array.from({ length: 16 }, (_, n) => id(n + 1)).filter((one) => one !== id(5)),
      )
      expect(posts().length).toBeGreaterThan(5)
    },
  )

  test('has the same members and id in every try, and events that arrive meanwhile join the next', async () => {
    let tries = 0
    const { give, time, sent, posts } = await begin(() => ({ status: ++tries < 4 ? 503 : 204 }))
    for (let n = 1; n <= 3; n++) await give(id(n), 10)
    await time.pass(11 * SECOND)
    await give(id(4), 10)
    await time.pass(2 * MINUTE)
    const batches = sent()
    expect(batches.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => [1, 2, 3].map(id)))
    expect(batches.slice(4)).toEqual([[id(4)]])
    expect(posts().map(({ delivery }) => delivery)).toEqual([...Array(4).fill(id(1)), id(4)])
  })

  test('that may have arrived is looked for by its id, and retried as it is', async () => {
    let isDown = true
    const { give, time, sent, states, calls } = await begin(() =>
      isDown ? 'silent' : { status: 204 },
    )
    for (let n = 1; n <= 3; n++) await give(id(n), 10)
    await time.pass(20 * SECOND)
    expect(await states()).toMatchObject({ uncertain: 3 })
    isDown = false
    await time.pass(2 * MINUTE)
    expect(sent()).toEqual([[1, 2, 3].map(id), [1, 2, 3].map(id)])
    expect(calls.map(({ method }) => method).slice(0, 3)).toEqual(['POST', 'GET', 'POST'])
    expect(await states()).toMatchObject({ delivered: 3, uncertain: 0 })
  })

  test('that nobody accepts becomes dead as a whole; its events are replayed in one batch', async () => {
    let isDown = true
    const { give, time, sent, states, deliveries } = await begin(
      () => (isDown ? { status: 503 } : { status: 204 }),
      { age: HOUR },
    )
    for (let n = 1; n <= 3; n++) await give(id(n), 10)
    await time.pass(2 * HOUR)
    expect(await states()).toMatchObject({ dead: 3, waiting: 0 })
    isDown = false
    const before = sent().length
    expect(await deliveries.replayAll({ state: 'dead' })).toEqual({ replayed: 3, missing: 0 })
    await time.pass(2 * MINUTE)
    expect(sent().slice(before)).toEqual([[1, 2, 3].map(id)])
    expect(await states()).toMatchObject({ delivered: 3, dead: 0 })
    expect((await deliveries.table.figures()).imbalance).toBe(0)
  })

  test('loses the events that an admin deletes while it collects, and a deleted endpoint ends all', async () => {
    const { give, time, sent, deliveries, states } = await begin()
    for (let n = 1; n <= 3; n++) await give(id(n), 10)
    expect(await deliveries.delete({ id: id(1) })).toBe(1)
    await time.pass(11 * SECOND)
    expect(sent()).toEqual([[id(2), id(3)]])
    await give(id(4), 10)
    expect(await deliveries.endDeleted('o', 'e1')).toBe(1)
    await time.pass(MINUTE)
    expect(sent()).toHaveLength(1)
    expect(await states()).toMatchObject({ dead: 1, waiting: 0 })
  })
})

describe('after a restart', () => {
  test('a batch goes on with its time and its members', async () => {
    const before = await begin()
    await before.give(id(1), 60)
    await before.time.pass(30 * SECOND)
    await before.kill()
    const { database, time } = before
    const { give, sent, posts } = await begin(undefined, { database, time })
    await give(id(2), 60)
    await time.pass(29 * SECOND)
    expect(posts()).toEqual([])
    await time.pass(2 * SECOND)
    expect(sent()).toEqual([[id(1), id(2)]])
  })

  test('a batch whose time ended while no relay ran is sent immediately; so is a recorded one', async () => {
    const before = await begin(() => ({ status: 503 }))
    await before.give(id(1), 60)
    await before.give(id(2), 600, { grouping: 'later' })
    await before.time.pass(2 * MINUTE)
    await before.kill()
    const { database, time } = before
    time.now += HOUR
    const { sent } = await begin(undefined, { database, time })
    await time.pass(2 * SECOND)
    expect(sent().toSorted()).toEqual([[id(1)], [id(2)]])
  })
})

test('a batch that ends while the disk fails is sent as soon as the disk works', async () => {
  const { give, time, database, sent } = await begin()
  await give(id(1), 10)
  database.isFailing = true
  expect(await give(id(2), 10)).toBe(false)
  await time.pass(MINUTE)
  expect(sent()).toEqual([])
  database.isFailing = false
  await time.pass(10 * SECOND)
  expect(sent()).toEqual([[id(1)]])
})
