import { describe, expect, test } from '@jest/globals'
import { methodNotAllowed, RelayError } from '../../../src/relay/errors.ts'
import { preflight, servePage } from '../../../src/relay/pages.ts'
import {
  ACCEPTED,
  checkedResponse,
  customResponse,
  errorResponse,
  INERT_HEADERS,
  QUEUED,
  withResponseHeaders,
  withStandardHeaders,
} from '../../../src/relay/webhook/responses.ts'
import { Secret } from '../../../src/wire/secret.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

test.each<[RelayError, number, object]>([
  [new RelayError('overloaded'), 503, { 'retry-after': '1' }],
  [new RelayError('rate_limited', { retryAfter: 0 }), 429, { 'retry-after': '0' }],
  [new RelayError('missing_token'), 401, { 'www-authenticate': 'Bearer realm="hookline"' }],
  [methodNotAllowed(['GET', 'POST']), 405, { allow: 'GET, POST' }],
  [
    new RelayError('method_not_allowed'),
    405,
    { allow: 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS' },
  ],
  [new RelayError('not_found'), 404, {}],
  [new RelayError('not_allowed'), 403, {}],
])('the response to an error: %s, %i', (error, status, headers) => {
  const { code, message, hint } = error
  expect(errorResponse(error, 'id')).toEqual({
    status,
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ success: false, error: { code, message, hint }, delivery: 'id' }),
  })
})

describe('the headers of every response', () => {
  const CORS = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'X-Hookline-Delivery, X-Hookline-Run, X-Hookline-Queued, X-Hookline-Reason, X-Hookline-Filtered, X-Hookline-Hint, Retry-After',
  }
  const INERT = {
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'cross-origin',
  }
  const own = { 'content-type': 'text/plain', 'cache-control': 'public', 'x-own': '1' }
  const shared = { ...CORS, ...INERT, 'x-hookline-delivery': 'id' }

  test.each([
    [200, 'POST', 'x', true],
    [203, 'GET', 'x', true],
    [204, 'GET', '', false],
    [205, 'POST', '', false],
    [206, 'GET', 'x', true],
    [304, 'GET', '', false],
    [305, 'GET', 'x', true],
    [200, 'HEAD', '', true],
    [204, 'HEAD', '', false],
  ])('%i to a %s', (status, method, body, hasType) => {
    const { 'content-type': type, ...others } = own
    const given = hasType ? { ...others, 'content-type': type } : others
    expect(withStandardHeaders({ status, headers: own, body: 'x' }, method, 'id')).toEqual({
      ...{ status, body },
      headers: { ...given, ...shared },
    })
  })

  test('of the admin API are not for other pages, and a stream stays', () => {
    const stream = new ReadableStream<Uint8Array>()
    const reply = { status: 200, headers: own, body: '', stream }
    expect(withStandardHeaders(reply, 'GET', 'id', INERT_HEADERS)).toEqual({
      ...{ status: 200, body: '', stream },
      headers: { ...own, ...INERT, 'x-hookline-delivery': 'id' },
    })
  })

  test('are added to the own ones', () => {
    expect(withResponseHeaders(ACCEPTED, undefined)).toBe(ACCEPTED)
    expect(withResponseHeaders(ACCEPTED, { 'x-a': 'b' })).toEqual({
      ...{ status: 200, body: '{"success":true}' },
      headers: { ...JSON_TYPE, 'x-a': 'b' },
    })
    expect(QUEUED).toEqual({
      ...{ status: 202, body: '{"success":true}' },
      headers: { ...JSON_TYPE, 'x-hookline-queued': 'true' },
    })
  })
})

describe('a response with a token', () => {
  const token = new Secret('ghp_0123456789abcdefghijklmnop')
  const text = token.reveal()
  const refused = {
    code: 'invalid_response_option',
    message: 'the response contains the token',
    hint: 'Remove the token from it.',
  }

  test.each([
    [{ status: 200, headers: {}, body: `a ${text}` }],
    [{ status: 200, headers: { 'x-a': '1', 'x-b': text }, body: '' }],
  ])('is refused: %j', (reply) => {
    expect(() => checkedResponse(reply, [new Secret('another-token-0123456789'), token])).toThrow(
      expect.objectContaining(refused),
    )
  })

  test('in halves is none', () => {
    const [half, rest] = [text.slice(0, 15), text.slice(15)]
    const reply = { status: 200, headers: { 'x-a': rest }, body: half }
    expect(checkedResponse(reply, [token])).toBe(reply)
    expect(checkedResponse(ACCEPTED, [new Secret('{"success":true}')])).toBe(ACCEPTED)
  })
})

