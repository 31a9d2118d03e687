import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { openChecks } from '../../../src/relay/webhook/verification.ts'
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
