import { expect, test } from '@jest/globals'
import { fc } from '../../support/properties.ts'
import { dispatch, memoryStore, poll, Queue, updates } from '../../support/queue-trigger.ts'

const HALF_AN_HOUR = 30 * 60_000
const QUIET = { come: 0, fails: false }

const config = fc.record(
  {
    limit: fc.integer({ min: 1, max: 4 }),
    filter: fc.constantFrom({ even: true }, { even: { $exists: true } }),
    sort: fc.constantFrom({ update_id: -1 }, { even: 1 }),
  },
  { requiredKeys: [] },
)

/** Some items arrive, and then there is a run, whose job may fail before or in post. */
const turn = fc.record({
  come: fc.integer({ min: 0, max: 4 }),
  fails: fc.boolean(),
})

function drained(texts: readonly string[], last: number, onlyEven: boolean): boolean {
  const wanted = updates(1, last).filter(
    ({ update_id }) => !onlyEven || Number(update_id) % 2 === 0,
  )
  return wanted.every(({ text }) => texts.includes(String(text)))
}

test.each([
  ['with a store', true],
  ['without a store', false],
])(
  '%s, whatever fails and whatever is cut off: nothing is lost, and without faults nothing comes twice',
  async (_, hasStore) => {
    const property = fc.asyncProperty(
      config,
      fc.array(turn, { maxLength: 8 }),
      async (given, turns) => {
        const { sort, ...rest } = given
        const chosen = hasStore && sort ? { ...rest, sort } : rest
        const onlyEven = JSON.stringify(given.filter) === '{"even":true}'
        const store = hasStore ? { store: memoryStore() } : {}
        const queue = new Queue()
        const texts: string[] = []
        let last = 0
        let runs = 0
        const turn = async ({ come, fails }: { come: number; fails: boolean }) => {
          queue.put(...updates(last + 1, last + come, (n) => ({ even: n % 2 === 0 })))
          last += come
          // Half an hour between runs, so that the claims of a failed run have expired.
          const run = { id: String(runs), at: runs++ * HALF_AN_HOUR }
          const one = await poll(queue, chosen, dispatch, { ...store, run })
          texts.push(...one.texts.map(String))
          if (!fails) await one.succeed()
        }
        for (const one of turns) await turn(one)
        // Runs without new items until nothing is left, and one more.
        for (let left = 40; queue.items.length > 0 && left > 0; left--) await turn(QUIET)
        await turn(QUIET)
        expect(drained(texts, last, onlyEven)).toBe(true)
        expect(queue.items).toEqual([])
        const faultless = turns.every(({ fails }) => !fails)
        if (faultless) expect(new Set(texts).size).toBe(texts.length)
      },
    )
    await fc.assert(property, { numRuns: 150 })
  },
)
