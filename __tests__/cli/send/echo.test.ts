import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'

/** A server that is no relay, and returns the received credentials. */

const TOKEN = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'
const GRANT = 'eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IngifQ.tuvNal8qgg1_q_Ubb16x'
const ADMIN_BEARER = 'hlk_0123456789012345678901234567'

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
      HOOKLINE_ADMIN_KEY: ADMIN_BEARER,
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
    const address = `${url}/octo/repo/hook/webhook?__token=${GRANT}`
    const { stdout, stderr } = await hookline('send', address, '--data', '{}', ...flags)
    expect(stdout).toContain('***')
    for (const secret of [TOKEN, GRANT]) expect(stdout + stderr).not.toContain(secret)
  }
})

test('outbox prints no key that the server returns', async () => {
  listener = ({ headers }, response) => {
    const error = { code: 'x', message: headers.authorization, hint: 'no' }
    response.writeHead(400).end(JSON.stringify({ error }))
  }
  const { exitCode, stderr } = await hookline('outbox', 'list', '--relay', url)
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('***')])
  expect(stderr).not.toContain(ADMIN_BEARER)
})

test('send reads no more than a megabyte of an answer', async () => {
  listener = (_, response) => void response.end('x'.repeat(8_000_000))
  const { stdout } = await hookline('send', url, '--data', '{}')
  expect(stdout.length).toBeGreaterThan(1_000_000)
  expect(stdout.length).toBeLessThan(1_100_000)
})