describe('a custom response', () => {
  const asked = (code = '', type = '', body = '') =>
    new Map([
      ['__response_code', code],
      ['__response_content_type', type],
      ['__response_body', body],
    ])
  const NONE = new Map<string, string>()

  test.each([
    [NONE, undefined, undefined],
    [asked(), undefined, undefined],
    [asked('201'), { ...ACCEPTED, status: 201 }, { ...QUEUED, status: 201 }],
    [
      asked('', 'text/plain'),
      { ...ACCEPTED, headers: { 'content-type': 'text/plain' } },
      { ...QUEUED, headers: { 'content-type': 'text/plain', 'x-hookline-queued': 'true' } },
    ],
    [asked('', '', 'ok'), { ...ACCEPTED, body: 'ok' }, { ...QUEUED, body: 'ok' }],
    [
      asked('599', 'a/b', 'c'),
      { status: 599, headers: { 'content-type': 'a/b' }, body: 'c' },
      { status: 599, headers: { 'content-type': 'a/b', 'x-hookline-queued': 'true' }, body: 'c' },
    ],
  ])('%p', (reserved, accepted, queued) => {
    expect(customResponse(reserved)).toEqual(accepted)
    expect(customResponse(reserved, QUEUED)).toEqual(queued)
  })

  const TYPE = ['__response_content_type', 'Use a media type, such as text/plain.'] as const
  const CODE = ['__response_code', 'Use a whole number from 200 to 599.'] as const
  test.each([
    ...['199', '600', '2000', '20', ' 200', '200 ', '1200'].map((code) => [code, '', '', CODE]),
    ...[
      ...['text', 'text/', '/plain', 'text/plain/x', 'text/pl ain', ' text/plain', 'text/plain '],
      ...['text/plain;', 'text/plain; a', 'text/plain;a=', 'text/plain;a="', 'text/plain;a="é"'],
      ...['text/plain;a="b"c', 'text/plain,a/b', 'text/plain;a=b c', 'text/plain;=b', 'a/b;c=d;'],
      ...['a/b;c="\\"', 'a/b;c="""', `a/${'b'.repeat(254)}`],
    ].map((type) => ['', type, '', TYPE]),
    ['', '', 'é'.repeat(4097), ['__response_body', 'Use at most 8192 bytes.']],
  ] as [string, string, string, readonly [string, string]][])(
    'is refused for code %j, type %.40j, body %.10j',
    (code, type, body, [parameter, hint]) => {
      expect(() => customResponse(asked(code, type, body))).toThrow(
        expect.objectContaining({
          ...{ code: 'invalid_response_option', hint },
          message: `${parameter} is not valid`,
        }),
      )
    },
  )

  test.each([
    ...['text/plain', "a!#$%&'*+.^`|~-_/b0", 'text/xml; charset=utf-8', 'a/b;c=d', 'a/b \t; c=d'],
    ...['a/b;c="d e";f=g', 'a/b;c=""', 'a/b;c="!#[]~;,"', 'a/b;\tc=d', `a/${'b'.repeat(253)}`],
  ])('has the type %.40s', (type) => {
    expect(customResponse(asked('', type))?.headers).toEqual({ 'content-type': type })
  })

  test('has a body of at most 8,192 bytes', () => {
    expect(customResponse(asked('', '', 'é'.repeat(4096)))?.body).toBe('é'.repeat(4096))
  })
})

describe('the response to a preflight', () => {
  const ASKED = ['Origin', 'https://a.test', 'Access-Control-Request-Method', 'POST']
  const allowed = {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
      'access-control-max-age': '86400',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: '',
  }
  const list = (text: string) => [...ASKED, 'Access-Control-Request-Headers', text]

  test.each<[string, readonly string[], object | undefined]>([
    ['GET', ASKED, undefined],
    ['OPTIONS', ASKED.slice(0, 2), undefined],
    ['OPTIONS', ASKED.slice(2), undefined],
    ['OPTIONS', ASKED, allowed],
    ...['', ' a', 'a ', 'a b', 'a,', ',a', 'a;b', 'x'.repeat(1025)].map(
      (text): [string, readonly string[], object] => ['OPTIONS', list(text), allowed],
    ),
    ...['a', 'a,b', 'a, b-c', "a \t,\t !#$%&'*+.^_`|~-0", 'x'.repeat(1024)].map(
      (text): [string, readonly string[], object] => [
        'OPTIONS',
        list(text),
        { ...allowed, headers: { ...allowed.headers, 'access-control-allow-headers': text } },
      ],
    ),
  ])('%s, %.150j', (method, headers, response) => {
    expect(preflight(method, headers)).toEqual(response)
  })
})

test.each([
  ['GET', '/a', true],
  ['HEAD', '/a', true],
  ['OPTIONS', '/a', false],
  ['GET', '/b', false],
])('a page, by %s %s: %p', (method, path, isFound) => {
  const pages = new Map([['/a', { contentType: 'text/x', body: 'page' }]])
  const page = { status: 200, headers: { 'content-type': 'text/x' }, body: 'page' }
  expect(servePage(pages, method, path)).toEqual(isFound ? page : undefined)
})
