import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from '@jest/globals'
import { readBatch } from '../../../src/wire/batch-payload.ts'
import { readClientPayload } from '../../../src/wire/payload.ts'
import { type BuiltRelay, postTo, sendTo, startBuiltRelay } from '../../support/built-relay.ts'
import { listed } from '../../support/deliveries.ts'
import { freePort } from '../../support/free-port.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { testOnNode24 } from '../../support/node24.ts'
import { ADMIN_BEARER, encryptionOf, RELAY_KEY } from '../../support/relay-keys.ts'
import { sqlite } from '../../support/sqlite.ts'
import { until } from '../../support/until.ts'

let folder: string
let github: GitHub

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'built-relay-'))
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
    HOOKLINE_RELAY_KEY: RELAY_KEY,
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --require=${module}`,
    ...settings,
  }
}

const admin = { headers: { authorization: `Bearer ${ADMIN_BEARER}` } }

/** The status and the text of a page of the relay, as its admin sees them. */
async function get({ url }: Pick<BuiltRelay, 'url'>, target: string, method = 'GET') {
  const answer = await fetch(`${url}${target}`, { ...admin, method })
  return `${answer.status} ${await answer.text()}`
}

/** Ids and bodies of all events that GitHub has, those in batches too, in order. */
async function delivered(): Promise<{ id: string; body: string }[]> {
  const payloads = github.calls.map(({ body }) =>
    readClientPayload(JSON.parse(body).client_payload),
  )
  const all = await Promise.all(
    payloads.map(async (payload) => (await readBatch(payload)) ?? [payload]),
  )
  return all.flat().map((event) => {
    const { headers, body } = readClientPayload(event)
    return { id: headers['x-hookline-delivery'] ?? '', body: String(body) }
  })
}

const idOf = (answer: Response) => answer.headers.get('x-hookline-delivery') ?? ''

testOnNode24(
  'a relay listens when it has read its file, and new events do not overtake those that waited',
  async () => {
    const held = join(folder, 'the-disk-stands-still')
    const settings = await onDisk('held-disk.cjs', { HELD_DISK: held })
    const before = await startBuiltRelay({ folder, settings })
    await sendTo(before, 'r', 'before')
    const batching = await createEndpoint(before, {
      ...{ repository: 'o/r', batch: 1 },
      token: 'ghp_a-token-for-r-alone',
    })
    github.always({ status: 503 })
    const stored: Response[] = []
    for (const n of [1, 2, 3]) stored.push(await postTo(before, 'r', `${n}`))
    const postOpen = async ({ url }: { url: string }, n: number) => {
      const answer = await fetch(url + batching, { method: 'POST', body: `open ${n}` })
      await answer.arrayBuffer()
      return answer
    }
    for (const n of [1, 2]) stored.push(await postOpen(before, n))
    expect(stored.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    // An event of an open batch counts as waiting.
    expect(await get(before, '/-admin/metrics')).toMatch(
      /^hookline_deliveries\{state="waiting"\} 5$/m,
    )
    await before.kill()
    github.reset()
    await writeFile(held, '')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const starting = startBuiltRelay({ folder, settings, port })
    // Without the held file, the relay would listen by now.
    await pause(1500)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
    expect(github.calls).toEqual([])
    await rm(held)
    const relay = await starting
    expect(await get(relay, '/readyz')).toBe('200 ready')
    for (const body of ['4', '5', '6']) stored.push(await postTo(relay, 'r', body))
    for (const n of [3, 4]) stored.push(await postOpen(relay, n))
    await until(async () => (await delivered()).length >= stored.length)
    const events = await delivered()
    expect(events.map(({ id }) => id).sort()).toEqual(stored.map(idOf).sort())
    const single = events.map(({ body }) => body).filter((body) => !body.startsWith('open'))
    expect(single.slice(0, 3)).toEqual(['1', '2', '3'])
    await until(async () => (await listed(relay)).waiting.length === 0)
    expect(await get(relay, '/-admin/metrics')).toMatch(/^hookline_imbalance 0$/m)
    await relay.kill()
  },
)

const MB = 1024 * 1024

/** Bytes of the files of the database. */
async function sizeOfFiles(): Promise<number> {
  const names = ['relay.db', 'relay.db-wal', 'relay.db.reserve']
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

testOnNode24(
  'the file shrinks after an outage, so a disk of 24 MB that the relay filled takes the next one',
  async () => {
    const settings = await onDisk('full-disk.cjs', {
      ...{ FULL_DISK_MB: '24', HOOKLINE_TEST_MIN_INTERVAL_MS: '0' },
    })
    const relay = await startBuiltRelay({ folder, settings })
    const body = 'x'.repeat(45_000)
    const fill = async () => {
      await sendTo(relay, 'r', 'before')
      github.always({ status: 503 })
      let stored = 0
      for (; stored < 1000; stored++) if ((await sendTo(relay, 'r', body)) !== 202) break
      github.reset()
      return stored
    }
    const first = await fill()
    expect(first).toBeGreaterThan(100)
    expect(first).toBeLessThan(1000)
    await until(async () => (await listed(relay)).waiting.length === 0)
    await until(async () => (await sizeOfFiles()) < 6 * MB)
    expect(await get(relay, '/readyz')).toBe('200 ready')
    expect(await fill()).toBeGreaterThan(first * 0.8)
    await relay.kill()
  },
)

/** Makes a database of 100 MB. */
async function fillDatabase(settings: Record<string, string>): Promise<void> {
  const before = await startBuiltRelay({ folder, settings })
  await before.stop()
  const encryption = await encryptionOf()
  const columns = `id, request, owner, repository, queue, endpoint, path, method, received, size, state,
    reason, since, queued, at, attempts, doubts, wait, failures, key, bytes, content`
  const now = Date.now()
  const copies = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
    INSERT INTO delivery (${columns}) SELECT 'd' || n, 'd' || n, 'o', 'o/r', 'o/r#own', 'e', 'hook/webhook',
    'POST', ${now}, 1, 'delivered', '', ${now}, 0, ${now}, 1, 0, 0, 0, '${encryption.key}', 50000,
    hex(randomblob(25000)) FROM n`
  await sqlite(join(folder, 'relay.db'), copies)
}

