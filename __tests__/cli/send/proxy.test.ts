import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'

let relay: Server
let proxy: Server
let tunnels: string[]

beforeEach(async () => {
  tunnels = []
  relay = createServer((_, response) => response.end('{"success":true}'))
  proxy = createServer()
  proxy.on('connect', (request, client) => {
    tunnels.push(request.url ?? '')
    const server = connect(portOf(relay), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      server.pipe(client).pipe(server)
    })
    server.on('error', () => client.destroy())
    client.on('error', () => server.destroy())
  })
  for (const server of [relay, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening')
})

afterEach(async () => {
  for (const server of [relay, proxy]) {
    server.closeAllConnections()
    server.close()
  }
})

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port // a listening TCP server has one
}

async function send(url: string, env: Record<string, string>) {
  const { exitCode, stderr } = await runShared(['send', url], { env })
  return { code: exitCode, errors: stderr }
}

/** A host that can only be reached through the proxy. */
const ELSEWHERE = 'http://relay.invalid:8081/webhook/hook/webhook'

test('send goes through the proxy of the environment', async () => {
  const env = { HTTP_PROXY: `http://user:hunter2@127.0.0.1:${portOf(proxy)}` }
  expect(await send(ELSEWHERE, env)).toEqual({ code: 0, errors: '' })
  expect(tunnels).toEqual(['relay.invalid:8081'])
})

test('to this machine it goes without the proxy', async () => {
  const env = { HTTP_PROXY: 'http://127.0.0.1:1', ALL_PROXY: 'http://127.0.0.1:1' }
  const url = `http://localhost:${portOf(relay)}/webhook/hook/webhook`
  expect(await send(url, env)).toEqual({ code: 0, errors: '' })
})

test.each([
  ['http://user:hunter2@127.0.0.1:1', /proxy 127\.0\.0\.1:1.*ECONNREFUSED/],
  ['http://user:hunter2@', /proxy/],
  ['hunter2', /proxy/],
])('the proxy %s is an error that does not show its password', async (address, words) => {
  const { code, errors } = await send(ELSEWHERE, { HTTP_PROXY: address })
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(words) })
  expect(errors).not.toContain('hunter2')
})

test('a proxy that answers 407 is an error of the proxy, not a response of the relay', async () => {
  const refusing = createServer()
  refusing.on('connect', (_, client) => client.end('HTTP/1.1 407 Who are you\r\n\r\n'))
  await once(refusing.listen(0, '127.0.0.1'), 'listening')
  const env = { HTTP_PROXY: `http://127.0.0.1:${portOf(refusing)}` }
  const { code, errors } = await send(ELSEWHERE, env)
  refusing.close()
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/407[\s\S]*NO_PROXY/) })
})

test('a response that switches the protocol is an error', async () => {
  relay.removeAllListeners('request').on('request', (_, { socket }) => {
    socket?.end('HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  })
  const { code, errors } = await send(`http://localhost:${portOf(relay)}/webhook/hook/webhook`, {})
  expect([code, errors]).toEqual([1, expect.stringContaining('no connection')])
})
