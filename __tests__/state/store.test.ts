import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { StateStore } from '../../src/state/index.ts'
import { CLAIM_HOLDS, MOST_CLAIMS } from '../../src/state/index.ts'
import { UserError } from '../../src/wire/errors.ts'
import { problemsOf } from '../support/problems.ts'
import { PLACES, type SharedPlace } from '../support/stores.ts'

const ID = { workflow: 'hook', trigger: 'webhook' }
const START = Date.UTC(2026, 0, 1)

function run(id: string, minutes = 0) {
  return { id, at: START + minutes * 60_000 }
}

describe.each(PLACES)('the store in a %s', (kind, make) => {
  let place: SharedPlace
  let store: StateStore

  beforeEach(async () => {
    place = await make()
    store = place.open()
  })
  afterEach(() => place.close())

  test('knows nothing at first', async () => {
    expect(await store.read(ID)).toEqual({ lastSuccess: null, claims: [] })
  })

  test('gives a key to the first run that claims it', async () => {
    expect(await store.claim(ID, ['a', 'b'], run('1'))).toEqual(['fresh', 'fresh'])
    expect(await place.open().claim(ID, ['b', 'c'], run('2'))).toEqual(['busy', 'fresh'])
  })

  test('gives a run its own keys again, done or not', async () => {
    await store.claim(ID, ['a'], run('1'))
    expect(await store.claim(ID, ['a'], run('1', 5))).toEqual(['fresh'])
    await store.commit(ID, run('1'))
    expect(await place.open().claim(ID, ['a'], run('1', 10))).toEqual(['fresh'])
  })

  test('takes a key as seen once its run has committed, also while a re-run is at it', async () => {
    await store.claim(ID, ['a'], run('1'))
    await store.commit(ID, run('1'))
    expect(await store.claim(ID, ['a'], run('2'))).toEqual(['seen'])
    await store.claim(ID, ['a'], run('1', 10))
    expect(await store.claim(ID, ['a'], run('2', 100))).toEqual(['seen'])
  })

  test('gives up a run that has not committed for half an hour', async () => {
    await store.claim(ID, ['a'], run('1'))
    const almost = { id: '2', at: START + CLAIM_HOLDS - 1 }
    const over = { id: '2', at: START + CLAIM_HOLDS }
    expect(await store.claim(ID, ['a'], almost)).toEqual(['busy'])
    expect(await store.claim(ID, ['a'], over)).toEqual(['fresh'])
    expect(await store.claim(ID, ['a'], { id: '1', at: over.at })).toEqual(['busy'])
  })

  test('takes keys from others when forced', async () => {
    await store.claim(ID, ['a', 'b'], run('1'))
    await store.commit(ID, run('1'))
    expect(await store.claim(ID, ['a'], run('2'), true)).toEqual(['fresh'])
    await store.commit(ID, run('2'))
    expect(await store.claim(ID, ['a', 'b'], run('3'))).toEqual(['seen', 'seen'])
  })

  test('remembers when the last successful run began', async () => {
    await store.commit(ID, run('1', 7))
    await store.commit(ID, run('2', 3))
    expect((await place.open().read(ID)).lastSuccess).toBe(run('', 7).at)
  })

  test('keeps triggers apart', async () => {
    await store.claim(ID, ['a'], run('1'))
    const others = [
      { workflow: 'hook', trigger: 'other' },
      { workflow: 'a b/..%/ü', trigger: 'webhook' },
      { workflow: '__proto__', trigger: 'webhook' },
    ]
    for (const id of others) {
      expect(await store.claim(id, ['a'], run('2'))).toEqual(['fresh'])
      expect(await place.open().claim(id, ['a'], run('3'))).toEqual(['busy'])
    }
  })

  test('keeps the newest 5,000 keys, and forgets those that are done first', async () => {
    const many = Array.from({ length: MOST_CLAIMS }, (_, index) => `k${index}`.padEnd(44, '='))
    await store.claim(ID, ['unfinished'], run('1'))
    await store.claim(ID, many.slice(0, -1), run('2'))
    await store.commit(ID, run('2'))
    await store.claim(ID, ['new'], run('3'))
    const { claims } = await place.open().read(ID)
    expect(claims).toHaveLength(MOST_CLAIMS)
    const keys = claims.map(({ key }) => key)
    expect(keys).toEqual(['unfinished', ...many.slice(1, -1), 'new'])
  })

  test.each([
    ['no JSON', 'my notes'],
    ['somebody else’s JSON', '{"a":1}'],
    ['a list', '[]'],
    ['nothing at all', ''],
    ['cut off', '{"format":"hookline-state","version":1,"claims":['],
    ['broken claims', '{"format":"hookline-state","version":1,"lastSuccess":null,"claims":[1]}'],
  ])('refuses a file that is %s, and says how to begin anew', async (_, text) => {
    await place.overwrite(text)
    const problems = await problemsOf(store.claim(ID, ['a'], run('1')))
    expect(problems[0]?.message).toMatch(place.name)
    expect(problems[0]?.message).toMatch(/is no state of Hookline, or broken$/)
    expect(problems[0]?.notes?.[0]).toMatch(/^to begin anew, delete /)
    await expect(store.commit(ID, run('1'))).rejects.toThrow(UserError)
    await expect(place.open().read(ID)).rejects.toThrow(place.name)
  })

  test('refuses a file of a newer version', async () => {
    await place.overwrite('{"format":"hookline-state","version":2,"entries":{}}')
    const [problem] = await problemsOf(store.read(ID))
    expect(problem?.message).toMatch(/was written by a newer version of Hookline$/)
  })

  test('gives every key to exactly one of the runs that claim at once', async () => {
    const rounds = kind === 'file' ? 30 : 10
    for (let round = 0; round < rounds; round++) {
      const keys = ['a', 'b', 'c', 'd', 'e'].map((key) => `${key}${round}`)
      const runs = ['1', '2', '3', '4', '5', '6']
      const results = await Promise.all(
        runs.map((id) => place.open().claim(ID, keys.slice(Number(id) % 3), run(id))),
      )
      const won = results.flatMap((standing, index) =>
        keys.slice(Number(runs[index]) % 3).filter((_, position) => standing[position] === 'fresh'),
      )
      expect(won.sort()).toEqual(keys)
    }
  })

  test('does what a simple model does, whatever the order of runs', async () => {
    const id = fc.constantFrom('1', '2', '3')
    const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
    const minutes = fc.constantFrom(0, 10, 35)
    const step = fc.oneof(
      fc.record({ claim: fc.constant(true), id, keys, minutes }),
      fc.record({ claim: fc.constant(false), id, keys, minutes }),
    )
    let count = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const trigger = { workflow: 'model', trigger: `t${count++}` }
      const model = new Map<string, { id: string; at: number; done: boolean }>()
      let now = START
      for (const one of steps) {
        now += one.minutes * 60_000
        if (!one.claim) {
          await store.commit(trigger, { id: one.id, at: now })
          for (const [key, had] of model)
            if (had.id === one.id) model.set(key, { ...had, done: true })
          continue
        }
        const expected = one.keys.map((key) => {
          const had = model.get(key)
          if (!had || had.id === one.id) return 'fresh'
          if (had.done) return 'seen'
          return now - had.at < CLAIM_HOLDS ? 'busy' : 'fresh'
        })
        expect(await store.claim(trigger, one.keys, { id: one.id, at: now })).toEqual(expected)
        for (const [index, key] of one.keys.entries()) {
          if (expected[index] !== 'fresh') continue
          model.set(key, { id: one.id, at: now, done: model.get(key)?.done ?? false })
        }
      }
    })
    await fc.assert(property, { numRuns: kind === 'file' ? 100 : 40 })
  })
})
