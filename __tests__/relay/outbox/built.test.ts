import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from '@jest/globals'
import { type BuiltOutbox, sendTo, startBuiltOutbox } from '../../support/built-outbox.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { testOnNode24 } from '../../support/node24.ts'
import { OPERATOR_KEY, sealingKeys } from '../../support/outbox-relays.ts'

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

/** Settings of a relay with the disk of a module in `support/`. */
async function onDisk(name: string, settings: Record<string, string>) {
  const module = join(import.meta.dirname, '../../support', name)
  return {
    HOOKLINE_API_URL: github.url,
    HOOKLINE_SEALING_KEYS: await sealingKeys(),
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --require=${module}`,
    ...settings,
  }
}

testOnNode24(
  'on a full disk only events that GitHub cannot take are refused, until there is space again',
  async () => {
    const full = join(folder, 'the-disk-is-full')
    const reserve = join(folder, 'outbox.db.reserve')
    const settings = await onDisk('full-disk.cjs', {
      ...{ FULL_DISK: full, HOOKLINE_ADMIN_KEY: OPERATOR_KEY },
      ...{ HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS: '200', HOOKLINE_OUTBOX_MIN_INTERVAL_MS: '10' },
    })
    const relay = await startBuiltOutbox({ folder, settings })
    const get = async (target: string) => {
      const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
      const answer = await fetch(`${relay.url}${target}`, { headers })
      return `${answer.status} ${await answer.text()}`
    }
    const waiting = async () => JSON.parse((await get('/outbox')).slice(4)).waiting.length
    const until = async (isSo: () => boolean | Promise<boolean>) => {
      for (let n = 0; n < 1000 && !(await isSo()); n++) await pause(20)
    }
    for (const repository of ['busy', 'other']) await sendTo(relay, repository, 'before')
    github.always({ status: 503 })
    for (let n = 0; n < 20; n++) expect(await sendTo(relay, 'busy', `${n}`)).toBe(202)
    expect(existsSync(reserve)).toBe(true)
    await writeFile(full, '')
    for (let n = 0; n < 5; n++) expect(await sendTo(relay, 'busy', 'refused')).toBe(503)
    expect(existsSync(reserve)).toBe(false)
    expect(await get('/readyz')).toBe('503 disk')
    expect(await get('/healthz')).toMatch(/^200 /)
    // GitHub is back, and the disk is still full.
    github.reset()
    await until(async () => (await waiting()) === 0)
    expect(await waiting()).toBe(0)
    for (let n = 0; n < 10; n++) expect(await sendTo(relay, 'other', 'live')).toBe(200)
    expect(await get('/readyz')).toMatch(/^200 /)
    await rm(full)
    github.always({ status: 503 })
    // The relay looks for space once a second.
    await until(async () => (await sendTo(relay, 'busy', 'kept again')) === 202)
    expect(existsSync(reserve)).toBe(true)
    await relay.kill()
    github.reset()
    const again = await startBuiltOutbox({ folder, settings })
    await until(() => github.calls.length > 0)
    await again.kill()
    expect(github.calls.map(({ body }) => JSON.parse(body).client_payload.body)).toEqual([
      'kept again',
    ])
  },
)

testOnNode24('a stop waits at most 10 s for a disk', async () => {
  const slow = join(folder, 'the-disk-is-slow')
  const settings = await onDisk('slow-disk.cjs', {
    ...{ SLOW_DISK: slow, SLOW_DISK_MS: '120000', HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS: '200' },
  })
  const relay = await startBuiltOutbox({ folder, settings })
  await sendTo(relay, 'kept', 'before')
  github.always({ status: 503 })
  await writeFile(slow, '')
  const unanswered = expect(sendTo(relay, 'kept', 'never written')).rejects.toThrow('fetch failed')
  await pause(1000)
  const start = performance.now()
  expect(await relay.stop()).toBe(0)
  // The disk would take two minutes.
  expect(performance.now() - start).toBeLessThan(60_000)
  await unanswered
  await rm(slow)
  github.reset()
  const again = await startBuiltOutbox({ folder, settings })
  expect(await sendTo(again, 'kept', 'after')).toBe(200)
  await again.kill()
})

/** Milliseconds of each write to the disk: far more than a busy machine takes for a request. */
const SYNC = 1500
const REQUESTS = 15

testOnNode24('a slow disk delays only events that are queued', async () => {
  const settings = await onDisk('slow-disk.cjs', { SLOW_DISK_MS: String(SYNC) })
  const relay = await startBuiltOutbox({ folder, settings })
  for (const repository of ['busy', 'other']) await sendTo(relay, repository, 'before')
  github.always(({ url }) => ({ status: url.includes('/busy/') ? 503 : 204 }))
  await sendTo(relay, 'busy', 'the first of the queue')
  const kept: Promise<Timed>[] = []
  const sending = setInterval(() => kept.push(timed(relay, 'busy')), 100)
  const others: Timed[] = []
  for (let n = 0; n < REQUESTS; n++) {
    others.push(await timed(relay, 'other'))
    await pause(50)
  }
  clearInterval(sending)
  const queued = await Promise.all(kept)
  await relay.kill()
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(queued.map(({ status }) => status))).toEqual(new Set([202]))
  const [direct, slow] = [median(others), median(queued)]
  expect(slow).toBeGreaterThanOrEqual(SYNC)
  expect(direct).toBeLessThan(SYNC / 2)
})

function pause(milliseconds: number) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

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
