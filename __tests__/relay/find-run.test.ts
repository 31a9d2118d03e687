import { expect, test } from '@jest/globals'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { runFinder } from '../../src/relay/github/find-run.ts'
import { type Dispatch, dispatchTo } from '../../src/relay/github/send.ts'
import { dispatchOf } from '../support/fake-outbox.ts'
import { HOUR, SECOND, START } from '../support/fake-time.ts'
import { startGitHubRuns } from '../support/github-runs.ts'

const [A = '', B = '', C = ''] = ['a', 'b', 'c'].map(
  (letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`,
)

/** An event whose payload names its delivery, as the payload of a request does. */
function named(delivery: string): Dispatch {
  const headers = { 'x-hookline-delivery': delivery }
  const clientPayload = JSON.stringify({ path: 'hook/webhook', method: 'POST', headers, body: '' })
  return { ...dispatchOf(delivery), clientPayload }
}

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
    const [event, other] = [named(A), named(B)]
    await dispatchTo(options)(event)
    const stored = now
    now += HOUR
    await dispatchTo(options)(other)
    const find = runFinder(options)
    const both = new Map([
      [A, stored + SECOND],
      [B, now],
      [C, now],
    ])
    expect(await find(event, both)).toEqual(new Set([A, B]))
    // The replay of the first event has no run yet, although an older event moves the start back.
    expect(await find(event, new Map([...both, [A, now]]))).toEqual(new Set([B]))
    expect(await find(event, new Map([...both, [A, now], [B, stored]]))).toEqual(new Set([B]))
  } finally {
    await pool.close()
    await github.close()
  }
})
