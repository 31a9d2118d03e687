import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Dev, post, startDev } from '../support/dev.ts'
import { ask, cookieFor } from '../support/inspector.ts'

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
  '/inspector/',
  '/inspector/main.js',
  '/inspector/run',
  '/inspector/events',
  '/inspector/requests/1',
  '/inspector/search?q=private',
  '/inspector/search?q=a',
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
    expect((await ask(dev.url, '/inspector/', { headers })).status).toBe(200)
  })

  test('a webhook is still taken from anywhere that reaches it', async () => {
    const headers = { Host: 'hooks.example', 'X-Forwarded-For': '203.0.113.9' }
    expect((await ask(dev.url, '/webhook/hook/webhook', { headers })).status).toBe(200)
  })
})

describe('the key of the run', () => {
  const name = () => cookieFor(dev.url).split('=')[0] ?? ''
  const key = () => new URL(dev.inspector).searchParams.get('key') ?? ''

  test('has 128 bits, and is in the printed address alone', () => {
    expect(key()).toMatch(/^[\w-]{22}$/)
    expect(dev.command.stdout.split(key())).toHaveLength(2)
    expect(dev.command.process.spawnargs.join(' ')).not.toContain(key())
  })

  test.each([
    ['no cookie', () => ''],
    ['an empty cookie', () => `${name()}=`],
    ['a key of another run', () => `${name()}=${'A'.repeat(22)}`],
    ['the cookie of another port', () => `hookline-dev-1=${key()}`],
    ['a longer key', () => `${cookieFor(dev.url)}a`],
  ])('with %s, every address is refused', async (_, cookie) => {
    for (const path of ADDRESSES) {
      const method = path === '/inspector/replay' ? 'POST' : 'GET'
      const { status, body } = await ask(dev.url, path, { method, headers: { Cookie: cookie() } })
      expect([path, status]).toEqual([path, 403])
      expect(body).toContain('open the address that hookline dev printed')
    }
  })

  test('is exchanged for a cookie that scripts, other sites and webhooks do not get', async () => {
    const { pathname, search } = new URL(dev.inspector)
    const { status, headers, body } = await ask(dev.url, pathname + search, {
      headers: { Cookie: '' },
    })
    expect(status).toBe(200)
    expect(headers['set-cookie']).toBe(
      `${name()}=${key()}; Path=/inspector/; HttpOnly; SameSite=Strict`,
    )
    expect(body).toContain('content="0; url=/inspector/"')
    expect(body).toContain('<link rel="icon" href="/inspector/icon.svg">')
    expect(body).not.toContain(key())
  })

  test.each(['', 'a', '%00', 'A'.repeat(22)])('is not %j', async (wrong) => {
    const options = { headers: { Cookie: '' } }
    const { status, headers } = await ask(dev.url, `/inspector/?key=${wrong}`, options)
    expect([status, headers['set-cookie']]).toEqual([403, undefined])
  })

  test('is not needed for a webhook, nor for the redirect from the root', async () => {
    const options = { headers: { Cookie: '' } }
    expect((await ask(dev.url, '/webhook/hook/webhook', options)).status).toBe(200)
    const { status, headers } = await ask(dev.url, '/', options)
    expect([status, headers.location]).toEqual([303, '/inspector/'])
  })

  test('is not printed with --json', async () => {
    const json = await startDev({
      files: { 'workflows/hook.yml': 'on: webhook' },
      args: ['--json'],
    })
    await post(json.hook('hook/webhook'), {})
    await json.command.printed(/"triggered":true/)
    expect(json.command.stdout + json.command.stderr).not.toMatch(/inspector|key=/)
    await json.stop()
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

  const headers = { 'Content-Type': 'application/json' }

  test('with the cookie of the run is sent', async () => {
    const answer = await ask(dev.url, '/inspector/replay', { method: 'POST', headers, body })
    expect(JSON.parse(answer.body)).toMatchObject({ status: 200 })
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded'])(
    'of the type %s, which a form of another page can send, is refused',
    async (type) => {
      const options = { method: 'POST', headers: { 'Content-Type': type }, body }
      expect((await ask(dev.url, '/inspector/replay', options)).status).toBe(415)
    },
  )

  test.each(['', 'no JSON', '{}', '[]', JSON.stringify({ ...order, method: 'A B' })])(
    'of %j is refused',
    async (wrong) => {
      const options = { method: 'POST', headers, body: wrong }
      expect((await ask(dev.url, '/inspector/replay', options)).status).toBe(400)
    },
  )

  test('that is signed with an address that is none is refused, with the reason', async () => {
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
    const large = JSON.stringify({ ...order, body: 'x'.repeat(3_000_000) })
    const answer = await ask(dev.url, '/inspector/replay', { method: 'POST', headers, body: large })
    expect(answer).toMatchObject({ status: 413, body: 'the request is larger than 2 MB\n' })
    expect(dev.command.stderr).toBe('')
  })

  test('no other page can read the run', async () => {
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

test('the page weighs less than 100 KB, all of its files together', async () => {
  const page = await ask(dev.url, '/inspector/')
  const names = [...page.body.matchAll(/(?:src|href)="(\/inspector\/[^"]+)"/g)].map(
    ([, name]) => name,
  )
  const seen = new Map([['/inspector/', page.body]])
  for (const name of names) await load(name ?? '')
  async function load(name: string): Promise<void> {
    if (seen.has(name)) return
    const { status, body } = await ask(dev.url, name)
    expect([name, status]).toEqual([name, 200])
    seen.set(name, body)
    // One script, so that a browser requests no others.
    if (name.endsWith('.js')) expect(/\bimport[ {*("']|\}from["']/.test(body)).toBe(false)
  }
  expect([...seen.keys()]).toContain('/inspector/main.js')
  expect([...seen.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(
    100_000,
  )
})

test('on a server that is open to others, only this machine sees it', async () => {
  const key = 'a-key-of-more-than-twenty-characters'
  const files = { 'workflows/hook.yml': 'on: webhook' }
  const open = await startDev({
    files,
    args: ['--host', '0.0.0.0'],
    env: { HOOKLINE_DEV_KEY: key },
  })
  const local = open.url.replace('0.0.0.0', '127.0.0.1')
  expect((await ask(local, '/inspector/')).status).toBe(200)
  expect((await ask(local, '/inspector/', { headers: { Host: '192.0.2.7:3000' } })).status).toBe(
    403,
  )
  await open.stop()
})
