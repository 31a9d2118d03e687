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
    const { relay, list, shown } = scene(300)
    relay.numbers = upTo(10)
    await list.read('all')
    relay.numbers = upTo(260)
    await list.read('newest')
    expect(shown()).toEqual(upTo(260))
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
