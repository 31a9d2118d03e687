import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RunningServer } from '../../src/relay/node/server.ts'
import { startRelay } from '../../src/relay/node/start.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { open, parseAnswer, received, requestBytes, send, sendBytes } from '../support/raw-http.ts'
import { type RelayUnderTest, startOnNode } from '../support/relays.ts'
import { TOKEN, withToken } from '../support/scene.ts'
import { until } from '../support/until.ts'
import { testSlowClients } from './slow-clients.ts'

const HOOK = '/o/r/hook/webhook'
const AUTH = `X-Platform-Authorization: ${TOKEN}\r\n`

/** The rest of 16 KB after the test's other headers; separators do not count. */
const COUNTED = 16 * 1024 - 1 - 'HosthConnectionclose'.length - AUTH.length + ': \r\n'.length

describe('the server on Node', () => {
  let github: GitHub
  let relay: RelayUnderTest
  beforeAll(async () => {
    github = await startGitHub()
    relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
  })
  afterAll(async () => {
    await relay.close()
    await github.close()
  })

  const answerTo = async (bytes: string) => parseAnswer(await sendBytes(relay.url, bytes))

  test.each([
    [
      'Content-Length and Transfer-Encoding',
      'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
      '0\r\n\r\n',
    ],
    ['two Content-Lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n', 'abcd'],
    ['a list of Content-Lengths', 'Content-Length: 3, 3\r\n', 'abc'],
    ['a negative Content-Length', 'Content-Length: -1\r\n', ''],
    ['an unknown Transfer-Encoding', 'Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'],
    ['chunked that is not last', 'Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'],
    ['a space before the colon', 'Content-Length : 3\r\n', 'abc'],
    ['a folded header', 'X-A: b\r\n c\r\n', ''],
    ['a bare line feed', 'X-A: b\nX-B: c\r\n', ''],
    ['a bare carriage return', 'X-A: b\rX-B: c\r\n', ''],
    ['a NUL in a header', 'X-A: b\0\r\n', ''],
    ['a signed Content-Length', 'Content-Length: +3\r\n', 'abc'],
    ['a hexadecimal Content-Length', 'Content-Length: 0x3\r\n', 'abc'],
    ['an empty Content-Length', 'Content-Length: \r\n', 'abc'],
    ['chunked beside another coding', 'Transfer-Encoding: chunked, chunked\r\nX: y\r\n', '0'],
    ['a tab before chunked', 'Transfer-Encoding: \x0bchunked\r\n', '0\r\n\r\n'],
    [
      'two Transfer-Encodings',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
      '0\r\n\r\n',
    ],
    ['an overlong chunk', 'Transfer-Encoding: chunked\r\n', '2\r\nabc\r\n0\r\n\r\n'],
    ['a chunk that ends in a bare line feed', 'Transfer-Encoding: chunked\r\n', '3\nabc\n0\n\n'],
    ['a negative chunk size', 'Transfer-Encoding: chunked\r\n', '-1\r\nabc\r\n0\r\n\r\n'],
    [
      'a chunk size beyond 64 bits',
      'Transfer-Encoding: chunked\r\n',
      '10000000000000003\r\nabc\r\n0\r\n\r\n',
    ],
    ['a header without a name', ': x\r\n', ''],
    ['a header without a colon', 'X-A\r\n', ''],
    ['a broken chunk size', 'Transfer-Encoding: chunked\r\n', 'zz\r\nabc\r\n0\r\n\r\n'],
  ])('%s: 400, nothing dispatched', async (_, headers, body) => {
    const before = github.calls.length
    const answer = await answerTo(
      `POST ${HOOK} HTTP/1.1\r\nHost: h\r\n${AUTH}${headers}\r\n${body}`,
    )
    expect(answer.status).toBe(400)
    expect(github.calls.length).toBe(before)
  })

  test.each([
    ['no Host', ''],
    ['two of them', 'Host: h\r\nhost: g\r\n'],
  ])('%s: 400, and nothing is dispatched', async (_, hosts) => {
    const before = github.calls.length
    const text = `GET ${HOOK} HTTP/1.1\r\n${hosts}${AUTH}Connection: close\r\n\r\n`
    expect((await answerTo(text)).status).toBe(400)
    expect(github.calls.length).toBe(before)
  })

  test('a foreign host in the target is ignored', async () => {
    const target = `http://169.254.169.254${HOOK}`
    expect((await send(relay.url, withToken({ target }))).status).toBe(200)
    expect(github.calls.at(-1)?.url).toBe('/repos/o/r/dispatches')
  })

  test('bytes after a request are another request', async () => {
    const one = `GET ${HOOK}?n=1 HTTP/1.1\r\nHost: h\r\n${AUTH}\r\n`
    const two = `GET ${HOOK}?n=2 HTTP/1.1\r\nHost: h\r\n${AUTH}Connection: close\r\n\r\n`
    const before = github.calls.length
    const text = (await sendBytes(relay.url, one + two)).toString()
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    expect(github.calls.length).toBe(before + 2)
  })

  test.each([
    ['a header block of more than 16 KB', HOOK, `X-A: ${'a'.repeat(16_400)}\r\n`, 431],
    ['a URL of more than 16 KB', `${HOOK}?${'a'.repeat(16_400)}`, '', 431],
    ['a header block of nearly 16 KB', HOOK, `X-A: ${'a'.repeat(15_500)}\r\n`, 200],
    ['a URL of nearly 16 KB', `${HOOK}?${'a'.repeat(15_500)}`, '', 200],
    ['a URL of which 16 KB are one byte too many', HOOK.padEnd(COUNTED + 1, 'x'), '', 431],
    ['a URL that leaves 16 KB unexceeded', HOOK.padEnd(COUNTED, 'x'), '', 200],
  ])('%s', async (_, target, headers, status) => {
    const answer = await answerTo(
      `GET ${target} HTTP/1.1\r\nHost: h\r\n${AUTH}${headers}Connection: close\r\n\r\n`,
    )
    expect(answer.status).toBe(status)
  })

  test.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['an overlong header', `GET / HTTP/1.1\r\nHost: h\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n', 405],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: h\r\nExpect: x\r\nConnection: close\r\n\r\n', 200],
  ])('the security headers are set for %s', async (_, bytes, status) => {
    const { headers, status: answered } = await answerTo(bytes)
    expect(answered).toBe(status)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-hookline-delivery': expect.any(String),
    })
  })
})

testSlowClients({
  slow: 500,
  limits: { headersTimeout: 2000, requestTimeout: 4000 },
  longest: { head: 9000, body: 11_000 },
})

describe('a body that comes late', () => {
  const HEAD = `POST ${HOOK} HTTP/1.1\r\nHost: h\r\n${AUTH}Connection: close\r\nContent-Length: 4\r\n\r\n`
  const limits = { requestTimeout: 2000, headersTimeout: 2000, connectionsCheckingInterval: 50 }
  let github: GitHub
  let server: RunningServer
  beforeAll(async () => {
    github = await startGitHub()
    const env = { HOOKLINE_API_URL: github.url }
    server = await startRelay({ host: '127.0.0.1', port: 0, env, write: () => {}, limits })
  })
  afterAll(async () => {
    await server.close()
    await github.close()
  })

  test('is read, when it was the server that had no time', async () => {
    const socket = open(server.url)
    const answer = received(socket)
    await once(socket, 'connect')
    socket.write(HEAD)
    await sleep(100)
    // The next line blocks the process for the time of a check for slow clients, before any data is
    // read.
    await new Promise((resolve) => setImmediate(resolve))
    socket.write('late')
    for (const end = Date.now() + 2500; Date.now() < end; );
    expect(parseAnswer(await answer).status).toBe(200)
    expect(github.calls).toHaveLength(1)
    github.reset()
  })

  test('is not dispatched once the client was told 408', async () => {
    const socket = open(server.url)
    const answer = received(socket)
    socket.write(`${HEAD}la`)
    await once(socket, 'data')
    socket.write('te')
    expect(parseAnswer(await answer).status).toBe(408)
    await sleep(100)
    expect(github.calls).toEqual([])
  })
})

describe('requests one behind the other on a connection', () => {
  const request = (n: number) => `GET ${HOOK}?n=${n} HTTP/1.1\r\nHost: h\r\n${AUTH}\r\n`

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['CONNECT', 'CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n'],
  ])('%s behind a request does not answer it', async (_, bytes) => {
    const { github, relay } = await slowly(200)
    const text = (await sendBytes(relay.url, request(1) + request(2) + bytes)).toString()
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
    expect(github.calls).toHaveLength(2)
    await relay.close()
    await github.close()
  })

  test('a client that leaves with several in the works does not keep the server from stopping', async () => {
    const { github, relay } = await slowly(200)
    const socket = open(relay.url)
    socket.write(request(1) + request(2) + request(3))
    await until(() => github.calls.length === 3)
    socket.resetAndDestroy()
    await expect(soon(relay.close())).resolves.toBe('stopped')
    await github.close()
  })
})

describe('a client that does not hang up after a refusal', () => {
  const CONNECT = 'CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n'

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['CONNECT', CONNECT],
  ])('%s: is cut off', async (_, bytes) => {
    const { github, relay } = await slowly(0)
    const { hostname, port } = new URL(relay.url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).resume()
    socket.write(bytes)
    await once(socket, 'end')
    const errors: unknown[] = []
    socket.on('error', (error) => errors.push(error))
    await until(() => {
      if (errors.length === 0) socket.write('x')
      return errors.length > 0
    })
    expect(errors).toHaveLength(1)
    await expect(soon(relay.close())).resolves.toBe('stopped')
    await github.close()
  })

  test('CONNECT and a reset are no fault of the server', async () => {
    const { github, relay } = await slowly(0)
    for (let n = 0; n < 50; n++) {
      const socket = open(relay.url)
      await once(socket, 'connect')
      socket.write(CONNECT, () => socket.resetAndDestroy())
    }
    expect((await send(relay.url, withToken({ target: HOOK }))).status).toBe(200)
    await relay.close()
    await github.close()
  })
})

/** A relay whose GitHub takes this many milliseconds. */
async function slowly(milliseconds: number) {
  const github = await startGitHub()
  const relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
  github.always((_, response) => {
    setTimeout(() => response.writeHead(204).end(), milliseconds)
    return undefined
  })
  return { github, relay }
}

/** Lets the stand-in for GitHub respond only when the test says so, and then to later calls immediately. */
function holdCalls(github: GitHub) {
  const calls: ServerResponse[] = []
  github.always((_, response) => {
    calls.push(response)
    return undefined
  })
  const release = () => {
    github.always({ status: 204 })
    for (const response of calls) response.writeHead(204).end()
  }
  return { release }
}

/** A stop that may take 9 s ends sooner if there are no open requests. */
async function soon(stopping: Promise<void>): Promise<string> {
  const late = sleep(5000, 'late', { ref: false })
  return Promise.race([stopping.then(() => 'stopped'), late])
}

describe('stopping', () => {
  test('finishes what was accepted, and takes nothing more', async () => {
    const github = await startGitHub()
    const relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
    const held = holdCalls(github)
    const silent = open(relay.url)
    const half = open(relay.url)
    half.write(
      requestBytes(withToken({ method: 'POST', target: HOOK, body: 'x'.repeat(10) })).subarray(
        0,
        -3,
      ),
    )
    const underway = Array.from({ length: 20 }, (_, n) => {
      return send(relay.url, withToken({ target: `${HOOK}?n=${n}` }))
    })
    await until(() => github.calls.length === 20)
    const stopped = relay.close()
    held.release()
    half.write('xxx')
    const answers = await Promise.all(underway)
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(parseAnswer(await received(half)).status).toBe(200)
    await stopped
    expect(github.calls).toHaveLength(21)
    expect(await sendBytes(relay.url, 'GET / HTTP/1.1\r\n\r\n')).toHaveLength(0)
    silent.destroy()
    await github.close()
  })

  test('tells a client that keeps its connection that this was the last answer', async () => {
    const github = await startGitHub()
    const relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
    const held = holdCalls(github)
    const socket = open(relay.url)
    socket.write(`GET ${HOOK} HTTP/1.1\r\nHost: h\r\n${AUTH}\r\n`)
    await until(() => github.calls.length === 1)
    const stopped = relay.close()
    held.release()
    const answer = parseAnswer(await received(socket))
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
    await stopped
    await github.close()
  })
})

test('a relay that is stopped leaves no timer for which its process would wait', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const relays = 20
  for (let n = 0; n < relays; n++) await (await startOnNode({ env: {} })).close()
  // A few timers of other tests may end meanwhile.
  expect(timers() - before).toBeLessThan(relays / 2)
})

test('a request that never ends does not delay a stop by more than 10 s', async () => {
  const github = await startGitHub()
  const relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
  github.always(() => undefined)
  const unanswered = send(relay.url, withToken({ target: HOOK }))
  const unfinished = open(relay.url)
  unfinished.write(`POST ${HOOK} HTTP/1.1\r\nHost: h\r\n${AUTH}Content-Length: 10\r\n\r\nabc`)
  await until(() => github.calls.length === 1)
  const before = Date.now()
  await relay.close()
  // The limit is 9 s; the request itself would be ended after 15 s.
  expect(Date.now() - before).toBeLessThan(14_000)
  expect((await unanswered).status).toBe(504)
  await github.close()
})
