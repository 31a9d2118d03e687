import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RunningServer } from '../../src/relay/node/server.ts'
import { startRelay } from '../../src/relay/node/start.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { keptConnection, open, received } from '../support/raw-http.ts'
import { TOKEN, withToken } from '../support/scene.ts'

const HOOK = '/o/r/hook/webhook'
const HEAD = `POST ${HOOK} HTTP/1.1\r\nHost: h\r\nX-Platform-Authorization: ${TOKEN}\r\n`

export interface SlowClients {
  /** The number of slow clients. */
  readonly slow: number
  /** Milliseconds; the relay's own limits if absent. */
  readonly limits?: { readonly headersTimeout: number; readonly requestTimeout: number }
  /** Milliseconds after which the relay must have closed a connection whose head, or body, is incomplete. */
  readonly longest: { readonly head: number; readonly body: number }
}

/** Intentionally slow clients, and other clients that must be served meanwhile. */
export function testSlowClients({ slow, limits = undefined, longest }: SlowClients): void {
  describe('slow clients', () => {
    let github: GitHub
    let relay: RunningServer
    beforeAll(async () => {
      github = await startGitHub()
      const env = { HOOKLINE_API_URL: github.url }
      relay = await startRelay({
        ...{ host: '127.0.0.1', port: 0, env, write: () => {} },
        // The default of 75 s would only make the test long.
        limits: { keepAliveTimeout: 5000, ...limits },
      })
    })
    afterAll(async () => {
      await relay.close()
      await github.close()
    })

    /** Milliseconds until the server closes the connection, and its response. */
    async function closedAfter(bytes: string, drip?: string): Promise<[ms: number, text: string]> {
      const start = Date.now()
      const socket = open(relay.url)
      socket.write(bytes)
      const dripping = drip && setInterval(() => socket.write(drip), 500)
      const text = await received(socket)
      if (dripping) clearInterval(dripping)
      return [Date.now() - start, text.toString()]
    }

    /** A client that is slow with its head, slow with its body, or silent. */
    function slowClient(n: number): { socket: Socket; drip: string } {
      const socket = open(relay.url)
      socket.resume()
      if (n % 5 === 0) return { socket, drip: '' }
      const hasHead = n % 2 === 0
      socket.write(hasHead ? `${HEAD}Content-Length: 1000\r\n\r\n` : HEAD)
      return { socket, drip: hasHead ? 'x' : 'X-A: b\r\n' }
    }

    /** The milliseconds of each of ten requests of a normal client. */
    async function goodClient(): Promise<number[]> {
      const kept = keptConnection(relay.url)
      const latencies: number[] = []
      for (let n = 0; n < 10; n++) {
        const start = performance.now()
        const { status } = await kept.send(withToken({ method: 'POST', target: HOOK, body: '{}' }))
        latencies.push(performance.now() - start)
        expect(status).toBe(200)
        // So that its requests come while slow clients are open.
        await sleep(500)
      }
      kept.close()
      return latencies
    }

    test(`${slow} slow clients are cut off, while 50 good ones get 500 responses`, async () => {
      const cases = [
        closedAfter(''),
        closedAfter(HEAD, 'X-A: b\r\n'),
        closedAfter(`${HEAD}Content-Length: 1000\r\n\r\n`, 'x'),
        closedAfter('GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n'),
      ]
      const clients = Array.from({ length: slow }, (_, n) => slowClient(n))
      const dripping = setInterval(() => {
        for (const { socket, drip } of clients) if (socket.writable) socket.write(drip)
      }, 500)
      const latencies = (await Promise.all(Array.from({ length: 50 }, goodClient))).flat()
      const [silent, slowHead, slowBody, keptAlive] = await Promise.all(cases)
      clearInterval(dripping)
      expect(silent?.[0]).toBeLessThan(longest.head)
      expect(slowHead?.[0]).toBeLessThan(longest.head)
      expect(slowHead?.[1]).toMatch(/^HTTP\/1\.1 408/)
      expect(slowBody?.[0]).toBeLessThan(longest.body)
      expect(keptAlive?.[0]).toBeLessThan(12_500)
      // The target is 250 ms, and bench/ measures it: only a server that slow clients block fails this.
      expect(latencies.sort((a, b) => a - b)[494]).toBeLessThan(5000)
      expect(github.calls).toHaveLength(500)
      // The server cuts the last one off after the time for a whole request.
      while (clients.some(({ socket }) => !socket.closed)) await sleep(100)
    })
  })
}
