import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { bundle } from '../support/build.ts'
import { type BuiltRelay, startBuiltRelay } from '../support/built-relay.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import {
  createEndpoint,
  firstEvent,
  large,
  postBody,
  sha256,
  signed,
  storedHash,
  VERIFIED,
} from '../support/large-bodies.ts'
import { testOnNode24 } from '../support/node24.ts'
import { RELAY_KEY } from '../support/relay-keys.ts'
import { sqlite } from '../support/sqlite.ts'
import { bodyRowsIn } from '../support/stored-bodies.ts'
import { startWorkerd } from '../support/workerd.ts'

const KILLER = join(import.meta.dirname, '../support/kill-at-statement.cjs')

let github: GitHub
let folder: string
let settings: Readonly<Record<string, string>>

beforeAll(async () => {
  github = await startGitHub()
})
beforeEach(async () => {
  github.reset()
  folder = await mkdtemp(join(tmpdir(), 'hookline-bodies-killed-'))
  settings = {
    HOOKLINE_API_URL: github.url,
    HOOKLINE_GITHUB_TOKEN: `ghp_${'R'.repeat(36)}`,
    HOOKLINE_RELAY_KEY: RELAY_KEY,
    HOOKLINE_PUBLIC_URL: 'https://relay.example.com',
    HOOKLINE_MAX_STORAGE_MB: '2',
  }
})
afterEach(() => rm(folder, { recursive: true }))
afterAll(() => github.close())

describe('a relay that is killed', () => {
  const start = (more: Readonly<Record<string, string>> = {}) =>
    startBuiltRelay({ folder, settings: { ...settings, ...more } })
  /** Lets time pass for the bodies of a relay that is not running. */
  const passDays = (days: number) => {
    const milliseconds = days * 86_400_000
    const text = `UPDATE body SET created = created - ${milliseconds}, accepted = accepted - ${milliseconds}`
    return sqlite(join(folder, 'relay.db'), text)
  }
  const stored = () => bodyRowsIn(join(folder, 'relay.db'))
  const usedBytes = async () => (await stored()).reduce((sum, { bytes }) => sum + bytes, 0)
  const restarted = async () => {
    const relay = await start()
    await relay.stop()
  }

  testOnNode24(
    'while GitHub has an event and has not responded leaves its body for 7 days, and then its room',
    async () => {
      const first = await start()
      const target = await createEndpoint(first, VERIFIED)
      const body = large(700_000)
      // GitHub never responds.
      github.always(() => undefined)
      const request = postBody(first, target, body, signed(body)).catch(() => 'cut')
      const event = await firstEvent(github)
      await first.kill()
      expect(await request).toBe('cut')
      github.reset()

      const second = await start()
      expect(await storedHash(second, event)).toBe(sha256(body))
      expect((await postBody(second, target, body, signed(body))).status).toBe(503)
      await second.stop()
      expect(await usedBytes()).toBe(body.length)

      // At the first start, the relay finds that no event waits.
      await passDays(1)
      await restarted()
      await passDays(6)
      await restarted()
      expect([await usedBytes(), (await stored()).length]).toEqual([body.length, 1])
      await passDays(2)
      await restarted()
      expect(await stored()).toEqual([])
      const last = await start()
      expect((await postBody(last, target, body, signed(body))).status).toBe(200)
      await last.kill()
    },
  )

  testOnNode24(
    'before or behind a statement of an upload leaves nothing, unless the body was published for its event',
    async () => {
      const first = await start()
      const target = await createEndpoint(first, VERIFIED)
      await first.stop()
      const NODE_OPTIONS = `--disable-warning=ExperimentalWarning --require=${KILLER}`
      const MOMENTS = join(folder, 'moments')
      const count = async () => (await readFile(MOMENTS, 'utf8')).length
      const body = large(300_000)
      const post = (relay: BuiltRelay) =>
        postBody(relay, target, body, signed(body)).then(
          ({ status }) => status,
          () => 'cut',
        )

      const FROM = 'INSERT INTO body'
      const counted = await start({ NODE_OPTIONS, MOMENTS, FROM })
      expect(await post(counted)).toBe(200)
      const moments = await count()
      await counted.stop()
      expect(moments).toBeGreaterThan(15)

      let unpublished = 0
      for (let at = 1; at <= moments; at += 3) {
        await sqlite(join(folder, 'relay.db'), 'DELETE FROM body; DELETE FROM chunk')
        await restarted()
        github.reset()
        const killed = await start({ NODE_OPTIONS, FROM, KILL_AT: String(at) })
        await post(killed)
        await killed.kill()
        const isPublished = (await stored()).some(({ finished }) => finished === 1)
        const again = await start()
        const [event] = github.calls.length > 0 ? [await firstEvent(github)] : []
        if (event) expect([at, await storedHash(again, event)]).toEqual([at, sha256(body)])
        await again.stop()
        expect([at, await usedBytes(), (await stored()).length]).toEqual(
          isPublished ? [at, body.length, 1] : [at, 0, 0],
        )
        if (!isPublished) unpublished++
      }
      expect(unpublished).toBeGreaterThan(5)
    },
  )
})

test('workerd that is killed while GitHub has an event and has not responded has its body afterwards', async () => {
  const start = () => startWorkerd(bundle('relay/worker.js'), settings, { disk: folder })
  const first = await start()
  const target = await createEndpoint(first, VERIFIED)
  const body = large(700_000)
  github.always(() => undefined)
  const request = postBody(first, target, body, signed(body)).catch(() => 'cut')
  const event = await firstEvent(github)
  await first.kill()
  expect(await request).toBe('cut')
  github.reset()
  const second = await start()
  expect(await storedHash(second, event)).toBe(sha256(body))
  await second.close()
})
