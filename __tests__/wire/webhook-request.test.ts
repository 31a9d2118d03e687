import { describe, expect, test } from '@jest/globals'
import { readClientPayload } from '../../src/wire/payload.ts'
import { readWebhookRequest, visibleFields } from '../../src/wire/webhook-request.ts'
import { problemsOf } from '../support/problems.ts'

const read = (more: object) =>
  readWebhookRequest(readClientPayload({ path: 'hook/webhook', method: 'POST', ...more }))

const bytes = (text: string) => new TextEncoder().encode(text)

describe('a request', () => {
  test('has its path, method, query, body and metadata', async () => {
    const request = await read({
      path: 'hook/webhook/a?b=1&b=2&c=%20',
      headers: {
        'content-type': 'application/json',
        'x-hookline-delivery': 'd',
        'x-hookline-received-at': 'now',
      },
      body: '{"a":0.00001}',
    })
    const { headers, query, body, ...others } = request
    expect({ ...query }).toEqual({ b: ['1', '2'], c: ' ' })
    expect(body).toEqual({ a: 0.00001 })
    expect(Object.keys(headers)).toHaveLength(3)
    expect(others).toEqual({
      workflow: 'hook',
      trigger: 'webhook',
      path: '/a',
      querystring: 'b=1&b=2&c=%20',
      method: 'post',
      binary: false,
      faults: [],
      digits: new Map([[0.00001, '0.00001']]),
      bytes: bytes('{"a":0.00001}'),
      delivery: 'd',
      receivedAt: 'now',
    })
  })

  test.each([
    [null, ''],
    [{ a: 1 }, '{"a":1}'],
    [5, '5'],
  ])('with the JSON body %j has the bytes %j', async (body, text) => {
    const request = await read({ body })
    expect(request).toMatchObject({ body, binary: false, faults: [] })
    expect(request.bytes).toEqual(bytes(text))
    expect(request.digits.size).toBe(0)
  })

  test('with a fetched body reads its bytes', async () => {
    const payload = readClientPayload({ path: 'a', headers: { 'content-type': 'text/plain' } })
    const request = await readWebhookRequest({ ...payload, bytes: bytes('fetched') })
    expect(request).toMatchObject({ body: 'fetched', bytes: bytes('fetched') })
  })
})

describe('the encoding of a body', () => {
  const encoded = (encoding: string, body = 'x') =>
    read({ body, headers: { 'x-hookline-body-encoding': encoding } })

  test.each([
    [
      'url',
      'the body of this event is stored at its relay, and only the action fetches it',
      'Open the run of the event on GitHub.',
    ],
    ...[
      ['zstd', '"zstd"'],
      ['a'.repeat(20), `"${'a'.repeat(20)}"`],
      ['a'.repeat(21), 'a value'],
      ['', 'a value'],
      ['a b', 'a value'],
      ['a;', 'a value'],
    ].map(([encoding = '', shown]) => [
      encoding,
      `x-hookline-body-encoding is ${shown}, which this version does not know`,
      'Update the action to the version of the relay.',
    ]),
  ])('%j is refused', async (encoding = '', message, hint) => {
    expect(await problemsOf(encoded(encoding))).toEqual([{ message, hint }])
  })

  test.each(['base64', 'gzip'])('%s that is none is an error of the payload', async (encoding) => {
    await expect(encoded(encoding, '%')).rejects.toThrow(
      `client_payload.body is not ${encoding}, as its x-hookline-body-encoding says`,
    )
  })
})

test('the outputs have neither credentials nor the headers of the relay', async () => {
  const request = await read({
    path: 'hook/webhook?a=1&key=2&%6bey=3&b&&c',
    headers: {
      'x-a': '1',
      'x-own': '2',
      authorization: '3',
      'x-hookline-delivery': 'd',
      'x-hookline-body-encoding': 'base64',
    },
    body: '/w==',
  })
  const visible = visibleFields(request, { headers: ['x-own'], query: ['key'] })
  expect(JSON.parse(JSON.stringify(visible))).toEqual({
    headers: { 'x-a': '1', 'x-hookline-body-encoding': 'base64' },
    query: { a: '1', b: '', c: '' },
    querystring: 'a=1&b&&c',
    search: '?a=1&b&&c',
    body: '/w==',
  })
  const { querystring, search } = visibleFields(await read({ path: 'hook/webhook' }))
  expect({ querystring, search }).toEqual({ querystring: '', search: '' })
})
