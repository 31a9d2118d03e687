import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Summary } from '../../src/inspector/api.ts'
import {
  type InspectorSource,
  inspect,
  inspectorJson,
  inspectorServer,
  isInspectors,
  randomKey,
  type StreamedEvent,
  type Visit,
} from '../../src/inspector/server.ts'
import { UserError } from '../../src/wire/errors.ts'

const KEY = 'the-key'

function sourceOf(more: Partial<InspectorSource> = {}): InspectorSource {
  return {
    ...{ command: 'hookline test', key: KEY, run: 'r-1', summaries: () => [] },
    files: new Map([
      ['index.html', '<p>'],
      ['main.js', 'a()'],
      ['a.css', 'b{}'],
      ['icon.svg', '<svg/>'],
      ['noType', 'c'],
    ]),
    welcome: (base) => ({ base }),
    listen: () => () => {},
    find: async (id) => (id === 'a' ? new TextEncoder().encode('{"é":1}') : undefined),
    search: (filter) => [filter],
    actions: new Map([['act', async (body: string) => inspectorJson({ body })]]),
    ...more,
  }
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"

const EVERY_ANSWER = {
  'x-hookline-dev': 'true',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const TEXT = 'text/plain; charset=utf-8'

async function visit(target: string, more: Partial<Visit> = {}, headers: Visit['headers'] = {}) {
  const [path = '', query = ''] = target.split('?')
  const own = { host: 'localhost:1', cookie: `hookline-dev-1=${KEY}`, ...headers }
  const body = async () => 'an order'
  const one = { address: '::1', method: 'GET', path, query, headers: own, body, ...more }
  return inspect(one, sourceOf())
}

/** Status, body and headers beside those of every answer. */
async function shown(answer: ReturnType<typeof inspect>) {
  const answered = await answer
  if (!('reply' in answered)) throw new Error('a stream')
  const { status, headers, body } = answered.reply
  expect(headers).toMatchObject(EVERY_ANSWER)
  const others = Object.entries(headers).filter(([name]) => !(name in EVERY_ANSWER))
  return [status, Buffer.from(body).toString(), Object.fromEntries(others)]
}

const MISSING =
  'the key of this run is missing: open the address that hookline test printed in its terminal\n'

describe('a visit of the inspector', () => {
  const JSON_TYPE = 'application/json'

  test.each<[string, number, string, string]>([
    ['/inspector/', 200, '<p>', 'text/html; charset=utf-8'],
    ['/inspector/index.html', 200, '<p>', 'text/html; charset=utf-8'],
    ['/inspector/main.js', 200, 'a()', 'text/javascript; charset=utf-8'],
    ['/inspector/a.css', 200, 'b{}', 'text/css; charset=utf-8'],
    ['/inspector/icon.svg', 200, '<svg/>', 'image/svg+xml'],
    ['/inspector/noType', 404, 'page not found\n', TEXT],
    ['/inspector/js', 404, 'page not found\n', TEXT],
    ['/inspector/run', 200, '{"run":"r-1","base":"http://localhost:1"}', JSON_TYPE],
    ['/inspector/run?key=other', 200, '{"run":"r-1","base":"http://localhost:1"}', JSON_TYPE],
    ['/inspector/requests/a', 200, '{"é":1}', JSON_TYPE],
    ['/inspector/requests/b', 404, 'this event is no longer stored\n', TEXT],
    ['/inspector/requests', 404, 'this event is no longer stored\n', TEXT],
    ['/inspector/search?q=a+b', 200, '["a b"]', JSON_TYPE],
    ['/inspector/search', 200, '[""]', JSON_TYPE],
    ['/inspector/act', 405, 'POST only\n', TEXT],
  ])('to %s has the status %d', async (target, status, body, type) => {
    expect(await shown(visit(target))).toEqual([status, body, { 'content-type': type }])
    const head = await shown(visit(target, { method: 'HEAD' }))
    expect(head).toEqual([status, body, { 'content-type': type }])
  })

  test.each(['/inspector/', '/inspector/run', '/inspector/search', '/inspector/events'])(
    'to %s by POST is refused',
    async (target) => {
      const type = { 'content-type': TEXT }
      expect(await shown(visit(target, { method: 'POST' }))).toEqual([405, 'GET only\n', type])
    },
  )

  test('to the events is a stream', async () => {
    const type = { 'content-type': 'text/event-stream; charset=utf-8' }
    expect(await visit('/inspector/events')).toEqual({ stream: { ...EVERY_ANSWER, ...type } })
  })

  test.each([
    ['/', '/inspector/'],
    ['/?a=b', '/inspector/?a=b'],
  ])('to %s is redirected to %s, without the key', async (target, location) => {
    const headers = { 'content-type': TEXT, location }
    expect(await shown(visit(target, {}, { cookie: undefined }))).toEqual([303, '', headers])
  })

  test.each<[string, Visit['headers'], boolean]>([
    ['alone', { cookie: `hookline-dev-1=${KEY}` }, true],
    ['behind another one', { cookie: `a=b; hookline-dev-1=${KEY}` }, true],
    ['without a space', { cookie: `a=b;hookline-dev-1=${KEY}; c=d` }, true],
    ['behind two spaces', { cookie: `a=b;  hookline-dev-1=${KEY}` }, true],
    ['of a host without a port', { cookie: `hookline-dev-80=${KEY}`, host: 'localhost' }, true],
    ['of an IPv6 host without a port', { cookie: `hookline-dev-80=${KEY}`, host: '[::1]' }, true],
    ['of an IPv6 host', { cookie: `hookline-dev-3000=${KEY}`, host: '[::1]:3000' }, true],
    ['that only ends with its name', { cookie: `xhookline-dev-1=${KEY}` }, false],
    ['of a longer name', { cookie: `hookline-dev-11=${KEY}` }, false],
    ['that contains it', { cookie: `hookline-dev-1=x${KEY}` }, false],
    ['that is missing', { cookie: undefined }, false],
    ['that is empty', { cookie: '' }, false],
  ])('with a cookie %s', async (_, headers, isOpen) => {
    const [status, body] = await shown(visit('/inspector/main.js', {}, headers))
    expect([status, body]).toEqual(isOpen ? [200, 'a()'] : [403, MISSING])
  })

  test('with the key in its address gets the cookie of this port', async () => {
    const html = `<!doctype html>
<meta http-equiv="refresh" content="0; url=/inspector/">
<link rel="icon" href="/inspector/icon.svg">
<title>Hookline</title>
<a href="/inspector/">Open the inspector</a>
`
    const exchanged = visit(`/inspector/?a=b&key=${KEY}`, {}, { cookie: undefined })
    expect(await shown(exchanged)).toEqual([
      200,
      html,
      {
        'content-type': 'text/html; charset=utf-8',
        'set-cookie': `hookline-dev-1=${KEY}; Path=/inspector/; HttpOnly; SameSite=Strict`,
      },
    ])
    // The cookie does not help a wrong key.
    const wrong = [403, MISSING, { 'content-type': TEXT }]
    expect(await shown(visit('/inspector/?key=x'))).toEqual(wrong)
    expect(await shown(visit('/inspector/?key='))).toEqual(wrong)
    expect(await shown(visit(`/inspector/run?key=${KEY}`, {}, { cookie: '' }))).toEqual(wrong)
  })

  test('from another machine is refused before the key is read', async () => {
    const foreign = visit(`/inspector/?key=${KEY}`, { address: '192.0.2.7' })
    expect(await shown(foreign)).toEqual([
      403,
      'access to the inspector of hookline test denied: only this machine has access\n',
      { 'content-type': TEXT },
    ])
  })
})

describe('an order to the inspector', () => {
  const order = (more: Partial<Visit>, headers: Visit['headers'] = {}) =>
    visit(
      '/inspector/act/more',
      { method: 'POST', ...more },
      { 'content-type': 'application/json', ...headers },
    )

  test('is carried out', async () => {
    const type = { 'content-type': 'application/json' }
    expect(await shown(order({}))).toEqual([200, '{"body":"an order"}', type])
  })

  test.each<[string, Partial<Visit>, Visit['headers'], number, string]>([
    ['by PUT', { method: 'PUT' }, {}, 405, 'POST only\n'],
    [
      ...(['of another type', {}, { 'content-type': 'application/json; charset=utf-8' }] as const),
      ...([415, 'send JSON, with "content-type: application/json"\n'] as const),
    ],
    [
      ...(['that is too large', { body: () => Promise.reject(new RangeError('large')) }] as const),
      ...([{}, 413, 'the request is larger than 2 MB\n'] as const),
    ],
  ])('%s is refused', async (_, more, headers, status, body) => {
    expect(await shown(order(more, headers))).toEqual([status, body, { 'content-type': TEXT }])
  })

  test('whose body cannot be read is a fault of our own', async () => {
    const body = () => Promise.reject(new TypeError('reset'))
    await expect(order({ body })).rejects.toThrow('reset')
  })

  test.each([
    ['a UserError is told', new UserError({ message: 'no secret' }), [422, 'no secret\n']],
    ['any other error is a fault of our own', new TypeError('a bug'), 'a bug'],
  ])('that ends with %s', async (_, error, expected) => {
    const act = () => Promise.reject(error)
    const own = sourceOf({ actions: new Map([['act', act]]), find: act })
    const one = { address: '::1', query: '', body: async () => '', method: 'POST' }
    const headers = { host: 'localhost:1', cookie: `hookline-dev-1=${KEY}` }
    const json = { ...headers, 'content-type': 'application/json' }
    const acted = () => inspect({ ...one, path: '/inspector/act', headers: json }, own)
    const found = () =>
      inspect({ ...one, path: '/inspector/requests/a', method: 'GET', headers }, own)
    if (typeof expected === 'string') {
      await expect(acted()).rejects.toThrow(expected)
      await expect(found()).rejects.toThrow(expected)
    } else {
      expect(await shown(acted())).toEqual([...expected, { 'content-type': TEXT }])
      expect(await shown(found())).toEqual([502, expected[1], { 'content-type': TEXT }])
    }
  })
})

test('paths of the inspector are the root and its folder', () => {
  const paths = [
    '/',
    '/inspector/',
    '/inspector/a/b',
    '/inspector',
    '/inspectors/',
    '/a/inspector/',
  ]
  expect(paths.map(isInspectors)).toEqual([true, true, true, false, false, false])
})

test('a key is 22 characters, and each run has another one', () => {
  expect(randomKey()).toMatch(/^[\w-]{22}$/)
  expect(new Set(Array.from({ length: 20 }, randomKey)).size).toBe(20)
})

describe('the server of the inspector', () => {
  let send: (event: StreamedEvent) => void
  let isListening: boolean
  let base: string
  let stop: () => Promise<void>
  let inspector: ReturnType<typeof inspectorServer>
  const reported: unknown[] = []
  const summary = { id: 'r-1-1' } as Summary // the stream passes it on as it is

  beforeEach(async () => {
    isListening = true
    reported.length = 0
    const source = sourceOf({
      summaries: () => [summary],
      listen(listener) {
        send = listener
        return () => {
          isListening = false
        }
      },
      find: () => Promise.reject(new TypeError('a bug')),
    })
    inspector = inspectorServer(source, (error) => reported.push(error))
    const server = createServer((request, response) => {
      if (!inspector.route(request, response)) response.writeHead(404).end('not here')
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    base = `http://localhost:${(server.address() as AddressInfo).port}` // it listens on a port
    stop = () =>
      new Promise((resolve) => {
        inspector.close()
        server.close(() => resolve())
        server.closeAllConnections()
      })
  })
  afterEach(() => stop())

  const cookie = () => ({ cookie: `hookline-dev-${new URL(base).port}=${KEY}` })
  const get = (path: string, init: RequestInit = {}) =>
    fetch(base + path, { ...init, headers: { ...cookie(), ...init.headers } })

  test('answers its own paths alone, and HEAD without a body', async () => {
    expect(await (await get('/elsewhere')).text()).toBe('not here')
    expect(await (await get('/inspector/run?a=b?c')).json()).toEqual({ run: 'r-1', base })
    expect(await (await get('/inspector/search?q=b?c')).json()).toEqual(['b?c'])
    const head = await get('/inspector/main.js', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      ...[200, '3', ''],
    ])
  })

  test('reports a fault of our own, and says nothing about it', async () => {
    const answer = await get('/inspector/requests/a')
    expect([answer.status, await answer.text(), reported]).toEqual([
      ...[500, '', [new TypeError('a bug')]],
    ])
  })

  const post = (size: number) => {
    const headers = { 'content-type': 'application/json' }
    return get('/inspector/act', { method: 'POST', headers, body: 'x'.repeat(size) })
  }

  test('takes an order of 2 MB, and no more', async () => {
    const most = 2 * 1024 * 1024
    expect(await (await post(most)).json()).toEqual({ body: 'x'.repeat(most) })
    expect((await post(most + 1)).status).toBe(413)
    expect(reported).toEqual([])
  })

  const LIST = 'event: requests\ndata: {"summaries":[{"id":"r-1-1"}],"gone":[]}\n\n'

  /** The text of a stream up to a part of it. */
  async function readUntil(response: Response, end: string): Promise<string> {
    const parts: string[] = []
    const reader = response.body?.getReader()
    while (!parts.slice(-2).join('').endsWith(end)) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) break
      parts.push(new TextDecoder().decode(value))
    }
    reader?.releaseLock()
    return parts.join('')
  }

  test('begins a stream with the run and the whole list, and ends it when it is closed', async () => {
    const response = await get('/inspector/events')
    const begun = await readUntil(response, LIST)
    expect(begun).toBe(`retry: 1000\n\nevent: hello\ndata: {"run":"r-1"}\n\n${LIST}`)
    send({ name: 'changed', data: '{}' })
    const changed = 'event: changed\ndata: {}\n\n'
    expect(await readUntil(response, changed)).toBe(changed)
    inspector.close()
    expect(await readUntil(response, 'never')).toBe('')
    expect(isListening).toBe(false)
  })

  test('has 32 readers at most, and takes another one when one is gone', async () => {
    const readers = await Promise.all(Array.from({ length: 32 }, () => get('/inspector/events')))
    expect(new Set(readers.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await get('/inspector/events')
    expect([refused.status, await refused.text()]).toEqual([503, ''])
    await readers[0]?.body?.cancel()
    let status = 503
    while (status === 503) {
      const again = await get('/inspector/events')
      status = again.status
      if (status === 503) await again.text()
    }
    expect(status).toBe(200)
  })

  test('ends a reader that reads nothing, and no other', async () => {
    const other = await get('/inspector/events')
    const socket = connect(Number(new URL(base).port), 'localhost')
    const lines = ['GET /inspector/events HTTP/1.1', `Host: ${new URL(base).host}`]
    socket.write([...lines, `Cookie: ${cookie().cookie}`, '', ''].join('\r\n'))
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    const gone = new Promise((resolve) => socket.once('close', resolve)).then(() => true)
    socket.on('error', () => {})
    await readUntil(other, LIST)
    const data = 'x'.repeat(9 * 1024 * 1024)
    for (let count = 0; count < 4; count++) {
      send({ name: 'large', data })
      const text = await readUntil(other, 'x\n\n')
      expect(text.slice(0, 22)).toBe('event: large\ndata: xxx')
    }
    const last = 'event: last\ndata: z\n\n'
    send({ name: 'last', data: 'z' })
    expect(await readUntil(other, last)).toBe(last)
    socket.resume()
    expect(await gone).toBe(true)
  })
})
