import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../src/relay/errors.ts'
import { ACCEPTED, customResponse } from '../../src/relay/webhook/responses.ts'
import type { RelayResponse } from '../../src/wire/http.ts'
import { fc } from '../support/properties.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'
import { anyCharacter, anyPath } from '../support/text.ts'

const HOOK = '/o/r/hook/webhook'

describe.each(RUNTIMES)('custom responses of a relay on %s', (_, start) => {
  const at = scene(start)

  test.each([
    ['__response_code=201', 201, 'application/json', '{"success":true}'],
    ['__response_content_type=text/plain', 200, 'text/plain', '{"success":true}'],
    ['__response_body=ok', 200, 'application/json', 'ok'],
    ['__response_body=a+b%26%C3%A9%0A', 200, 'application/json', 'a b&é\n'],
    [
      '__response_code=&__response_content_type=&__response_body=',
      200,
      'application/json',
      '{"success":true}',
    ],
    ['__response_code=302&__response_body=x', 302, 'application/json', 'x'],
    ['__response_code=599', 599, 'application/json', '{"success":true}'],
    ['%5F_response_code=202&__response_code=203', 202, 'application/json', '{"success":true}'],
    [
      '__response_content_type=text/xml;%20charset=%22utf-8%22',
      200,
      'text/xml; charset="utf-8"',
      '{"success":true}',
    ],
  ])('%s', async (query, status, contentType, body) => {
    const answer = await at.send({ target: `${HOOK}?${query}&left=1` })
    expect(answer).toMatchObject({ status, body })
    expect(answer.headers['content-type']).toBe(contentType)
    expect(at.payloads()[0]?.path).toBe('hook/webhook?left=1')
  })

  test.each([
    ['code', '100'],
    ['code', '199'],
    ['code', '600'],
    ['code', '200.7'],
    ['code', '0x00c8'],
    ['code', '%20200'],
    ['code', 'ok'],
    ['content_type', 'html'],
    ['content_type', 'text/html%0D%0ASet-Cookie:a=b'],
    ['content_type', 'text/html%00'],
    ['content_type', 'text/%E2%80%A8'],
    ['content_type', `text/${'x'.repeat(255)}`],
    ['body', 'x'.repeat(8193)],
    ['body', `${'x'.repeat(8191)}%C3%A9`],
  ])(
    '__response_%s=%.40s: 400 before the dispatch, not after it as with peers',
    async (name, value) => {
      const query = `__response_${name}=${value}`
      const answer = await at.send({ target: `${HOOK}?${query}` })
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.body).error.code).toBe('invalid_response_option')
      expect(at.github.calls).toHaveLength(0)
    },
  )

  test('a body of exactly 8 KB is answered', async () => {
    const answer = await at.send({ target: `${HOOK}?__response_body=${'x'.repeat(8192)}` })
    expect(answer.body).toHaveLength(8192)
  })

  test.each([
    ['GET', 204],
    ['GET', 205],
    ['GET', 304],
    ['HEAD', 200],
    ['HEAD', 404],
    ['HEAD', 204],
  ])('%s answered %i has no body', async (method, status) => {
    const target = `${HOOK}?__response_code=${status}&__response_body=x`
    const answer = await at.send({ method, target })
    expect(answer).toMatchObject({ status, body: '' })
    // Without a body there must be no type; the response to a HEAD has the type of a GET.
    const isBare = [204, 205, 304].includes(status)
    expect(answer.headers['content-type'] === undefined).toBe(isBare)
  })

  test('a HEAD that fails has no body either', async () => {
    // After 401, the relay would refuse the token of the other tests.
    at.github.next({ status: 422 })
    expect(await at.send({ method: 'HEAD', target: HOOK })).toMatchObject({ status: 422, body: '' })
  })
})

test('1,000 triples of any strings: refused, or exactly the response that they ask for', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    anyPath,
    fc.integer({ min: 0, max: 999 }).map(String),
    fc.constantFrom('', '200', '204', '299', '600', '1e2', '\r\nX-A: b', 'text/html', 'a/b;c="d"'),
  )
  let replies = 0
  fc.assert(
    fc.property(text, text, text, (code, contentType, body) => {
      const reserved = new Map([
        ['__response_code', code],
        ['__response_content_type', contentType],
        ['__response_body', body],
      ])
      let reply: RelayResponse
      try {
        reply = customResponse(reserved) ?? ACCEPTED
      } catch (error) {
        expect(error).toBeInstanceOf(RelayError)
        return
      }
      replies++
      const { status, headers } = new Response(null, {
        status: reply.status,
        headers: reply.headers,
      })
      expect(status).toBe(Number(code || 200))
      expect(headers.get('x-a')).toBeNull()
      if ([204, 205, 304].includes(status)) return
      expect(reply.body).toBe(body || '{"success":true}')
      expect(headers.get('content-type')).toBe(contentType || 'application/json')
    }),
    { numRuns: 1000 },
  )
  expect(replies).toBeGreaterThan(10)
})
