import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { testOnNode24 } from '../../support/node24.ts'
import { OPERATOR_KEY, OUTBOX_RUNTIMES, type OutboxRelay } from '../../support/outbox-relays.ts'
import { send } from '../../support/raw-http.ts'
import { TOKEN } from '../../support/scene.ts'
import { sqlite } from '../../support/sqlite.ts'
import { until } from '../../support/until.ts'

const EXPIRED = { status: 401, body: '{"message":"Bad credentials"}' }
const DOWN = { status: 503 }

interface Listed {
  readonly delivery: string
  readonly reason: string
  readonly credential: string
}

describe.each(OUTBOX_RUNTIMES)(
  'the relay’s own credential on $name',
  ({ name, isThere, start }) => {
    const run = isThere ? test : test.skip
    let github: GitHub
    let relay: OutboxRelay
    let target: string
    beforeEach(async () => {
      github = await startGitHub()
      if (!isThere) return
      relay = await start({
        ...{
          HOOKLINE_API_URL: github.url,
          HOOKLINE_TEST_RESPONSE_TIMEOUT_MS: '2500',
          HOOKLINE_GITHUB_TOKEN: TOKEN,
        },
      })
      target = await createEndpoint(relay, { name: 'leaked', repository: 'o/r' })
    })
    afterEach(async () => {
      await relay?.close()
      await github.close()
    })

    const hook = (body: string) => send(relay.url, { method: 'POST', target, body })
    const operate = async (path: string, method = 'GET') => {
      const headers = [['Authorization', `Bearer ${OPERATOR_KEY}`]] as const
      return (await send(relay.url, { method, target: path, headers })).body
    }
    const list = async (): Promise<{ waiting: Listed[]; dead: Listed[] }> =>
      JSON.parse(await operate('/outbox'))
    run(
      'expires: events of endpoints are stored, the queue pauses, and the log tells the admin',
      async () => {
        const first = await hook('0')
        expect([first.status, first.headers['x-hookline-reason']]).toEqual([200, undefined])
        github.reset()
        github.always(EXPIRED)
        for (let n = 1; n <= 20; n++) {
          const { status, headers } = await hook(`${n}`)
          const reason = headers['x-hookline-reason']
          expect([status, reason]).toEqual([202, n === 1 ? 'invalid_token' : 'queued'])
        }
        // The request itself, and the attempts before the queue pauses; not one call for each event.
        expect(github.calls.length).toBeLessThanOrEqual(4)
        await until(async () =>
          (await list()).waiting.some(({ reason }) => reason === 'invalid_token'),
        )
        const { waiting, dead } = await list()
        expect([waiting.length, dead.length]).toEqual([20, 0])
        expect(waiting.every(({ credential }) => credential === 'endpoint:leaked')).toBe(true)
        const failing = /^hookline_credential_failing\{reason="invalid_token"\} 1$/m
        expect(await operate('/metrics')).toMatch(failing)
        expect(await (await send(relay.url, { target: '/readyz' })).status).toBe(200)
        const calls = github.calls.length
        await relay.restart('stop')
        const told = relay.log.filter((line) => line.includes('"level":"error"'))
        expect(told.some((line) => line.includes('"outbox":"stored"'))).toBe(true)
        expect(relay.log.join()).not.toContain(TOKEN)
        // Deleted with its events, all of them end immediately, without retries.
        await operate('/-/endpoints/leaked?drop-events=true', 'DELETE')
        await until(async () => (await list()).dead.length === 20)
        const ended = await list()
        expect(ended.waiting).toEqual([])
        expect(ended.dead.every(({ reason }) => reason === 'revoked')).toBe(true)
        expect(github.calls.length).toBeLessThanOrEqual(calls + 2)
        expect((await hook('after')).status).toBe(401)
      },
    )

    run('never accepted, as in a first trial: told at once, with nothing kept', async () => {
      github.always(EXPIRED)
      expect((await hook('1')).status).toBe(401)
      expect((await list()).waiting).toEqual([])
      expect(await send(relay.url, { target: '/readyz' })).toMatchObject({
        ...{ status: 503, body: 'credential' },
      })
    })

    // On Node there are no objects, and nothing to skip.
    const object = name === 'workerd' ? testOnNode24 : () => {}
    object('an object of the version before is taken over when it wakes', async () => {
      expect((await hook('0')).status).toBe(200)
      github.reset()
      github.always(DOWN)
      for (const body of ['1', '2', '3']) expect((await hook(body)).status).toBe(202)
      const before = await list()
      let changed = 0
      await relay.restart('kill', {
        between: async () => {
          const files = await readdir(relay.folder, { recursive: true })
          for (const file of files.filter((each) => /[0-9a-f]{64}\.sqlite$/.test(each))) {
            const path = join(relay.folder, file)
            // The object that lists the queues has no events.
            const tables = await sqlite(path, "SELECT 1 FROM sqlite_master WHERE name = 'event'")
            if (tables.length === 0) continue
            if ((await sqlite(path, 'SELECT 1 FROM event')).length === 0) continue
            await sqlite(path, AS_BEFORE)
            changed++
          }
          github.reset()
        },
      })
      expect(changed).toBe(1)
      await until(async () => (await list()).waiting.length === 0)
      const sent = github.calls.map(({ body }) => JSON.parse(body).client_payload)
      expect(sent.map(({ body }) => body).sort()).toEqual(['1', '2', '3'])
      expect(sent.map(({ headers }) => headers['x-hookline-delivery']).sort()).toEqual(
        before.waiting.map(({ delivery }) => delivery).sort(),
      )
    })
  },
)

/** Turns the storage of a queue into that of version 1. */
const AS_BEFORE = `
  CREATE TABLE event_1 (seq INTEGER PRIMARY KEY, delivery TEXT UNIQUE, lane TEXT, at INTEGER,
    tries INTEGER, next INTEGER, reason TEXT, key TEXT, bytes INTEGER, died INTEGER, sealed TEXT);
  INSERT INTO event_1 SELECT seq, delivery, queue, at, attempts, next, reason, key, bytes, NULL, sealed
    FROM event;
  DROP TABLE event;
  DROP TABLE batch;
  DROP TABLE usage;
  DROP TABLE meta;
  DROP TABLE accepted;
  DROP TABLE followed;
  DROP TABLE receipt;
  DROP TABLE alarm;
  DROP TABLE last_event;
  ALTER TABLE event_1 RENAME TO event;
  CREATE INDEX waiting ON event (lane, seq) WHERE died IS NULL;`
