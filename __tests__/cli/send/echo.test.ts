import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { ADMIN_BEARER, RELAY_KEY } from '../../support/relay-keys.ts'

/** A server that is no relay, and returns the received credentials. */

const TOKEN = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'
const TOKEN_OF_URL = `github_pat_${'u'.repeat(40)}`

let server: Server
let url: string
let listener: RequestListener

beforeAll(async () => {
  server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const hookline = (...args: readonly string[]) =>
  runShared(args, {
    cwd: tmpdir(),
    env: {
      HOOKLINE_GITHUB_TOKEN: TOKEN,
      HOOKLINE_DEV_KEY: TOKEN,
      HOOKLINE_RELAY_KEY: RELAY_KEY,
    },
  })

test.each([
  ['as an error of a relay', 400, (told: string) => ({ error: { message: told, hint: told } })],
  ['as an answer of its own', 200, (told: string) => ({ told })],
])('send prints no credential that the server returns %s', async (_, status, answer) => {
  listener = ({ url: target, headers }, response) => {
    const told = `${target} ${Object.values(headers).join(' ')}`
    response.writeHead(status, { 'x-hookline-run': told }).end(JSON.stringify(answer(told)))
  }
  for (const flags of [[], ['--json']]) {
    const address = `${url}/octo/repo/hook/webhook?__token=${TOKEN_OF_URL}`
    const { stdout, stderr } = await hookline('send', address, '--data', '{}', ...flags)
    expect(stdout).toContain('***')
    for (const secret of [TOKEN, TOKEN_OF_URL]) expect(stdout + stderr).not.toContain(secret)
  }
})

test.each([
  ['deliveries', []],
  ['deliveries', ['show', '72d3162e-cc78-11e3-81ab-4c9367dc0958', '--repository', 'o/r']],
  ['endpoint', ['list']],
  ['endpoint', ['show', 'o/orders']],
] as const)('%s %j prints no key that the server returns', async (name, args) => {
  for (const status of [400, 200]) {
    listener = ({ headers: { authorization: told } }, response) => {
      const answer = { error: { code: 'x', message: told, hint: 'no' } }
      const entry = { id: told, name: told, owner: told, repository: told }
      const lists = { deliveries: [entry], endpoints: [entry], endpoint: entry, delivery: entry }
      response.writeHead(status).end(JSON.stringify(status === 400 ? answer : lists))
    }
    const { exitCode, stdout, stderr } = await hookline(name, ...args, '--relay', url)
    expect([exitCode, stdout + stderr]).toEqual([
      status === 400 ? 1 : 0,
      expect.stringContaining('***'),
    ])
    for (const secret of [ADMIN_BEARER, RELAY_KEY]) expect(stdout + stderr).not.toContain(secret)
  }
})

test('send reads no more than a megabyte of an answer', async () => {
  listener = (_, response) => void response.end('x'.repeat(8_000_000))
  const { stdout } = await hookline('send', url, '--data', '{}')
  expect(stdout.length).toBeGreaterThan(1_000_000)
  expect(stdout.length).toBeLessThan(1_100_000)
})
