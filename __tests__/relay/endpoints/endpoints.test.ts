import { createHash, createHmac } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { generateSealingKey } from '../../../src/relay/credentials/sealing-key.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { OPERATOR_KEY, OUTBOX_RUNTIMES, type OutboxRelay } from '../../support/outbox-relays.ts'
import { open, type RawRequest, received, send } from '../../support/raw-http.ts'
import { TOKEN } from '../../support/scene.ts'

const PUBLIC = 'https://hooks.example.com'
const OWN = `ghp_${'R'.repeat(36)}`
const SECRET = 'the-secret-that-the-sender-shares'
const sealingKey = await generateSealingKey()
const HOOK = { repository: 'octo/shop', path: 'hook/webhook' }

interface Created {
  readonly name: string
  readonly address: string
  readonly url: string
}

describe.each(OUTBOX_RUNTIMES)('endpoints on $name', ({ name, isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: OutboxRelay
  beforeAll(async () => {
    github = await startGitHub()
    if (!isThere) return
    relay = await start({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: OWN,
      HOOKLINE_PUBLIC_URL: PUBLIC,
      HOOKLINE_SEALING_KEYS: sealingKey.text,
    })
  }, 60_000)
  afterEach(() => github.reset())
  afterAll(async () => {
    await relay?.close()
    await github.close()
  })

  const operate = async (method: string, path = '', body?: object, key = OPERATOR_KEY) => {
    const answer = await send(relay.url, {
      method,
      target: `/-/endpoints${path}`,
      headers: [['Authorization', `Bearer ${key}`]],
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: JSON.parse(answer.body || 'null') }
  }
  const create = async (name: string, more: object = {}): Promise<Created> => {
    const { status, body } = await operate('POST', '', { name, ...HOOK, ...more })
    expect([status, body]).toEqual([200, expect.objectContaining({ name })])
    return body
  }
  const call = (target: string, request: Partial<RawRequest> = {}) =>
    send(relay.url, { method: 'POST', target, body: '{"a":1}', ...request })
  const payloads = () =>
    github.calls.map(({ url, headers, body }) => ({
      url,
      token: headers.authorization,
      ...JSON.parse(body).client_payload,
    }))

  run('the URL alone starts the workflow, with the credential of the relay', async () => {
    const { address, url } = await create('plain')
    expect(address).toMatch(/^\/-\/[\w-]{22}$/)
    expect(url).toBe(PUBLIC + address)
    expect((await operate('GET', '/plain')).body).toMatchObject({ firstEvent: null })
    const answer = await call(`${address}/orders/7?x=1&__response_code=201`)
    expect([answer.status, answer.body]).toEqual([201, '{"success":true}'])
    expect(payloads()).toMatchObject([
      {
        url: '/repos/octo/shop/dispatches',
        token: `Bearer ${OWN}`,
        path: 'hook/webhook/orders/7?x=1',
        body: '{"a":1}',
      },
    ])
    const { body } = await operate('GET', '/plain')
    expect(Date.parse(body.firstEvent)).toBeGreaterThan(0)
    expect(body).not.toHaveProperty('address')
    expect((await operate('GET', '/plain?url=true')).body).toMatchObject({ address, url })
  })

  run('no path leaves the path of the endpoint', async () => {
    const { address } = await create('dots')
    const forms = ['/..', '/./x', '/%2e%2E/other', '/a%2f..%2fb', '/..%5cx', '/.%2e', '/a/%2e']
    for (const form of forms) {
      const answer = await call(address + form)
      expect([form, answer.status, JSON.parse(answer.body).error.code]).toEqual([
        ...[form, 400, 'invalid_path'],
      ])
    }
    for (const form of ['x', '.', '%2f..'])
      expect((await call(address + form)).status).not.toBe(200)
    expect(github.calls).toEqual([])
    expect((await call(`${address}/...`)).status).toBe(200)
  })

  run('unknown, deleted and rotated ids get one and the same 401', async () => {
    const gone = await create('gone')
    const old = await create('rotated')
    const { body: fresh } = await operate('POST', '/rotated/rotate')
    expect(fresh.address).not.toBe(old.address)
    expect((await operate('DELETE', '/gone')).body).toEqual({ success: true })
    const shown = async (target: string) => {
      const { status, body, headers } = await call(target)
      return `${status} ${body.replace(headers['x-hookline-delivery'] ?? '', 'id')}`
    }
    const unknown = await shown(`/-/${'A'.repeat(22)}`)
    expect(unknown).toMatch(/^401 .*invalid_token/)
    expect(await shown(gone.address)).toBe(unknown)
    expect(await shown(old.address)).toBe(unknown)
    expect((await call(fresh.address)).status).toBe(200)
  })

  run('an update whose body arrives late does not undo a rotation', async () => {
    const old = await create('slow')
    const socket = open(relay.url)
    const head = [
      'PATCH /-/endpoints/slow HTTP/1.1',
      'Host: relay',
      `Authorization: Bearer ${OPERATOR_KEY}`,
      'Connection: close',
      'Content-Length: 16',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n{"if":`)
    // The relay has received the beginning of the update when it answers this.
    await operate('GET', '/slow')
    const { body: fresh } = await operate('POST', '/slow/rotate')
    const ended = received(socket)
    socket.write('"body.a"} ')
    expect(String(await ended)).toMatch(/^HTTP\/1\.1 200 /)
    expect((await operate('GET', '/slow?url=true')).body).toMatchObject({
      address: fresh.address,
      if: 'body.a',
    })
    expect((await call(old.address)).status).toBe(401)
    expect((await call(fresh.address)).status).toBe(200)
  })

  run('20 times three concurrent changes are all made', async () => {
    await create('busy')
    for (let n = 0; n < 20; n++) {
      const [first, second, rotated] = await Promise.all([
        operate('PATCH', '/busy', { ref: `branch-${n}` }),
        operate('PATCH', '/busy', { if: `body.a == ${n}` }),
        operate('POST', '/busy/rotate'),
      ])
      expect([first.status, second.status, rotated.status]).toEqual([200, 200, 200])
      expect((await operate('GET', '/busy?url=true')).body).toMatchObject({
        address: rotated.body.address,
        ref: `branch-${n}`,
        if: `body.a == ${n}`,
      })
    }
  })

  run('guesses are limited, and a known id works all the same', async () => {
    const { address } = await create('flooded')
    const guess = (n: number) => call(`/-/${String(n).padStart(22, 'g')}`)
    const answers = await Promise.all(Array.from({ length: 150 }, (_, n) => guess(n)))
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([401, 429])
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1')
    expect((await call(address)).status).toBe(200)
  })

  run('an endpoint expects events on Node; Workers refuse that', async () => {
    const made = await operate('POST', '', { name: 'heard', ...HOOK, expect: '2h' })
    const wrong = await operate('POST', '', { name: 'wrong', ...HOOK, expect: '2 hours' })
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_endpoint'])
    if (name === 'workerd') {
      expect(made.body.error.hint).toContain('needs a relay on Node')
      return
    }
    expect(made.body).toMatchObject({ expect: '2h' })
    expect((await operate('PATCH', '/heard', { expect: '30m' })).body).toMatchObject({
      expect: '30m',
    })
    expect((await operate('PATCH', '/heard', { expect: null })).body).not.toHaveProperty('expect')
  })

  run('a filter and a signature change without a change of the URL', async () => {
    const { address } = await create('checked')
    const verify = [{ scheme: ['github'], secret: [SECRET] }]
    const changed = await operate('PATCH', '/checked', { if: 'body.a == 1', verify })
    expect(changed.body).toMatchObject({ if: 'body.a == 1', verify: ['github'] })
    const body = '{"a":1}'
    const sign = (text: string, key = SECRET) =>
      `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
    const signed = (text: string, key?: string) =>
      call(address, { body: text, headers: [['X-Hub-Signature-256', sign(text, key)]] })
    expect((await call(address)).status).toBe(401)
    expect((await signed(body, 'another')).status).toBe(401)
    expect((await signed(body)).headers['x-hookline-filtered']).toBeUndefined()
    expect((await signed('{"a":2}')).headers['x-hookline-filtered']).toBe('true')
    expect(github.calls).toHaveLength(1)
    await operate('PATCH', '/checked', { if: null, verify: null })
    expect((await call(address)).status).toBe(200)
    expect((await operate('GET', '/checked')).body).not.toHaveProperty('if')
  })

  run('a scheme that signs the URL is verified at the relay', async () => {
    const { address, url } = await create('trello', {
      verify: [{ scheme: ['trello'], secret: [SECRET] }],
    })
    const body = '{"action":{"type":"updateCard"}}'
    const signature = (called: string) =>
      createHmac('sha1', SECRET)
        .update(body + called)
        .digest('base64')
    const signed = (called: string) =>
      call(address, { body, headers: [['X-Trello-Webhook', signature(called)]] })
    expect((await signed(url)).status).toBe(200)
    expect((await signed(`${PUBLIC}/-/${'A'.repeat(22)}`)).status).toBe(401)
    expect(github.calls).toHaveLength(1)
  })

  run('a stored token takes the place of the credential of the relay', async () => {
    const { address } = await create('stored', { token: TOKEN })
    expect((await call(address)).status).toBe(200)
    expect(payloads()).toMatchObject([{ token: `Bearer ${TOKEN}` }])
    for (const token of ['two words', '', 7]) {
      const { status, body } = await operate('POST', '', { name: 'x', ...HOOK, token })
      expect([status, body.error.code]).toEqual([400, 'invalid_endpoint'])
    }
  })

  run('a batch and its debounce are whole seconds within their limits', async () => {
    await create('batched', { batch: 60, debounce: 5 })
    expect((await operate('GET', '/batched')).body).toMatchObject({ batch: 60, debounce: 5 })
    for (const wrong of [
      { batch: 0 },
      { batch: 3601 },
      { batch: 1.5 },
      { batch: '60' },
      { debounce: 5 },
      { batch: 60, debounce: 60 },
      { batch: 60, debounce: 0 },
    ]) {
      const { status, body } = await operate('POST', '', { name: 'x', ...HOOK, ...wrong })
      expect([status, body.error.code]).toEqual([400, 'invalid_endpoint'])
    }
  })

  run('token URLs are refused, and the hint names endpoints', async () => {
    for (const headers of [[], [['X-Platform-Authorization', TOKEN]]] as const) {
      const answer = await call('/octo/shop/hook/webhook', { headers: [...headers] })
      const { error } = JSON.parse(answer.body)
      expect([answer.status, error.code]).toEqual([401, 'invalid_token'])
      expect(error.hint).toMatch(/hookline endpoint create.*--allow-tokens/)
    }
    expect(github.calls).toEqual([])
  })

  run(
    'the id travels neither in the event nor in the log; logs and metrics have the name',
    async () => {
      const { address } = await create('named')
      const headers = [['Referer', `https://a.test${address}`]] as const
      expect((await call(`${address}?copy=${address.slice(3)}`, { headers })).status).toBe(200)
      expect(JSON.stringify(payloads())).not.toContain(address.slice(3))
      const { body } = await send(relay.url, {
        target: '/metrics',
        headers: [['Authorization', `Bearer ${OPERATOR_KEY}`]],
      })
      expect(body).toMatch(/^hookline_endpoint_answers_total\{endpoint="named",status="200"\} 1$/m)
    },
  )

  run.each([
    [{ name: 'Upper' }, 'name'],
    [{ repository: 'octo' }, 'repository'],
    [{ path: 'hook' }, 'path'],
    [{ path: 'hook/../x' }, 'path'],
    [{ path: 'hook/webhook?x=1' }, 'path'],
    [{ dispatch: 'push' }, 'dispatch'],
    [{ ref: '' }, 'ref'],
    [{ if: 'body.a =' }, 'if'],
    [{ verify: [{ scheme: ['no-such'], secret: ['x'] }] }, 'no-such'],
    [{ verify: [{ scheme: ['github'], secret: [] }] }, 'secret'],
    [{ verify: [{ scheme: ['aws-sns'] }] }, 'aws-sns'],
    [{ owner: 'octo' }, 'owner'],
  ])('%j is refused, by its name', async (change, word) => {
    const { status, body } = await operate('POST', '', { name: 'refused', ...HOOK, ...change })
    expect([status, body.error.code]).toEqual([400, 'invalid_endpoint'])
    expect(body.error.hint).toContain(word)
    expect((await operate('GET', '/refused')).status).toBe(404)
  })

  run('the admin API needs the key, and names what is there', async () => {
    await create('twice')
    expect((await operate('POST', '', { name: 'twice', ...HOOK })).body.error.code).toBe(
      'endpoint_exists',
    )
    for (const [method, path, status] of [
      ['GET', '/nobody', 404],
      ['PATCH', '/nobody', 404],
      ['DELETE', '/nobody', 404],
      ['POST', '/nobody/rotate', 404],
      ['PUT', '', 405],
      ['GET', '/twice/rotate', 405],
      ['PUT', '/twice', 405],
    ] as const) {
      expect([method, path, (await operate(method, path, {})).status]).toEqual([
        ...[method, path, status],
      ])
      expect((await operate(method, path, {}, 'not-the-key')).status).toBe(401)
    }
    const { body } = await operate('GET')
    const names = body.endpoints.map(({ name }: Created) => name)
    expect(names).toEqual(names.toSorted())
    expect(names).toContain('twice')
    expect(JSON.stringify(body)).not.toContain(SECRET)
  })

  run(
    'an event that GitHub cannot take waits under the name, and is delivered',
    async () => {
      const { address } = await create('waiting')
      github.always({ status: 503 })
      const answer = await call(address)
      expect([answer.status, answer.headers['x-hookline-queued']]).toEqual([202, 'true'])
      const { body } = await send(relay.url, {
        target: '/outbox?credential=endpoint:waiting',
        headers: [['Authorization', `Bearer ${OPERATOR_KEY}`]],
      })
      expect(JSON.parse(body).waiting).toMatchObject([{ credential: 'endpoint:waiting' }])
      await operate('DELETE', '/waiting')
      github.reset()
      for (let n = 0; n < 500 && github.calls.length === 0; n++) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      expect(payloads()).toMatchObject([{ token: `Bearer ${OWN}`, path: 'hook/webhook' }])
    },
    60_000,
  )

  run(
    'endpoints outlive a restart; id, secret and token are on no disk in plain text',
    async () => {
      const { address } = await create('kept', {
        token: TOKEN,
        verify: [{ scheme: ['github'], secret: [SECRET] }],
      })
      await relay.restart('stop')
      expect((await call(address)).status).toBe(401)
      expect((await operate('GET', '/kept?url=true')).body).toMatchObject({ address })
      const files = await readdir(relay.folder, { recursive: true, withFileTypes: true })
      const disk = await Promise.all(
        files.filter((file) => file.isFile()).map((file) => contentOf(file)),
      )
      const id = address.slice(3)
      const hash = createHash('sha256').update(id).digest('hex')
      expect(disk.some((text) => text.includes(hash))).toBe(true)
      for (const secret of [id, SECRET, TOKEN]) {
        expect(disk.some((text) => text.includes(secret))).toBe(false)
        expect(relay.log.join('\n')).not.toContain(secret)
      }
      expect(relay.log.join('\n')).toMatch(/"endpoint":"kept","change":"created"/)
    },
    60_000,
  )

  // The last test, because the relay pauses after failures of GitHub.
  run('deleted with its events, those that wait become dead letters', async () => {
    const { address } = await create('dropped')
    const other = await create('stays')
    await call(address)
    github.always({ status: 503 })
    for (const target of [address, address, other.address]) {
      expect((await call(target)).status).toBe(202)
    }
    const { body } = await operate('DELETE', '/dropped?drop-events=true')
    expect(body).toEqual({ success: true, events: 2 })
    const answer = await send(relay.url, {
      target: '/outbox',
      headers: [['Authorization', `Bearer ${OPERATOR_KEY}`]],
    })
    const dead = { credential: 'endpoint:dropped', reason: 'revoked' }
    expect(JSON.parse(answer.body)).toMatchObject({
      waiting: [{ credential: 'endpoint:stays' }],
      dead: [dead, dead],
    })
  })
})

function contentOf({ parentPath, name }: { parentPath: string; name: string }): Promise<string> {
  return readFile(join(parentPath, name), 'latin1')
}
