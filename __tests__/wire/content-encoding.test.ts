import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { toBase64 } from '../../src/wire/bytes.ts'
import { readWebhookRequest } from '../../src/wire/webhook-request.ts'

const JSON_TYPE = 'application/json'

const FORM = 'application/x-www-form-urlencoded'

function read(bytes: Uint8Array, contentType: string, more: Record<string, string> = {}) {
  return readWebhookRequest({
    path: 'hook/webhook',
    method: 'POST',
    headers: { 'content-type': contentType, 'x-hookline-body-encoding': 'base64', ...more },
    body: toBase64(bytes),
  })
}

const encoded = (bytes: Uint8Array, coding: string) =>
  read(bytes, JSON_TYPE, { 'content-encoding': coding })

describe('a body is decoded by its content-encoding, and its signature is over the received bytes', () => {
  const text = '{"n":1}'
  test.each([
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['deflate, gzip', gzipSync(deflateSync(text))],
    ['identity', Buffer.from(text)],
    [' , Identity, X-GZIP ', gzipSync(text)],
    ['gzip,,gzip', gzipSync(gzipSync(text))],
    ['br', brotliCompressSync(text)],
    ['gzip', Buffer.concat([gzipSync('{"n"'), gzipSync(':1}')])],
  ])('%s', async (coding, bytes) => {
    const request = await encoded(bytes, coding)
    expect(request).toMatchObject({ body: { n: 1 }, binary: false })
    expect(request.faults).toEqual([])
    expect(Buffer.from(request.decodedBytes ?? []).toString()).toBe(text)
    expect(Buffer.from(request.bytes)).toEqual(Buffer.from(bytes))
  })
})

test('a body of exactly 10 MB after decoding is decoded', async () => {
  const text = '0'.padStart(10 * 1024 * 1024)
  const request = await encoded(gzipSync(text), 'gzip')
  expect(request).toMatchObject({ body: 0, binary: false, faults: [] })
})

describe('a body that cannot be decoded is passed on as received, with a notice', () => {
  test.each<[string, string, Uint8Array, string]>([
    [
      'a bomb',
      'gzip',
      gzipSync(Buffer.alloc(10 * 1024 * 1024 + 1)),
      'has more than 10 MB after decoding',
    ],
    [
      'a bomb of brotli',
      'br',
      brotliCompressSync(Buffer.alloc(11 * 1024 * 1024)),
      'has more than 10 MB after decoding',
    ],
    ['a broken brotli', 'br', Buffer.from([0xff, 0xfe, 0xfd]), 'is not br'],
    ['a bomb within a bomb', 'gzip, gzip, gzip', gzipSync('x'), 'has more than 2 encodings'],
    ['a broken deflate', ' Deflate ', Buffer.from([0xff, 0xfe, 0xfd]), 'is not deflate'],
    [
      'an inherited name',
      'constructor',
      Buffer.from([0xff]),
      'has an encoding that is not supported here',
    ],
    ['a broken inner coding', 'br, gzip', gzipSync('x'), 'is not br'],
    [
      'an unknown coding',
      'snappy',
      Buffer.from([0xff, 0xfe]),
      'has an encoding that is not supported here',
    ],
    ['a broken body', 'gzip', gzipSync('{"n":1}').subarray(0, 12), 'is not gzip'],
  ])('%s', async (_, coding, bytes, words) => {
    const request = await encoded(bytes, coding)
    const told = `the body ${words}, so its "content-encoding" is not decoded`
    expect(request.faults).toEqual([{ level: 'warning', code: 'body-encoding', text: told }])
    expect(request).toMatchObject({ body: toBase64(bytes), binary: true })
    expect(request.decodedBytes).toBeUndefined()
    expect(Buffer.from(request.bytes)).toEqual(Buffer.from(bytes))
  })

  test('JSON that a proxy has decoded before', async () => {
    const { body, faults } = await encoded(Buffer.from('{"n":1'), 'gzip')
    expect(body).toBe('{"n":1')
    expect(faults.map(({ code }) => code)).toEqual(['body-encoding', 'body-not-json'])
    expect(await encoded(Buffer.from('{"n":1}'), 'gzip')).toMatchObject({ body: { n: 1 } })
  })

  test('nothing is decoded of an empty body, and without a coding', async () => {
    expect((await encoded(Buffer.of(), 'snappy')).faults).toEqual([])
    expect((await encoded(Buffer.of(), 'snappy')).body).toBeNull()
    expect(await encoded(Buffer.from('1'), '')).not.toHaveProperty('decodedBytes')
  })

  test('a body of 10 MB is decoded, and one with a byte more is not', async () => {
    const size = 10 * 1024 * 1024
    expect(
      (await read(gzipSync(Buffer.alloc(size)), 'image/png', { 'content-encoding': 'gzip' }))
        .decodedBytes,
    ).toHaveLength(size)
    expect(
      (await read(gzipSync(Buffer.alloc(size + 1)), 'image/png', { 'content-encoding': 'gzip' }))
        .decodedBytes,
    ).toBeUndefined()
  })
})

describe('a form is decoded by its charset', () => {
  test.each([
    ['windows-1252', 'name=caf%E9+%A3&x=%E9', { name: 'café £', x: 'é' }],
    ['iso-8859-1', 'caf%E9=1&caf%E9=2', { café: ['1', '2'] }],
    ['Shift_JIS', 'name=%83n%83%8D%81%5B', { name: 'ハロー' }],
    ['utf-8', 'name=caf%C3%A9', { name: 'café' }],
    ['no-such-charset', 'name=caf%C3%A9', { name: 'café' }],
  ])('%s: %s', async (charset, text, body) => {
    const request = await read(Buffer.from(text), `${FORM}; charset=${charset}`)
    expect(request).toMatchObject({ body, binary: false })
  })
})
