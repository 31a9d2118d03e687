import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { openInspector } from '../../src/cli/deliveries/open.ts'
import { RelayClient } from '../../src/cli/relay-client.ts'
import { Secret } from '../../src/wire/secret.ts'
import { standInDelivery } from '../support/admin-stand-in.ts'
import { ask, EventReader, rememberKey } from '../support/inspector.ts'

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

interface Call {
  readonly name: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const FILES = {
  '.env': 'KEY=abc\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[remote "origin"]\n\turl = https://github.com/Octo/shop.git\n',
  '.git/objects/.keep': '',
  '.git/refs/.keep': '',
  'workflows/orders.yml': `on: { webhook: { verify: { scheme: github, secret: '\${{ secrets.KEY }}' } } }
jobs: { a: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] } }
`,
}

const { env } = process
const cwd = process.cwd()
let folder: string
let server: Server
let port: number
/** By `METHOD path?query`. */
let answers: Record<string, Answer>
let calls: Call[]
let ends: (() => unknown)[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-open-'))
  for (const [path, content] of Object.entries(FILES)) write(path, content)
  process.chdir(folder)
  answers = {}
  calls = []
  server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const name = `${method} ${url}`
    calls.push({ name, headers, body: await text(request) })
    const { status = 200, headers: own, body = '' } = answers[name] ?? { status: 404, body: {} }
    response.writeHead(status, own)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port // it listens on a port
  process.env = { PATH: env.PATH, HOME: folder, PORT: String(port) }
  ends = []
})
afterEach(async () => {
  for (const end of ends) await end()
  jest.restoreAllMocks()
  process.env = env
  process.chdir(cwd)
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

function write(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

const one = (number: number, more: object = {}) => standInDelivery(number, more)
const idOf = (number: number) => one(number).id
const refusal = (status: number, code: string): Answer => ({
  status,
  body: { error: { code, message: 'it is refused', hint: 'wait' } },
})

/** The inspector over a relay that lists these deliveries. */
async function opened(deliveries: readonly object[], owner: string | null = 'octo') {
  answers['GET /-admin/deliveries/octo?endpoint=orders&limit=1000'] ??= {
    body: { deliveries, next: null },
  }
  const bearer = new Secret('relay-bearer')
  const access = { bearer, source: 'HOOKLINE_RELAY_KEY', isToken: false }
  const client = new RelayClient(new URL(`http://127.0.0.1:${port}`), access)
  const printed: string[] = []
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    printed.push(String(line))
    return true
  })
  const before = process.listeners('SIGTERM')
  const query = { endpoint: 'orders', state: undefined }
  await openInspector(client, { owner: owner ?? undefined, query }, { relay: 'http://relay' })
  const [stop] = process.listeners('SIGTERM').filter((listener) => !before.includes(listener))
  const [, url = ''] = /^Inspector of 127\.0\.0\.1:\d+: (\S+)\n$/.exec(printed.join('')) ?? []
  rememberKey(url)
  const { origin } = new URL(url)
  const reader = new EventReader(origin)
  ends.push(() => reader.close())
  ends.push(() => stop?.('SIGTERM'))
  await reader.summaries(deliveries.length)
  const get = async (path: string) => {
    const { status, body } = await ask(origin, `/inspector/${path}`)
    return [status, body]
  }
  const post = async (path: string, number: number) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ids: [idOf(number)] })
    const answer = await ask(origin, `/inspector/${path}`, { method: 'POST', headers, body })
    return [answer.status, answer.body]
  }
  return { get, post, origin, stop }
}

test('the pages of a relay that needs an owner are those of the git remote', async () => {
  answers = {
    'GET /-admin/deliveries?endpoint=orders&limit=1000': refusal(400, 'invalid_query'),
    'GET /-admin/deliveries/octo?endpoint=orders&limit=1000': {
      body: { deliveries: [one(2)], next: 'n' },
    },
    'GET /-admin/deliveries/octo?endpoint=orders&limit=1000&after=n': {
      body: { deliveries: [one(1)], next: null },
    },
  }
  const list = '/-admin/deliveries'
  const { stop, origin } = await opened([one(2), one(1)], null)
  expect(calls.map(({ name }) => name)).toEqual([
    `GET ${list}?endpoint=orders&limit=1000`,
    `GET ${list}/octo?endpoint=orders&limit=1000`,
    `GET ${list}/octo?endpoint=orders&limit=1000&after=n`,
  ])
  expect(calls[0]?.headers.authorization).toBe('Bearer relay-bearer')
  stop?.('SIGTERM')
  await expect(fetch(origin)).rejects.toThrow('fetch failed')
})

test('a delivery comes with the jobs here, if its repository is the one here', async () => {
  const cure = 'hookline deliveries show x'
  for (const [number, repository] of [
    [1, 'octo/shop'],
    [2, 'octo/other'],
  ] as const) {
    answers[`GET /-admin/deliveries/octo/${idOf(number)}`] = {
      body: {
        delivery: one(number, { repository }),
        request: null,
        stages: [{ stage: 'verified', state: 'failed', cure }],
      },
    }
  }
  answers[`GET /-admin/deliveries/octo/${idOf(3)}`] = refusal(404, 'not_found')
  answers[`GET /-admin/deliveries/octo/${idOf(4)}`] = refusal(404, 'other')
  const { get } = await opened([...[one(4), one(3), one(2, { repository: 'octo/other' }), one(1)]])
  const shown = async (number: number) => {
    const [status, body] = await get(`requests/${idOf(number)}`)
    return status === 200 ? JSON.parse(String(body)) : [status, body]
  }
  const first = await shown(1)
  expect(first.readers).toEqual([{ kind: 'source', file: 'workflows/orders.yml' }])
  expect(first.stages[0].cure).toBe('hookline deliveries show x --relay http://relay')
  expect((await shown(2)).readers).toEqual([])
  expect(await shown(3)).toEqual([404, 'this event is no longer stored\n'])
  expect(await shown(4)).toEqual([502, 'it is refused\n'])
})

