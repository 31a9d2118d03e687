import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { bundle } from '../support/build.ts'
import { HOUR } from '../support/fake-time.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import {
  createEndpoint,
  eventHeaders,
  firstEvent,
  large,
  postBody,
  readBody,
  sha256,
  signed,
  storedHash,
  VERIFIED,
} from '../support/large-bodies.ts'
import { NODE24 } from '../support/node24.ts'
import { bodyRowsOfObjects, passTimeOfBodies } from '../support/object-time.ts'
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
          /^https:\/\/relay\.example\.com\/-\/octo\/bodies\/[\w-]{43}$/,
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
      await fetch(`${relay.url}/-/octo/bodies/${randomBytes(32).toString('base64url')}`),
      await fetch(`${relay.url}/-/octo/bodies/`),
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
    await start({ HOOKLINE_MAX_STORAGE_MB: '2' })
    const target = await endpoint(VERIFIED)
    const body = large(900_000)
    for (let n = 0; n < 3; n++) {
      expect((await post(target, body, signed(Buffer.from('other')))).status).toBe(401)
    }
    expect(github.calls).toEqual([])
    expect((await post(target, body, signed(body))).status).toBe(200)
  })

  run('beyond the quota is 503, and the one before stays', async () => {
    await start({ HOOKLINE_MAX_STORAGE_MB: '2' })
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
    await start({ HOOKLINE_MAX_STORAGE_MB: '2' })
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
    // The alarm of the object is due, and it finds that no event waits any more.
    await until(async () =>
      (await bodyRowsOfObjects(disk)).some(({ accepted }) => accepted !== null),
    )
    await passTime(6 * DAY)
    await post(target, large(300_000))
    const later = eventHeaders(github).at(-1)
    expect((await readBody(relay, event)).status).toBe(200)
    await passTime(DAY + HOUR)
    await until(async () => (await bodyRowsOfObjects(disk)).length === 1)
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
