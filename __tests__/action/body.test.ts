import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { fire, itemOf, multipart } from './step.ts'

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'

async function bodyOf(contentType: string | undefined, body: string, headers = {}) {
  const type = contentType === undefined ? {} : { 'content-type': contentType }
  return itemOf(await fire('webhook', { headers: { ...type, ...headers }, body })).body
}

describe('the body by its content type', () => {
  test.each([
    ['an object', JSON_TYPE, ' {"a": [1, null, true]} ', { a: [1, null, true] }],
    ['a list', JSON_TYPE, '[1,2]', [1, 2]],
    ['a string', JSON_TYPE, '"text"', 'text'],
    ['a number', JSON_TYPE, '5', 5],
    ['null', JSON_TYPE, 'null', null],
    ['with parameters', 'Application/JSON; charset=utf-8', '{"a":1}', { a: 1 }],
    ['a +json type', 'application/cloudevents+json', '{"a":1}', { a: 1 }],
    ['a +json type with parameters', 'application/ld+json;profile="x"', '[1]', [1]],
    ['with a byte order mark', JSON_TYPE, '\uFEFF{"a":1}', { a: 1 }],
    ['big integers', JSON_TYPE, '{"id":12345678901234567890}', { id: '12345678901234567890' }],
    ['16 digits', JSON_TYPE, '[1234567890123456,-1234567890123456]', '16 digits as strings'],
    ['15 digits', JSON_TYPE, '[123456789012345]', [123456789012345]],
    ['beyond a double', JSON_TYPE, '[1e400]', ['1e400']],
    ['a repeated key', JSON_TYPE, '{"a":1,"a":2}', { a: 2 }],
  ])('JSON: %s', async (_, contentType, body, expected) => {
    const wanted =
      expected === '16 digits as strings' ? ['1234567890123456', '-1234567890123456'] : expected
    expect(await bodyOf(contentType, body)).toEqual(wanted)
  })

  test.each([
    ['invalid JSON', JSON_TYPE, '{"a":'],
    ['JSON with a comment', JSON_TYPE, '{"a":1} // x'],
    ['invalid JSON, its byte order mark too', JSON_TYPE, '\uFEFF{'],
    ['JSON that nests too deep', JSON_TYPE, '['.repeat(501)],
    ['an unclosed brace without a type', undefined, '{ never closed'],
    ['text', 'text/plain', 'hello\r\nworld\n'],
    ['a quoted text of no JSON type', 'text/plain', '"quoted"'],
    ['a number of no JSON type', undefined, '12345678901234567890'],
    ['XML', 'application/xml', '<?xml version="1.0"?><a b="c">&amp;</a>'],
    ['a type that only ends in json', 'application/notjson', '"x"'],
    ['a broken multipart form', 'multipart/form-data; boundary=x', '--y\r\nbroken'],
    ['a multipart form without a boundary', 'multipart/form-data', '--x--'],
  ])('stays text: %s', async (_, contentType, body) => {
    expect(await bodyOf(contentType, body)).toBe(body)
  })

  test.each([
    ['without a type', undefined, '{"a":1}', { a: 1 }],
    ['as text/plain', 'text/plain', '[1]', [1]],
    ['with a byte order mark', 'text/plain', '\uFEFF[1]', [1]],
  ])('is JSON where it begins with a bracket: %s', async (_, contentType, body, expected) => {
    expect(await bodyOf(contentType, body)).toEqual(expected)
  })

  test('is JSON for a notification of SNS, whatever its type', async () => {
    const sns = { 'x-amz-sns-message-type': 'Notification' }
    expect(await bodyOf('text/plain; charset=UTF-8', ' {"Type":"Notification"}', sns)).toEqual({
      Type: 'Notification',
    })
  })

  test.each([
    ['fields', 'a=1&b=x+y%20z&c', { a: '1', b: 'x y z', c: '' }],
    ['repeated fields', 'a=1&a=2', { a: ['1', '2'] }],
    ['malformed escapes', 'a=%zz&b=%E2', { a: '%zz', b: 'â' }],
    ['JSON in a field', 'payload=%7B%22a%22%3A1%7D', { payload: '{"a":1}' }],
  ])('urlencoded: %s', async (_, body, expected) => {
    expect(await bodyOf(`${FORM}; charset=UTF-8`, body)).toEqual(expected)
  })

  test('multipart: fields, repeated ones, and files as base64', async () => {
    const form = multipart([
      'Content-Disposition: form-data; name="a"\r\n\r\n1',
      'Content-Disposition: form-data; name="b"\r\n\r\nx\r\ny',
      'Content-Disposition: form-data; name="b"\r\n\r\n€',
      'Content-Disposition: form-data; name="f"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n1;2',
    ])
    expect(itemOf(await fire('webhook', form)).body).toEqual({
      a: '1',
      b: ['x\r\ny', '€'],
      f: { filename: 'a.csv', type: 'text/csv', size: 3, content: btoa('1;2') },
    })
  })

  test('empty: null, and as an output the JSON null', async () => {
    for (const body of [null, '']) {
      const run = await fire('webhook', { headers: { 'content-type': JSON_TYPE }, body })
      expect(itemOf(run).body).toBeNull()
      expect(run.outputs.body).toBe('null')
    }
  })

  test('<<< and >>> pass through unchanged', async () => {
    const text = '<<<a "quoted" text>>> and <<< one\nmore >>>'
    expect(await bodyOf('text/plain', text)).toBe(text)
    expect(await bodyOf(JSON_TYPE, JSON.stringify({ text }))).toEqual({ text })
    expect(await bodyOf(JSON_TYPE, `{"a": <<<${text}>>>}`)).toBe(`{"a": <<<${text}>>>}`)
  })
})

