import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { dispatchTo } from '../../src/relay/github/dispatch.ts'
import type { GitHubCallRequest } from '../../src/wire/github-api.ts'
import { dispatchOf } from '../support/fake-outbox.ts'
import { isWhole, type RawPlatform, startRawPlatform } from '../support/raw-platform.ts'

const ACCEPTED = 'HTTP/1.1 204 No Content\r\n\r\n'

let platform: RawPlatform
let pool: ReturnType<typeof githubConnectionPool>
beforeEach(async () => {
  platform = await startRawPlatform()
  pool = githubConnectionPool(new URL(platform.url))
  // The first connection responds once, and the next request resets it.
  platform.onBytes((socket, received) => {
    const calls = received.toString().split('POST ').length - 1
    if (calls === 2) socket.resetAndDestroy()
    else if (isWhole(received)) socket.write(ACCEPTED)
  })
})
afterEach(async () => {
  await pool.close()
  await platform.close()
})

/** Resolves when its connection is free again. */
async function firstCall(): Promise<void> {
  await pool.call(request)
  await sleep(20)
}

const request = { path: '/', headers: {}, body: '{}', timeout: 5000 }

test('a request that may be repeated is sent again when its kept connection is reset', async () => {
  await firstCall()
  expect(await pool.call({ ...request, mayRepeat: true })).toMatchObject({ status: 204 })
  expect(platform.connections).toBe(2)
})

test('any other request fails, since it may have arrived', async () => {
  await firstCall()
  await expect(pool.call(request)).rejects.toMatchObject({ sent: true })
  expect(platform.connections).toBe(1)
})

test('events may be repeated, since they have a delivery id; runs without inputs may not', async () => {
  const requests: GitHubCallRequest[] = []
  const dispatch = dispatchTo({
    call: async (made) => {
      requests.push(made)
      return { status: 204, header: () => undefined, text: '' }
    },
    apiUrl: new URL(platform.url),
    budget: 1000,
    clock: { now: () => new Date(0), sleep: async () => {}, random: () => 0 },
    forge: 'github',
  })
  const event = dispatchOf('an-event')
  const workflow = { event: 'workflow_dispatch', workflow: 'hook', ref: 'main' } as const
  await dispatch(event)
  await dispatch({ ...event, target: workflow })
  await dispatch({ ...event, target: { ...workflow, isManual: true } })
  expect(requests.map(({ mayRepeat }) => mayRepeat)).toEqual([true, true, false])
})
