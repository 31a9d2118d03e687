import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { bound, receive, type Sent } from '../../support/receive.ts'

let folder: string
let server: Server
let url: string
const received: Sent[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-send-'))
  server = createServer(async (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    received.push({ headers, body: await buffer(request), receivedAt: new Date() })
    response.end('{"success":true}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/hook/webhook`
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

async function send(...args: readonly string[]) {
  const { exitCode, stderr } = await runShared(['send', url, ...args])
  return { code: exitCode, errors: stderr }
}

test('--key creates a key pair once, prints its public key, and signs with it from then on', async () => {
  const file = join(folder, 'discord.pem')
  const first = await send('--sender', 'discord', '--private-key', file)
  const [, secret = ''] = /DISCORD_PUBLIC_KEY=([0-9a-f]{64})$/m.exec(first.errors) ?? []
  const second = await send('--sender', 'discord', '--private-key', file)
  expect([first.code, second.code, second.errors]).toEqual([0, 0, ''])
  const trigger = bound('webhook', { verify: { scheme: 'discord', secret } })
  for (const sent of received) expect((await receive(trigger, sent)).items).toHaveLength(1)
  expect(received.splice(0)).toHaveLength(2)
})

test('an event of aws-sns is sent unsigned, with a warning', async () => {
  const { code, errors } = await send('--sender', 'aws-sns')
  expect([code, errors]).toEqual([0, expect.stringContaining('Amazon')])
  expect(received.splice(0)).toHaveLength(1)
})

test.each([
  ['without a key', ['--sender', 'plaid'], '--private-key plaid.pem'],
  [
    'with one where there are no pairs',
    ['--sender', 'stripe', '--private-key', 'x'],
    'HOOKLINE_WEBHOOK_SECRET',
  ],
  [
    'with one that cannot be made',
    ['--sender', 'discord', '--private-key', '/no/folder/x'],
    '/no/folder/x',
  ],
])('%s nothing is sent', async (_, args, hint) => {
  const { code, errors } = await send(...args)
  expect([code === 0, errors]).toEqual([false, expect.stringContaining(hint)])
  expect(received).toEqual([])
})
