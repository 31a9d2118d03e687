import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { listed, operate as operateAt } from '../../support/deliveries.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { send } from '../../support/raw-http.ts'
import { TOKEN } from '../../support/scene.ts'
import { until } from '../../support/until.ts'

/** Events of an endpoint whose credential has expired. */
const EVENTS = 20
const EXPIRED = { status: 401, body: '{"message":"Bad credentials"}' }

describe.each(DATABASE_RUNTIMES)('the relay’s own credential on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: DatabaseRelay
  let target: string
  beforeEach(async () => {
    github = await startGitHub()
    if (!isThere) return
    relay = await start({ HOOKLINE_API_URL: github.url, HOOKLINE_GITHUB_TOKEN: TOKEN })
    target = await createEndpoint(relay, { name: 'leaked', repository: 'o/r' })
  })
  afterEach(async () => {
    await relay?.close()
    await github.close()
  })

  const hook = (body: string) => send(relay.url, { method: 'POST', target, body })
  const operate = async (path: string, method = 'GET') =>
    (await operateAt(relay, method, path)).body
  const list = () => listed(relay)
  run(
    'expires: events of endpoints are stored, the queue pauses, and the log tells the admin',
    async () => {
      const first = await hook('0')
      expect([first.status, first.headers['x-hookline-reason']]).toEqual([200, undefined])
      github.reset()
      github.always(EXPIRED)
      for (let n = 1; n <= EVENTS; n++) {
        const { status, headers } = await hook(`${n}`)
        const reason = headers['x-hookline-reason']
        expect([status, reason]).toEqual([202, n === 1 ? 'invalid_token' : 'queued'])
      }
      // The request itself, and the attempts of the queue, which are more where sending takes longer; but not
      // one call for each event.
      expect(github.calls.length).toBeLessThan(EVENTS / 2)
      await until(async () =>
        (await list()).waiting.some(({ reason }) => reason === 'invalid_token'),
      )
      const { waiting, dead } = await list()
      expect([waiting.length, dead.length]).toEqual([EVENTS, 0])
      expect(waiting.every(({ endpoint }) => endpoint === 'leaked')).toBe(true)
      const failing = /^hookline_credential_failing\{reason="invalid_token"\} 1$/m
      expect(await operate('/-admin/metrics?owner=o')).toMatch(failing)
      expect(await (await send(relay.url, { target: '/readyz' })).status).toBe(200)
      const calls = github.calls.length
      await relay.restart('stop')
      const told = relay.log.filter((line) => line.includes('"level":"error"'))
      expect(told.some((line) => line.includes('"change":"stored"'))).toBe(true)
      expect(relay.log.join()).not.toContain(TOKEN)
      // When the endpoint is deleted, its events end immediately, without retries.
      await operate('/-admin/endpoints/o/leaked', 'DELETE')
      await until(async () => (await list()).dead.length === EVENTS)
      const ended = await list()
      expect(ended.waiting).toEqual([])
      expect(ended.dead.every(({ reason }) => reason === 'endpoint_deleted')).toBe(true)
      expect(github.calls.length).toBeLessThan(calls + EVENTS / 2)
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
})
