import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { startGitHub } from '../../support/github.ts'

/** Each repository is one queue. */
const REPOSITORIES = 300
/** On workerd, each queue is a Durable Object, and an event takes longer. */
const EVENTS = { Node: 100_000, workerd: 3000 } as const
const TOKEN = 'ghp_the-token-of-the-sender-of-all'
const AT_ONCE = 32

describe.each(DATABASE_RUNTIMES)('a relay with a database on $name', ({ name, isThere, start }) => {
  const run = isThere ? test : test.skip
  const events = EVENTS[name as keyof typeof EVENTS]
  run(
    `delivers each of ${events} events of ${REPOSITORIES} repositories that waited when it was killed`,
    async () => {
      const github = await startGitHub()
      let isDown = false
      /** When GitHub got the first and the last event of each repository. */
      const times = new Map<number, { first: number; last: number }>()
      const bodies = new Set<string>()
      github.always((call) => {
        if (isDown) return { status: 503 }
        const body: string = JSON.parse(call.body).client_payload.body
        if (body.startsWith('event ') && !bodies.has(body)) {
          bodies.add(body)
          const repository = Number(body.split(' ')[1]) % REPOSITORIES
          const now = Date.now()
          times.set(repository, { first: times.get(repository)?.first ?? now, last: now })
        }
        return { status: 204 }
      })
      const relay = await start({
        HOOKLINE_API_URL: github.url,
        HOOKLINE_TEST_MAX_EVENTS: '400000',
        HOOKLINE_MAX_STORAGE_MB: '2000',
        HOOKLINE_TEST_MIN_INTERVAL_MS: '1',
        HOOKLINE_TEST_RESPONSE_TIMEOUT_MS: '300',
      })
      // Only events of repositories that GitHub accepted before are stored.
      await sendAll(relay, REPOSITORIES, (number) => `before ${number}`)
      isDown = true
      const filled = Date.now()
      const accepted = await sendAll(relay, events, (number) => `event ${number}`)
      expect(accepted).toBe(events)
      const fill = Date.now() - filled
      const stopped = Date.now()
      isDown = false
      await relay.restart('kill')
      const ready = Date.now()
      const size = await sizeOf(relay.folder)
      let most = 0
      while (bodies.size < events) {
        most = Math.max(most, await residentMegabytes(relay.pid))
        await pause(500)
        // A back-off is at most 5 minutes, so a longer silence means that events are lost.
        if (Date.now() - ready > 1_500_000) break
      }
      const drained = Date.now() - ready
      await relay.close()
      await github.close()
      const firsts = [...times.values()].map(({ first }) => first - ready)
      const lasts = [...times.values()].map(({ last }) => last - ready)
      console.log(
        [
          `${name}: ${events} events stored in ${seconds(fill)}, storage ${size.toFixed(0)} MB`,
          `start after a kill ${ready - stopped} ms, memory at most ${most.toFixed(0)} MB`,
          `all delivered in ${seconds(drained)}; each repository had its first event after`,
          `${range(firsts)}, its last one after ${range(lasts)}`,
        ].join('\n'),
      )
      expect(bodies.size).toBe(events)
      // On workerd each repository is an object with a back-off of its own.
      if (name === 'Node') expect(Math.max(...firsts)).toBeLessThan(drained / 2)
    },
  )
})

/** @returns how many were accepted */
async function sendAll(
  relay: DatabaseRelay,
  count: number,
  bodyOf: (number: number) => string,
): Promise<number> {
  let next = 0
  let accepted = 0
  const worker = async () => {
    while (next < count) {
      const number = next++
      const answer = await fetch(`${relay.url}/o/r${number % REPOSITORIES}/hook/webhook`, {
        method: 'POST',
        headers: { 'x-platform-authorization': TOKEN },
        body: bodyOf(number),
      })
      await answer.text()
      if (answer.status === 200 || answer.status === 202) accepted++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return accepted
}

/** In MB. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 2 ** 20
}

/** Resident memory of a process in MB, or 0 where the system does not tell. */
async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(0)} s`
}

function range(milliseconds: readonly number[]): string {
  return `${seconds(Math.min(...milliseconds))} to ${seconds(Math.max(...milliseconds))}`
}

function pause(milliseconds: number) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
