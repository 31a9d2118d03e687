import { describe, expect, test } from '@jest/globals'
import { redactEvent } from '../../../src/relay/github/payload.ts'
import { Secret } from '../../../src/wire/secret.ts'

const TOKEN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
const OTHER = 'another-secret-of-the-endpoint'
const TOKENS = { secrets: [new Secret(TOKEN), new Secret(OTHER)], githubToken: new Secret(TOKEN) }
/** The other secret as base64, which a web token may contain by chance. */
const ENCODED = Buffer.from(OTHER).toString('base64url')

function event(path: string, headers: Readonly<Record<string, string>>, body = '') {
  return {
    ...{ path, method: 'POST', delivery: 'd', receivedAt: '2026-01-01T00:00:00.000Z' },
    headers: new Map(Object.entries(headers)),
    body: { bytes: new TextEncoder().encode(body), text: body },
  }
}

describe('an event', () => {
  test('without a token is the same', () => {
    const given = event('hook/webhook', { 'x-a': 'b' })
    expect(redactEvent(given, TOKENS)).toBe(given)
  })

  test('has all its tokens replaced, in the path and in each header', () => {
    const given = event(`hook/webhook?a=${TOKEN}&b=${OTHER}`, {
      'x-a': TOKEN,
      'x-b': `${OTHER} ${ENCODED}`,
      'x-c': 'plain',
    })
    expect(redactEvent(given, TOKENS)).toEqual({
      ...given,
      path: 'hook/webhook?a=***&b=***',
      headers: new Map([
        ['x-a', '***'],
        ['x-b', '*** ***'],
        ['x-c', 'plain'],
      ]),
    })
  })

  test.each([
    ['authorization', `Bearer a-_.${ENCODED}.c`, `Bearer a-_.${ENCODED}.c`],
    ['authorization', `BEARER  a.${ENCODED}.c`, `BEARER  a.${ENCODED}.c`],
    ['authorization', `a.${ENCODED}.c`, `a.${ENCODED}.c`],
    ['authorization', `a.${OTHER}.${ENCODED}`, `a.***.${ENCODED}`],
    ['authorization', `a.${TOKEN}.${btoa(TOKEN).replaceAll('=', '')}`, 'a.***.***g'],
    ['authorization', `Basic a.${ENCODED}.c`, 'Basic a.***.c'],
    ['authorization', `Bearer a.${ENCODED}`, 'Bearer a.***'],
    ['authorization', `Bearer a.${ENCODED}.c.d`, 'Bearer a.***.c.d'],
    ['authorization', `Bearer a.${ENCODED}.c d`, 'Bearer a.***.c d'],
    ['x-signature', `Bearer a.${ENCODED}.c`, 'Bearer a.***.c'],
  ])('has in %s: %s', (name, value, shown) => {
    // The path makes sure that the event is searched.
    const { headers } = redactEvent(event(`hook/webhook?${OTHER}`, { [name]: value }), TOKENS)
    expect(headers.get(name)).toBe(shown)
  })

  test('must not have the GitHub token in its body, but may have another one', () => {
    const refused = { code: 'token_in_body', status: 400 }
    expect(() => redactEvent(event('p', {}, TOKEN), TOKENS)).toThrow(
      expect.objectContaining(refused),
    )
    const bytes = new Uint8Array([0xff, ...new TextEncoder().encode(TOKEN)])
    const binary = { ...event('p', {}), body: { bytes, text: undefined } }
    expect(() => redactEvent(binary, TOKENS)).toThrow(expect.objectContaining(refused))
    const other = event('p', {}, OTHER)
    expect(redactEvent(other, TOKENS)).toBe(other)
    const own = event('p', {}, TOKEN)
    expect(redactEvent(own, { secrets: TOKENS.secrets })).toBe(own)
  })
})