describe('a body that travelled encoded', () => {
  const sent = async (encoding: string, body: string, contentType: string) =>
    fire('webhook', {
      headers: { 'content-type': contentType, 'x-hookline-body-encoding': encoding },
      body,
    })
  const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64')

  test.each([
    ['base64 of JSON', 'base64', base64('{"a":"€"}'), JSON_TYPE, { a: '€' }],
    ['gzip of JSON', 'gzip', base64(gzipSync('{"a":"€"}')), JSON_TYPE, { a: '€' }],
    ['gzip of text', 'gzip', base64(gzipSync('hi\n')), 'text/plain', 'hi\n'],
    [
      'latin1',
      'base64',
      base64(Buffer.from('café', 'latin1')),
      'text/plain; charset=iso-8859-1',
      'café',
    ],
    [
      'shift_jis',
      'base64',
      base64(Buffer.from([0x83, 0x65])),
      'text/plain; charset="shift_jis"',
      'テ',
    ],
    [
      'latin1 form',
      'base64',
      base64(Buffer.from('a=é', 'latin1')),
      `${FORM}; charset=latin1`,
      { a: 'é' },
    ],
  ])('%s', async (_, encoding, body, contentType, expected) => {
    const item = itemOf(await sent(encoding, body, contentType))
    expect(item.body).toEqual(expected)
    expect(item.headers).toEqual({ 'content-type': contentType })
  })

  test.each([
    ['windows-1252', 'name=caf%E9&price=%80+5', { name: 'café', price: '€ 5' }],
    ['iso-8859-1', 'name=caf%e9', { name: 'café' }],
    ['shift_jis', 'name=%83e%83X%83g', { name: 'テスト' }],
    ['"euc-kr"', 'name=%C7%D1', { name: '한' }],
    ['utf-8', 'name=caf%C3%A9', { name: 'café' }],
  ])('a form with percent-encoded bytes of %s', async (charset, body, expected) => {
    const type = `${FORM}; charset=${charset}`
    const item = itemOf(await fire('webhook', { headers: { 'content-type': type }, body }))
    expect(item.body).toEqual(expected)
  })

  test.each([
    ['no charset', 'image/png'],
    ['an unknown charset', 'text/plain; charset=klingon'],
    ['a charset it is not', 'text/plain; charset=utf-8'],
  ])('bytes that are no text stay base64, with %s', async (_, contentType) => {
    const bytes = base64(Buffer.from([0x89, 0x50, 0xff, 0x00]))
    for (const [encoding, body] of [
      ['base64', bytes],
      ['gzip', base64(gzipSync(Buffer.from(bytes, 'base64')))],
    ] as const) {
      const item = itemOf(await sent(encoding, body, contentType))
      expect(item.body).toBe(bytes)
      expect(item.headers['x-hookline-body-encoding']).toBe('base64')
    }
  })

  test('a file with bytes that are no text', async () => {
    const file = Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a])
    const disposition = 'Content-Disposition: form-data; name="f"; filename="x.bin"'
    const body = Buffer.concat([
      Buffer.from(`--b\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`),
      file,
      Buffer.from('\r\n--b--\r\n'),
    ])
    const run = await sent('base64', base64(body), 'multipart/form-data; boundary=b')
    const type = 'application/octet-stream'
    expect(itemOf(run).body.f).toEqual({ filename: 'x.bin', type, size: 5, content: base64(file) })
  })

  test.each([
    ['base64', 'not base64!'],
    ['gzip', base64('not gzip')],
    ['gzip', base64(gzipSync('cut off').subarray(0, 15))],
    ['gzip', base64(gzipSync('x'.repeat(256 * 1024 + 1)))],
  ])('%s that is none, or unpacks to too much: skipped, with a warning', async (encoding, body) => {
    const { outputs, exitCode, stdout } = await sent(encoding, body, 'text/plain')
    const warning = `client_payload.body is not ${encoding}, as its x-hookline-body-encoding says`
    expect({ exitCode, triggered: outputs.triggered }).toEqual({ exitCode: 0, triggered: 'false' })
    expect(stdout).toContain(`::warning::${warning}`)
  })
})
