import { describe, expect, test } from '@jest/globals'
import { bodyBytes } from '../../src/wire/bytes.ts'
import type { ClientPayload } from '../../src/wire/payload.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'
import { testFidelity } from './fidelity.ts'

const HOOK = '/o/r/hook/webhook'

describe.each(RUNTIMES)('requests that a relay on %s forwards', (_, start) => {
  const at = scene(start)

  const forwarded = async (request: RawRequest): Promise<ClientPayload> => {
    at.github.reset()
    expect(await at.send(request)).toMatchObject({ status: 200 })
    const [payload] = at.payloads()
    if (!payload) throw new Error('nothing was dispatched')
    return payload
  }

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

  test('headers that Connection names, in any of its lines, are not forwarded', async () => {
    const named = ['X-One', 'X-Two', 'X-Three'].map((name) => [name, 'planted'] as const)
    const lines = ['keep-alive, x-one', 'X-Two , x-three'].map(
      (value) => ['Connection', value] as const,
    )
    const { headers } = await forwarded({ target: HOOK, headers: [...lines, ...named] })
    expect(JSON.stringify(headers)).not.toContain('planted')
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
})

testFidelity(60)
