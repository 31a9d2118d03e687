import { describe, expect, test } from '@jest/globals'
import type { ListChange } from '../../src/inspector/api.ts'
import { RelayList } from '../../src/inspector/relay-source.ts'
import { UserError } from '../../src/wire/errors.ts'
import { standInDelivery } from '../support/admin-stand-in.ts'
import { fc } from '../support/properties.ts'

/** A list over deliveries that a test changes, with what a page would show. */
function scene(most?: number) {
  const relay = { numbers: [] as number[], outcomes: new Map<number, string>(), asked: 0 }
  const page = new Map<string, number>()
  const changes: ListChange[] = []
  const list = new RelayList(
    async ({ limit, after }) => {
      relay.asked++
      const all = relay.numbers.map((number) =>
        standInDelivery(number, { outcome: relay.outcomes.get(number) ?? 'success' }),
      )
      const start = all.findIndex(({ id }) => id === after) + 1
      const deliveries = all.slice(start, start + limit)
      return { deliveries, next: start + limit < all.length ? deliveries.at(-1)?.id : null }
    },
    (change) => {
      changes.push(change)
      for (const { id, number } of change.summaries) page.set(id, number)
      for (const id of change.gone) page.delete(id)
    },
    most,
  )
  const shown = () =>
    [...page].sort(([, one], [, other]) => other - one).map(([id]) => Number(id.slice(-12)))
  return { relay, list, changes, shown }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => count - at)

describe('the copy of the list of a relay', () => {
  test('is shown page by page the first time, newest first', async () => {
    const { relay, list, changes, shown } = scene()
    relay.numbers = upTo(2500)
    await list.read('all')
    expect(changes.map(({ summaries }) => summaries.length)).toEqual([1000, 1000, 500])
    expect(shown()).toEqual(upTo(2500))
    expect(list.summaries().map(({ number }) => number)).toEqual(
      list
        .summaries()
        .map(({ number }) => number)
        .toSorted((one, other) => other - one),
    )
  })

  test('is asked for page by page, and for no more than it takes', async () => {
    const asked: object[] = []
    const ask = (most?: number) =>
      new RelayList(
        async (query) => {
          asked.push(query)
          const number = 9 - asked.length
          return { deliveries: [standInDelivery(number)], next: number > 6 ? `c${number}` : null }
        },
        () => {},
        most,
      )
    const list = ask()
    await list.read('all')
    expect([list.summaries().map(({ path }) => path), list.isFull]).toEqual([
      ['orders/webhook/8', 'orders/webhook/7', 'orders/webhook/6'],
      false,
    ])
    expect(list.find(standInDelivery(7).id)?.delivery.path).toBe('orders/webhook/7')
    expect(asked.splice(0)).toEqual([
      { limit: 1000 },
      { limit: 1000, after: 'c8' },
      { limit: 1000, after: 'c7' },
    ])
    const small = ask(2)
    await small.read('newest')
    expect(asked).toEqual([{ limit: 2 }, { limit: 2, after: 'c8' }])
    expect(small.isFull).toBe(true)
    asked.length = 0
    await list.read('newest')
    expect(asked).toEqual([{ limit: 100 }])
  })

  test('forgets what the relay has no longer, and tells its ids', async () => {
    const { relay, list, changes } = scene()
    relay.numbers = upTo(3)
    await list.read('all')
    relay.numbers = [3, 1]
    await list.read('newest')
    expect(changes).toHaveLength(1)
    await list.read('all')
    expect(changes.at(-1)).toEqual({ summaries: [], gone: [standInDelivery(2).id] })
    expect(list.find(standInDelivery(2).id)).toBeUndefined()
  })

  test('tells nothing if nothing has changed, and only what has', async () => {
    const { relay, list, changes } = scene()
    relay.numbers = upTo(5)
    await list.read('all')
    await list.read('newest')
    expect(changes).toHaveLength(1)
    relay.outcomes.set(3, 'failure')
    await list.read('newest')
    expect(changes.at(-1)?.summaries.map(({ path }) => path)).toEqual(['orders/webhook/3'])
    expect(relay.asked).toBe(3)
  })

  test('takes a burst of more than a page, and no more than its room', async () => {
    const { relay, list, changes, shown } = scene(300)
    relay.numbers = upTo(10)
    await list.read('all')
    relay.numbers = upTo(260)
    await list.read('newest')
    expect(shown()).toEqual(upTo(260))
    // A burst of several pages is one change.
    expect(changes.map(({ summaries }) => summaries.length)).toEqual([10, 250])
    expect(changes.flatMap(({ gone }) => gone)).toEqual([])
    expect(list.isFull).toBe(false)
    relay.numbers = upTo(450)
    await list.read('newest')
    expect(shown()).toEqual(upTo(450).slice(0, 300))
    expect(list.isFull).toBe(true)
  })

  test('equals the list of the relay after any change and a reading of all', async () => {
    const step = fc.record({
      added: fc.integer({ min: 0, max: 130 }),
      deleted: fc.array(fc.nat(300), { maxLength: 4 }),
      whole: fc.boolean(),
    })
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const { relay, list, shown } = scene(200)
      let last = 0
      for (const { added, deleted, whole } of steps) {
        const fresh = Array.from({ length: added }, () => ++last).reverse()
        relay.numbers = [...fresh, ...relay.numbers].filter((_, at) => !deleted.includes(at))
        await (whole ? list.read('all') : list.read('newest'))
      }
      await list.read('all')
      expect(shown()).toEqual(relay.numbers.slice(0, 200))
    })
    await fc.assert(property, { numRuns: 30 })
  })

  test.each([
    ['an id that is none', standInDelivery(1, { id: '../../status' })],
    ['an owner that is none', standInDelivery(1, { owner: '../x' })],
    ['an unknown state', standInDelivery(1, { state: 'lost' })],
  ])('refuses %s', async (_, delivery) => {
    const answer = async () => ({ deliveries: [delivery], next: null })
    await expect(new RelayList(answer, () => {}).read('all')).rejects.toThrow(UserError)
  })

  test('ends with a relay that repeats its cursor', async () => {
    const answer = async () => ({ deliveries: [standInDelivery(1)], next: 'same' })
    await new RelayList(answer, () => {}).read('all')
  })
})