/** A relay with a database of 100 MB, and the folder of its copies. */
async function startBeforeBackup() {
  const temporary = join(folder, 'temporary')
  await mkdir(temporary)
  const settings = {
    ...{ HOOKLINE_API_URL: github.url, HOOKLINE_RELAY_KEY: RELAY_KEY },
    ...{ TMPDIR: temporary },
  }
  await fillDatabase(settings)
  const relay = await startBuiltRelay({ folder, settings })
  const left = () => readdir(temporary)
  /** Resolves when a copy begins: without pauses, because the copy ends in a fraction of a second. */
  const begun = async () => {
    while ((await left()).length === 0) await new Promise(setImmediate)
  }
  return { relay, left, begun }
}

testOnNode24(
  'a backup leaves no copy if its client leaves before or after the first byte, or the relay is killed',
  async () => {
    const { relay, left, begun } = await startBeforeBackup()
    const leaving = new AbortController()
    const { signal } = leaving
    const early = fetch(`${relay.url}/-admin/backup`, { ...admin, signal }).catch(() => 'left')
    await begun()
    leaving.abort()
    expect(await early).toBe('left')
    await until(async () => (await left()).length === 0)
    const late = await fetch(`${relay.url}/-admin/backup`, admin)
    const reader = late.body?.getReader()
    expect(await reader?.read()).toMatchObject({ done: false })
    await reader?.cancel()
    await until(async () => (await left()).length === 0)
    const killed = await fetch(`${relay.url}/-admin/backup`, admin)
    await relay.kill()
    await expect(killed.arrayBuffer()).rejects.toThrow()
    expect(await left()).toEqual([])
  },
)

testOnNode24('a backup of 100 MB lets events be stored meanwhile', async () => {
  const { relay, begun } = await startBeforeBackup()
  await sendTo(relay, 'r', 'before')
  github.always({ status: 503 })
  await sendTo(relay, 'r', 'the first of the queue')
  let isDone = false
  const backup = fetch(`${relay.url}/-admin/backup`, admin).finally(() => {
    isDone = true
  })
  await begun()
  let stored = 0
  while (!isDone && stored < 5) {
    expect(await sendTo(relay, 'r', `${stored}`)).toBe(202)
    if (!isDone) stored++
  }
  // A backup that keeps events from being stored would be done before the first of them.
  expect(stored).toBeGreaterThan(0)
  expect((await (await backup).arrayBuffer()).byteLength).toBeGreaterThan(95 * MB)
  await relay.kill()
})

