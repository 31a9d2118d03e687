import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RunningCommand } from '../support/cli.ts'
import { sendBytes } from '../support/raw-http.ts'

let command: RunningCommand
let page: string

beforeAll(async () => {
  const args = ['app', 'create', '--relay', 'https://hooks.example.com']
  command = new RunningCommand(args, { env: { CI: 'true' } })
  page = (await command.told(/http:\/\/127\.0\.0\.1:\d+/))[0]
})
afterAll(() => command.stop())

const STATE = 43

/** Any page in the browser that guesses the port can send these requests. */
test.each([
  ['no address at all', '//'],
  ['a port that is none', '//x:99999/'],
  ['an address within the address', 'http://['],
  ['another host', '@evil.example/'],
  ['a port of its own', '0/created'],
  ['a state of letters that are two bytes', `/created?code=a&state=${'%C3%A9'.repeat(STATE)}`],
  ['no state', '/created?code=a'],
  ['another state', `/created?code=a&state=${'a'.repeat(STATE)}`],
  ['a code that is a path', '/created?code=..%2F..%2Fuser&state=x'],
])('the page for an App answers 4xx to a request with %s, and goes on', async (_, target) => {
  const { host } = new URL(page)
  const bytes = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const [line] = String(await sendBytes(page, bytes)).split('\r\n')
  expect(line).toMatch(/^HTTP\/1\.1 4\d\d /)
  const answer = await fetch(`${page}/`)
  expect(answer.status).toBe(200)
  expect(command.process.exitCode).toBeNull()
})
