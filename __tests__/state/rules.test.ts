import { describe, expect, test } from '@jest/globals'
import { changedFiles, folderOf, stateFromFiles } from '../../src/state/branch-files.ts'
import { openFile } from '../../src/state/file.ts'
import {
  ageOf,
  type Claim,
  createStore,
  deliveryMark,
  kept,
  keyStates,
  MOST_CLAIMS,
  NO_STATE,
  type StateBackend,
  type TriggerState,
  updated,
} from '../../src/state/store.ts'
import { problemsOf } from '../support/problems.ts'
import { storePlace } from '../support/stores.ts'

const NOW = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const LEASE = 30 * MINUTE
const ID = { workflow: 'hook', trigger: 'webhook' }
const PLACE = { place: 'state.json', reset: 'delete it' }

function claim(key: string, over: Partial<Claim> = {}): Claim {
  return { key, run: '1', at: NOW, done: false, ...over }
}

const done = (key: string, over: Partial<Claim> = {}) => claim(key, { done: true, ...over })

const refused = (read: () => unknown) => problemsOf((async () => read())())

/** A store of one trigger's state, which records the result of each update. */
function open(state: TriggerState) {
  const made: TriggerState[] = []
  const backend: StateBackend = {
    load: async () => ({ states: [state], now: NOW }),
    change: async (_, update) => {
      made.push(updated(update([state], NOW), 0))
      return { states: [state], now: NOW }
    },
  }
  return { store: createStore(backend), made }
}

describe('a key of which the store knows', () => {
  const MARK = 'mark'
  test.each([
    ['nothing', [], undefined, { status: 'new' }],
    ['that its own run has it', [claim('k', { run: '2' })], undefined, { status: 'new' }],
    ['that its own run has done it', [done('k', { run: '2' })], undefined, { status: 'new' }],
    ['that another run has it', [claim('k')], undefined, { status: 'claimed', run: '1' }],
    ['that another run has done it', [done('k')], undefined, { status: 'done', run: '1' }],
    ['a run that ended', [claim('k', { run: 'ended' })], undefined, { status: 'new' }],
    [
      'that one has done it',
      [done('k', { run: 'ended' })],
      undefined,
      { status: 'done', run: 'ended' },
    ],
    ['a lease that is over', [claim('k', { at: NOW - LEASE })], undefined, { status: 'new' }],
    [
      'a lease that is nearly over',
      [claim('k', { at: NOW - LEASE + 1 })],
      undefined,
      { status: 'claimed', run: '1' },
    ],
    ['its delivery', [done('other', { delivery: MARK })], MARK, { status: 'done', run: '1' }],
    ['another delivery', [done('other', { delivery: 'x' })], MARK, { status: 'new' }],
    [
      'none, for one without a mark',
      [done('other', { delivery: MARK })],
      undefined,
      { status: 'new' },
    ],
    [
      'its delivery twice',
      [done('a', { delivery: MARK }), claim('b', { delivery: MARK, run: '3' })],
      MARK,
      { status: 'claimed', run: '3' },
    ],
    ['another key, both without a mark', [done('other')], undefined, { status: 'new' }],
    [
      'a claim of a run from before its end',
      [claim('k', { run: 'failed' })],
      undefined,
      { status: 'new' },
    ],
    [
      'a claim of a re-run from after the end of the run',
      [claim('k', { run: 'failed', at: NOW + 1 })],
      undefined,
      { status: 'claimed', run: 'failed' },
    ],
    [
      'itself, and its delivery',
      [claim('k', { run: '3' }), done('a', { delivery: MARK })],
      MARK,
      { status: 'claimed', run: '3' },
    ],
  ])('%s', (_, claims, delivery, state) => {
    const snapshot = { state: { ...NO_STATE, claims }, now: NOW }
    const ended = new Map([
      ['ended', Infinity],
      ['failed', NOW],
    ])
    const options = { lease: LEASE, ended }
    expect(keyStates(snapshot, { id: '2', at: NOW }, options)({ key: 'k', delivery })).toEqual(
      state,
    )
  })
})

