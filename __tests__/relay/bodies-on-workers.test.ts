import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { BodyTable } from '../../src/relay/store/body-table.ts'
import { storedBodies } from '../../src/relay/webhook/stored-bodies.ts'
import { answerBodyCall, sweepObject } from '../../src/relay/workers/object-bodies.ts'
import { bundle } from '../support/build.ts'
import { FakeTime, HOUR, MINUTE } from '../support/fake-time.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import {
  createEndpoint,
  eventHeaders,
  firstEvent,
  large,
  nodeHash,
  postBody,
  readBody,
  sha256,
  signed,
  storedHash,
  VERIFIED,
} from '../support/large-bodies.ts'
import { memoryDatabase } from '../support/memory-database.ts'
import { NODE24 } from '../support/node24.ts'
import { objectStorage } from '../support/object-storage.ts'
import { passTimeOfBodies, storedBodyRows } from '../support/object-time.ts'
import { RELAY_KEY } from '../support/relay-keys.ts'
import { until } from '../support/until.ts'
import { startWorkerd, type Workerd } from '../support/workerd.ts'

const TOKEN = `ghp_${'R'.repeat(36)}`
const PUBLIC_URL = 'https://relay.example.com'
const DAY = 24 * HOUR

interface Runtime {
  readonly name: string
  /** False if its tests are skipped. */
  readonly isThere: boolean
  start(
    script: string,
    bindings: Readonly<Record<string, string>>,
    options: { readonly disk: string },
  ): Promise<Workerd>
}

const RUNTIMES: readonly Runtime[] = [{ name: 'workerd', isThere: true, start: startWorkerd }]

