import { describe, expect, test } from '@jest/globals'
import { bodyBytes, gzip, toBase64 } from '../../src/wire/bytes.ts'
import { type ClientPayload, readClientPayload } from '../../src/wire/payload.ts'
import { parseBody, readWebhookRequest } from '../../src/wire/webhook-request.ts'
import { fc } from '../support/properties.ts'
import { anyCharacter } from '../support/text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** A body parsed to any JSON type, with only the content type known. */
async function parsed(body: string | Uint8Array, contentType: string, isJson = false) {
  return parseBody(typeof body === 'string' ? bytes(body) : body, contentType, isJson)
}

describe('parseBody', () => {
  test.each([
    ['', 'application/json', null],
    ['{"a":1}', 'application/json', { a: 1 }],
    ['{"a":1}', 'application/merge-patch+json', { a: 1 }],
    ['{"a":1}', 'text/plain', { a: 1 }],
    ['1', 'text/plain', '1'],
    ['1', 'application/json', 1],
    ['{', 'application/json', '{'],
    ['a=1&a=2', 'application/x-www-form-urlencoded', { a: ['1', '2'] }],
    ['\uFEFFa=1', 'application/x-www-form-urlencoded', { a: '1' }],
    ['\uFEFFtext', 'text/plain', '\uFEFFtext'],
    ['text', 'multipart/form-data', 'text'],
    ['text', '', 'text'],
  ])('%j as %s', async (body, contentType, expected) => {
    expect(await parsed(body, contentType)).toMatchObject({ body: expected, binary: false })
  })

  test.each([
    ['{', 'application/json', true],
    ['{', 'application/cloudevents+json', true],
    ['{', 'text/plain', false],
    ['{}', 'application/json', false],
  ])(
    '%j as %s: what its content type does not describe is marked: %s',
    async (body, type, isOdd) => {
      const { fault } = await parseBody(new TextEncoder().encode(body), type, false)
      expect(fault !== undefined).toBe(isOdd)
    },
  )

  test('JSON by declaration, for a sender that calls it text', async () => {
    expect(await parsed('5', 'text/plain', true)).toEqual({ body: 5, binary: false })
  })

  test.each([
    ['text/plain; charset=iso-8859-1', 'é'],
    ['text/plain; charset="windows-1252"', 'é'],
  ])('text in the charset of %s', async (contentType, text) => {
    expect((await parsed(Uint8Array.of(0xe9), contentType)).body).toBe(text)
  })

  test.each(['text/plain', 'text/plain; charset=utf-8', 'text/plain; charset=none-such'])(
    'bytes that are no text, as %s',
    async (contentType) => {
      const body = Uint8Array.of(0xff, 0xfe, 0x80)
      expect(await parsed(body, contentType)).toEqual({ body: '//6A', binary: true })
    },
  )

  test('a multipart form', async () => {
    const form = new FormData()
    form.append('a', '1')
    form.append('a', 'é')
    form.append('f', new Blob([Uint8Array.of(0, 255)], { type: 'image/x' }), 'ü "x".bin')
    const request = new Response(form)
    const contentType = request.headers.get('content-type') ?? ''
    const { body } = await parsed(new Uint8Array(await request.arrayBuffer()), contentType)
    const file = { type: 'image/x', size: 2, content: 'AP8=' }
    expect(body).toMatchObject({ a: ['1', 'é'], f: file })
  })
})

test('any bytes come back from the way they travelled', async () => {
  const property = fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (array) => {
    const sent = Uint8Array.from(array)
    expect(await bodyBytes(toBase64(sent), 'base64')).toEqual(sent)
    expect(await bodyBytes(toBase64(await gzip(sent)), 'gzip')).toEqual(sent)
  })
  await fc.assert(property, { numRuns: 30 })
})

test('any text comes back as its bytes', async () => {
  const property = fc.asyncProperty(fc.string({ unit: anyCharacter }), async (text) => {
    const payload: ClientPayload = { path: '', method: 'POST', headers: {}, body: text }
    expect((await readWebhookRequest(payload)).bytes).toEqual(bytes(text))
  })
  await fc.assert(property, { numRuns: 60 })
})

test.each([
  [{ path: 'a' }, { path: 'a', method: 'GET', headers: {}, body: null }],
  [
    { path: 'a', body: '' },
    { path: 'a', method: 'GET', headers: {}, body: '' },
  ],
  [
    { path: 'a', body: 0 },
    { path: 'a', method: 'POST', headers: {}, body: 0 },
  ],
  [
    { path: 'a', body: false },
    { path: 'a', method: 'POST', headers: {}, body: false },
  ],
  [
    { path: 'a', headers: { A: null, B: true } },
    { path: 'a', method: 'GET', headers: { a: 'null', b: 'true' }, body: null },
  ],
])('a client_payload %j, with what it leaves out', (sent, read) => {
  const { path, method, headers, body } = readClientPayload(sent)
  expect({ path, method, headers: { ...headers }, body }).toEqual(read)
})
