import { expect, test } from '@jest/globals'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { runFinder } from '../../src/relay/github/runs.ts'
import { dispatchTo } from '../../src/relay/github/send.ts'
import { RelayMetrics } from '../../src/relay/metrics.ts'
import { eventOf } from '../support/delivery-scene.ts'
import { HOUR, SECOND, START } from '../support/fake-time.ts'
import { startGitHubRuns } from '../support/github-runs.ts'

const [A = '', B = '', C = ''] = ['a', 'b', 'c'].map(
  (letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`,
)

test('the run of an event is found, but not one from before its replay', async () => {
  let now = START
  const github = await startGitHubRuns(() => now)
  const pool = githubConnectionPool(new URL(github.url))
  const options = {
    call: pool.call,
    apiUrl: new URL(github.url),
    budget: 8000,
    clock: { now: () => new Date(now), sleep: async () => {}, random: () => 0.5 },
    retryTime: 0,
    forge: 'github' as const,
  }
  try {
    const [event, other] = [eventOf(A), eventOf(B)]
    await dispatchTo(options, new RelayMetrics())(event)
    const stored = now
    now += HOUR
    await dispatchTo(options, new RelayMetrics())(other)
    const find = runFinder(options)
    const both = new Map([
      [A, stored + SECOND],
      [B, now],
      [C, now],
    ])
    const found = await find(event, both)
    expect(found?.get(A)).toEqual({
      run: expect.stringMatching('/o/r/actions/runs/1$'),
      started: stored,
    })
    expect([...(found?.keys() ?? [])]).toEqual([A, B])
    // The replay of the first event has no run yet, although an older event moves the start back.
    const keys = async (map: Map<string, number>) => [...((await find(event, map))?.keys() ?? [])]
    expect(await keys(new Map([...both, [A, now]]))).toEqual([B])
    expect(await keys(new Map([...both, [A, now], [B, stored]]))).toEqual([B])
  } finally {
    await pool.close()
    await github.close()
  }
})
