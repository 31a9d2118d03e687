import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from '@jest/globals'
import {
  type BuiltOutbox,
  killedWithAnEvent,
  sendTo,
  startBuiltOutbox,
} from '../../support/built-outbox.ts'
import { scaled } from '../../support/effort.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { testOnNode24 } from '../../support/node24.ts'
import { sealKeys } from '../../support/outbox-relays.ts'

let folder: string
let github: GitHub

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'built-outbox-'))
  github = await startGitHub()
})
afterEach(async () => {
  await github.close()
  await rm(folder, { recursive: true })
})

testOnNode24('the bundled relay hands over after a kill what it kept before', async () => {
  const { told, bodies } = await killedWithAnEvent({ folder, github })
  expect(told).toEqual([200, 202])
  expect(bodies).toEqual(['while GitHub was down'])
})

const SYNC = 300
const REQUESTS = scaled(100, 15)

testOnNode24('a slow disk holds nobody whose events are not kept', async () => {
  const relay = await startBuiltOutbox({
    folder,
    settings: {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_SEAL_KEYS: await sealKeys(),
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --require=${join(import.meta.dirname, '../../support/slow-disk.cjs')}`,
      SLOW_DISK_MS: String(SYNC),
    },
  })
  for (const repository of ['busy', 'other']) await sendTo(relay, repository, 'before')
  github.always(({ url }) => ({ status: url.includes('/busy/') ? 503 : 204 }))
  await sendTo(relay, 'busy', 'the first that waits')
  const kept: Promise<Timed>[] = []
  const sending = setInterval(() => kept.push(timed(relay, 'busy')), 100)
  const others: Timed[] = []
  for (let n = 0; n < REQUESTS; n++) {
    others.push(await timed(relay, 'other'))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  clearInterval(sending)
  const queued = await Promise.all(kept)
  await relay.kill()
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(queued.map(({ status }) => status))).toEqual(new Set([202]))
  const [direct, slow] = [median(others), median(queued)]
  process.stdout.write(`fsync + ${SYNC} ms: kept p50 ${slow} ms, passed on p50 ${direct} ms\n`)
  expect(slow).toBeGreaterThanOrEqual(SYNC)
  expect(direct).toBeLessThan(SYNC / 2)
})

interface Timed {
  readonly status: number
  readonly milliseconds: number
}

async function timed(relay: BuiltOutbox, repository: string): Promise<Timed> {
  const start = performance.now()
  const status = await sendTo(relay, repository, 'an event')
  return { status, milliseconds: performance.now() - start }
}

function median(all: readonly Timed[]): number {
  const sorted = all.map(({ milliseconds }) => Math.round(milliseconds)).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
