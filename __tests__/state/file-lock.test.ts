import { describe, expect, test } from '@jest/globals'
import { openFile } from '../../src/state/file.ts'
import { memoryBackend } from '../../src/state/memory.ts'
import type { Files } from '../../src/state/place.ts'
import { NO_STATE, type TriggerState } from '../../src/state/store.ts'
import { problemsOf } from '../support/problems.ts'
import { storePlace } from '../support/stores.ts'

const START = Date.UTC(2026, 0, 1)
const ID = { workflow: 'hook', trigger: 'webhook' }
const OTHER = { workflow: 'hook', trigger: 'other' }
const TOKENS = ['1', '2', '3'].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
const LOCK = 'state.json.lock'
const after: TriggerState = { lastSuccess: 7, claims: [] }
const written = (name: string, state: object) =>
  `{"format":"hookline-state","version":1,"triggers":{\n"octo/repo/hook/${name}":${JSON.stringify(state)}}}\n`

/** Files in memory, with the time at which each was written or renewed. */
function begin(
  change: (disk: Map<string, { text: string; at: number }>) => Partial<Files> = () => ({}),
) {
  const time = { now: START }
  const disk = new Map<string, { text: string; at: number }>()
  const events: string[] = []
  const sleeps: number[] = []
  let next = 0
  const put = (path: string, text: string) => void disk.set(path, { text, at: time.now })
  const files: Files = {
    read: async (path) => disk.get(path)?.text,
    create: async (path, text) => {
      if (disk.has(path)) return false
      put(path, text)
      return true
    },
    write: async (path, text) => put(path, text),
    rename: async (from, to) => {
      const file = disk.get(from)
      if (!file) return false
      disk.delete(from)
      disk.set(to, file)
      return true
    },
    remove: async (path) => {
      events.push(`remove ${path}`)
      disk.delete(path)
    },
    suffixes: async (path) =>
      [...disk.keys()].filter((name) => name.startsWith(path)).map((n) => n.slice(path.length)),
    renewedAt: async (path) => disk.get(path)?.at,
    keepRenewing: (path, every) => {
      events.push(`renew ${path} each ${every} ms`)
      return () => events.push('stop')
    },
    unique: () => TOKENS[next++] ?? TOKENS[2] ?? '',
  }
  /** Runs before each sleep, as another process would. */
  const others = { act: () => {} }
  const place = storePlace('', {
    files: { ...files, ...change(disk) },
    now: () => time.now,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      sleeps.push(milliseconds)
      time.now += milliseconds
      others.act()
    },
  })
  const names = () => [...disk.keys()].sort()
  return { backend: openFile('state.json', place), time, disk, put, events, sleeps, others, names }
}

