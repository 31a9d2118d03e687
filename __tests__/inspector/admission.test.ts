import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Dev, post, startDev } from '../support/dev.ts'
import { ask, run } from '../support/inspector.ts'

let dev: Dev

beforeAll(async () => {
  dev = await startDev({
    files: {
      'workflows/hook.yml': 'on: webhook',
      'workflows/board.yml':
        'on: { trello: { verify: { secret: a-secret, url: not-an-address } } }',
    },
  })
  await post(dev.hook('hook/webhook'), { private: 'text' })
})
afterAll(() => dev.stop())

const ADDRESSES = [
  '/',
  '/inspector/main.js',
  '/inspector/run',
  '/inspector/events',
  '/inspector/requests/1',
  '/inspector/search?q=private',
  '/inspector/fixtures/github.push',
  '/inspector/replay',
] as const

describe('the inspector is closed to', () => {
  const strangers = [
    ['a name that points here', { Host: 'evil.example:3000' }],
    ['a name that begins like ours', { Host: 'localhost.evil.example' }],
    ['a request without a Host', { Host: '' }],
    ['a page of another site', { Origin: 'http://evil.example' }],
    ['a page of another port', { Origin: 'http://localhost:1' }],
    ['a sandboxed document, as a custom response is', { Origin: 'null' }],
    ['what a browser says another site asked for', { 'Sec-Fetch-Site': 'cross-site' }],
    ['what a browser says another port asked for', { 'Sec-Fetch-Site': 'same-site' }],
    ['what came through a tunnel', { 'X-Forwarded-For': '203.0.113.9' }],
    ['what came through a proxy', { Forwarded: 'for=203.0.113.9' }],
  ] as const

  test.each(strangers)('%s', async (_, headers) => {
    for (const path of ADDRESSES) {
      const method = path === '/inspector/replay' ? 'POST' : 'GET'
      const { status, body } = await ask(dev.url, path, { method, headers })
      expect([path, status]).toEqual([path, 403])
      expect(body).not.toMatch(/private|<html|import/)
    }
  })

  test('a page that was opened from elsewhere is shown', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
    expect((await ask(dev.url, '/', { headers })).status).toBe(200)
  })

  test('a webhook is still taken from anywhere that reaches it', async () => {
    const headers = { Host: 'hooks.example', 'X-Forwarded-For': '203.0.113.9' }
    expect((await ask(dev.url, '/webhook/hook/webhook', { headers })).status).toBe(200)
  })
})

describe('a replay', () => {
  const order = {
    of: null,
    sign: false,
    method: 'POST',
    path: 'hook/webhook',
    headers: {},
    body: '',
    encoding: 'text',
  }
  const body = JSON.stringify(order)

  test.each([
    ['without the key', {}],
    ['with another key', { 'X-Hookline-Dev-Key': crypto.randomUUID() }],
    ['with an empty key', { 'X-Hookline-Dev-Key': '' }],
  ])('%s is refused', async (_, headers) => {
    const answer = await ask(dev.url, '/inspector/replay', { method: 'POST', headers, body })
    expect(answer.status).toBe(403)
  })

  test('with the key of the run is made', async () => {
    const headers = { 'X-Hookline-Dev-Key': (await run(dev.url)).key }
    const answer = await ask(dev.url, '/inspector/replay', { method: 'POST', headers, body })
    expect(JSON.parse(answer.body)).toMatchObject({ status: 200 })
  })

  test.each(['', 'no JSON', '{}', '[]', JSON.stringify({ ...order, method: 'A B' })])(
    'of %j is refused',
    async (wrong) => {
      const headers = { 'X-Hookline-Dev-Key': (await run(dev.url)).key }
      const options = { method: 'POST', headers, body: wrong }
      expect((await ask(dev.url, '/inspector/replay', options)).status).toBe(400)
    },
  )

  test('that is signed with an address that is none is refused, with the reason', async () => {
    const headers = { 'X-Hookline-Dev-Key': (await run(dev.url)).key }
    const signed = JSON.stringify({ ...order, path: 'board/trello', sign: true })
    const answer = await ask(dev.url, '/inspector/replay', {
      method: 'POST',
      headers,
      body: signed,
    })
    expect(answer).toMatchObject({ status: 422, body: expect.stringContaining('not an address') })
    expect(answer.body).not.toContain('not-an-address')
  })

  test('of more than 2 MB is refused, with the reason', async () => {
    const headers = { 'X-Hookline-Dev-Key': (await run(dev.url)).key }
    const large = JSON.stringify({ ...order, body: 'x'.repeat(3_000_000) })
    const answer = await ask(dev.url, '/inspector/replay', { method: 'POST', headers, body: large })
    expect(answer).toMatchObject({ status: 413, body: 'the request is larger than 2 MB\n' })
    expect(dev.command.stderr).toBe('')
  })

  test('no other page can read the key', async () => {
    const { headers } = await ask(dev.url, '/inspector/run')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    })
    const preflight = { Origin: 'http://evil.example', 'Access-Control-Request-Method': 'POST' }
    const options = { method: 'OPTIONS', headers: preflight }
    expect((await ask(dev.url, '/inspector/run', options)).status).toBe(403)
  })
})

test('every answer has a strict policy', async () => {
  for (const path of [...ADDRESSES.slice(0, 3), '/inspector/nothing']) {
    const { headers } = await ask(dev.url, path)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    )
  }
})

test.each(['/inspector/nothing', '/inspector/../package.json', '/inspector/requests/99'])(
  '%s is not there',
  async (path) => {
    expect((await ask(dev.url, path)).status).toBe(404)
  },
)

test('the page weighs less than 80 KB, all of its files together', async () => {
  const page = await ask(dev.url, '/')
  const names = [...page.body.matchAll(/(?:src|href)="(\/inspector\/[^"]+)"/g)].map(
    ([, name]) => name,
  )
  const seen = new Map([['/', page.body]])
  for (const name of names) await load(name ?? '')
  async function load(name: string): Promise<void> {
    if (seen.has(name)) return
    const { status, body } = await ask(dev.url, name)
    expect([name, status]).toEqual([name, 200])
    seen.set(name, body)
    // One script: a browser asks for nothing more.
    if (name.endsWith('.js')) expect(/\bimport[ {*("']|\}from["']/.test(body)).toBe(false)
  }
  expect([...seen.keys()]).toContain('/inspector/main.js')
  expect([...seen.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(
    80_000,
  )
})

test('on a server that is open to others, only this machine sees it', async () => {
  const key = 'a-key-of-more-than-twenty-characters'
  const files = { 'workflows/hook.yml': 'on: webhook' }
  const open = await startDev({
    files,
    args: ['--host', '0.0.0.0'],
    env: { HOOKLINE_ACCESS_KEYS: key },
  })
  const local = open.url.replace('0.0.0.0', '127.0.0.1')
  expect((await ask(local, '/')).status).toBe(200)
  expect((await ask(local, '/', { headers: { Host: '192.0.2.7:3000' } })).status).toBe(403)
  await open.stop()
})
