import { describe, expect, test } from '@jest/globals'
import { runPipeline } from '../../src/engine/pipeline.ts'
import type { KeyStatus } from '../../src/state/store.ts'
import type { Item } from '../../src/triggers/trigger.ts'
import { textsAtLevel } from '../../src/wire/messages.ts'
import { found, settingsOf } from '../support/settings.ts'

const ITEMS: Item[] = [3, 1, 2, 5, 4].map((n) => ({ id: n, n, even: n % 2 === 0, l: [n, n + 1] }))

async function kept(config: unknown, items: readonly Item[] = ITEMS): Promise<unknown[]> {
  const prepared = await runPipeline(found(items), settingsOf(config))
  return prepared.kept.map(({ item }) => item.n ?? item)
}

describe('deduplication', () => {
  const seen = (known: Record<string, KeyStatus>, isFirstRun = false) => ({
    keyState: ({ key }: { key: string }) => ({ status: known[key] ?? ('new' as const), run: '42' }),
    isFirstRun,
  })
  const keysOf = async () => {
    const { kept } = await runPipeline(found(ITEMS), settingsOf({}, { deduplicate: true }))
    return kept.map(({ key }) => key ?? '')
  }

  test('drops duplicates, and keeps the first', async () => {
    const items = [
      { id: 1, n: 'a' },
      { id: 2, n: 'b' },
      { id: 1, n: 'c' },
    ]
    const { kept } = await runPipeline(found(items), settingsOf({}, { deduplicate: true }))
    expect(kept.map(({ item }) => item.n)).toEqual(['a', 'b'])
  })

  test('is not done unless asked for', async () => {
    expect(await kept({}, [{ id: 1 }, { id: 1 }])).toHaveLength(2)
  })

  test('drops what is seen, and holds back what another run is at work on', async () => {
    const [one = '', two = ''] = await keysOf()
    const settings = settingsOf(
      {},
      { deduplicate: true, seen: seen({ [one]: 'done', [two]: 'claimed' }) },
    )
    const { kept, heldBack, log, messages } = await runPipeline(found(ITEMS), settings)
    expect(kept.map(({ item }) => item.n)).toEqual([2, 5, 4])
    expect(heldBack.map(({ item }) => item.n)).toEqual([1])
    expect(log).toContain('run 42 is processing 1')
    expect(messages).toEqual([])
  })

  test('of a webhook, drops what another run is at work on, and names that run', async () => {
    const [one = ''] = await keysOf()
    const known = { deduplicate: true, isPolled: false, seen: seen({ [one]: 'claimed' }) }
    const { kept, heldBack, log, messages } = await runPipeline(found(ITEMS), settingsOf({}, known))
    expect([kept.length, heldBack]).toEqual([4, []])
    expect(log).toEqual(['deduplicate dropped 1', 'run 42 is processing 1'])
    expect(textsAtLevel(messages, 'notice')).toEqual([
      'duplicate of an item that run 42 is processing: if that run fails, re-run it',
    ])
  })

  test('comes before limit: what is known takes no place', async () => {
    const [one = '', two = ''] = await keysOf()
    const known = seen({ [one]: 'done', [two]: 'done' })
    const settings = settingsOf({ limit: 2 }, { deduplicate: true, seen: known })
    const { kept, heldBack } = await runPipeline(found(ITEMS), settings)
    expect(kept.map(({ item }) => item.n)).toEqual([2, 5])
    expect(heldBack.map(({ item }) => item.n)).toEqual([4])
  })

  test('force ignores what is known', async () => {
    const [one = '', two = ''] = await keysOf()
    const known = seen({ [one]: 'done', [two]: 'claimed' }, true)
    const config = { force: true, skipFirst: true }
    const { kept } = await runPipeline(
      found(ITEMS),
      settingsOf(config, { deduplicate: true, seen: known }),
    )
    expect(kept).toHaveLength(5)
  })

  test('skipFirst: the first run only records', async () => {
    const settings = { deduplicate: true, seen: seen({}, true) }
    const first = await runPipeline(found(ITEMS), settingsOf({ skipFirst: true }, settings))
    expect([first.kept.length, first.recorded.length, first.heldBack.length]).toEqual([0, 5, 0])
    const later = { deduplicate: true, seen: seen({}) }
    expect(
      (await runPipeline(found(ITEMS), settingsOf({ skipFirst: true }, later))).kept,
    ).toHaveLength(5)
  })

  test.each([
    ['with its duplicates, each key once', true, 5],
    ['without deduplication, no key', false, 0],
  ])('skipFirst: the first run records all items, %s', async (_, deduplicate, keys) => {
    const settings = { deduplicate, seen: seen({}, true) }
    const items = [...ITEMS, { id: 3 }]
    const first = await runPipeline(found(items), settingsOf({ skipFirst: true }, settings))
    expect(first.log).toEqual(['deduplicate only recorded 6'])
    expect(first.recorded.flatMap(({ key }) => key ?? [])).toHaveLength(keys)
  })
})