test.each([
  ['past', NOW - 7, 7],
  ['now', NOW, 0],
  ['a little ahead', NOW + 5 * MINUTE, 0],
  ['far ahead', NOW + 5 * MINUTE + 1, Infinity],
])('a time that is %s has an age', (_, at, age) => expect(ageOf(at, NOW)).toBe(age))

describe('the mark of a delivery', () => {
  const UUID = '0A1b2c3d-0000-4000-8000-00000000000f'
  const digest = async (text: string) => `digest of ${text}`.padEnd(80, '.')

  test('is made of its id in lower case and its time', async () => {
    const whole = async (text: string) => `0123456789012345678901${text}`
    const mark = await deliveryMark(UUID, '2026-01-01T00:00:00Z', whole)
    expect(mark).toBe('0123456789012345678901')
    const texts: string[] = []
    const noting = async (text: string) => {
      texts.push(text)
      return text
    }
    await deliveryMark(UUID, 'now', noting)
    expect(texts).toEqual([`delivery ${UUID.toLowerCase()} now`])
  })

  test.each([
    ['an id', undefined, 'now'],
    ['a time', UUID, undefined],
    ['a time that says something', UUID, ''],
    ['an id of the relay', 'x', 'now'],
    ['an id that begins so', `x${UUID}`, 'now'],
    ['an id that ends so', `${UUID}x`, 'now'],
  ])('is none without %s', async (_, delivery, at) => {
    expect(await deliveryMark(delivery, at, digest)).toBeUndefined()
  })
})

describe('a run that claims', () => {
  const run = { id: '2', at: NOW }
  const options = { ...ID, lease: LEASE }

  test('gets what is new, and what others have stays with them', async () => {
    const { store, made } = open({ ...NO_STATE, claims: [claim('a'), claim('b', { run: '2' })] })
    const keys = [{ key: 'a' }, { key: 'b' }, { key: 'c', delivery: 'mark' }]
    expect(await store.claim([{ ...options, keys }], run)).toEqual([
      [{ status: 'claimed', run: '1' }, { status: 'new' }, { status: 'new' }],
    ])
    expect(made[0]?.claims).toStrictEqual([
      claim('a'),
      claim('b', { run: '2' }),
      claim('c', { run: '2', delivery: 'mark' }),
    ])
  })

  test('done claims stay done, and open claims stay open', async () => {
    const state = { ...NO_STATE, claims: [done('a', { run: '2' }), claim('b', { run: '2' })] }
    const { store, made } = open(state)
    await store.claim([{ ...options, keys: [{ key: 'a' }, { key: 'b' }] }], run)
    expect(made[0]?.claims.map((one) => [one.key, one.done])).toEqual([
      ['a', true],
      ['b', false],
    ])
  })

  test('gets all by force', async () => {
    const { store, made } = open({ ...NO_STATE, claims: [done('a')] })
    const keys = [{ key: 'a' }]
    expect(await store.claim([{ ...options, keys, force: true }], run)).toEqual([
      [{ status: 'new' }],
    ])
    expect(made[0]?.claims).toEqual([done('a', { run: '2' })])
  })

  test('changes nothing where nothing is new', async () => {
    const state = { ...NO_STATE, claims: [done('a')] }
    const { store, made } = open(state)
    await store.claim([{ ...options, keys: [{ key: 'a' }] }], run)
    expect(made[0]).toBe(state)
  })
})

