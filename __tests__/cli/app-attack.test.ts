import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { compiledSources } from '../support/build.ts'
import { startCommand } from '../support/command.ts'
import { sendBytes } from '../support/raw-http.ts'

type Started = Awaited<ReturnType<typeof startCommand>>

let child: Started
let page: string

beforeAll(async () => {
  await compiledSources()
  child = await startCommand('app', {
    arguments: ['create', '--relay', 'https://hooks.example.com'],
    env: { CI: 'true' },
  })
  page = await new Promise<string>((resolve) => {
    let told = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? []
      if (address) resolve(address)
    })
  })
})

afterAll(async () => {
  child.kill()
  await once(child, 'close')
})

const STATE = 43

/** All of it in the reach of any page of the browser that guesses the port. */
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
])('the page for an App outlives a request with %s', async (_, target) => {
  const { host } = new URL(page)
  const bytes = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const [line] = String(await sendBytes(page, bytes)).split('\r\n')
  expect(line).toMatch(/^HTTP\/1\.1 4\d\d /)
  const answer = await fetch(`${page}/`)
  expect(answer.status).toBe(200)
  expect(child.exitCode).toBeNull()
})