testOnNode24(
  'on a full disk only events that GitHub cannot take are refused, until there is space again',
  async () => {
    const full = join(folder, 'the-disk-is-full')
    const reserve = join(folder, 'relay.db.reserve')
    const settings = await onDisk('full-disk.cjs', {
      ...{ FULL_DISK: full, HOOKLINE_TEST_MIN_INTERVAL_MS: '10' },
    })
    const relay = await startBuiltRelay({ folder, settings })
    const waiting = async () => (await listed(relay)).waiting.length
    for (const repository of ['busy', 'other']) await sendTo(relay, repository, 'before')
    github.always({ status: 503 })
    for (let n = 0; n < 20; n++) expect(await sendTo(relay, 'busy', `${n}`)).toBe(202)
    expect(existsSync(reserve)).toBe(true)
    await writeFile(full, '')
    for (let n = 0; n < 5; n++) expect(await sendTo(relay, 'busy', 'refused')).toBe(503)
    expect(existsSync(reserve)).toBe(false)
    // A retry that is recorded meanwhile has the space of the reserve: then the disk is well until the next event.
    await until(async () => {
      expect(await sendTo(relay, 'busy', 'refused')).toBe(503)
      return (await get(relay, '/readyz')) === '503 disk'
    })
    expect(await get(relay, '/healthz')).toMatch(/^200 /)
    // An admin can still delete events.
    const deleteLast = async () => {
      const last = (await listed(relay)).waiting.at(-1)
      expect(await get(relay, `/-admin/deliveries/o/${last?.id}`, 'DELETE')).toMatch(/^200 /)
    }
    await deleteLast()
    expect(await waiting()).toBe(19)
    // An event that GitHub takes does not wait behind those that it refuses.
    github.always(({ body }) => ({ status: body.includes('"live"') ? 204 : 503 }))
    for (let n = 0; n < 5; n++) expect(await sendTo(relay, 'busy', 'live')).toBe(200)
    expect(await waiting()).toBe(19)
    expect(await sendTo(relay, 'busy', 'refused')).toBe(503)
    // GitHub is back, and the disk is still full.
    github.reset()
    await until(async () => (await waiting()) === 0)
    // The deletions were written, so the disk does not fail any more.
    expect(await get(relay, '/readyz')).toMatch(/^200 /)
    for (let n = 0; n < 10; n++) expect(await sendTo(relay, 'other', 'live')).toBe(200)
    expect(await get(relay, '/readyz')).toMatch(/^200 /)
    await rm(full)
    github.always({ status: 503 })
    // The relay looks for space once a second.
    await until(async () => (await sendTo(relay, 'busy', 'kept again')) === 202)
    expect(await sendTo(relay, 'busy', 'deleted')).toBe(202)
    expect(existsSync(reserve)).toBe(true)
    // A deletion is the first write that the disk refuses.
    await writeFile(full, '')
    await deleteLast()
    expect(existsSync(reserve)).toBe(false)
    await rm(full)
    await relay.kill()
    github.reset()
    const again = await startBuiltRelay({ folder, settings })
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
    ...{ SLOW_DISK: slow, SLOW_DISK_MS: '120000' },
  })
  const relay = await startBuiltRelay({ folder, settings })
  await sendTo(relay, 'kept', 'before')
  github.always({ status: 503 })
  await writeFile(slow, '')
  const unanswered = expect(sendTo(relay, 'kept', 'never written')).rejects.toThrow('fetch failed')
  // After the response time of 2.5 s, the relay waits for the disk.
  await until(() => github.calls.length > 1)
  await pause(3000)
  const start = performance.now()
  expect(await relay.stop()).toBe(0)
  // The disk would take two minutes.
  expect(performance.now() - start).toBeLessThan(60_000)
  await unanswered
  await rm(slow)
  github.reset()
  const again = await startBuiltRelay({ folder, settings })
  expect(await sendTo(again, 'kept', 'after')).toBe(200)
  await again.kill()
})

/** Milliseconds of each write to the disk: far more than a busy machine takes for a request. */
const SYNC = 1500
const REQUESTS = 15

testOnNode24('a slow disk delays only events that are queued', async () => {
  const settings = await onDisk('slow-disk.cjs', { SLOW_DISK_MS: String(SYNC) })
  const relay = await startBuiltRelay({ folder, settings })
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

async function timed(relay: BuiltRelay, repository: string): Promise<Timed> {
  const start = performance.now()
  const status = await sendTo(relay, repository, 'an event')
  return { status, milliseconds: performance.now() - start }
}

function median(all: readonly Timed[]): number {
  const sorted = all.map(({ milliseconds }) => Math.round(milliseconds)).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