describe('a run that has succeeded', () => {
  const BEFORE: TriggerState = {
    lastSuccess: NOW - 1,
    cursor: [1],
    claims: [done('a', { run: '2' })],
  }

  test.each([
    ['with nothing of its own', { ...ID }],
    ['that began before the last one', { ...ID, at: NOW - 5 }],
    ['at the place that is known', { ...ID, cursor: [1] }],
  ])('%s changes nothing', async (_, trigger) => {
    const { store, made } = open(BEFORE)
    await store.commit([trigger], '2')
    expect(made[0]).toBe(BEFORE)
  })

  test.each([
    ['its time', { at: NOW }, {}, { lastSuccess: NOW }],
    [
      'the later of two times',
      { at: NOW - 5 },
      { cursor: [2] },
      { cursor: [1], lastSuccess: NOW - 1 },
    ],
    ['its place', { cursor: [2] }, {}, { cursor: [2] }],
    [
      'its time, where the last one cannot be',
      { at: NOW },
      { lastSuccess: NOW + 1e9 },
      { lastSuccess: NOW },
    ],
    ['its time, where there was none', { at: NOW }, { lastSuccess: null }, { lastSuccess: NOW }],
  ])('leaves %s', async (_, given, before, after) => {
    const { store, made } = open({ ...BEFORE, ...before })
    await store.commit([{ ...ID, cursor: [1], ...given }], '2')
    expect(made[0]).toEqual({ ...BEFORE, ...before, ...after })
  })

  test('has done what it had begun, and nothing else', async () => {
    const claims = [done('a', { run: '2' }), claim('b', { run: '2' }), claim('c')]
    const { store, made } = open({ ...NO_STATE, claims })
    await store.commit([{ ...ID }], '2')
    expect(made[0]?.claims).toEqual([claims[0], done('b', { run: '2' }), claim('c')])
    expect(made[0]).not.toHaveProperty('cursor')
  })
})

test("a state is read with the time of the storage's clock", async () => {
  const state = { ...NO_STATE, lastSuccess: 1 }
  expect(await open(state).store.read([ID])).toEqual([{ state, now: NOW }])
})

test('a store tells which runs have ended where its place can', async () => {
  const place: StateBackend = {
    load: async () => ({ states: [], now: NOW }),
    change: async () => ({ states: [], now: NOW }),
  }
  const endedRuns = async () => new Set(['1'])
  expect(createStore(place)).not.toHaveProperty('endedRuns')
  expect(createStore({ ...place, endedRuns }).endedRuns).toBe(endedRuns)
})

test('an update that forgets a trigger is a bug', () => {
  expect(() => updated([], 0)).toThrow('fewer states')
})

describe('of too many claims', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => claim(`k${at}`))

  test('none is forgotten at the limit', () => {
    const claims = many(MOST_CLAIMS)
    expect(kept(claims)).toBe(claims)
  })

  test('those that are done go first, then the oldest', () => {
    const claims = [claim('old'), done('first'), ...many(MOST_CLAIMS - 1), done('last')]
    const left = kept(claims)
    expect(left).toHaveLength(MOST_CLAIMS)
    expect(left[0]).toEqual(claim('old'))
    expect(left.some((one) => one.done)).toBe(false)
    const open = kept([done('first'), ...many(MOST_CLAIMS + 1)])
    expect([open.length, open[0]?.key]).toEqual([MOST_CLAIMS, 'k1'])
  })
})

describe('a state file', () => {
  const triggers = { 'octo/repo/hook/webhook': { lastSuccess: 1, claims: [done('a')] } }
  const text = (value: object) => JSON.stringify({ format: 'hookline-state', version: 1, ...value })
  const load = (content: string) => {
    const { files } = storePlace('.')
    const place = storePlace('.', { files: { ...files, read: async () => content } })
    return openFile('state.json', place).load([ID])
  }

  test('is read', async () => {
    const { states } = await load(text({ triggers }))
    expect(states).toEqual([{ lastSuccess: 1, claims: [done('a')] }])
  })

  test.each([
    ['no JSON', '{'],
    ['of another program', JSON.stringify({ triggers })],
    ['of another format', text({ format: 'x', triggers })],
    ['broken', text({ triggers: { a: '1' } })],
    ['of no version', text({ version: undefined, triggers })],
  ])('that is %s is refused', async (_, broken) => {
    expect(await problemsOf(load(broken))).toEqual([
      {
        message: 'state.json is not a state of Hookline, or broken',
        notes: ['to start over, delete state.json'],
      },
    ])
  })

  test('of a newer version is refused as that', async () => {
    expect(await problemsOf(load(text({ version: 2 })))).toEqual([
      {
        message: 'state.json was written by a newer version of Hookline',
        notes: ['use that version here too', 'to start over, delete state.json'],
      },
    ])
  })
})

