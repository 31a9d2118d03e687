import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
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
  }, 60_000)
  afterAll(async () => {
    await relay.close()
    await platform.close()
  })

  const codeOf = ({ body }: RawAnswer) => JSON.parse(body).error?.code

  test('R5: a reset after any part of the request was read: 504, one try', async () => {
    for (const bytes of [1, 10, 100, 200, 300, 400]) {
      platform.onBytes((socket, received) => {
        if (received.length >= bytes) socket.resetAndDestroy()
      })
      const answer = await send(relay.url, REQUEST)
      expect([answer.status, codeOf(answer)]).toEqual([504, 'platform_timeout'])
      expect(platform.connections).toBe(1)
    }
  })

  test('R5: a reset after any part of the answer’s head: 504, one try', async () => {
    const head = 'HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n'
    for (let bytes = 0; bytes < head.length; bytes += 3) {
      platform.onBytes((socket, received) => {
        if (isWhole(received)) socket.write(head.slice(0, bytes), () => socket.resetAndDestroy())
      })
      const answer = await send(relay.url, REQUEST)
      expect([bytes, answer.status]).toEqual([bytes, 504])
      expect(platform.connections).toBe(1)
    }
  })

  test('R5: an end without an answer: 504, one try', async () => {
    platform.onBytes((socket, received) => {
      if (isWhole(received)) socket.end()
    })
    expect(await send(relay.url, REQUEST)).toMatchObject({ status: 504 })
    expect(platform.connections).toBe(1)
  })

  test('R5: an early hint is no answer: 200 with one after it, 504 without', async () => {
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

  test('R25, peers’ fault of no timeout: no answer at all: 504 within the budget', async () => {
    platform.onBytes(() => {})
    const before = Date.now()
    expect(await send(relay.url, REQUEST)).toMatchObject({ status: 504 })
    expect(Date.now() - before).toBeGreaterThanOrEqual(BUDGET - 50)
    expect(Date.now() - before).toBeLessThan(HANG)
  })

  test('R25: an answer whose body trickles: its status decides, within the budget', async () => {
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

  test('R25: an answer whose head trickles: 504 within the budget', async () => {
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
    'R25: an endless answer with status %i is not read to its end',
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
      expect(answer.status).toBe(status === 204 || status === 200 ? 200 : status)
      expect(Date.now() - before).toBeLessThan(HANG)
      // What both kernels and the runtime hold in between is not ours to bound.
      expect(written).toBeLessThan(64 * 1024 * 1024)
    },
  )

  test('what is no HTTP: 504', async () => {
    platform.onBytes((socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n'))
    expect((await send(relay.url, REQUEST)).status).toBe(504)
  })

  test('R30: a redirect elsewhere is followed by no connection', async () => {
    const other = await startRawPlatform()
    platform.onBytes((socket, received) => {
      const location = `${other.url}/repositories/1/dispatches`
      if (isWhole(received)) {
        socket.end(
          `HTTP/1.1 307 Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        )
      }
    })
    expect((await send(relay.url, REQUEST)).status).toBe(502)
    expect(other.connections).toBe(0)
    await other.close()
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
    expect(lonely.log.join()).toContain(name === 'Node' ? '"tries":3' : '"tries":1')
    await lonely.close()
  })
})
