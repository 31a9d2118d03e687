import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { runInShared } from '../../support/action.ts'
import { POLL } from '../../support/bot-run.ts'
import { textMessage } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

let telegram: TelegramStandIn
let proxy: Server
let tunnels: string[]

beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
  telegram.push('message', textMessage('hi'))
  tunnels = []
  proxy = createServer()
  proxy.on('connect', (request, client) => {
    tunnels.push(request.url ?? '')
    const { port } = new URL(telegram.url)
    const server = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      server.pipe(client).pipe(server)
    })
    server.on('error', () => client.destroy())
    client.on('error', () => server.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  await telegram.stop()
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
})

/** A poll; without an address, of a server that can only be reached through the proxy. */
function poll(
  variables: (proxy: string) => Record<string, string>,
  api = 'http://bots.invalid:8081',
) {
  const { port } = proxy.address() as AddressInfo // a listening TCP server has one
  const inputs = {
    on: POLL,
    secrets: JSON.stringify({ BOT: BOT_TOKEN }),
    'telegram-api-url': api,
  }
  const env = variables(`http://user:hunter2@127.0.0.1:${port}`)
  return runInShared({ event: 'schedule', payload: {}, inputs, env, calling: 'bot' })
}

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('%s is used', async (name) => {
  const run = await poll((url) => ({ [name]: url }))
  expect(run).toMatchObject({ exitCode: 0, outputs: { count: '1' } })
  expect(tunnels).toEqual(['bots.invalid:8081'])
})

test('NO_PROXY keeps a host out of it', async () => {
  const run = await poll((url) => ({ HTTP_PROXY: url, NO_PROXY: '127.0.0.1' }), telegram.url)
  expect(run).toMatchObject({ exitCode: 0, outputs: { count: '1' } })
  expect(tunnels).toEqual([])
})

test.each(['http://user:hunter2@127.0.0.1:1', 'http://user:hunter2@', 'hunter2'])(
  'a proxy that is not there (%s) is an error without its password',
  async (address) => {
    const run = await poll(() => ({ HTTP_PROXY: address }))
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('the bot API failed')
    expect(run.stdout + run.stderr + run.summary).not.toContain('hunter2')
  },
)
