import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { FIGURES } from '../../src/relay/figures.ts'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { githubFetch } from '../../src/relay/workers/github-fetch.ts'
import { type RawAnswer, send } from '../support/raw-http.ts'
import { isWhole, type RawPlatform, startRawPlatform } from '../support/raw-platform.ts'
import { type RelayUnderTest, RUNTIMES } from '../support/relays.ts'
import { withToken } from '../support/scene.ts'

const REQUEST = withToken({ method: 'POST', target: '/o/r/hook/webhook', body: '{"a":1}' })
const ACCEPTED = 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'
/** Milliseconds that the relay gives GitHub: more than the first call of a new relay takes on a slow machine. */
const BUDGET = 2000
/** A relay that takes longer than these milliseconds hangs. */
const HANG = 20_000

describe.each(RUNTIMES)('faults of GitHub, seen by a relay on %s', (name, start) => {
  let platform: RawPlatform
  let relay: RelayUnderTest
  // A relay keeps its connections to GitHub: bytes that trickle in one test would end the next one's request.
  beforeEach(async () => {
    platform = await startRawPlatform()
    const env = { HOOKLINE_API_URL: platform.url, HOOKLINE_TEST_GITHUB_TIMEOUT_MS: String(BUDGET) }
    relay = await start({ env })
  })
  afterEach(async () => {
    await relay.close()
    await platform.close()
  })

  const codeOf = ({ body }: RawAnswer) => JSON.parse(body).error?.code

  /** Writes the same bytes every 50 ms for as long as the connection lasts. */
  const trickle = (socket: Socket, bytes: string, status?: number) => {
    if (status) socket.write(`HTTP/1.1 ${status} Status\r\nContent-Length: 1000\r\n\r\n`)
    const timer = setInterval(() => socket.write(bytes), 50)
    socket.on('close', () => clearInterval(timer))
  }
  const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'

  test.each<[fault: string, status: number, respond: (socket: Socket) => void]>([
    ['nothing at all', 504, () => {}],
    ['an early hint and then 204', 200, (socket) => socket.end(`${HINT}${ACCEPTED}`)],
    ['an early hint alone', 504, (socket) => socket.end(HINT)],
    ['bytes of another protocol', 504, (socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n')],
    ['a head that trickles', 504, (socket) => trickle(socket, 'H')],
    ['status 204 and a body that trickles', 200, (socket) => trickle(socket, ' ', 204)],
    ['status 200 and a body that trickles', 502, (socket) => trickle(socket, ' ', 200)],
    ['status 404 and a body that trickles', 403, (socket) => trickle(socket, ' ', 404)],
  ])('GitHub sends %s: %i within the time limit', async (_, status, respond) => {
    platform.onBytes((socket, received) => {
      if (isWhole(received)) respond(socket)
    })
    const before = Date.now()
    expect((await send(relay.url, REQUEST)).status).toBe(status)
    expect(Date.now() - before).toBeLessThan(HANG)
  })

  test('without any response the relay waits for the whole time limit', async () => {
    platform.onBytes(() => {})
    const before = Date.now()
    expect((await send(relay.url, REQUEST)).status).toBe(504)
    expect(Date.now() - before).toBeGreaterThanOrEqual(BUDGET - 50)
  })

  test('the delivery id is the same in every try', async () => {
    const deliveries: string[] = []
    platform.onBytes((socket, received) => {
      if (!isWhole(received)) return
      deliveries.push(/x-hookline-delivery":"([^"]+)/.exec(received.toString())?.[1] ?? '')
      socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
    const answer = await send(relay.url, REQUEST)
    expect([answer.status, codeOf(answer)]).toEqual([502, 'github_unavailable'])
    expect(deliveries.length).toBeGreaterThan(1)
    expect(new Set([...deliveries, answer.headers['x-hookline-delivery']]).size).toBe(1)
  })

  test('GitHub refuses connections', async () => {
    const gone = await startRawPlatform()
    await gone.close()
    const env = { HOOKLINE_API_URL: gone.url, HOOKLINE_TEST_GITHUB_TIMEOUT_MS: '3000' }
    const lonely = await start({ env })
    const answer = await send(lonely.url, REQUEST)
    // workerd reports a refused connection as it reports one that broke later.
    expect(answer.status).toBe(name === 'Node' ? 502 : 504)
    const { tries } = JSON.parse(lonely.log[0] ?? '{}')
    if (name === 'Node') expect(tries).toBeGreaterThan(2)
    else expect(tries).toBe(1)
    await lonely.close()
  })
})

test.each([
  ['Node', (url: URL) => githubConnectionPool(url)],
  ['workerd', (url: URL) => ({ call: githubFetch(url), close: async () => {} })],
])('of an error of 1 GB, the client on %s reads at most 64 KB, and closes', async (_, open) => {
  const platform = await startRawPlatform()
  const closed: Promise<unknown>[] = []
  let written = 0
  platform.onBytes((socket, received) => {
    if (!isWhole(received)) return
    closed.push(new Promise((resolve) => socket.once('close', resolve)))
    const chunk = Buffer.alloc(65_536, 'x')
    socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 1000000000\r\n\r\n')
    const pour = () => {
      while (!socket.destroyed && socket.write(chunk)) written += chunk.length
    }
    socket.on('drain', pour)
    pour()
  })
  const port = open(new URL(platform.url))
  const request = { path: '/', headers: {}, body: '{}', timeout: 60_000 }
  const { status, text } = await port.call(request)
  expect(status).toBe(403)
  expect(text.length).toBeGreaterThan(0)
  expect(text.length).toBeLessThanOrEqual(64 * 1024)
  // Only the client can end it, because the time limit is a minute away.
  const before = Date.now()
  await Promise.all(closed)
  expect(Date.now() - before).toBeLessThan(HANG)
  // The kernel buffers the rest.
  expect(written).toBeLessThan(16 * 1024 * 1024)
  await port.close()
  await platform.close()
})

test('the time limit is 8 s unless another is set, on every runtime', async () => {
  const platform = await startRawPlatform()
  platform.onBytes(() => {})
  const took = RUNTIMES.map(async ([, start]) => {
    const relay = await start({ env: { HOOKLINE_API_URL: platform.url } })
    const before = Date.now()
    const { status } = await send(relay.url, REQUEST)
    const elapsed = Date.now() - before
    await relay.close()
    return [status, elapsed] as const
  })
  for (const [status, elapsed] of await Promise.all(took)) {
    expect(status).toBe(504)
    expect(elapsed).toBeGreaterThan(7800)
    // The rest of the time is that of the machine.
    expect(elapsed).toBeLessThan(HANG)
  }
  expect(FIGURES.GITHUB_TIMEOUT_MS).toBe(8000)
  await platform.close()
})

test('a kept connection that ends: GitHub may have accepted the event', async () => {
  const platform = await startRawPlatform()
  let requests = 0
  platform.onBytes((socket, bytes) => {
    if (requests > 0) socket.end()
    else if (isWhole(bytes)) {
      requests++
      setTimeout(() => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), 50)
    }
  })
  const pool = githubConnectionPool(new URL(platform.url))
  const request = { path: '/', headers: {}, body: '{}', timeout: 5000 }
  expect(await pool.call(request)).toMatchObject({ status: 204 })
  await sleep(20) // until the connection is free again
  await expect(pool.call(request)).rejects.toMatchObject({
    name: 'GitHubCallError',
    sent: true,
  })
  expect(platform.connections).toBe(1)
  await pool.close()
  await platform.close()
})

test.each(RUNTIMES)(
  'the name of the API is not found: a relay on %s tries again',
  async (name, start) => {
    const env = {
      HOOKLINE_API_URL: 'http://nowhere.invalid',
      HOOKLINE_TEST_GITHUB_TIMEOUT_MS: '3000',
    }
    const lonely = await start({ env })
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(lonely.url, REQUEST)))
    const statuses = answers.map(({ status }) => status)
    // workerd does not tell whether the last try left, if its time ended before the name was looked up.
    const certain = statuses.filter((status) => name === 'Node' || status !== 504)
    expect(new Set(certain)).toEqual(new Set([502]))
    expect(lonely.log).toHaveLength(5)
    for (const line of lonely.log) expect(JSON.parse(line).tries).toBeGreaterThan(1)
    await lonely.close()
  },
)