describe('the file of a state', () => {
  test('is replaced under a lock, which is renewed meanwhile', async () => {
    const { backend, disk, events, names } = begin()
    expect(await backend.change([ID], () => [after])).toEqual({ states: [NO_STATE], now: START })
    expect(names()).toEqual(['state.json'])
    expect(disk.get('state.json')?.text).toBe(written('webhook', after))
    expect(events).toEqual([`renew ${LOCK} each 1000 ms`, 'stop', `remove ${LOCK}`])
    expect(await backend.load([ID, OTHER])).toEqual({ states: [after, NO_STATE], now: START })
  })

  test('is not written if no state of several changes, and written if one does', async () => {
    const { backend, disk, names } = begin()
    await backend.change([ID, OTHER], (states) => states)
    expect(names()).toEqual([])
    await backend.change([ID, OTHER], ([first = NO_STATE]) => [first, after])
    const states = `{\n"octo/repo/hook/webhook":{"lastSuccess":null,"claims":[]},\n"octo/repo/hook/other":{"lastSuccess":7,"claims":[]}}`
    expect(disk.get('state.json')?.text).toBe(
      `{"format":"hookline-state","version":1,"triggers":${states}}\n`,
    )
  })

  test('has one claim in each line', async () => {
    const { backend, disk } = begin()
    const claims = ['a', 'b'].map((key) => ({ key, run: '1', at: 1, done: false }))
    await backend.change([ID], () => [{ ...after, cursor: [1], claims }])
    const [a, b] = claims.map((claim) => JSON.stringify(claim))
    expect(disk.get('state.json')?.text.split('\n').slice(1)).toEqual([
      `"octo/repo/hook/webhook":{"lastSuccess":7,"cursor":[1],"claims":[`,
      `${a},`,
      `${b}]}}}`,
      '',
    ])
  })

  test('keeps its lock if the update fails, no longer than that', async () => {
    const { backend, names, events } = begin()
    const fault = new Error('a bug')
    const work = backend.change([ID], () => {
      throw fault
    })
    await expect(work).rejects.toBe(fault)
    expect([names(), events.slice(1)]).toEqual([[], ['stop', `remove ${LOCK}`]])
  })

  test('of a killed run: its lock is taken after 5 s, and its temporary files are removed', async () => {
    const { backend, put, names, sleeps, time } = begin()
    const left = [`.${TOKENS[2]}.tmp`, '.x.tmp', `.${TOKENS[2]}.tmp.x`, `x.${TOKENS[2]}.tmp`]
    for (const suffix of left) put(`state.json${suffix}`, 'left')
    put(LOCK, 'of a killed run')
    await backend.change([ID], () => [after])
    // After 5,000 ms it may still be renewed.
    expect([new Set(sleeps), time.now - START]).toEqual([new Set([20]), 5020])
    expect(names()).toEqual(
      ['state.json', ...left.slice(1).map((one) => `state.json${one}`)].sort(),
    )
  })

  test('of a killed run whose disk is an hour ahead: its lock is taken after 5 s, too', async () => {
    const { backend, disk, time } = begin()
    disk.set(LOCK, { text: 'of a killed run', at: START + 3_600_000 })
    await backend.change([ID], () => [after])
    expect(time.now - START).toBe(5020)
  })

  test('of a run whose lock is old, which nobody has renewed', async () => {
    const { backend, put, time } = begin()
    put(LOCK, 'of a killed run')
    time.now += 5001
    await backend.change([ID], () => [after])
    expect(time.now - START).toBe(5001)
  })

  test('whose lock vanishes after it was seen is free', async () => {
    const { backend, put, sleeps } = begin((disk) => ({
      renewedAt: async (path) => {
        disk.delete(path)
        return undefined
      },
    }))
    put(LOCK, 'of a run that ends')
    await backend.change([ID], () => [after])
    expect(sleeps).toEqual([20])
  })

  test('is given up while other runs hold its lock for a minute, each for a short time', async () => {
    const { backend, put, time, others } = begin()
    put(LOCK, 'other')
    others.act = () => put(LOCK, `other at ${Math.floor(time.now / 4000)}`)
    expect(await problemsOf(backend.change([ID], () => [after]))).toEqual([
      {
        message: `${LOCK}: other runs hold this lock, one after the other`,
        notes: ['delete the file if no run is at work'],
      },
    ])
    expect(time.now - START).toBe(60_020)
  })

  test('is not changed by a run that lost its lock, which tries again', async () => {
    let writes = 0
    const { backend, names, events } = begin((disk) => ({
      write: async (path, text) => {
        disk.set(path, { text, at: START })
        if (++writes === 1) disk.delete(LOCK)
      },
    }))
    await backend.change([ID], () => [after])
    expect(writes).toBe(2)
    expect(events).toContain(`remove state.json.${TOKENS[0]}.tmp`)
    // The first lock was another's by then.
    expect(events.filter((event) => event === `remove ${LOCK}`)).toHaveLength(1)
    expect(names()).toEqual(['state.json'])
  })

  test('is given up after 100 lost locks', async () => {
    let updates = 0
    const { backend } = begin(() => ({ rename: async () => false }))
    const work = backend.change([ID], () => {
      updates++
      return [after]
    })
    expect(await problemsOf(work)).toEqual([
      { message: 'state.json: too many concurrent runs write to it' },
    ])
    expect(updates).toBe(100)
  })
})

test('a state in memory knows each trigger by itself', async () => {
  const backend = memoryBackend(() => START)
  const [before] = [{ states: [NO_STATE, NO_STATE], now: START }]
  expect(await backend.load([ID, OTHER])).toEqual(before)
  expect(await backend.change([ID, OTHER], ([first = NO_STATE]) => [first, after])).toEqual(before)
  expect(await backend.load([OTHER, ID])).toEqual({ states: [after, NO_STATE], now: START })
})
