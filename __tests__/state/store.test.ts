import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { digest } from '../../src/engine/deduplication-keys.ts'
import { STATE_FORMS } from '../../src/state/index.ts'
import { deliveryMark, keyStates, MOST_CLAIMS, type Run } from '../../src/state/store.ts'
import { UserError } from '../../src/wire/errors.ts'
import { problemsOf } from '../support/problems.ts'
import { fc } from '../support/properties.ts'
import { named, PLACES, type SharedPlace, type SingleStore } from '../support/stores.ts'

const ID = { workflow: 'hook', trigger: 'webhook' }
const START = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
/** Half an hour. */
const LEASE = 30 * MINUTE

function run(id: string, minutes = 0) {
  return { id, at: START + minutes * MINUTE }
}

describe.each(PLACES)('the store in a %s', (kind, make) => {
  let place: SharedPlace
  let store: SingleStore

  beforeEach(async () => {
    place = await make()
    store = place.open()
  })
  afterEach(() => place.close())

  /** The status of keys that a run claims so many minutes after the start. */
  async function claim(
    keys: string[],
    by: Run,
    { delivery, ...other }: { delivery?: string | undefined; lease?: number; force?: boolean } = {},
    from = store,
  ) {
    place.setClock(by.at)
    await from.read(ID)
    const states = await from.claim(ID, named(keys, delivery), by, { lease: LEASE, ...other })
    return states.map(({ status }) => status)
  }

  async function claims() {
    return (await place.open().read(ID)).state.claims
  }

  test('knows nothing at first, and the time by its own clock', async () => {
    place.setClock(START)
    const { state, now } = await store.read(ID)
    expect(state).toEqual({ lastSuccess: null, claims: [] })
    expect(Math.abs(now - START)).toBeLessThan(MINUTE)
  })

  test('gives a key to the first run that claims it, and names it to the others', async () => {
    expect(await claim(['a', 'b'], run('1'))).toEqual(['new', 'new'])
    const other = await place.open().claim(ID, named(['b', 'c']), run('2'), { lease: LEASE })
    expect(other).toEqual([{ status: 'claimed', run: '1' }, { status: 'new' }])
  })

  test('claims of an ended run are free, except done ones', async () => {
    await claim(['a'], run('1'))
    await store.commit(ID, run('1'))
    await claim(['b'], run('1'))
    await claim(['c'], run('2'))
    const ended = new Map([['1', Infinity]])
    const states = await store.claim(ID, named(['a', 'b', 'c']), run('3'), { lease: LEASE, ended })
    expect(states.map(({ status }) => status)).toEqual(['done', 'new', 'claimed'])
    expect(await claim(['b'], run('4'))).toEqual(['claimed'])
  })

  test('a commit without a time leaves that of the last success as it is', async () => {
    await store.commit(ID, run('1', 7))
    await claim(['a'], run('2'))
    await store.commit(ID, { id: '2' })
    const { lastSuccess, claims: left } = (await place.open().read(ID)).state
    expect([lastSuccess, left.map(({ done }) => done)]).toEqual([run('', 7).at, [true]])
  })

  test('gives a run its own keys again, done or not', async () => {
    await claim(['a'], run('1'))
    expect(await claim(['a'], run('1', 5))).toEqual(['new'])
    await store.commit(ID, run('1'))
    expect(await claim(['a'], run('1', 10), {}, place.open())).toEqual(['new'])
  })

  test('takes a key as done once its run has committed, also while a re-run is at it', async () => {
    await claim(['a'], run('1'))
    await store.commit(ID, run('1'))
    expect(await claim(['a'], run('2'))).toEqual(['done'])
    await claim(['a'], run('1', 10))
    expect(await claim(['a'], run('2', 100))).toEqual(['done'])
  })

  test.each([
    ['a short one', 10],
    ['the default', 60],
  ])('gives up a run that has not committed within the lease: %s', async (_, minutes) => {
    const lease = { lease: minutes * MINUTE }
    await claim(['a'], run('1'), lease)
    expect(await claim(['a'], run('2', minutes - 1), lease)).toEqual(['claimed'])
    expect(await claim(['a'], run('2', minutes + 1), lease)).toEqual(['new'])
    expect(await claim(['a'], run('1', minutes + 1), lease)).toEqual(['claimed'])
  })

  test('counts from the claim by the clock of the store, not from a machine’s start of the run', async () => {
    place.setClock(START)
    await store.read(ID)
    await store.claim(ID, named(['a']), { id: '1', at: START - 60 * MINUTE }, { lease: LEASE })
    place.setClock(START + 25 * MINUTE)
    await store.read(ID)
    const skewed = { id: '2', at: START + 600 * MINUTE }
    expect(await store.claim(ID, named(['a']), skewed, { lease: LEASE })).toMatchObject([
      { status: 'claimed' },
    ])
  })

  test.each([
    [4, 'claimed'],
    [6, 'new'],
    [600, 'new'],
  ])('a claim %d minutes ahead is %s', async (minutes, status) => {
    await claim(['a'], run('1', minutes))
    expect(await claim(['a'], run('2'))).toEqual([status])
  })

  test('a last success far ahead is replaced by the next one', async () => {
    place.setClock(START)
    await store.commit(ID, run('1', 4))
    await store.commit(ID, run('2'))
    expect((await store.read(ID)).state.lastSuccess).toBe(run('', 4).at)
    await store.commit(ID, run('1', 60))
    await store.commit(ID, run('2'))
    expect((await store.read(ID)).state.lastSuccess).toBe(START)
  })

  test('takes keys from others when forced', async () => {
    await claim(['a', 'b'], run('1'))
    await store.commit(ID, run('1'))
    expect(await claim(['a'], run('2'), { force: true })).toEqual(['new'])
    await store.commit(ID, run('2'))
    expect(await claim(['a', 'b'], run('3'))).toEqual(['done', 'done'])
  })

  test('keeps where a poll ended with the claims of its run, in one step', async () => {
    await claim(['a'], run('1'))
    await store.commit(ID, run('1'), { bot: '1', offset: 8 })
    const { state } = await place.open().read(ID)
    expect([state.cursor, state.claims[0]?.done]).toEqual([{ bot: '1', offset: 8 }, true])
    await claim(['b'], run('2'))
    await store.commit(ID, run('2'))
    expect((await place.open().read(ID)).state.cursor).toEqual({ bot: '1', offset: 8 })
  })

  test('a delivery that was seen is seen under any other key, but for its own run', async () => {
    const uuid = '0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11'
    const time = '2026-11-20T10:00:00.000Z'
    const delivery = await deliveryMark(uuid, time, digest)
    await claim(['a'], run('1'), { delivery })
    expect(await claim(['b'], run('2'), { delivery })).toEqual(['claimed'])
    expect(await claim(['b'], run('1'), { delivery })).toEqual(['new'])
    await store.commit(ID, run('1'))
    expect(await claim(['c'], run('2', 100), { delivery })).toEqual(['done'])
    const later = await deliveryMark(uuid, '2026-11-20T10:00:01.000Z', digest)
    expect(await claim(['c'], run('2', 100), { delivery: later })).toEqual(['new'])
    expect(await deliveryMark('no-uuid', time, digest)).toBeUndefined()
    expect(await deliveryMark(uuid, undefined, digest)).toBeUndefined()
  })

  test('stores for each key of a batch its delivery', async () => {
    await store.claim(ID, [...named(['a'], 'd1'), ...named(['b'], 'd2')], run('1'), {
      lease: LEASE,
    })
    const asked = [...named(['x'], 'd2'), ...named(['y'], 'd3'), ...named(['z'], 'd1')]
    const states = await place.open().claim(ID, asked, run('2'), { lease: LEASE })
    expect(states.map(({ status }) => status)).toEqual(['claimed', 'new', 'claimed'])
  })

  test('remembers when the last successful run began', async () => {
    place.setClock(START + 10 * MINUTE)
    await store.commit(ID, run('1', 7))
    await store.commit(ID, run('2', 3))
    expect((await place.open().read(ID)).state.lastSuccess).toBe(run('', 7).at)
  })

  test('keeps triggers apart', async () => {
    await claim(['a'], run('1'))
    const others = [
      { workflow: 'hook', trigger: 'other' },
      { workflow: 'a b/..%/ü', trigger: 'webhook' },
      { workflow: '__proto__', trigger: 'webhook' },
    ]
    for (const id of others) {
      const lease = { lease: LEASE }
      expect(await store.claim(id, named(['a']), run('2'), lease)).toEqual([{ status: 'new' }])
      const [other] = await place.open().claim(id, named(['a']), run('3'), lease)
      expect(other?.status).toBe('claimed')
    }
  })

  test('keeps the newest 5,000 keys, and forgets those that are done first', async () => {
    const many = Array.from({ length: MOST_CLAIMS }, (_, index) => `k${index}`.padEnd(44, '='))
    await claim(['unfinished'], run('1'))
    await claim(many.slice(0, -1), run('2'))
    await store.commit(ID, run('2'))
    await claim(['new'], run('3'))
    const keys = (await claims()).map(({ key }) => key)
    expect(keys).toHaveLength(MOST_CLAIMS)
    // Claims of the same time have the same age, so any of them may be dropped.
    expect(keys.filter((key) => !many.includes(key))).toEqual(['unfinished', 'new'])
  })

  test.each([
    ['no JSON', 'my notes'],
    ['somebody else’s JSON', '{"a":1}'],
    ['a list', '[]'],
    ...(kind === 'file' ? [['nothing at all', '']] : []),
    ['cut off', '{"format":"hookline-state","version":1,"claims":['],
    ['broken claims', '{"format":"hookline-state","version":1,"lastSuccess":null,"claims":[1]}'],
  ])('refuses a file that is %s, and says how to start over', async (_, text) => {
    await place.overwrite(text)
    const problems = await problemsOf(claim(['a'], run('1')))
    expect(problems[0]?.message).toMatch(place.name)
    expect(problems[0]?.message).toMatch(/is not a state of Hookline, or broken$/)
    expect(problems[0]?.notes?.[0]).toMatch(/^to start over, delete /)
    await expect(store.commit(ID, run('1'))).rejects.toThrow(UserError)
    await expect(place.open().read(ID)).rejects.toThrow(place.name)
  })

  test('refuses a file of a newer version', async () => {
    await place.overwriteByNewer()
    const [problem] = await problemsOf(store.read(ID))
    expect(problem?.message).toMatch(/was written by a newer version of Hookline$/)
  })

  test('gives every key to exactly one of several concurrent runs', async () => {
    const rounds = 4
    for (let round = 0; round < rounds; round++) {
      const keys = ['a', 'b', 'c', 'd', 'e'].map((key) => `${key}${round}`)
      const runs = ['1', '2', '3', '4', '5', '6']
      const asked = (id: string) => keys.slice(Number(id) % 3)
      const results = await Promise.all(
        runs.map((id) => place.open().claim(ID, named(asked(id)), run(id), { lease: LEASE })),
      )
      const won = results.flatMap((states, index) =>
        asked(runs[index] ?? '').filter((_, position) => states[position]?.status === 'new'),
      )
      expect(won.sort()).toEqual(keys)
    }
  })

  test('does what a simple model does, whatever the order of runs', async () => {
    const id = fc.constantFrom('1', '2', '3')
    const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
    // The storage's clock advances during a request, so no sum of these equals the lease.
    const minutes = fc.constantFrom(0, 11, 35)
    const step = fc.record({ claims: fc.boolean(), id, keys, minutes })
    let count = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const trigger = { workflow: 'model', trigger: `t${count++}` }
      const model = new Map<string, { id: string; at: number; done: boolean }>()
      let now = START
      for (const one of steps) {
        now += one.minutes * MINUTE
        place.setClock(now)
        const by = { id: one.id, at: now }
        if (!one.claims) {
          await store.commit(trigger, by)
          for (const [key, had] of model)
            if (had.id === one.id) model.set(key, { ...had, done: true })
          continue
        }
        const expected = one.keys.map((key) => {
          const had = model.get(key)
          if (!had || had.id === one.id) return 'new'
          if (had.done) return 'done'
          return now - had.at < LEASE ? 'claimed' : 'new'
        })
        await store.read(trigger)
        const states = await store.claim(trigger, named(one.keys), by, { lease: LEASE })
        expect(states.map(({ status }) => status)).toEqual(expected)
        for (const [index, key] of one.keys.entries()) {
          if (expected[index] !== 'new') continue
          model.set(key, { id: one.id, at: now, done: model.get(key)?.done ?? false })
        }
      }
    })
    await fc.assert(property, { numRuns: 12 })
  })
})

test('every kind of store is held by the tests above, and named to users', async () => {
  const kinds = PLACES.map(([kind]) => kind)
  expect(STATE_FORMS.replaceAll(/:<\w+>/g, '').split(', ')).toEqual(['none', ...kinds])
  const metadata = await readFile(new URL('../../action.yml', import.meta.url), 'utf8')
  const config = await readFile(new URL('../../docs/reference/config.md', import.meta.url), 'utf8')
  for (const kind of kinds) {
    expect(metadata).toContain(`\`${kind}:<`)
    expect(config).toContain(`| \`${kind}:`)
  }
})

test.each([
  [LEASE - 1, 'claimed'],
  [LEASE, 'new'],
])('a claim that is %d ms old is %s', (age, status) => {
  const claim = { key: 'a', run: '1', at: START, done: false }
  const snapshot = { state: { lastSuccess: null, claims: [claim] }, now: START + age }
  expect(keyStates(snapshot, run('2'), { lease: LEASE })({ key: 'a' }).status).toBe(status)
})
