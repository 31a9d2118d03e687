import { describe, expect, test } from '@jest/globals'
import { runPipeline } from '../../src/engine/pipeline.ts'
import type { KeyStatus } from '../../src/state/index.ts'
import type { Item } from '../../src/triggers/trigger.ts'
import { found, settingsOf } from '../support/settings.ts'

const ITEMS: Item[] = [3, 1, 2, 5, 4].map((n) => ({ id: n, n, even: n % 2 === 0, l: [n, n + 1] }))

async function kept(config: unknown, items: readonly Item[] = ITEMS): Promise<unknown[]> {
  const prepared = await runPipeline(found(items), settingsOf(config))
  return prepared.kept.map(({ item }) => item.n ?? item)
}

describe('deduplication', () => {
  const ledger = (known: Record<string, KeyStatus>, isFirstRun = false) => ({
    standing: (key: string) => known[key] ?? 'fresh',
    isFirstRun,
  })
  const keysOf = async () => {
    const { kept } = await runPipeline(found(ITEMS), settingsOf({}, { deduplicate: true }))
    return kept.map(({ key }) => key ?? '')
  }

  test('drops what came twice, and keeps the first', async () => {
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
      { deduplicate: true, ledger: ledger({ [one]: 'seen', [two]: 'busy' }) },
    )
    const { kept, heldBack } = await runPipeline(found(ITEMS), settings)
    expect(kept.map(({ item }) => item.n)).toEqual([2, 5, 4])
    expect(heldBack.map(({ item }) => item.n)).toEqual([1])
  })

  test('comes before limit: what is known takes no place', async () => {
    const [one = '', two = ''] = await keysOf()
    const known = ledger({ [one]: 'seen', [two]: 'seen' })
    const settings = settingsOf({ limit: 2 }, { deduplicate: true, ledger: known })
    const { kept, heldBack } = await runPipeline(found(ITEMS), settings)
    expect(kept.map(({ item }) => item.n)).toEqual([2, 5])
    expect(heldBack.map(({ item }) => item.n)).toEqual([4])
  })

  test('force ignores what is known', async () => {
    const [one = '', two = ''] = await keysOf()
    const known = ledger({ [one]: 'seen', [two]: 'busy' }, true)
    const config = { force: true, skipFirst: true }
    const { kept } = await runPipeline(
      found(ITEMS),
      settingsOf(config, { deduplicate: true, ledger: known }),
    )
    expect(kept).toHaveLength(5)
  })

  test('skipFirst: the first run only records', async () => {
    const settings = { deduplicate: true, ledger: ledger({}, true) }
    const first = await runPipeline(found(ITEMS), settingsOf({ skipFirst: true }, settings))
    expect([first.kept.length, first.recorded.length, first.heldBack.length]).toEqual([0, 5, 0])
    const later = { deduplicate: true, ledger: ledger({}) }
    expect(
      (await runPipeline(found(ITEMS), settingsOf({ skipFirst: true }, later))).kept,
    ).toHaveLength(5)
  })
})