test('without a git remote, the jobs here are shown for any repository', async () => {
  rmSync(join(folder, '.git'), { recursive: true })
  answers[`GET /-admin/deliveries/octo/${idOf(1)}`] = {
    body: { delivery: one(1, { repository: 'octo/other' }), request: null, stages: [] },
  }
  const { get } = await opened([one(1)])
  const [, body] = await get(`requests/${idOf(1)}`)
  expect(JSON.parse(String(body)).readers).toHaveLength(1)
})

test.each<[object, object]>([
  [
    { ids: ['a', 7], replayed: 2 },
    { ids: ['a', '7'], failures: [], failed: 0 },
  ],
  [
    { ids: 'a', replayed: 1 },
    { ids: [], failures: [], failed: 0 },
  ],
  [
    { ids: [], replayed: 0, explanation: 'if: body.a' },
    { ids: [], failures: ['the delivery was declined again: if: body.a'], failed: 1 },
  ],
  [
    { ids: [], replayed: 0, explanation: null },
    { ids: [], failures: ['the delivery was declined again'], failed: 1 },
  ],
])('a replay that the relay answers with %j', async (answer, expected) => {
  answers[`POST /-admin/deliveries/octo/${idOf(1)}/replay`] = { body: answer }
  const { post } = await opened([one(1)])
  expect(await post('replay', 1)).toEqual([200, JSON.stringify(expected)])
})

const DEV = { 'GET /': { headers: { 'x-hookline-dev': '1' } } }

/** A relay whose delivery 1 has this request. */
async function withRequest(request: object) {
  const whole = {
    ...{ method: 'PUT', path: 'orders/webhook', query: 'a=1', headers: {}, body: 'hello' },
    ...request,
  }
  answers[`GET /-admin/deliveries/octo/${idOf(1)}`] = {
    body: { delivery: one(1), request: whole, stages: [] },
  }
  return opened([one(1)])
}

const sent = () => calls.find(({ name }) => name.startsWith('PUT '))

test('hookline dev gets the request without the headers of its first client, signed anew', async () => {
  answers = {
    ...DEV,
    'PUT /webhook/orders/webhook?a=1': {
      ...{ status: 202, headers: { 'x-hookline-delivery': 'd9' }, body: 'ok' },
    },
  }
  const headers = {
    ...{ 'x-a': 'b', host: 'h', 'content-length': '99', 'accept-encoding': 'zz' },
    'x-hub-signature-256': '***',
  }
  const { post } = await withRequest({ headers, body: 'AP8=', bodyEncoding: 'base64' })
  expect(await post('open', 1)).toEqual([200, '{"status":202,"delivery":"d9","body":"ok"}'])
  const { host, connection, ...others } = sent()?.headers ?? {}
  const signature = createHmac('sha256', 'abc')
    .update(Buffer.from([0, 255]))
    .digest('hex')
  expect(others).toMatchObject({
    ...{ 'x-a': 'b', 'content-length': '2', 'x-hub-signature-256': `sha256=${signature}` },
  })
  expect([host, others['accept-encoding']]).not.toContain('zz')
  expect(sent()?.body).toBe('\0\ufffd')
})

test('a request that cannot be signed is sent as it is, and dev may name no delivery', async () => {
  rmSync(join(folder, '.env'))
  mkdirSync(join(folder, '.env'))
  answers = { ...DEV, 'PUT /webhook/orders/webhook?a=1': { status: 401, body: 'no' } }
  const { post } = await withRequest({ headers: { 'x-hub-signature-256': '***' } })
  expect(await post('open', 1)).toEqual([200, '{"status":401,"delivery":"","body":"no"}'])
  expect(sent()).toMatchObject({ headers: { 'x-hub-signature-256': '***' }, body: 'hello' })
})

const START_DEV = 'Start hookline dev on this machine; if it has another port, set PORT.'

test('another server than hookline dev gets no request', async () => {
  answers['GET /'] = { body: 'hello' }
  const { post } = await withRequest({})
  expect(await post('open', 1)).toEqual([
    422,
    `localhost:${port} is not hookline dev. ${START_DEV}\n`,
  ])
  expect(sent()).toBeUndefined()
})

test('a path that is not a webhook is not requested', async () => {
  answers = { ...DEV }
  const { post } = await withRequest({ path: '../inspector/replay' })
  expect(await post('open', 1)).toEqual([
    422,
    'the path of the delivery is not the path of a webhook\n',
  ])
  expect(sent()).toBeUndefined()
})

test('a machine without hookline dev is told how to start it', async () => {
  process.env.PORT = '9'
  const { post } = await withRequest({})
  const [status, body] = await post('open', 1)
  expect(status).toBe(422)
  expect(body).toMatch(/^localhost:9: no connection \(.+\)\. Start hookline dev on this machine; /)
})
