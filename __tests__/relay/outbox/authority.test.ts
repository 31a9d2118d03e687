import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { generateSigningKey, signGrant } from '../../../src/relay/credentials/grant.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
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
    let grant: string
    const key = generateSigningKey()
    beforeEach(async () => {
      github = await startGitHub()
      if (!isThere) return
      const signingKey = await key
      grant = await signGrant({ id: 'leaked', repository: 'o/r' }, signingKey)
      relay = await start({
        ...{
          HOOKLINE_API_URL: github.url,
          HOOKLINE_TEST_RESPONSE_TIMEOUT_MS: '2500',
          HOOKLINE_GITHUB_TOKEN: TOKEN,
        },
        HOOKLINE_SIGNING_KEYS: JSON.stringify(signingKey.jwk),
      })
    })
    afterEach(async () => {
      await relay?.close()
      await github.close()
    })

    const hook = (body: string) =>
      send(relay.url, {
        ...{ method: 'POST', target: '/o/r/hook/webhook', body },
        headers: [['X-Platform-Authorization', grant]],
      })
    const operate = async (target: string) => {
      const headers = [['Authorization', `Bearer ${OPERATOR_KEY}`]] as const
      return (await send(relay.url, { target, headers })).body
    }
    const list = async (): Promise<{ waiting: Listed[]; dead: Listed[] }> =>
      JSON.parse(await operate('/outbox'))
    run(
      'expires: events of grants are stored, the queue pauses, and the log tells the admin',
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
        expect(waiting.every(({ credential }) => credential === 'grant:leaked')).toBe(true)
        const failing = /^hookline_credential_failing\{reason="invalid_token"\} 1$/m
        expect(await operate('/metrics')).toMatch(failing)
        expect(await (await send(relay.url, { target: '/readyz' })).status).toBe(200)
        const calls = github.calls.length
        await relay.restart('stop', { settings: { HOOKLINE_REVOKED_GRANTS: 'other, leaked' } })
        const told = relay.log.filter((line) => line.includes('"level":"error"'))
        expect(told.some((line) => line.includes('"outbox":"stored"'))).toBe(true)
        expect(relay.log.join()).not.toContain(TOKEN)
        // After the token is revoked, all of them end immediately, without retries.
        await until(async () => (await list()).dead.length === 20)
        const ended = await list()
        expect(ended.waiting).toEqual([])
        expect(ended.dead.every(({ reason }) => reason === 'revoked')).toBe(true)
        expect(github.calls).toHaveLength(calls)
        expect((await hook('after')).status).toBe(401)
      },
    )

    run(
      'goes on for other grants: 100 revoked grants have 300 dead letters, and 10 events are delivered',
      async () => {
        const signingKey = await key
        const grantOf = async (id: string, name: string) => ({
          target: `/o/${name}/hook/webhook`,
          grant: await signGrant({ id, repository: `o/${name}` }, signingKey),
        })
        const numbers = Array.from({ length: 100 }, (_, number) => number)
        // 20 of them share the queue of the grant that stays.
        const nameOf = (number: number) => (number < 80 ? `gone-${number}` : 'live')
        const revoked = await Promise.all(numbers.map((n) => grantOf(`r${n}`, nameOf(n))))
        const live = await grantOf('live', 'live')
        const hookWith = ({ target, grant: credential }: typeof live, body: string) =>
          send(relay.url, {
            ...{ method: 'POST', target, body },
            headers: [['X-Platform-Authorization', credential]],
          })
        const events = async () => {
          const lines = (await operate('/metrics')).matchAll(
            /outbox_events\{state="(\w+)"\} (\d+)/g,
          )
          return Object.fromEntries([...lines].map(([, state, count]) => [state, Number(count)]))
        }
        github.always(DOWN)
        for (const body of ['1', '2', '3']) {
          const responses = await Promise.all(revoked.map((each) => hookWith(each, body)))
          expect(responses.every(({ status }) => status === 202)).toBe(true)
          for (let n = 0; n < 3; n++) expect((await hookWith(live, 'live')).status).toBe(202)
        }
        await relay.restart('stop', {
          settings: { HOOKLINE_REVOKED_GRANTS: numbers.map((number) => `r${number}`).join(',') },
          between: async () => github.reset(),
        })
        expect((await hookWith(live, 'live')).status).toBeLessThan(300)
        const refused = await Promise.all(revoked.map((each) => hookWith(each, '4')))
        expect(refused.every(({ status }) => status === 401)).toBe(true)
        await until(async () => {
          const { waiting, uncertain, dead } = await events()
          return waiting === 0 && uncertain === 0 && dead === 300
        })
        const sent = github.calls.map(({ url, body }) => [
          url,
          JSON.parse(body).client_payload.body,
        ])
        expect(sent).toEqual(Array(10).fill(['/repos/o/live/dispatches', 'live']))
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