describe.each(RUNTIMES)('on $name, a body that does not fit into an event', (runtime) => {
  const run = runtime.isThere ? test : test.skip
  const runOnNode24 = runtime.isThere && NODE24 !== null ? test : test.skip
  let github: GitHub
  let disk: string
  let relay: Workerd
  let keys: string

  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    const bindings = {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: TOKEN,
      HOOKLINE_RELAY_KEY: keys,
      HOOKLINE_PUBLIC_URL: PUBLIC_URL,
      HOOKLINE_TEST_MIN_INTERVAL_MS: '10',
      ...settings,
    }
    relay = await runtime.start(bundle('relay/worker.js'), bindings, { disk })
  }

  beforeAll(async () => {
    github = await startGitHub()
    keys = RELAY_KEY
  })
  beforeEach(async () => {
    github.reset()
    disk = await mkdtemp(join(tmpdir(), 'hookline-bodies-'))
  })
  afterEach(async () => {
    await relay?.close()
    await rm(disk, { recursive: true })
  })
  afterAll(() => github.close())

  const endpoint = (settings?: object) => createEndpoint(relay, settings)
  const post = (target: string, body: Buffer, headers?: Record<string, string>) =>
    postBody(relay, target, body, headers)

  run.each([100_000, 300_000, 25_000_000])(
    'of %i bytes is stored, and read again',
    async (bytes) => {
      await start()
      const body = large(bytes)
      expect((await post(await endpoint(), body)).status).toBe(200)
      const [headers] = eventHeaders(github)
      expect(headers).toMatchObject({
        'x-hookline-body-encoding': 'url',
        'x-hookline-body-url': expect.stringMatching(
          /^https:\/\/relay\.example\.com\/-\/bodies\/[\w-]{43}$/,
        ),
        'x-hookline-body-sha256': sha256(body),
        'x-hookline-body-length': String(body.length),
      })
      const answer = await readBody(relay, headers)
      expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(body))
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('access-control-allow-origin')).toBe(null)
    },
  )

  run('is one 404 for every other address and method', async () => {
    await start()
    await post(await endpoint(), large(100_000))
    const [headers] = eventHeaders(github)
    const asked = [
      await fetch(`${relay.url}/-/bodies/${randomBytes(32).toString('base64url')}`),
      await fetch(`${relay.url}/-/bodies/`),
      await readBody(relay, headers, 'POST'),
      await readBody(relay, headers, 'DELETE'),
    ]
    for (const answer of asked) {
      expect([answer.status, await answer.text()]).toEqual([404, 'not found\n'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect((await readBody(relay, headers)).status).toBe(200)
  })

  run('with a wrong signature is 401, and its room is free again', async () => {
    await start({ HOOKLINE_TEST_BODIES_MAX_MB: '1' })
    const target = await endpoint(VERIFIED)
    const body = large(900_000)
    for (let n = 0; n < 3; n++) {
      expect((await post(target, body, signed(Buffer.from('other')))).status).toBe(401)
    }
    expect(github.calls).toEqual([])
    expect((await post(target, body, signed(body))).status).toBe(200)
  })

  run('beyond the quota is 503, and the one before stays', async () => {
    await start({ HOOKLINE_TEST_BODIES_MAX_MB: '1' })
    const target = await endpoint()
    await post(target, large(900_000))
    const second = await post(target, large(900_000))
    expect([second.status, JSON.parse(second.body).error.code]).toEqual([503, 'bodies_full'])
    const [headers] = eventHeaders(github)
    expect((await readBody(relay, headers)).status).toBe(200)
  })

  run('beyond the maximum is 413', async () => {
    await start({ HOOKLINE_MAX_BODY_MB: '1' })
    const answer = await post(await endpoint(), large(1_100_000))
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([413, 'payload_too_large'])
  })

  run('is deleted if GitHub refuses the event', async () => {
    await start({ HOOKLINE_TEST_BODIES_MAX_MB: '1' })
    const target = await endpoint()
    github.always({ status: 422, body: '{"message":"no"}' })
    for (let n = 0; n < 3; n++) expect((await post(target, large(900_000))).status).toBe(422)
    github.reset()
    expect((await post(target, large(900_000))).status).toBe(200)
  })

  run('waits with its event while GitHub is down, also over a kill', async () => {
    await start()
    const target = await endpoint()
    await post(target, Buffer.from('{"first":1}'))
    github.always({ status: 503 })
    const body = large(300_000)
    expect((await post(target, body)).status).toBe(202)
    await relay.kill()
    github.reset()
    await start()
    expect(await storedHash(relay, await firstEvent(github))).toBe(sha256(body))
  })

  runOnNode24('is deleted 7 days after GitHub accepted its event, and not after 6', async () => {
    await start()
    const target = await endpoint()
    await post(target, large(300_000))
    const [event] = eventHeaders(github)
    const passTime = async (milliseconds: number) => {
      await relay.close()
      await passTimeOfBodies(disk, milliseconds)
      await start()
    }
    await passTime(HOUR)
    // The alarm of the object is due, and it finds that the outbox does not have the event.
    await until(async () => (await storedBodyRows(disk)).some(({ accepted }) => accepted !== null))
    await passTime(6 * DAY)
    await post(target, large(300_000))
    const later = eventHeaders(github).at(-1)
    expect((await readBody(relay, event)).status).toBe(200)
    await passTime(DAY + HOUR)
    await until(async () => (await storedBodyRows(disk)).length === 1)
    expect((await readBody(relay, event)).status).toBe(404)
    expect((await readBody(relay, later)).status).toBe(200)
  })
})

test('bodies of 25,000,000 bytes that are signed, or contain the GitHub token, need 40 MB of heap', async () => {
  const github = await startGitHub()
  const disk = await mkdtemp(join(tmpdir(), 'hookline-heap-'))
  const bindings = {
    HOOKLINE_API_URL: github.url,
    HOOKLINE_GITHUB_TOKEN: TOKEN,
    HOOKLINE_RELAY_KEY: RELAY_KEY,
    HOOKLINE_PUBLIC_URL: PUBLIC_URL,
  }
  const relay = await startWorkerd(bundle('relay/worker.js'), bindings, { disk, mostHeap: 40 })
  const target = await createEndpoint(relay, VERIFIED)
  const body = large(25_000_000)
  const withToken = Buffer.concat([body, Buffer.from(JSON.stringify(TOKEN))])
  const statuses: number[] = []
  for (const sent of [body, withToken, body, withToken]) {
    statuses.push((await postBody(relay, target, sent, signed(sent))).status)
  }
  expect(statuses).toEqual([200, 400, 200, 400])
  expect(await storedHash(relay, eventHeaders(github).at(-1))).toBe(sha256(body))
  await relay.close()
  await github.close()
  await rm(disk, { recursive: true })
})

test('one body at a time is inspected; a request that never ends loses its turn after a minute', async () => {
  const registry = new BodyTable(await memoryDatabase([]))
  await registry.create()
  const time = new FakeTime()
  const pieces = new Map<number, Uint8Array>()
  const bodies = storedBodies({
    registry,
    pieces: {
      put: async (_, number, piece) => void pieces.set(number, piece),
      get: async (_, number) => new Uint8Array(pieces.get(number) ?? []),
      sync: async () => {},
      delete: async () => {},
    },
    most: 1000,
    quota: 1000,
    publicUrl: PUBLIC_URL,
    now: () => time.now,
    sleep: async (milliseconds) => {
      time.now += milliseconds
      await new Promise(setImmediate)
    },
    newHash: nodeHash,
    report: (error) => {
      throw error
    },
  })
  const upload = bodies.begin('a-delivery')
  await upload.write(Buffer.from('body'))
  await upload.finish()
  const log: string[] = []
  const started = time.now
  const inspected = (name: string, work: () => Promise<void>) =>
    upload.inspect(async (bytes) => {
      log.push(`${name} begins ${Buffer.from(bytes)}`)
      await work()
      log.push(`${name} ends`)
    })
  const first = inspected('first', async () => {
    for (let n = 0; n < 5; n++) await new Promise(setImmediate)
  })
  await inspected('second', async () => {})
  await first
  expect(log).toEqual(['first begins body', 'first ends', 'second begins body', 'second ends'])
  expect(time.now - started).toBeLessThan(MINUTE)
  void inspected('canceled', () => new Promise(() => {}))
  await new Promise(setImmediate)
  const before = time.now
  await inspected('next', async () => {})
  expect(time.now - before).toBeGreaterThanOrEqual(MINUTE)
  expect(log.slice(4)).toEqual(['canceled begins body', 'next begins body', 'next ends'])
})

test('the object deletes bodies 7 days after their event left the outbox, and uploads that ended', async () => {
  const storage = await objectStorage()
  const call = async (now: number, method: string, ...given: unknown[]) => {
    const body = JSON.stringify({ method, given })
    const request = new Request('https://outbox/bodies', { method: 'POST', body })
    const answer = (await (await answerBodyCall(storage, request, now)).json()) as {
      result: unknown
    }
    return answer.result
  }
  const [waiting, accepted, unfinished] = ['a', 'b', 'c'].map((letter) => letter.repeat(64))

  expect(await call(0, 'find', waiting)).toBe(null)
  expect([
    await storage.getAlarm(),
    await sweepObject(storage, { most: 1, now: 0, held: async () => [] }),
  ]).toEqual([null, false])

  for (const hash of [waiting, accepted, unfinished]) {
    await call(0, 'add', { hash, delivery: `of-${hash?.slice(0, 1)}`, created: 0 })
    await call(0, 'reserve', hash, 5, 100)
    const piece = { method: 'PUT', body: 'piece' }
    await answerBodyCall(storage, new Request(`https://outbox/bodies/${hash}/0`, piece), 0)
    if (hash !== unfinished) await call(0, 'publish', hash)
  }
  expect(await storage.getAlarm()).not.toBe(null)
  const left = () => storage.sql.exec('SELECT hash FROM body_piece ORDER BY hash').toArray()
  const sweep = (now: number, held: readonly string[]) =>
    sweepObject(storage, { most: 1, now, held: async () => held })

  expect(await sweep(16 * MINUTE, ['of-a'])).toBe(true)
  expect(left().map(({ hash }) => hash)).toEqual([waiting, accepted])
  await sweep(16 * MINUTE + 8 * DAY, ['of-a'])
  expect(left().map(({ hash }) => hash)).toEqual([waiting])
  expect(await call(9 * DAY, 'find', waiting)).toBe(5)
  await sweep(9 * DAY, [])
  await sweep(17 * DAY, [])
  expect([left(), await call(17 * DAY, 'find', waiting)]).toEqual([[], null])
})
