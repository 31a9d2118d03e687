import { afterEach, describe, expect, test } from '@jest/globals'
import { isFollowed, isSelected } from '../../../src/relay/delivery/deliveries.ts'
import type { Delivery } from '../../../src/relay/store/delivery-rows.ts'
import {
  type DeliveryScene,
  type DeliverySetup,
  eventOf,
  id,
  startScene,
} from '../../support/delivery-scene.ts'
import { HOUR, MINUTE } from '../../support/fake-time.ts'

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

async function begin(setup: DeliverySetup = {}) {
  const scene = await startScene(() => ({ status: 503 }), setup)
  scenes.push(scene)
  return scene
}

test.each([
  [{}, true],
  [{ owner: 'o' }, true],
  [{ owner: 'x' }, false],
  [{ endpoints: ['o/other', 'o/e1'] }, true],
  [{ endpoints: ['o/other', 'x/e1'] }, false],
  [{ endpoints: [] }, false],
  [{ state: 'dead' }, true],
  [{ state: 'waiting' }, false],
  [{ owner: 'o', endpoints: ['o/e1'], state: 'dead' }, true],
] as const)('a delivery is selected by %j: %p', (filter, isOne) => {
  // Only these fields matter.
  const delivery = { owner: 'o', endpoint: 'e1', state: 'dead' } as Delivery
  expect(isSelected(delivery, filter)).toBe(isOne)
})

describe('the run of an event', () => {
  const api = (url: string, forge?: 'github' | 'forgejo' | 'gitea') => ({
    apiUrl: new URL(url),
    ...(forge && { forge }),
  })

  test.each([
    ['https://api.github.com', undefined, true],
    ['https://ghe.example/api/v3', undefined, true],
    ['https://codeberg.org/api/v1', undefined, false],
    ['https://codeberg.org/git/api/v1//', undefined, false],
    ['https://ghe.example/api/v1/x', undefined, true],
    ['https://ghe.example/api/v10', undefined, true],
    ['https://codeberg.org/api/v1', 'github', true],
    ['https://git.example/api', 'forgejo', false],
  ] as const)('is looked for at %s (%s): %p', (url, forge, isOne) => {
    expect(isFollowed(eventOf(id(1)), api(url, forge))).toBe(isOne)
  })

  test('is not looked for if a token URL or a notification of the relay started it', () => {
    const github = api('https://api.github.com')
    expect(isFollowed(eventOf(id(1), { kind: 'token' }), github)).toBe(false)
    expect(isFollowed(eventOf(id(1), { isNotification: true }), github)).toBe(false)
  })
})

test('events that wait for an hour are told, and again each hour', async () => {
  const { put, time, log } = await begin({ age: 1000 * HOUR })
  await put(id(1), { wait: 900 * HOUR })
  await time.pass(MINUTE)
  await put(id(2), { wait: 900 * HOUR, state: 'uncertain' })
  await time.pass(HOUR - 2 * MINUTE)
  expect(log).toEqual([])
  await time.pass(2 * HOUR + MINUTE)
  expect(log).toEqual(
    [3600, 7200, 10_800].map((seconds) => ({ change: 'late', seconds, events: 2 })),
  )
})

test('a dead letter is deleted after 30 days, which is told, and then nothing is to be done', async () => {
  const { put, time, log, rows, deliveries } = await begin()
  await put(id(1), { state: 'dead', reason: 'event_rejected' })
  await time.pass(30 * 24 * HOUR)
  expect([(await rows()).length, log]).toEqual([1, []])
  await time.pass(2 * HOUR)
  expect([(await rows()).length, log]).toEqual([
    0,
    [{ change: 'expired', delivery: id(1), repository: 'o/r', endpoint: 'e1' }],
  ])
  expect(deliveries.schedule.next()).toBeUndefined()
})

test('more deliveries than one page are deleted and replayed', async () => {
  const { deliveries, put, states } = await begin()
  for (let n = 1; n <= 260; n++) await put(id(n), { wait: HOUR })
  expect(await deliveries.replayAll({ state: 'waiting' })).toEqual({ replayed: 260, missing: 0 })
  expect(await deliveries.endDeleted('o', 'e1')).toBe(260)
  expect(await deliveries.replayAll({ state: 'dead' })).toEqual({ replayed: 0, missing: 260 })
  expect(await deliveries.replay([], 'dead')).toBe(0)
  expect(await deliveries.delete({ state: 'dead' })).toBe(260)
  expect(await states()).toMatchObject({ dead: 0, waiting: 0 })
})
