import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../support/database-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { createEndpoint, eventHeaders, signed, VERIFIED } from '../support/large-bodies.ts'

const MB = 1024 * 1024

describe.each(DATABASE_RUNTIMES)(
  'a relay on $name that stores bodies',
  ({ name, isThere, start }) => {
    const run = isThere ? test : test.skip
    const runOnNode = name === 'Node' ? run : test.skip
    let github: GitHub
    let relay: DatabaseRelay
    let target: string

    beforeAll(async () => {
      github = await startGitHub()
      if (!isThere) return
      relay = await start({
        HOOKLINE_API_URL: github.url,
        HOOKLINE_GITHUB_TOKEN: `ghp_${'R'.repeat(36)}`,
        HOOKLINE_PUBLIC_URL: 'https://relay.example.com',
      })
      target = await createEndpoint(relay, VERIFIED)
    }, 60_000)
    afterAll(async () => {
      await relay?.close()
      await github.close()
    })

    run('takes 50 concurrent bodies of 24 MB, in bounded memory', async () => {
      const body = new Uint8Array(randomBytes(24 * MB))
      const headers = { 'content-type': 'application/json', ...signed(body) }
      let most = 0
      const timer = setInterval(async () => {
        most = Math.max(most, await residentMegabytes(relay.pid))
      }, 100)
      const before = await residentMegabytes(relay.pid)
      const started = performance.now()
      const statuses = await Promise.all(
        Array.from({ length: 50 }, () => statusOf(relay.url + target, headers, body)),
      )
      clearInterval(timer)
      const seconds = (performance.now() - started) / 1000
      console.log(
        `${name}: 50 bodies of 24 MB in ${seconds.toFixed(0)} s; memory ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most`,
      )
      // Under this load the relay may store an event for a call that is late, and try it again in a minute.
      expect(statuses.filter((status) => status !== 200 && status !== 202)).toEqual([])
      const delivered = () =>
        new Set(eventHeaders(github).map((headers) => headers['x-hookline-delivery'])).size
      for (let n = 0; n < 600 && delivered() < 50; n++) await pause(1000)
      console.log(`${name}: ${github.calls.length} calls of GitHub for ${delivered()} events`)
      expect(delivered()).toBe(50)
      // All bodies together would be 1,200 MB.
      expect(most).toBeLessThan(700)
    })

    runOnNode('ends an upload that is slower than 64 KB a second', async () => {
      const { hostname, port } = new URL(relay.url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.write(
        `POST ${target} HTTP/1.1\r\nhost: x\r\nx-hub-signature-256: sha256=00\r\ncontent-length: ${MB}\r\n\r\n`,
      )
      const timer = setInterval(() => socket.write('x'), 500)
      const started = performance.now()
      const [first] = await once(socket, 'data')
      clearInterval(timer)
      socket.destroy()
      expect(String(first)).toMatch(/^HTTP\/1\.1 408/)
      expect((performance.now() - started) / 1000).toBeGreaterThan(14)
      expect((performance.now() - started) / 1000).toBeLessThan(30)
    })
  },
)

/** Sends a request without a copy of its body, and waits longer for the response than `fetch` does. */
async function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

/** Resident memory of a process in MB. */
async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
}
