import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { openChecks, signatureLocations } from '../../../src/relay/webhook/verification.ts'
import { utf8Text } from '../../../src/wire/bytes.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

function checked(
  claims: Parameters<typeof openChecks>[0],
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  stored = false,
) {
  const bytes = new Uint8Array(Buffer.from(body))
  const place = { bodyUrl: 'https://relay.test/-/octo/bodies/x', bodySha256: '', bodyLength: 1 }
  const event = {
    ...{ path: 'hook/webhook', method: 'POST', delivery: 'd', receivedAt: '' },
    headers: new Map(Object.entries(headers)),
    body: { bytes, text: utf8Text(bytes), ...(stored && { stored: place }) },
  }
  return openChecks(claims, { target: '/o/r/hook/webhook', event })
}

describe('a condition at the relay reads a body as the action does', () => {
  test.each<[string, string | Buffer, Record<string, string>]>([
    ['JSON under the type of a form', '{"action":"opened"}', { 'content-type': FORM }],
    [
      "GitHub's default form",
      'payload=%7B%22action%22%3A%22opened%22%7D',
      { 'content-type': FORM, 'x-github-event': 'issues' },
    ],
    ['UTF-16', Buffer.from('{"action":"opened"}', 'utf16le'), { 'content-type': JSON_TYPE }],
    [
      'a multipart form with names without quotes',
      '--B\nContent-Disposition: form-data; name=action\n\nopened\n--B--\n',
      { 'content-type': 'multipart/form-data; boundary=B' },
    ],
    [
      'gzip',
      gzipSync('{"action":"opened"}'),
      { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' },
    ],
  ])('%s', async (_, body, headers) => {
    const checks = await checked({ if: "body.action == 'opened'" }, body, headers)
    expect([checks.if(), checks.unmet()]).toEqual(['true', undefined])
  })

  test('one that reads a body whose encoding is unknown cannot be evaluated', async () => {
    const headers = { 'content-type': JSON_TYPE, 'content-encoding': 'snappy' }
    const checks = await checked({ if: "body.action != 'closed'" }, '\xff\x00', headers)
    expect(checks.if()).toBe('error')
    expect(checks.unmet()).toMatch(/^if: cannot be evaluated, because the body .* not supported/)
    const other = await checked({ if: "method == 'POST'" }, '\xff\x00', headers)
    expect(other.if()).toBe('true')
  })

  test('the explanation of one that does not hold has the fault of the body', async () => {
    const checks = await checked({ if: "body.action == 'opened'" }, '{"action"', {
      'content-type': JSON_TYPE,
    })
    expect(checks.if()).toBe('false')
    expect(checks.unmet()).toMatch(/is not true; the body is not JSON/)
  })
})

describe('a token in a field of a stored body', () => {
  const verify = [{ scheme: 'token', field: 'token', secret: 'Grüße' }]
  test.each<[string, string | Buffer, Record<string, string>]>([
    ['JSON', '{"token":"Grüße"}', { 'content-type': JSON_TYPE }],
    ['JSON after a mark', '\uFEFF{"token":"Grüße"}', { 'content-type': JSON_TYPE }],
    ['ISO-8859-1', Buffer.from('{"token":"Grüße"}', 'latin1'), { 'content-type': JSON_TYPE }],
    ['a form', 'token=Gr%FC%DFe', { 'content-type': `${FORM}; charset=iso-8859-1` }],
    [
      'a multipart form',
      '--B\r\nContent-Disposition: form-data; name="token"\r\n\r\nGrüße\r\n--B--',
      { 'content-type': 'multipart/form-data; boundary=B' },
    ],
    [
      'gzip',
      gzipSync('{"token":"Grüße"}'),
      { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' },
    ],
  ])('%s', async (_, body, headers) => {
    expect(await (await checked({ verify }, body, headers, true)).verify()).toBe(true)
    const other = [{ scheme: 'token', field: 'token', secret: 'other' }]
    expect(await (await checked({ verify: other }, body, headers, true)).verify()).toBe(false)
  })
})

describe('the explanation of a request that does not pass', () => {
  const JSON_HEADERS = { 'content-type': JSON_TYPE }

  test('names each scheme that failed, in order', async () => {
    const verify = [
      { scheme: 'token', header: 'X-Key', secret: 'a' },
      { scheme: ['token', 'github'], query: 'key', secret: 'b' },
      { scheme: 'token', header: 'x-empty', secret: '' },
    ]
    const checks = await checked({ verify }, '{}', { 'x-key': 'b' })
    expect([await checks.verify(), checks.unmet()]).toEqual([
      false,
      'verify: token: the token does not match; token: the query parameter key is missing, or not a single string; github: the header x-hub-signature-256 is missing',
    ])
    const other = await checked({ verify }, '{}', { 'x-key': 'a' })
    expect([await other.verify(), other.unmet()]).toEqual([true, undefined])
  })

  test.each([
    ['body.a == 1', 'true', undefined],
    ['body.a == 2', 'false', 'if: body.a == 2 is not true'],
    [
      "body.a == 2 && method == 'GET' && body.a == 1",
      'false',
      "if: body.a == 2 && method == 'GET' is not true",
    ],
    ['fromJSON(body.b)', 'error', 'if: fromJSON(body.b) cannot be evaluated'],
    ['body.a == 1 && fromJSON(body.b)', 'error', 'if: fromJSON(body.b) cannot be evaluated'],
  ])('names the parts of the condition %s', async (condition, result, unmet) => {
    const checks = await checked({ if: condition }, '{"a":1,"b":"{"}', JSON_HEADERS)
    expect([checks.if(), checks.unmet()]).toEqual([result, unmet])
  })

  const LARGE = 'if: reads the body, which has more than 262144 bytes'
  test.each([
    ['body.a == 1', 'error', LARGE],
    ['contains(toJSON(body), 1)', 'error', LARGE],
    ["headers.bodyish == null && path == 'hook/webhook'", 'true', undefined],
    ["headers.somebody == 'x'", 'false', "if: headers.somebody == 'x' is not true"],
  ])('of a stored body: %s', async (condition, result, unmet) => {
    const checks = await checked({ if: condition }, '{"a":1}', JSON_HEADERS, true)
    expect([checks.if(), checks.unmet()]).toEqual([result, unmet])
  })

  test('is none without claims', async () => {
    const checks = await checked({}, '{}', JSON_HEADERS)
    expect([await checks.verify(), checks.if(), checks.unmet()]).toEqual([true, 'true', undefined])
    expect([await checks.handshake(), checks.accepted()]).toEqual([undefined, undefined])
  })
})

test.each([
  ['https://relay.test', '/-/o/id/eu?a=1&b=2', 'https://relay.test/-/o/id/eu?a=1&b=2'],
  ['https://relay.test//', '/-/o/id', 'https://relay.test/-/o/id'],
  ['https://relay.test/base/', '/-/o/id?', 'https://relay.test/base/-/o/id?'],
  [
    'https://relay.test',
    'http://other.test/-/o/id?a=1&__token=x&%5f_token=y&b=2',
    'https://relay.test/-/o/id?a=1&b=2',
  ],
  ['https://relay.test', '/-/o/id?__token=x', 'https://relay.test/-/o/id'],
  [
    'https://relay.test',
    '/-/o/id?__response_code=200',
    'https://relay.test/-/o/id?__response_code=200',
  ],
])('a sender that calls %s%s signs %s', async (publicUrl, target, url) => {
  const signature = createHmac('sha256', 'key').update(`${url}{}`).digest('base64')
  const event = {
    ...{ path: 'hook/webhook', method: 'POST', delivery: 'd', receivedAt: '' },
    headers: new Map([['x-square-hmacsha256-signature', signature]]),
    body: { bytes: new TextEncoder().encode('{}'), text: '{}' },
  }
  const verify = [{ scheme: 'square', secret: 'key' }]
  const checks = await openChecks({ verify }, { target, event }, publicUrl)
  expect([await checks.verify(), checks.unmet()]).toEqual([true, undefined])
  const other = await openChecks(
    { verify },
    { target: target.replace('/-/', '/x/'), event },
    publicUrl,
  )
  expect(await other.verify()).toBe(false)
})

test('the locations of all signatures are known', () => {
  const verify = [
    { scheme: ['stripe', 'no-such'], secret: 's' },
    { scheme: 'token', header: 'X-Key', secret: 's' },
    { scheme: 'token', query: 'key', secret: 's' },
    { scheme: 'token', field: 'a.b', secret: 's' },
    { scheme: 'token', query: 'empty', secret: ['s', ''] },
    {},
  ]
  expect(signatureLocations(verify)).toEqual({
    headers: ['stripe-signature', 'x-key'],
    query: ['key'],
  })
})
