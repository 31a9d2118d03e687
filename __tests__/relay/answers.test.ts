import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { type RawAnswer, type RawRequest, send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'

const HOOK = '/o/r/hook/webhook'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const SLACK = '{"type":"url_verification","challenge":"<b>"}'
const PREFLIGHT = [
  ['Origin', 'https://page.test'],
  ['Access-Control-Request-Method', 'POST'],
] as const

describe.each(RUNTIMES)('responses of a relay on %s', (name, start) => {
  const at = scene(start)

  let newcomers = 0
  /** Sends with a new token, because a rate limit blocks all calls with the same token. */
  const sendAsNewcomer = (request: RawRequest) => {
    const token = ['X-Platform-Authorization', `ghp_of-newcomer-number-${++newcomers}`] as const
    return at.send({ ...request, headers: [token] })
  }

  test('a dispatch that GitHub accepts: 200 {"success":true}', async () => {
    const answer = await at.send({ method: 'POST', target: HOOK, body: '{}' })
    expect(answer).toMatchObject({ status: 200, body: '{"success":true}' })
    expect(answer.headers['content-type']).toBe('application/json')
    expect(at.github.calls).toHaveLength(1)
    expect(at.github.calls[0]).toMatchObject({
      method: 'POST',
      url: '/repos/o/r/dispatches',
      violations: [],
    })
  })

  const LIMITED = { message: 'You have exceeded a secondary rate limit.' }
  const TOO_LARGE = { message: 'client_payload is too large.' }

  test.each([
    [{ status: 204 }, 200, undefined],
    [{ status: 200, body: '<html>' }, 502, 'github_unavailable'],
    [{ status: 401 }, 401, 'invalid_token'],
    [{ status: 403 }, 403, 'repository_not_accessible'],
    [{ status: 404 }, 403, 'repository_not_accessible'],
    [{ status: 429 }, 429, 'rate_limited'],
    [{ status: 403, headers: { 'retry-after': '90' } }, 429, 'rate_limited'],
    [{ status: 403, headers: { 'x-ratelimit-remaining': '0' } }, 429, 'rate_limited'],
    [{ status: 403, body: JSON.stringify(LIMITED) }, 429, 'rate_limited'],
    [{ status: 422, body: JSON.stringify(TOO_LARGE) }, 413, 'payload_too_large'],
    [{ status: 422 }, 422, 'event_rejected'],
    [{ status: 400 }, 422, 'event_rejected'],
    [{ status: 410 }, 422, 'event_rejected'],
    [{ status: 301, headers: { location: '/x' } }, 502, 'github_unavailable'],
    [{ status: 302, headers: { location: '/x' } }, 502, 'github_unavailable'],
    [{ status: 303, headers: { location: '/x' } }, 502, 'github_unavailable'],
    [{ status: 304 }, 502, 'github_unavailable'],
    [{ status: 500 }, 502, 'github_unavailable'],
    [{ status: 504 }, 502, 'github_unavailable'],
    // Later than the relay's last try.
    [{ status: 503, headers: { 'retry-after': '9' } }, 502, 'github_unavailable'],
  ])('GitHub answers %j: %i %s, a custom response only after 2xx', async (github, status, code) => {
    at.github.always(github)
    const plain = await sendAsNewcomer({ target: HOOK })
    const custom = await sendAsNewcomer({
      target: `${HOOK}?__response_code=299&__response_body=ok`,
    })
    expect(plain.status).toBe(status)
    expect(custom.status).toBe(code ? status : 299)
    if (code) expect(JSON.parse(custom.body)).toMatchObject({ success: false, error: { code } })
    else expect(custom.body).toBe('ok')
  })

  const QUOTE = `Provided value '{"path":"a/b"}' for input 'hookline' not in the list of options`

  test.each([
    ["Cannot trigger a 'workflow_dispatch' on a disabled workflow", /: Cannot .* workflow$/],
    ['Invalid request.\n\nFor "client_payload", {"a":1}', /422: Invalid request\.$/],
    [QUOTE, /422: Provided value '$/],
    ['a\u001b[31mred', /422: a$/],
    ['x'.repeat(1000), /422: x{200}$/],
    [{ no: 'text' }, /422$/],
  ])(
    'of the reason %j of GitHub, the message has what cannot be the event',
    async (given, shown) => {
      at.github.always({ status: 422, body: JSON.stringify({ message: given }) })
      const { message } = JSON.parse((await sendAsNewcomer({ target: HOOK })).body).error
      expect(message).toMatch(shown)
    },
  )

  test('an error says what happened, what to do, and which delivery it was', async () => {
    const { headers, body } = await at.send({ target: '/o%2f/r/x' })
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: { code: 'invalid_path', message: expect.any(String), hint: expect.any(String) },
      delivery: headers['x-hookline-delivery'],
    })
  })

  test.each([
    ['GET', '/', 200],
    ['HEAD', '/', 200],
    ['GET', '/healthz', 200],
    ['GET', '/healthz?probe=1', 200],
    ['POST', '/healthz', 404],
    ['POST', '/', 404],
    ['GET', '/nothing', 404],
    ['GET', '/o/r', 404],
    ['PROPFIND', HOOK, 405],
  ])('%s %s: %i, nothing dispatched', async (method, target, status) => {
    const answer = await at.send({ method, target })
    expect(answer.status).toBe(status)
    expect(at.github.calls).toHaveLength(0)
  })

  test('GET / helps, GET /healthz is ok', async () => {
    expect((await at.send({ target: '/' })).body).toContain('/<owner>/<repo>/<workflow>/<trigger>')
    expect((await at.send({ target: '/healthz' })).body).toBe('ok')
  })

  test('the error for a refused method lists the allowed ones', async () => {
    const { headers } = await at.send({ method: 'PROPFIND', target: HOOK })
    expect(headers.allow).toBe('GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS')
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])(
    'a %s is one event',
    async (method) => {
      expect((await at.send({ method, target: HOOK })).status).toBe(200)
      expect(at.payloads()).toMatchObject([{ method, path: 'hook/webhook' }])
    },
  )

  /** All headers that a response may have; the last three are the server's own. */
  const ANSWERED = [
    'access-control-allow-origin',
    'access-control-expose-headers',
    'cache-control',
    'content-security-policy',
    'content-type',
    'cross-origin-resource-policy',
    'referrer-policy',
    'x-content-type-options',
    'x-hookline-delivery',
    'connection',
    'content-length',
    'date',
  ]

  test('GitHub’s headers do not reach the sender, Retry-After aside', async () => {
    const headers = {
      'x-github-request-id': 'id',
      'set-cookie': 'a=b',
      'x-oauth-scopes': 'repo',
      server: 'github.com',
      location: '/secret',
      etag: 'W/"1"',
      'content-type': 'text/html',
      'access-control-allow-origin': 'https://github.test',
      'x-hookline-delivery': 'of GitHub',
      'retry-after': '100',
    }
    for (const status of [204, 200, 301, 401, 403, 404, 410, 422, 429, 500, 504]) {
      at.github.next({ status, headers })
      const answer = await sendAsNewcomer({ target: HOOK })
      const passed =
        status === 401
          ? ['www-authenticate']
          : status === 429 || status === 403
            ? ['retry-after']
            : []
      const others = Object.keys(answer.headers).filter((name) => !ANSWERED.includes(name))
      expect([status, others]).toEqual([status, passed])
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'content-type': 'application/json',
        'x-hookline-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
    }
  })

  test.each([429, 403])('Retry-After of a %i beyond the budget is passed on', async (status) => {
    const in100s = [() => '100', () => new Date(Date.now() + 100_000).toUTCString()]
    for (const retryAfter of in100s) {
      const before = Date.now()
      at.github.next({ status, headers: { 'retry-after': retryAfter() } })
      const answer = await sendAsNewcomer({ target: HOOK })
      const passed = Math.ceil((Date.now() - before) / 1000)
      expect(answer.status).toBe(429)
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(101)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(99 - passed)
      expect(at.github.calls).toHaveLength(1)
      at.github.reset()
    }
  })

  test('Retry-After within the budget is waited for', async () => {
    at.github.next({ status: 429, headers: { 'retry-after': '1' } })
    const before = Date.now()
    expect((await sendAsNewcomer({ target: HOOK })).status).toBe(200)
    expect(Date.now() - before).toBeGreaterThanOrEqual(1000)
    expect(at.github.calls).toHaveLength(2)
  })

  test('a payload that is too large even compressed: 413, and no call', async () => {
    const body = randomBytes(60_000)
    const answer = await at.send({ method: 'POST', target: HOOK, body })
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([413, 'payload_too_large'])
    expect(at.github.calls).toHaveLength(0)
  })

  test.each([
    ['an event', { target: HOOK }],
    ['a custom response', { target: `${HOOK}?__response_content_type=text/html` }],
    ['HEAD', { method: 'HEAD', target: HOOK }],
    ['an OPTIONS event', { method: 'OPTIONS', target: HOOK }],
    ['a preflight', { method: 'OPTIONS', target: HOOK, headers: PREFLIGHT }],
    ['help', { target: '/' }],
    ['health', { target: '/healthz' }],
    ['404', { target: '/x' }],
    ['405', { method: 'PROPFIND', target: HOOK }],
    ['400', { target: `${HOOK}?__response_code=9` }],
    ['a bad owner', { target: '/./r/x' }],
    ['a Slack handshake', { method: 'POST', target: '/o/r/h/slack', body: SLACK }],
    ['a Meta handshake', { target: `${HOOK}?hub.mode=subscribe&hub.challenge=x` }],
    ['a custom 204', { target: `${HOOK}?__response_code=204` }],
    ['a custom 304', { target: `${HOOK}?__response_code=304` }],
    ['a custom 599', { target: `${HOOK}?__response_code=599` }],
    ['413', { method: 'POST', target: HOOK, body: 'x'.repeat(300_000) }],
  ])('the security headers are set for %s', async (_, request) => {
    expectInert(await at.send(request))
  })

  test('the security headers are set for every page and method', async () => {
    const pages = ['/', '/healthz', '/.well-known/hookline', '/favicon.ico', '/o', HOOK]
    for (const target of [...pages, '/webhook/hook/webhook', '*', `http://h.test${HOOK}`]) {
      for (const method of [...METHODS, 'PROPFIND', 'TRACE']) {
        // workerd itself rejects a target that is no URL.
        if (target === '*' && name === 'workerd') continue
        expectInert(await at.send({ method, target }))
        expectInert(await send(at.relay.url, { method, target }))
      }
    }
  })

  test.each([200, 301, 401, 403, 404, 410, 422, 429, 500])(
    'the security headers are set for any response of GitHub: %i',
    async (status) => {
      at.github.always({ status, headers: { 'cache-control': 'public', 'x-frame-options': 'x' } })
      expectInert(await sendAsNewcomer({ target: HOOK }))
      expectInert(await sendAsNewcomer({ method: 'HEAD', target: HOOK }))
    },
  )

  function expectInert({ headers }: RawAnswer): void {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'X-Hookline-Delivery, X-Hookline-Run, X-Hookline-Queued, X-Hookline-Reason, X-Hookline-Filtered, X-Hookline-Hint, Retry-After',
    })
    expect(headers['x-hookline-delivery']).toMatch(/^[0-9a-f]{8}-/)
    expect(headers['set-cookie']).toBeUndefined()
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  }
})
