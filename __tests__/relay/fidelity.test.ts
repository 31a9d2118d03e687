import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { bodyBytes, utf8Text } from '../../src/wire/bytes.ts'
import type { ClientPayload } from '../../src/wire/payload.ts'
import { fc } from '../support/properties.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { RUNS, scene } from '../support/scene.ts'
import { anyCharacter } from '../support/text.ts'

const HOOK = '/o/r/hook/webhook'

describe.each(RUNTIMES)('what a relay on %s forwards', (_, start) => {
  const at = scene(start)

  const forwarded = async (request: RawRequest, send = at.send): Promise<ClientPayload> => {
    at.github.reset()
    expect(await send(request)).toMatchObject({ status: 200 })
    const [payload] = at.payloads()
    if (!payload) throw new Error('nothing was dispatched')
    return payload
  }
  const forwardedKept = (request: RawRequest) => forwarded(request, at.sendKept)

  test('exactly the four keys, and an event of type webhook', async () => {
    await forwarded({ method: 'POST', target: `${HOOK}?a=1`, body: '{}' })
    const dispatch = JSON.parse(at.github.calls[0]?.body ?? '')
    expect(Object.keys(dispatch)).toEqual(['event_type', 'client_payload'])
    expect(dispatch.event_type).toBe('webhook')
    expect(Object.keys(dispatch.client_payload)).toEqual(['path', 'method', 'headers', 'body'])
  })

  test.each([
    'hook/webhook',
    'hook/webhook?',
    'hook/webhook?a=1&a=2&b',
    'hook/webhook/../../../evil/repo/x',
    'hook/webhook/%2e%2e/%2E%2E/x',
    'hook/./webhook//x',
    'hook/web%2Fhook%3F?x=%2F',
    'hook/webhook/%zz?%zz=%',
    'hook/webhook\\x',
    "hook/webhook/;,:@!$&'()*+?x=;,:@!$'()*+/?",
    'hook/webhook?u=http://h/p?q',
  ])('the path %s, byte for byte', async (path) => {
    expect((await forwarded({ target: `/o/r/${path}` })).path).toBe(path)
  })

  test('any path and query of URL characters, minus the reserved parameters', async () => {
    const escapes = ['%2e', '%2E', '%2F', '%5c', '%zz', '%', '..', '/./', '//', '+', '%20']
    const other = fc.constantFrom(...escapes, ..."./\\?=;:@!~_-*ab'()[]{}|^$,")
    const piece = fc.string({ unit: other, maxLength: 8 })
    const unit = fc.oneof(other, fc.constant('&'))
    const reserved = fc.constantFrom(
      '__token=x',
      '%5F_token',
      '__response_body=',
      '_%5fresponse_code=',
    )
    const query = fc.array(fc.oneof(piece, reserved), { minLength: 1, maxLength: 6 })
    const property = fc.asyncProperty(fc.string({ unit }), query, async (path, pieces) => {
      const isReserved = (text: string) => /^(?:_|%5f){2}(?:token|response_\w+)(?:=|$)/i.test(text)
      // A path with a `?` of its own has the pieces in its query's last parameter and after it.
      const [first = '', ...others] = pieces
      const left = others.filter((text) => !isReserved(text))
      const start = `w${path}?x${first}`
      const { path: came } = await forwardedKept({ target: `/o/r/${[start, ...others].join('&')}` })
      expect(came).toBe([start, ...left].join('&'))
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  test.each([
    ['JSON as it was spaced and ordered', '{ "b":1,\r\n"a" : 2.0 ,"b":12345678901234567890 }'],
    ['a byte order mark', '\uFEFF{"a":1}'],
    ['invalid JSON', '{"a":'],
    ['line ends of every kind', 'a\r\nb\nc\r\u2028\u0085'],
    ['control characters', '\u0000\u0001\u001b[31m\u007f'],
    ['emoji and lone-looking escapes', '😀 \\ud83d "quotes" \\'],
    ['a form', 'a=1&b=%zz&a=2+3'],
  ])('the body %s, byte for byte', async (_, body) => {
    const payload = await forwarded({ method: 'POST', target: HOOK, body })
    expect(payload.body).toBe(body)
    expect(payload.headers).not.toHaveProperty('x-hookline-body-encoding')
  })

  /** Where a body is cut into chunks; none is sent with its length. */
  const cuts = fc.option(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 5 }), {
    nil: undefined,
  })
  const body = (content: string | Uint8Array, chunks: readonly number[] | undefined) => {
    return { method: 'POST', target: HOOK, body: content, ...(chunks && { chunks }) }
  }

  test('any text, in one piece or cut within its characters', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
      fc.string({ unit: anyCharacter, minLength: 1 }),
      fc.json(),
      fc.json().map((json) => JSON.stringify(JSON.parse(json), undefined, '\r\n ')),
    )
    const marked = fc
      .tuple(fc.constantFrom('', '\uFEFF', '{ ', '\r\n'), text)
      .map((parts) => parts.join(''))
    const property = fc.asyncProperty(marked, cuts, async (content, chunks) => {
      const payload = await forwardedKept(body(content, chunks))
      expect(payload.body).toBe(content)
      expect(payload.headers).not.toHaveProperty('x-hookline-body-encoding')
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  test('any text of any size, packed where it must be', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    const property = fc.asyncProperty(text, fc.nat(2000), async (unit, times) => {
      const content = `${unit}${unit.repeat(times)}`
      const { body: came, headers } = await forwardedKept(body(content, undefined))
      const bytes = await bodyBytes(String(came), headers['x-hookline-body-encoding'])
      expect(utf8Text(bytes)).toBe(content)
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  test('any bytes that are no text travel as base64', async () => {
    const bytes = fc.uint8Array({ maxLength: 500 })
    // Any of these makes it no UTF-8: a byte that never occurs, half a character, half a pair.
    const broken = fc.constantFrom(
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f, 0x98, 0x20],
    )
    const property = fc.asyncProperty(bytes, broken, bytes, cuts, async (...parts) => {
      const [before, odd, after, chunks] = parts
      const content = Uint8Array.from([...before, ...odd, ...after])
      const { body: text, headers } = await forwardedKept(body(content, chunks))
      expect(headers['x-hookline-body-encoding']).toBe('base64')
      expect(Buffer.compare(Buffer.from(String(text), 'base64'), content)).toBe(0)
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  test('a body too large for GitHub travels gzipped', async () => {
    const body = JSON.stringify(Array.from({ length: 4000 }, (_, id) => ({ id, text: '"quoted"' })))
    const payload = await forwarded({ method: 'POST', target: HOOK, body })
    expect(payload.headers['x-hookline-body-encoding']).toBe('gzip')
    const bytes = await bodyBytes(String(payload.body), 'gzip')
    expect(new TextDecoder().decode(bytes)).toBe(body)
  })

  test.each(['GET', 'DELETE', 'HEAD', 'OPTIONS'])('a %s may carry a body', async (method) => {
    expect(await forwarded({ method, target: HOOK, body: 'x' })).toMatchObject({ body: 'x' })
  })

  test.each([
    ['no body', {}],
    ['Content-Length: 0', { headers: [['Content-Length', '0']] as const }],
    ['an empty chunked body', { chunks: [] }],
  ])('%s is null', async (_, request) => {
    expect((await forwarded({ method: 'POST', target: HOOK, ...request })).body).toBeNull()
  })

  test('a chunked body is put together', async () => {
    const request = { method: 'POST', target: HOOK, body: 'héllo wörld', chunks: [1, 1, 3] }
    expect((await forwarded(request)).body).toBe('héllo wörld')
  })

  test('header names in lower case, repeats joined, UTF-8 read as such', async () => {
    const { headers } = await forwarded({
      target: HOOK,
      headers: [
        ['X-Mixed-Case', 'One'],
        ['x-mixed-case', 'two, three'],
        ['X-Utf8', Buffer.from('naïve €😀').toString('latin1')],
        ['X-Empty', ''],
        ['Authorization', 'Basic c2VuZGVyOm93bg=='],
        ['__proto__', 'polluted'],
        ['constructor', 'c'],
      ],
    })
    expect(headers).toMatchObject({
      'x-mixed-case': 'One, two, three',
      'x-utf8': 'naïve €😀',
      'x-empty': '',
      authorization: 'Basic c2VuZGVyOm93bg==',
      host: 'relay.test',
    })
    expect(Object.entries(headers)).toContainEqual(['__proto__', 'polluted'])
    expect(Object.entries(headers)).toContainEqual(['constructor', 'c'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test.each([
    'X-Platform-Authorization',
    'X-Github-Authorization',
    'Cookie',
    'Proxy-Authorization',
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Forwarded',
    'Via',
    'X-Forwarded-For',
    'X-Forwarded-Anything',
    'X-Real-IP',
    'CF-Connecting-IP',
    'cf-anything',
    'CDN-Loop',
    'X-Hookline-Delivery',
    'X-Hookline-Body-Encoding',
    'x-hookline-anything',
  ])('%s is not forwarded', async (name) => {
    const { headers } = await forwarded({ target: HOOK, headers: [[name, 'planted']] })
    expect(JSON.stringify(headers)).not.toContain('planted')
  })

  test('what Connection names, in any of its lines, is not forwarded', async () => {
    const named = ['X-One', 'X-Two', 'X-Three'].map((name) => [name, 'planted'] as const)
    const lines = ['keep-alive, x-one', 'X-Two , x-three'].map(
      (value) => ['Connection', value] as const,
    )
    const { headers } = await forwarded({ target: HOOK, headers: [...lines, ...named] })
    expect(JSON.stringify(headers)).not.toContain('planted')
  })

  test('whatever is sent: four keys, no stripped header, all others in lower case and joined', async () => {
    const name = fc.constantFrom(...STRIPPED, ...TRAVELLING)
    const cased = fc.tuple(name, fc.boolean()).map(([text, upper]) => {
      return upper ? text.toUpperCase() : text
    })
    // workerd takes some headers that are empty for absent, so none is.
    const text = fc.string({ unit: fc.constantFrom(...'aZ09 ,;="/*+:'), maxLength: 12 })
    const value = text.map((end) => `v${end}`)
    const headers = fc.array(fc.tuple(cased, value), { maxLength: 12 })
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
    const property = fc.asyncProperty(method, headers, fc.string(), async (...request) => {
      const [sentMethod, sent, content] = request
      const target = `${HOOK}?x=1`
      const payload = await forwardedKept({
        method: sentMethod,
        target,
        headers: sent,
        body: content,
      })
      const dispatch = JSON.parse(at.github.calls[0]?.body ?? '')
      expect(Object.keys(dispatch)).toEqual(['event_type', 'client_payload'])
      expect(Object.keys(dispatch.client_payload)).toEqual(['path', 'method', 'headers', 'body'])
      expect(payload).toMatchObject({ method: sentMethod, path: 'hook/webhook?x=1' })
      const own = Object.entries(payload.headers).filter(([key]) => !OF_ITS_OWN.test(key))
      expect(Object.fromEntries(own)).toEqual(joined(sent))
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  test('its own metadata travels in reserved headers', async () => {
    const before = Date.now()
    const answer = await at.send({ target: HOOK })
    const headers: Record<string, string> = at.payloads()[0]?.headers ?? {}
    expect(headers['x-hookline-delivery']).toBe(answer.headers['x-hookline-delivery'])
    const receivedAt = Date.parse(headers['x-hookline-received-at'] ?? '')
    expect(receivedAt).toBeGreaterThanOrEqual(before - 5)
    expect(receivedAt).toBeLessThanOrEqual(Date.now())
    expect(headers['x-hookline-received-at']).toMatch(/Z$/)
  })

  test('peers’ fault: JSON is not re-serialised, bad JSON not dropped, bytes not turned to U+FFFD', async () => {
    const body = Buffer.concat([Buffer.from('{"a": '), randomBytes(8), Buffer.from([0x80])])
    const payload = await forwarded({
      method: 'POST',
      target: HOOK,
      headers: [['Content-Type', 'application/json']],
      body,
    })
    expect(Buffer.from(String(payload.body), 'base64')).toEqual(body)
  })

  test('peers’ fault: %2F and %3F in the path do not change the route', async () => {
    const { path } = await forwarded({ target: '/o/r/hook%2Fwebhook%3Fx' })
    expect(path).toBe('hook%2Fwebhook%3Fx')
  })

  test('peers’ fault: owner and repository are not decoded into the API’s URL', async () => {
    const target = '/o/b%2F..%2F..%2Fuser%2Frepos%3F/hook/webhook'
    expect((await at.send({ target })).status).toBe(400)
    expect(at.github.calls).toHaveLength(0)
  })
})

/** Headers that do not travel, one of each kind; `Connection` and the like are the socket's own. */
const STRIPPED = [
  'x-github-authorization',
  'cookie',
  'proxy-authorization',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'forwarded',
  'via',
  'cdn-loop',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-',
  'cf-connecting-ip',
  'x-hookline-delivery',
  'x-hookline-x',
]
const TRAVELLING = [
  'x-a',
  'accept',
  'authorization',
  'referer',
  'x-forwarded',
  'cookie2',
  'cfx',
  'vi',
]

/** What every request has, and what the relay adds. */
const OF_ITS_OWN = /^(?:host|content-length|x-hookline-(?:delivery|received-at))$/

/** Headers as they are to travel. */
function joined(headers: readonly (readonly [name: string, value: string])[]) {
  const expected: Record<string, string> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (STRIPPED.includes(key)) continue
    const earlier = expected[key]
    expected[key] = earlier === undefined ? value.trim() : `${earlier}, ${value.trim()}`
  }
  return expected
}
