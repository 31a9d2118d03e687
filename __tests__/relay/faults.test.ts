import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { platformPool } from '../../src/relay/platform-pool.ts'
import { platformFetch } from '../../src/relay/worker.ts'
import { type RawAnswer, send } from '../support/raw-http.ts'
import { isWhole, type RawPlatform, startRawPlatform } from '../support/raw-platform.ts'
import { type RelayUnderTest, RUNTIMES } from '../support/relays.ts'
import { withToken } from '../support/scene.ts'

const REQUEST = withToken({ method: 'POST', target: '/o/r/hook/webhook', body: '{"a":1}' })
const BUDGET = 700
/** Milliseconds that tell a relay that answers from one that hangs. */
const HANG = 5000

describe.each(RUNTIMES)('faults of the platform, seen by a relay on %s', (name, start) => {
  let platform: RawPlatform
  let relay: RelayUnderTest
  beforeAll(async () => {
    platform = await startRawPlatform()
    const env = { HOOKLINE_API_URL: platform.url, HOOKLINE_UPSTREAM_TIMEOUT_MS: String(BUDGET) }
    relay = await start({ env })
  })
  afterAll(async () => {
    await relay.close()
    await platform.close()
  })

  const codeOf = ({ body }: RawAnswer) => JSON.parse(body).error?.code

  test('an early hint is no answer: 200 with one after it, 504 without', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const answerTo = async (rest: string) => {
      platform.onBytes((socket, received) => {
        if (isWhole(received)) socket.end(hint + rest)
      })
      return (await send(relay.url, REQUEST)).status
    }
    expect(await answerTo('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')).toBe(200)
    expect(await answerTo('')).toBe(504)
  })

  test('no answer at all: 504 within the budget', async () => {
    platform.onBytes(() => {})
    const before = Date.now()
    expect(await send(relay.url, REQUEST)).toMatchObject({ status: 504 })
    expect(Date.now() - before).toBeGreaterThanOrEqual(BUDGET - 50)
    expect(Date.now() - before).toBeLessThan(HANG)
  })

  test('an answer whose body trickles: its status decides, within the budget', async () => {
    platform.onBytes((socket, received) => {
      if (!isWhole(received)) return
      socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\n')
      const trickle = setInterval(() => socket.write(' '), 50)
      socket.on('close', () => clearInterval(trickle))
    })
    const before = Date.now()
    expect(await send(relay.url, REQUEST)).toMatchObject({ status: 403 })
    expect(Date.now() - before).toBeLessThan(HANG)
  })

  test('an answer whose head trickles: 504 within the budget', async () => {
    platform.onBytes((socket, received) => {
      if (!isWhole(received)) return
      const trickle = setInterval(() => socket.write('H'), 50)
      socket.on('close', () => clearInterval(trickle))
    })
    const before = Date.now()
    expect((await send(relay.url, REQUEST)).status).toBe(504)
    expect(Date.now() - before).toBeLessThan(HANG)
  })

  test.each([204, 200, 403, 422])(
    'an endless answer with status %i is not read to its end',
    async (status) => {
      let written = 0
      platform.onBytes((socket, received) => {
        if (!isWhole(received)) return
        const chunk = Buffer.alloc(65_536, 'x')
        socket.write(`HTTP/1.1 ${status} Status\r\nContent-Length: 1000000000\r\n\r\n`)
        const pour = () => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length
        }
        socket.on('drain', pour)
        pour()
      })
      const before = Date.now()
      const answer = await send(relay.url, REQUEST)
      expect(answer.status).toBe({ 200: 502, 204: 200 }[status] ?? status)
      expect(Date.now() - before).toBeLessThan(HANG)
      // What both kernels and the runtime hold in between is not ours to bound.
      expect(written).toBeLessThan(64 * 1024 * 1024)
    },
  )

  test('what is no HTTP: 504', async () => {
    platform.onBytes((socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n'))
    expect((await send(relay.url, REQUEST)).status).toBe(504)
  })

  test('the delivery id stays the same over tries', async () => {
    const deliveries: string[] = []
    platform.onBytes((socket, received) => {
      if (!isWhole(received)) return
      deliveries.push(/x-hookline-delivery":"([^"]+)/.exec(received.toString())?.[1] ?? '')
      socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
    const answer = await send(relay.url, REQUEST)
    expect([answer.status, codeOf(answer)]).toEqual([502, 'platform_unavailable'])
    expect(deliveries.length).toBeGreaterThan(1)
    expect(new Set([...deliveries, answer.headers['x-hookline-delivery']]).size).toBe(1)
  })

  test('a platform that refuses connections', async () => {
    const gone = await startRawPlatform()
    await gone.close()
    const env = { HOOKLINE_API_URL: gone.url, HOOKLINE_UPSTREAM_TIMEOUT_MS: '2000' }
    const lonely = await start({ env })
    const answer = await send(lonely.url, REQUEST)
    // On a worker nobody can tell a refused connection from one that broke later.
    expect(answer.status).toBe(name === 'Node' ? 502 : 504)
    const { tries } = JSON.parse(lonely.log[0] ?? '{}')
    if (name === 'Node') expect(tries).toBeGreaterThan(2)
    else expect(tries).toBe(1)
    await lonely.close()
  })
})

test.each([
  ['Node', (url: URL) => platformPool(url)],
  ['workerd', (url: URL) => ({ call: platformFetch(url), close: async () => {} })],
])('of an answer of 1 GB, the port of %s reads at most 64 KB, and then closes', async (_, open) => {
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
  const request = { path: '/', headers: {}, body: '{}', timeout: HANG }
  const before = Date.now()
  const { status, text } = await port.call(request)
  expect(status).toBe(403)
  expect(text.length).toBeGreaterThan(0)
  expect(text.length).toBeLessThanOrEqual(64 * 1024)
  await Promise.all(closed)
  expect(Date.now() - before).toBeLessThan(HANG)
  // The rest is what the kernel held.
  expect(written).toBeLessThan(16 * 1024 * 1024)
  await port.close()
  await platform.close()
})

test('the budget is 8 s unless another is set, on every runtime', async () => {
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
    // Five times the 200 ms of the target.
    expect(elapsed).toBeLessThan(9000)
  }
  await platform.close()
})

test.each([
  ['while the request is on its way: nothing was sent', 0, false],
  ['when there was time to accept the event: nobody can tell', 60, true],
])('a platform that ends a kept connection %s', async (_, after, sent) => {
  const platform = await startRawPlatform()
  let requests = 0
  platform.onBytes((socket, bytes) => {
    if (requests > 0) setTimeout(() => socket.end(), after)
    else if (isWhole(bytes)) {
      requests++
      setTimeout(() => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), 50)
    }
  })
  const pool = platformPool(new URL(platform.url))
  const request = { path: '/', headers: {}, body: '{}', timeout: 5000 }
  expect(await pool.call(request)).toMatchObject({ status: 204 })
  await sleep(20) // until the connection is free again
  await expect(pool.call(request)).rejects.toMatchObject({ name: 'PlatformFault', sent })
  expect(platform.connections).toBe(1)
  await pool.close()
  await platform.close()
})

test.each(RUNTIMES)(
  'a platform whose name is not found, seen by a relay on %s: tried again',
  async (_, start) => {
    const env = { HOOKLINE_API_URL: 'http://nowhere.invalid', HOOKLINE_UPSTREAM_TIMEOUT_MS: '1500' }
    const lonely = await start({ env })
    expect((await send(lonely.url, REQUEST)).status).toBe(502)
    expect(JSON.parse(lonely.log[0] ?? '{}').tries).toBeGreaterThan(1)
    await lonely.close()
  },
)
