import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { listed, operate as operateAt } from '../../support/deliveries.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { type RawAnswer, send as sendRaw } from '../../support/raw-http.ts'
import { TOKEN } from '../../support/scene.ts'
import { until } from '../../support/until.ts'

const DOWN = { status: 503 }

/** Milliseconds of a call: longer than the events of a slow machine wait for an open one. */
const CALL_TIME = 30_000

describe.each(DATABASE_RUNTIMES)('a relay with a database on $name', ({ name, isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: DatabaseRelay
  beforeAll(async () => {
    github = await startGitHub()
    if (!isThere) return
    relay = await start({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_TEST_GITHUB_TIMEOUT_MS: String(CALL_TIME),
    })
    // The relay queues only events of credentials that GitHub accepted before.
    expect((await send('before')).status).toBe(200)
    github.reset()
  })
  afterEach(async () => {
    github.reset()
    if (isThere) await until(async () => (await list()).waiting.length === 0)
    github.reset()
  })
  afterAll(async () => {
    await relay?.close()
    await github.close()
  })

  const send = (body: string, { path = '/o/r/hook/webhook', token = TOKEN } = {}) =>
    sendRaw(relay.url, {
      method: 'POST',
      target: path,
      headers: [['X-Platform-Authorization', token]],
      body,
    })
  const operate = (method: string, target: string, key?: string) =>
    operateAt(relay, method, target, key)
  const list = () => listed(relay)
  const deliveryOf = ({ headers }: RawAnswer) => headers['x-hookline-delivery'] ?? ''
  /** The bodies and delivery ids of the events that GitHub was sent. */
  const bodies = () => github.calls.map(({ body }) => JSON.parse(body).client_payload.body)
  const deliveries = () =>
    github.calls.map(({ body }) => JSON.parse(body).client_payload.headers['x-hookline-delivery'])

  run('an event that GitHub takes is 200, and nothing is queued', async () => {
    const answer = await send('healthy')
    expect(answer).toMatchObject({ status: 200, body: '{"success":true}' })
    expect(answer.headers['x-hookline-queued']).toBeUndefined()
    expect(await list()).toMatchObject({ waiting: [], dead: [], imbalance: 0 })
  })

  run('events that GitHub cannot take now are 202, and delivered with the same id', async () => {
    github.always(DOWN)
    const first = await send('1')
    expect(first).toMatchObject({ status: 202, body: '{"success":true}' })
    expect(first.headers['x-hookline-queued']).toBe('true')
    expect((await send('2')).status).toBe(202)
    expect((await send('3')).status).toBe(202)
    const { waiting } = await list()
    expect(waiting).toHaveLength(3)
    expect(waiting[0]).toMatchObject({
      id: deliveryOf(first),
      repository: 'o/r',
      reason: 'github_unavailable',
    })
    github.reset()
    await until(() => github.calls.length === 3)
    expect(bodies().sort()).toEqual(['1', '2', '3'])
    expect(deliveries()).toContain(deliveryOf(first))
  })

  run.each([
    [301, 502, 'github_unavailable'],
    [401, 401, 'invalid_token'],
    [403, 403, 'repository_not_accessible'],
    [404, 403, 'repository_not_accessible'],
    [413, 422, 'event_rejected'],
    [422, 422, 'event_rejected'],
  ])(
    'a refusal of GitHub that no retry changes, %i, is told to the sender',
    async (status, told, code) => {
      // The relay refuses a token that GitHub called invalid, so each response has one of its own.
      const token = `ghp_the-token-of-a-sender-that-is-told-${status}`
      expect((await send('before', { token })).status).toBe(200)
      github.reset()
      github.always({ status, headers: { location: 'https://elsewhere.example/' }, body: '{}' })
      const answer = await send('refused', { token })
      expect(answer.status).toBe(told)
      expect(JSON.parse(answer.body).error.code).toBe(code)
      expect(answer.headers['x-hookline-queued']).toBeUndefined()
      expect((await list()).waiting).toEqual([])
      expect(github.calls).toHaveLength(1)
    },
  )

  run('an event whose call was reset is queued, and sent again with the same id', async () => {
    github.always((_call, response) => {
      response.destroy()
      return undefined
    })
    const answer = await send('reset')
    expect(answer.status).toBe(202)
    github.always({ status: 204 })
    await until(() => github.calls.length >= 2)
    expect(new Set(deliveries())).toEqual(new Set([deliveryOf(answer)]))
  })

  run('a slow GitHub: 202 before its response, and one call, which is not ended', async () => {
    let answerAll = () => {}
    const isTime = new Promise<void>((resolve) => {
      answerAll = resolve
    })
    github.always((_call, response) => {
      void isTime.then(() => response.writeHead(204).end())
      return undefined
    })
    const before = Date.now()
    expect((await send('slow')).status).toBe(202)
    // The next event waits for the open call. The first call waits if the event before was ambiguous.
    expect((await send('behind')).status).toBe(202)
    await until(() => github.calls.length > 0)
    expect(github.calls).toHaveLength(1)
    // After that time the call would be ended.
    expect(Date.now() - before).toBeLessThan(CALL_TIME)
    answerAll()
    await until(() => github.calls.length === 2)
    expect(bodies()).toEqual(['slow', 'behind'])
  })

  // On Node, one process tries all events: isolation.test.ts has that rule. On Workers the isolate of the request and
  // the object of the owner try events.
  if (name === 'workerd') {
    test('while responses are ambiguous, one event of a credential probes; others wait without a call', async () => {
      const token = 'ghp_the-token-of-a-sender-in-doubt'
      const paths = Array.from({ length: 20 }, (_, n) => `/o/doubt-${n}/hook/webhook`)
      for (const path of paths) expect((await send('before', { token, path })).status).toBe(200)
      // An isolate remembers for a second that a queue was empty.
      await new Promise((resolve) => setTimeout(resolve, 1100))
      github.reset()
      github.always({ status: 500 })
      for (const path of paths) expect((await send('kept', { token, path })).status).toBe(202)
      const { body } = await operate('GET', '/-admin/metrics?owner=o')
      const uncertain = Number(/^hookline_deliveries\{state="uncertain"\} (\d+)$/m.exec(body)?.[1])
      expect(uncertain).toBeGreaterThanOrEqual(1)
      // Three put the credential in doubt; then the pause between two tries is doubled.
      expect(uncertain).toBeLessThan(15)
      github.reset()
      await until(async () => (await list()).waiting.length === 0)
      expect(github.calls.length).toBeGreaterThanOrEqual(20 - uncertain)
      expect(new Set(github.calls.map(({ url }) => url)).size).toBe(github.calls.length)
    })
  }

  run('Retry-After is obeyed', async () => {
    let at = 0
    const token = 'ghp_the-token-of-a-sender-that-obeys'
    expect((await send('before', { token })).status).toBe(200)
    github.reset()
    github.next(() => {
      at = Date.now()
      return { status: 429, headers: { 'retry-after': '2' } }
    })
    expect((await send('1', { token })).status).toBe(202)
    await until(() => github.calls.length === 2)
    expect(Date.now() - at).toBeGreaterThanOrEqual(1990)
  })

  run('another credential of the repository asks GitHub first', async () => {
    github.always(DOWN)
    expect((await send('1')).status).toBe(202)
    github.always(({ headers }) => ({ status: headers.authorization?.includes(TOKEN) ? 503 : 401 }))
    const unknown = await send('2', { token: 'ghp_a-token-that-GitHub-never-saw-00' })
    expect(unknown.status).toBe(401)
  })

  run(
    'an event that GitHub rejects later is a dead letter, which can be replayed; the next is delivered',
    async () => {
      github.always(DOWN)
      const first = await send('{"poisoned":true}')
      await send('next')
      github.always(({ body }) => ({ status: body.includes('poisoned') ? 422 : 204, body: '{}' }))
      await until(async () => (await list()).dead.length === 1)
      const delivery = deliveryOf(first)
      expect((await list()).dead).toMatchObject([{ id: delivery, reason: 'event_rejected' }])
      await until(() => bodies().includes('next'))
      const shown = await operate('GET', `/-admin/deliveries/o/${delivery}`)
      expect(JSON.parse(shown.body)).toMatchObject({
        delivery: { id: delivery, reason: 'event_rejected' },
        request: { path: 'hook/webhook', method: 'POST', body: '{"poisoned":true}' },
      })
      expect(shown.body).not.toContain(TOKEN)
      expect((await operate('POST', `/-admin/deliveries/o/${delivery}/replay`)).status).toBe(200)
      await until(async () => (await list()).dead.length === 1)
      github.always({ status: 204 })
      const before = bodies().length
      expect((await operate('POST', `/-admin/deliveries/o/${delivery}/replay`)).status).toBe(200)
      // GitHub has the event a moment before it is deleted.
      await until(
        async () => (await operate('GET', `/-admin/deliveries/o/${delivery}`)).status === 404,
      )
      expect(bodies().slice(before)).toContain('{"poisoned":true}')
    },
  )

  run('the metrics count queued events and dead letters', async () => {
    github.always(DOWN)
    await send('1')
    await send('2')
    expect((await operate('GET', '/-admin/metrics?owner=o', 'not-the-key')).status).toBe(401)
    const { body } = await operate('GET', '/-admin/metrics?owner=o')
    expect(body).toMatch(/^hookline_deliveries\{state="waiting"\} 2$/m)
    expect(body).toMatch(/^hookline_oldest_waiting_seconds \d+$/m)
    expect(body).toMatch(/^hookline_responses_total\{status="202"\} [1-9]\d*$/m)
    github.next({ status: 422, body: '{}' })
    await until(async () => (await list()).dead.length > 0)
    const died = (await operate('GET', '/-admin/metrics?owner=o')).body
    expect(died).toMatch(/^hookline_deliveries\{state="dead"\} 1$/m)
    expect(died).toMatch(/^hookline_imbalance 0$/m)
    const [dead] = (await list()).dead
    await operate('DELETE', `/-admin/deliveries/o/${dead?.id}`)
    expect((await operate('GET', '/-admin/metrics?owner=o')).body).toMatch(
      /^hookline_deliveries\{state="dead"\} 0$/m,
    )
  })

  run(
    'the disk and the log have no token and no payload in plain text; a stop loses nothing',
    async () => {
      github.always(DOWN)
      const path = '/o/r/hook/webhook?a=secret-query'
      const delivery = deliveryOf(await send('a-text-that-nobody-else-sends', { path }))
      expect((await send('another-text-of-that-kind')).status).toBe(202)
      const files = await readdir(relay.folder, { recursive: true, withFileTypes: true })
      const kept = await Promise.all(
        files
          .filter((file) => file.isFile())
          .map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
      )
      const disk = kept.join('\n')
      // The files that were read are those of the event: its id is not encrypted.
      expect(disk).toContain(delivery)
      const texts = [TOKEN, 'a-text-that-nobody', 'another-text-of', 'secret-query']
      for (const text of [...texts, 'client_payload']) {
        const encoded = Buffer.from(text).toString('base64').slice(0, -4)
        expect([disk.includes(text), disk.includes(encoded)]).toEqual([false, false])
      }
      await relay.restart('stop')
      github.reset()
      await until(() => github.calls.length === 2)
      expect(bodies().sort()).toEqual([
        'a-text-that-nobody-else-sends',
        'another-text-of-that-kind',
      ])
      // GitHub has the event before the relay writes its line.
      await until(() => relay.log.join('\n').includes('"change":"delivered"'))
      expect(relay.log.join('\n')).not.toContain(TOKEN)
      expect(relay.log.join('\n')).not.toContain('a-text-that-nobody')
    },
  )
})
