import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { findRelay } from '../../src/cli/find-relay.ts'
import { newRelayKey, readRelayKeys } from '../../src/relay/store/relay-key.ts'
import { runShared } from '../support/cli.ts'
import { TOKEN } from '../support/scene.ts'

let server: Server
let port: number
let folder: string
let bearers: (string | undefined)[]
let isRefused: boolean
let isInvalid: boolean
const [OF_FOLDER, OF_VARIABLE] = [newRelayKey(), newRelayKey()]

beforeAll(async () => {
  server = createServer((request, response) => {
    bearers.push(request.headers.authorization)
    if (isRefused) {
      response.statusCode = 401
      response.end('{"error":{"code":"invalid_key","message":"wrong bearer","hint":"none"}}')
      return
    }
    if (isInvalid) {
      response.statusCode = 400
      response.end('{"error":{"code":"invalid_query","message":"wrong","hint":"name an outcome"}}')
      return
    }
    response.end('{"endpoints":[],"deliveries":[],"next":null}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  folder = mkdtempSync(join(tmpdir(), 'find-relay-'))
  writeFileSync(join(folder, 'relay.key'), `${OF_FOLDER.reveal()}\n`)
  writeFileSync(join(folder, 'relay.address'), `http://127.0.0.1:${port}\n`)
})
beforeEach(() => {
  bearers = []
  isRefused = false
  isInvalid = false
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

async function adminOf(key: typeof OF_FOLDER): Promise<string> {
  const [{ admin }] = await readRelayKeys(key, 'test')
  return `Bearer ${admin.reveal()}`
}

const list = (args: readonly string[], env: Record<string, string>) =>
  runShared(['endpoint', 'list', ...args], { env: { HOME: folder, ...env } })

test('without --relay, address and key are those of the data folder', async () => {
  expect(await list([], { HOOKLINE_DATA: folder })).toMatchObject({ exitCode: 0 })
  expect(await list(['--data', folder], {})).toMatchObject({ exitCode: 0 })
  const bearer = await adminOf(OF_FOLDER)
  expect(bearers).toEqual([bearer, bearer])
})

test('the key of the folder goes to its own address only', async () => {
  const data = { HOOKLINE_DATA: folder }
  for (const host of ['localhost', '127.0.0.1']) {
    expect(await list(['--relay', `${host}:${port}`], data)).toMatchObject({ exitCode: 0 })
  }
  const bearer = await adminOf(OF_FOLDER)
  expect(bearers).toEqual([bearer, bearer])
  // Another port of this machine may be a tunnel to another relay.
  const { stderr } = await list(['--relay', 'http://127.0.0.1:9'], data)
  expect(stderr).toContain('no key for the relay at 127.0.0.1:9')
})

test('a key that the relay does not accept names its cure: a restart after rotate-key, or the variable', async () => {
  isRefused = true
  const ofFolder = await list([], { HOOKLINE_DATA: folder })
  expect(ofFolder.stderr).toContain(`does not accept ${join(folder, 'relay.key')}`)
  expect(ofFolder.stderr).toContain('Restart the relay')
  const env = { HOOKLINE_RELAY_KEY: OF_VARIABLE.reveal() }
  const ofVariable = await list(['--relay', `http://127.0.0.1:${port}`], env)
  expect(ofVariable.stderr).toContain('Set HOOKLINE_RELAY_KEY')
  expect(ofVariable.stderr).not.toContain('Restart')
})

test('a query that the relay refuses is reported as the relay says, also outside of a clone', async () => {
  isInvalid = true
  const args = ['deliveries', '--outcome', 'nope']
  const { exitCode, stderr } = await runShared(args, { env: { HOOKLINE_DATA: folder } })
  expect([exitCode, stderr]).toEqual([1, 'error: wrong\n  = name an outcome\n'])
})

test('elsewhere, the key is HOOKLINE_RELAY_KEY, then HOOKLINE_GITHUB_TOKEN', async () => {
  const [relay, key] = [`http://127.0.0.1:${port}`, OF_VARIABLE.reveal()]
  const env = { HOOKLINE_RELAY_KEY: key, HOOKLINE_GITHUB_TOKEN: TOKEN }
  await list(['--relay', relay], env)
  await list(['--relay', relay], { HOOKLINE_GITHUB_TOKEN: TOKEN })
  // The output of hookline relay key is a key too.
  const bearer = await adminOf(OF_VARIABLE)
  await list(['--relay', relay], { HOOKLINE_RELAY_KEY: bearer.slice('Bearer '.length) })
  expect(bearers).toEqual([bearer, `Bearer ${TOKEN}`, bearer])
})

test.each([
  [['--relay', 'http://relay.example.com'], /neither an https address nor on this machine/],
  [['--relay', 'https://127.0.0.1:9'], /127\.0\.0\.1:9: /],
  [['--relay', 'nowhere'], /--relay is not the address of a relay/],
  [['--data', '/nowhere/at/all'], /HOOKLINE_DATA=<folder>/],
  [['--data', '/nowhere/at/all'], /found no relay on this machine: \/nowhere\/at\/all/],
] as const)('%j fails, and names the address that was tried', async (args, message) => {
  const { exitCode, stderr } = await list(args, { HOOKLINE_RELAY_KEY: OF_VARIABLE.reveal() })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)])
  expect(stderr).not.toContain(OF_VARIABLE.reveal())
})

test('no error shows a key that is none', async () => {
  const wrong = 'not-a-relay-key-but-perhaps-a-password'
  const found = findRelay({ relay: 'https://relay.example' }, { HOOKLINE_RELAY_KEY: wrong })
  const error: unknown = await found.catch((reason: unknown) => reason)
  expect(String(error)).toContain('HOOKLINE_RELAY_KEY is not a relay key')
  expect(String(error)).not.toContain(wrong)
})
