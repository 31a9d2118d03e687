import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { OPERATOR_KEY, OUTBOX_RUNTIMES, type OutboxRelay } from '../../support/outbox-relays.ts'
import { type RawAnswer, send as sendRaw } from '../../support/raw-http.ts'
import { TOKEN } from '../../support/scene.ts'

const DOWN = { status: 503 }

interface Listed {
  readonly delivery: string
  readonly lane: string
  readonly at: string
  readonly tries: number
  readonly reason: string
}

const OUTAGE = 1000

/** Milliseconds that tell what comes later from what never comes. */
const HANG = 50_000

async function until(isSo: () => boolean | Promise<boolean>, hang = HANG): Promise<void> {
  for (const end = Date.now() + hang; Date.now() < end; ) {
    if (await isSo()) return
    await pause(100)
  }
  throw new Error('it did not come')
}

function pause(milliseconds: number) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

describe.each(OUTBOX_RUNTIMES)('a relay with an outbox on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: OutboxRelay
  beforeAll(async () => {
    github = await startGitHub()
    if (!isThere) return
    relay = await start({ HOOKLINE_API_URL: github.url, HOOKLINE_ACCEPT_MS: '400' })
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
  const operate = async (method: string, target: string, key = OPERATOR_KEY) =>
    sendRaw(relay.url, { method, target, headers: [['Authorization', `Bearer ${key}`]] })
  const list = async (): Promise<{ waiting: Listed[]; dead: Listed[] }> =>
    JSON.parse((await operate('GET', '/outbox')).body)
  const deliveryOf = ({ headers }: RawAnswer) => headers['x-hookline-delivery'] ?? ''
  /** What GitHub was sent: the bodies of the events, and their delivery ids. */
  const bodies = () => github.calls.map(({ body }) => JSON.parse(body).client_payload.body)
  const deliveries = () =>
    github.calls.map(({ body }) => JSON.parse(body).client_payload.headers['x-hookline-delivery'])

  run('what GitHub takes is answered 200 as ever, and nothing waits', async () => {
    const answer = await send('healthy')
    expect(answer).toMatchObject({ status: 200, body: '{"success":true}' })
    expect(answer.headers['x-hookline-queued']).toBeUndefined()
    expect(await list()).toEqual({ waiting: [], dead: [] })
  })

  run('what GitHub cannot take now is 202, and handed over in order', async () => {
    github.always(DOWN)
    const first = await send('1')
    expect(first).toMatchObject({ status: 202, body: '{"success":true}' })
    expect(first.headers['x-hookline-queued']).toBe('true')
    const before = github.calls.length
    expect((await send('2')).status).toBe(202)
    expect((await send('3')).status).toBe(202)
    // They went straight in.
    expect(bodies().slice(before)).toEqual(
      bodies()
        .slice(before)
        .map(() => '1'),
    )
    const { waiting } = await list()
    expect(waiting.map(({ reason }) => reason)).toEqual([
      'platform_unavailable',
      'queued',
      'queued',
    ])
    expect(waiting[0]).toMatchObject({
      delivery: deliveryOf(first),
      lane: expect.stringMatching(/^o\/r#/),
    })
    github.reset()
    await until(() => github.calls.length === 3)
    expect(bodies()).toEqual(['1', '2', '3'])
    expect(deliveries()[0]).toBe(deliveryOf(first))
  })

  run('the sender’s own response applies to what waits, always with the mark', async () => {
    github.always(DOWN)
    const query = '?__response_code=201&__response_content_type=text/plain&__response_body=thanks'
    const custom = await send('1', { path: `/o/r/hook/webhook${query}` })
    expect(custom).toMatchObject({ status: 201, body: 'thanks' })
    expect(custom.headers).toMatchObject({
      'x-hookline-queued': 'true',
      'content-type': 'text/plain',
    })
    const part = await send('2', { path: '/o/r/hook/webhook?__response_body=thanks' })
    expect(part).toMatchObject({ status: 202, body: 'thanks' })
    expect(part.headers['x-hookline-queued']).toBe('true')
  })

  run.each([
    [401, 401, 'invalid_token'],
    [403, 403, 'repository_not_accessible'],
    [404, 403, 'repository_not_accessible'],
    [422, 422, 'rejected'],
  ])('a refusal for good, %i, is told at once', async (status, told, code) => {
    github.always({ status, body: '{}' })
    const answer = await send('refused')
    expect(answer.status).toBe(told)
    expect(JSON.parse(answer.body).error.code).toBe(code)
    expect(answer.headers['x-hookline-queued']).toBeUndefined()
    expect((await list()).waiting).toEqual([])
    expect(github.calls).toHaveLength(1)
  })

  run.each([
    ['429', () => ({ status: 429, headers: { 'retry-after': '1' } })],
    ['403 as a rate limit', () => ({ status: 403, headers: { 'retry-after': '1' } })],
    ['500', () => ({ status: 500 })],
    ['504', () => ({ status: 504 })],
  ])('%s is kept', async (_name, answer) => {
    // By a credential of its own, which GitHub knows: a limit slows all calls with it.
    const token = `ghp_the-token-of-a-sender-that-meets-${answer().status}`
    expect((await send('before', { token })).status).toBe(200)
    github.always(answer())
    const kept = await send('kept', { token })
    expect(kept.status).toBe(202)
    const reason = answer().status < 500 ? 'rate_limited' : 'platform_unavailable'
    expect(kept.headers['x-hookline-reason']).toBe(reason)
    expect((await list()).waiting).toHaveLength(1)
  })

  run('a reset after the request was sent is kept, and sent again with the same id', async () => {
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

  run('a slow GitHub: 202 ahead of its answer, one call, which is not cut off', async () => {
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
    // The lane waits for the open call.
    expect((await send('behind')).status).toBe(202)
    expect(github.calls).toHaveLength(1)
    // It would be given up after 8 s.
    expect(Date.now() - before).toBeLessThan(7000)
    answerAll()
    await until(() => github.calls.length === 2)
    expect(bodies()).toEqual(['slow', 'behind'])
  })

  run('a slow GitHub that fails at last: tried again', async () => {
    github.next((_call, response) => {
      setTimeout(() => response.writeHead(503).end(), 700)
      return undefined
    })
    expect((await send('slow')).status).toBe(202)
    await until(() => github.calls.length === 2)
    expect(new Set(deliveries()).size).toBe(1)
  })

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
    const stranger = await send('2', { token: 'ghp_a-token-that-somebody-made-up-00' })
    expect(stranger.status).toBe(401)
  })

  run(
    'refused later: a dead letter with the reason, and the lane goes on; replayed, dropped',
    async () => {
      github.always(DOWN)
      const first = await send('{"poisoned":true}')
      await send('next')
      github.always(({ body }) => ({ status: body.includes('poisoned') ? 422 : 204, body: '{}' }))
      await until(async () => (await list()).dead.length === 1)
      const delivery = deliveryOf(first)
      expect((await list()).dead).toMatchObject([{ delivery, reason: 'rejected' }])
      await until(() => bodies().includes('next'))
      const shown = await operate('GET', `/outbox/${delivery}`)
      expect(JSON.parse(shown.body)).toMatchObject({
        delivery,
        reason: 'rejected',
        payload: { path: 'hook/webhook', method: 'POST', body: '{"poisoned":true}' },
      })
      expect(shown.body).not.toContain(TOKEN)
      expect((await operate('POST', `/outbox/${delivery}/replay`)).status).toBe(200)
      await until(async () => (await list()).dead.length === 1)
      github.always({ status: 204 })
      expect((await operate('POST', `/outbox/${delivery}/replay`)).status).toBe(200)
      await until(async () => (await list()).waiting.length === 0)
      expect(bodies().at(-1)).toBe('{"poisoned":true}')
      expect((await operate('DELETE', `/outbox/${delivery}`)).status).toBe(404)
    },
  )

  run('a waiting event can be dropped; the next one takes its place', async () => {
    github.always(DOWN)
    const first = await send('1')
    await send('2')
    expect((await operate('DELETE', `/outbox/${deliveryOf(first)}`)).status).toBe(200)
    github.reset()
    await until(() => github.calls.length === 1)
    expect(bodies()).toEqual(['2'])
  })

  run('what waits outlives a kill', async () => {
    github.always(DOWN)
    for (const body of ['1', '2', '3']) expect((await send(body)).status).toBe(202)
    await relay.restart('kill')
    github.reset()
    await until(() => github.calls.length === 3)
    expect(bodies()).toEqual(['1', '2', '3'])
  })

  run(
    'an outage by the real clock, a minute in full effort: none lost, in their order',
    async () => {
      const accepted: { body: string; delivery: string }[] = []
      github.always(DOWN)
      const end = Date.now() + OUTAGE
      for (let n = 0; Date.now() < end || n < 4; n++) {
        const answer = await send(`${n}`)
        expect(answer.status).toBe(202)
        accepted.push({ body: `${n}`, delivery: deliveryOf(answer) })
        await pause(200)
      }
      github.reset()
      // The pause before the next try may be as long as a minute by now.
      await until(() => github.calls.length >= accepted.length, HANG + 60_000)
      const delivered = bodies().map((body, n) => ({ body, delivery: deliveries()[n] }))
      expect(delivered).toEqual(accepted)
    },
    600_000,
  )

  run('is listed page by page, all of it once', async () => {
    for (const path of ['/o/r/hook/webhook', '/o/other/hook/webhook'])
      await send('before', { path })
    github.always(DOWN)
    const kept: string[] = []
    for (const name of ['r', 'other', 'r', 'other', 'r']) {
      const answer = await send('kept', { path: `/o/${name}/hook/webhook` })
      expect(answer.status).toBe(202)
      kept.push(deliveryOf(answer))
    }
    const pages: string[][] = []
    for (let after: string | undefined = ''; after !== undefined && pages.length < 9; ) {
      const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`
      const { body } = await operate('GET', `/outbox?limit=2${cursor}`)
      const page: { waiting: Listed[]; next?: string } = JSON.parse(body)
      pages.push(page.waiting.map(({ delivery }) => delivery))
      after = page.next
    }
    expect(pages.every((page) => page.length <= 2)).toBe(true)
    expect(pages.flat().sort()).toEqual(kept.sort())
  })

  run('/metrics counts what waits and what died', async () => {
    github.always(DOWN)
    const first = await send('1')
    await send('2')
    expect((await operate('GET', '/metrics', 'not-the-key')).status).toBe(401)
    const { body } = await operate('GET', '/metrics')
    expect(body).toMatch(/^hookline_outbox_waiting 2$/m)
    expect(body).toMatch(/^hookline_outbox_oldest_seconds \d+$/m)
    expect(body).toMatch(/^hookline_answers_total\{status="202"\} [1-9]\d*$/m)
    github.next({ status: 422, body: '{}' })
    await until(async () => (await list()).dead.length > 0)
    const died = (await operate('GET', '/metrics')).body
    expect(died).toMatch(/^hookline_outbox_dead 1$/m)
    await operate('DELETE', `/outbox/${deliveryOf(first)}`)
    expect((await operate('GET', '/metrics')).body).toMatch(/^hookline_outbox_dead 0$/m)
  })

  run(
    'no token and no payload is readable on the disk, or reaches the log; it outlives a stop',
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
      // What is looked at is where the event is: its id is no secret.
      expect(disk).toContain(delivery)
      const texts = [TOKEN, 'a-text-that-nobody', 'another-text-of', 'hook/webhook', 'secret-query']
      for (const text of [...texts, 'client_payload']) {
        const encoded = Buffer.from(text).toString('base64').slice(0, -4)
        expect([disk.includes(text), disk.includes(encoded)]).toEqual([false, false])
      }
      await relay.restart('stop')
      github.reset()
      await until(() => github.calls.length === 2)
      expect(bodies()).toEqual(['a-text-that-nobody-else-sends', 'another-text-of-that-kind'])
      expect(relay.log.join('\n')).not.toContain(TOKEN)
      expect(relay.log.join('\n')).not.toContain('a-text-that-nobody')
      expect(relay.log.join('\n')).toContain('"outbox":"delivered"')
    },
  )
})
