import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { type CreatedApp, waitForApp } from '../../src/cli/app/create-page.ts'
import { UserError } from '../../src/wire/errors.ts'

const APP: CreatedApp = {
  ...{ id: '7', slug: 'a<b', key: 'pem', page: 'https://github.test/apps/hooks?a="' },
}

const FORM = new URL('https://github.test/settings/apps/new?a=1')

let printed: string[]
beforeEach(() => {
  printed = []
  jest.spyOn(process.stderr, 'write').mockImplementation((line) => {
    printed.push(String(line))
    return true
  })
})
afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

/** Waits for an App. `exchange` gets the code. */
async function begin(exchange: (code: string) => Promise<CreatedApp> = async () => APP) {
  const codes: string[] = []
  const redirects: string[] = []
  const created = waitForApp({
    form: FORM,
    manifestFor(redirect) {
      redirects.push(redirect)
      return { name: '<i>"&\'', url: 'u', default_permissions: { a: 'read', b: 'write' }, c: 1 }
    },
    exchange(code) {
      codes.push(code)
      return exchange(code)
    },
  })
  const ended = created.then(
    (app) => app,
    (error: unknown) => error,
  )
  const opened = () =>
    printed.flatMap((line) => {
      const [, address] =
        /^Open this page, and make the App on it: (http:\S+)\/\n$/.exec(line) ?? []
      return address ?? []
    })
  while (opened().length === 0) await new Promise(setImmediate)
  const [origin = ''] = opened()
  const ask = async (path: string, { method = 'GET', host = new URL(origin).host } = {}) => {
    const call = request(origin, { method, path, headers: { host } })
    call.end()
    const [response] = await once(call, 'response')
    return { status: response.statusCode, headers: response.headers, html: await text(response) }
  }
  const first = await ask('/')
  const [, state = ''] = /[?&]state=([\w-]{43})"/.exec(unescaped(first.html)) ?? []
  return { ask, codes, redirects, ended, first, state, origin }
}

const unescaped = (html: string) =>
  html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

/** The part of a page that differs between pages. */
const mainOf = (html: string) => /<main>(.*)<\/main>/s.exec(html)?.[1]

const page = (title: string, more = '') => `<h1>${title}</h1>${more}`

test('the first page shows what the App may do, and posts the manifest with a state', async () => {
  const { first, state, redirects, origin, ask, ended } = await begin()
  expect(redirects).toEqual([`${origin}/created`])
  const manifest =
    '{"name":"<i>\\"&\'","url":"u","default_permissions":{"a":"read","b":"write"},"c":1}'
  expect(first.html).not.toContain('<i>')
  expect(unescaped(mainOf(first.html) ?? '')).toBe(`<h1>A GitHub App for your relay</h1><dl>\
<dt>Name</dt><dd><i>"&'</dd><dt>Relay</dt><dd>u</dd><dt>May</dt><dd>a: read, b: write</dd></dl>
<form method="post" action="https://github.test/settings/apps/new?a=1&state=${state}">
<input type="hidden" name="manifest" value="${manifest}">
<button>Make it on GitHub</button>
</form>
<p>GitHub asks you before it makes the App, and lets you change its name. The App is private: only
repositories of its own account can install it. For those of other accounts, use <em>Make public</em>
in its settings.</p>`)
  const { date, 'transfer-encoding': _, 'content-length': length, ...headers } = first.headers
  expect({ status: first.status, headers }).toEqual({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${origin} https://github.test; frame-ancestors 'none'; base-uri 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      connection: 'close',
    },
  })
  await ask(`/created?code=a&state=${state}`)
  await ended
})

test('an App ends the wait, and its page names where to install it', async () => {
  const { ask, state, codes, ended } = await begin()
  const code = `${'a-_Z9'.repeat(40)}`
  const { status, html } = await ask(`/created?code=${code}&state=${state}`)
  expect([status, mainOf(html), codes]).toEqual([
    200,
    page(
      'a&#60;b is made',
      `<p>Now <a href="https://github.test/apps/hooks?a=&#34;/installations/new">install it</a> on the repositories whose workflows the relay is to
start. You can close this page.</p>`,
    ),
    [code],
  ])
  expect(await ended).toBe(APP)
})

test('other requests are refused, and the wait goes on', async () => {
  let finish = (_: CreatedApp) => {}
  const { ask, state, codes, ended, origin } = await begin(
    () =>
      new Promise((resolve) => {
        finish = resolve
      }),
  )
  const answered = async (path: string, options?: Parameters<typeof ask>[1]) => {
    const { status, html } = await ask(path, options)
    return [status, mainOf(html)]
  }
  const notFound = [404, page('Page not found')]
  const notAwaited = [400, page('This is not the answer that was waited for')]
  const { port } = new URL(origin)
  expect(await answered('/other')).toEqual(notFound)
  expect(await answered('http://x/')).toEqual(notFound)
  expect(await answered('/', { host: `localhost:${port}` })).toEqual([403, page('Wrong host')])
  expect(await answered('/', { method: 'POST' })).toEqual([405, page('Method not allowed')])
  const other = `${state[0] === 'a' ? 'b' : 'a'}${state.slice(1)}`
  for (const query of [
    `code=a&state=${other}`,
    `code=a&state=${state}a`,
    'code=a',
    `state=${state}`,
    `code=&state=${state}`,
    `code=${'a'.repeat(201)}&state=${state}`,
    `code=a/b&state=${state}`,
    `code=a%0A&state=${state}`,
  ]) {
    expect(await answered(`/created?${query}`)).toEqual(notAwaited)
  }
  expect(codes).toEqual([])
  // A code is exchanged once.
  const created = answered(`/created?code=a&state=${state}`)
  while (codes.length === 0) await new Promise(setImmediate)
  expect(await answered(`/created?code=b&state=${state}`)).toEqual(notAwaited)
  finish(APP)
  expect(await created).toEqual([200, expect.stringContaining('is made')])
  expect([await ended, codes]).toEqual([APP, ['a']])
})

test('a failed exchange ends the wait, and its page says so', async () => {
  const failure = new UserError({ message: 'GitHub returned no App' })
  const { ask, state, ended } = await begin(() => Promise.reject(failure))
  const { status, html } = await ask(`/created?code=a&state=${state}`)
  expect([status, mainOf(html)]).toEqual([
    502,
    page('GitHub did not return the App', '<p>The terminal says more.</p>'),
  ])
  expect(await ended).toBe(failure)
})

test('a browser that leaves before the response does not hold up the command', async () => {
  let finish = (_: CreatedApp) => {}
  const { state, codes, ended, origin } = await begin(
    () =>
      new Promise((resolve) => {
        finish = resolve
      }),
  )
  const { host, port } = new URL(origin)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET /created?code=a&state=${state} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  while (codes.length === 0) await new Promise(setImmediate)
  socket.destroy()
  await once(socket, 'close')
  await new Promise((resolve) => setTimeout(resolve, 20))
  finish(APP)
  expect(await ended).toBe(APP)
})

test('an hour without an App is an error, and the page is gone', async () => {
  const setTimer = jest.spyOn(globalThis, 'setTimeout')
  const { ended, origin } = await begin()
  const hour = setTimer.mock.calls.find(([, delay]) => delay === 3_600_000)
  hour?.[0]()
  const error = await ended
  if (!(error instanceof UserError)) throw error
  expect(error.problems).toEqual([
    { message: 'an hour has passed without an App', hint: 'start over' },
  ])
  await expect(fetch(origin)).rejects.toThrow('fetch failed')
})