describe('a folder of a branch', () => {
  const names = (files: ReadonlyMap<string, string>) => [...files.keys()].sort()

  test('is named by its workflow and its trigger', () => {
    expect(folderOf({ workflow: 'a b/c', trigger: 'webhook' })).toBe('v2.a%20b%2Fc.webhook')
  })

  test('holds each claim in the file of its key, for ever the same one', () => {
    const claims = ['', 'a', 'b', 'foobar', 'a-longer-key'].map((key) => claim(key))
    const files = changedFiles(new Map(), NO_STATE, { ...NO_STATE, claims })
    const lines = Object.fromEntries([...files].map(([name, text]) => [name, text.trim()]))
    expect(lines).toEqual(SHARDS)
  })

  test('gives back what was put in, the oldest first', () => {
    const claims = [
      claim('b', { at: 3 }),
      done('a', { at: 1, delivery: 'mark' }),
      claim('foobar', { at: 2, run: '9' }),
    ]
    const after: TriggerState = { lastSuccess: 5, cursor: { a: [1] }, claims }
    const files = changedFiles(new Map(), NO_STATE, after)
    const sorted = claims.toSorted((one, other) => one.at - other.at)
    expect(stateFromFiles(files, PLACE)).toStrictEqual({ ...after, claims: sorted })
    expect(stateFromFiles(new Map(), PLACE)).toStrictEqual(NO_STATE)
  })

  test('is written where something is new alone', () => {
    const before: TriggerState = { lastSuccess: 5, claims: [claim('a'), claim('b')] }
    const files = changedFiles(new Map(), NO_STATE, before)
    const same = changedFiles(files, before, before)
    expect([...same]).toEqual([])
    const after = { ...before, claims: [claim('a'), done('b')] }
    const [ofB] = names(changedFiles(new Map(), NO_STATE, { ...NO_STATE, claims: [claim('b')] }))
    expect([...changedFiles(files, before, after)]).toEqual([[ofB, '["b","1",1767225600000,1]\n']])
    expect(names(changedFiles(files, before, { ...before, lastSuccess: 6 }))).toEqual([
      'times.json',
    ])
  })

  test.each([
    ['nothing', NO_STATE, []],
    ['the last success', { ...NO_STATE, lastSuccess: 1 }, ['times.json']],
    ['a place', { ...NO_STATE, cursor: 7 }, ['times.json']],
  ])('has a file of times for %s', (_, state: TriggerState, files) => {
    expect(names(changedFiles(new Map(), NO_STATE, state))).toEqual(files)
  })

  test('may hold files of others', () => {
    const others = ['README.md', 'abc', 'xab', 'a', 'AB'].map((name) => [name, 'text'] as const)
    expect(stateFromFiles(new Map(others), PLACE)).toEqual(NO_STATE)
  })

  test.each([
    ['times that are none', 'times.json', '{}'],
    ['text in place of times', 'times.json', 'text'],
    ['a claim without its run', 'ab', '["a"]'],
    ['a claim that is half done', 'ab', '["a","1",1,2]'],
    ['a claim with a number for its mark', 'ab', '["a","1",1,1,5]'],
    ['text in place of a claim', 'ab', 'text'],
  ])('with %s is broken', async (_, name, text) => {
    expect(await refused(() => stateFromFiles(new Map([[name, text]]), PLACE))).toEqual([
      { message: 'state.json is not a state of Hookline, or broken', notes: ['delete it'] },
    ])
  })

  /** By FNV-1a, 32 bits, modulo 64: other versions must find a key in the same file. */
  const SHARDS = {
    '05': '["","1",1767225600000,0]',
    '2c': '["a","1",1767225600000,0]',
    '25': '["b","1",1767225600000,0]',
    '28': '["foobar","1",1767225600000,0]',
    '20': '["a-longer-key","1",1767225600000,0]',
  }
})
