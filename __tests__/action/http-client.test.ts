import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { http, httpFailure } from '../../src/action/http-client.ts'
import { HttpFailure, type HttpRequest } from '../../src/wire/http.ts'

let server: Server
let url: string

/** Returns the request as its response; as a proxy, it refuses with the status in the host name. */
beforeEach(async () => {
  server = createServer(async (request, response) => {
    if (request.url === '/never') return
    const { 'user-agent': agent, 'x-a': a } = request.headers
    const body = (await buffer(request)).toString('latin1')
    response.writeHead(request.url === '/moved' ? 302 : 200, { location: '/', 'x-b': ['1', '2'] })
    response.end(JSON.stringify({ method: request.method, agent, a, body }))
  })
  server.on('connect', (request, socket) => {
    const [, status] = /^status-(\d+)/.exec(request.url ?? '') ?? []
    socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  url = `http://127.0.0.1:${port}`
})

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy', 'NO_PROXY', 'no_proxy']
const before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]))

beforeEach(() => {
  for (const name of VARIABLES) delete process.env[name]
})
afterEach(async () => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const call = (more: Partial<HttpRequest> = {}) =>
  http({ method: 'POST', url, timeout: 10_000, ...more })

describe('a call', () => {
  test.each<[string, Partial<HttpRequest>, object]>([
    ['without a body', {}, { body: '' }],
    ['with a string', { body: 'é' }, { body: 'Ã©' }],
    ['with bytes', { body: new Uint8Array([0, 255]) }, { body: '\u0000\u00ff' }],
    ['with headers', { headers: { 'x-a': '1' } }, { a: '1', body: '' }],
    ['with another program', { headers: { 'user-agent': 'x' } }, { agent: 'x', body: '' }],
    ['with another method', { method: 'PUT' }, { method: 'PUT', body: '' }],
  ])('%s', async (_, request, seen) => {
    const { status, headers, text } = await call(request)
    expect([status, headers['x-b']]).toEqual([200, '1, 2'])
    expect(JSON.parse(text)).toEqual({ method: 'POST', agent: 'hookline', ...seen })
  })

  test('follows no redirect', async () => {
    const { status, headers } = await call({ url: `${url}/moved` })
    expect([status, headers.location]).toEqual([302, '/'])
  })

  test('that gets no response in time', async () => {
    const failure = call({ url: `${url}/never`, timeout: 50 })
    await expect(failure).rejects.toEqual(new HttpFailure('timeout', 'TimeoutError'))
  })

  test('without a server', async () => {
    const failure = call({ url: 'http://127.0.0.1:1/secret' })
    await expect(failure).rejects.toEqual(new HttpFailure('connection', 'ECONNREFUSED'))
  })
})

describe('a proxy', () => {
  test('is not asked for this machine', async () => {
    process.env.HTTP_PROXY = 'http://127.0.0.1:1'
    expect((await call()).status).toBe(200)
  })

  test.each([
    [407, 'it wants a user and a password: 407'],
    [502, 'it answers 502'],
  ])('that refuses with %i', async (status, detail) => {
    process.env.HTTPS_PROXY = url
    const failure = call({ url: `https://status-${status}.example/x` })
    const { host } = new URL(url)
    await expect(failure).rejects.toEqual(new HttpFailure('connection', detail, host))
  })

  test('without a valid address', async () => {
    process.env.HTTPS_PROXY = 'http://'
    await expect(call({ url: 'https://service.example/x' })).rejects.toEqual(
      new HttpFailure('connection', 'the proxy has no valid address'),
    )
  })

  test.each([
    ['http://proxy.example:8080', 'proxy.example:8080'],
    ['http://proxy:8080', 'proxy:8080'],
    ['http://hunter2', 'of the environment'],
  ])('%s is named %s, because a name without a dot may be a password', (proxy, shown) => {
    const agent = new HttpsProxyAgent(proxy)
    const late = httpFailure(new Error('x'), true, agent)
    expect(late.message).toBe(`no answer in time through the proxy ${shown} (TimeoutError)`)
    const broken = httpFailure(new Error('x'), false, agent)
    expect(broken.message).toBe(`no connection through the proxy ${shown} (broken off)`)
  })
})

test.each([
  [new Error('https://x.example/secret'), 'no connection (broken off)'],
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'no connection (ECONNRESET)'],
])('%s is shown by its code alone', (error, message) => {
  expect(httpFailure(error, false, undefined).message).toBe(message)
})
