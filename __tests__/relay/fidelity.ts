import { describe, expect, test } from '@jest/globals'
import type { ClientPayload } from '../../src/wire/payload.ts'
import { fc } from '../support/properties.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'
import { anyCharacter } from '../support/text.ts'

const HOOK = '/o/r/hook/webhook'

/** Properties of forwarded requests, on every runtime. */
export function testFidelity(runs: number): void {
  describe.each(RUNTIMES)(
    `what a relay on %s forwards, ${runs} requests of each kind`,
    (_, start) => {
      const at = scene(start)

      const forwarded = async (request: RawRequest): Promise<ClientPayload> => {
        at.github.reset()
        expect(await at.sendKept(request)).toMatchObject({ status: 200 })
        const [payload] = at.payloads()
        if (!payload) throw new Error('nothing was dispatched')
        return payload
      }

      test('any path and query of URL characters, minus the reserved parameters', async () => {
        const escapes = ['%2e', '%2E', '%2F', '%5c', '%zz', '%', '..', '/./', '//', '+', '%20']
        const other = fc.constantFrom(...escapes, ..."./\\?=;:@!~_-*ab'()[]{}|^$,")
        const piece = fc.string({ unit: other, maxLength: 8 })
        const unit = fc.oneof(other, fc.constant('&'))
        const reserved = fc.constantFrom(
          '__token=x',
          '%5F_token',
          '__response_body=',
          '_%5fresponse_code=',
        )
        const query = fc.array(fc.oneof(piece, reserved), { minLength: 1, maxLength: 6 })
        const property = fc.asyncProperty(fc.string({ unit }), query, async (path, pieces) => {
          const isReserved = (text: string) =>
            /^(?:_|%5f){2}(?:token|response_\w+)(?:=|$)/i.test(text)
          // A path may have a `?` of its own, so that the query begins before the pieces.
          const [first = '', ...others] = pieces
          const left = others.filter((text) => !isReserved(text))
          const start = `w${path}?x${first}`
          const { path: came } = await forwarded({ target: `/o/r/${[start, ...others].join('&')}` })
          expect(came).toBe([start, ...left].join('&'))
        })
        await fc.assert(property, { numRuns: runs })
      })

      /** Sizes of chunks; a body without chunks is sent with its length. */
      const cuts = fc.option(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 5 }), {
        nil: undefined,
      })
      const body = (content: string | Uint8Array, chunks: readonly number[] | undefined) => {
        return { method: 'POST', target: HOOK, body: content, ...(chunks && { chunks }) }
      }

      test('any text, in one piece or cut within its characters', async () => {
        const text = fc.oneof(
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
          fc.string({ unit: anyCharacter, minLength: 1 }),
          fc.json(),
          fc.json().map((json) => JSON.stringify(JSON.parse(json), undefined, '\r\n ')),
        )
        const marked = fc
          .tuple(fc.constantFrom('', '\uFEFF', '{ ', '\r\n'), text)
          .map((parts) => parts.join(''))
        const property = fc.asyncProperty(marked, cuts, async (content, chunks) => {
          const payload = await forwarded(body(content, chunks))
          expect(payload.body).toBe(content)
          expect(payload.headers).not.toHaveProperty('x-hookline-body-encoding')
        })
        await fc.assert(property, { numRuns: runs })
      })

      test('any bytes that are not UTF-8 travel as base64', async () => {
        const bytes = fc.uint8Array({ maxLength: 500 })
        // Not UTF-8: a byte that never occurs, half a character, half a surrogate pair.
        const broken = fc.constantFrom(
          [0xff],
          [0xc3, 0x28],
          [0xed, 0xa0, 0x80],
          [0xf0, 0x9f, 0x98, 0x20],
        )
        const property = fc.asyncProperty(bytes, broken, bytes, cuts, async (...parts) => {
          const [before, odd, after, chunks] = parts
          const content = Uint8Array.from([...before, ...odd, ...after])
          const { body: text, headers } = await forwarded(body(content, chunks))
          expect(headers['x-hookline-body-encoding']).toBe('base64')
          expect(Buffer.compare(Buffer.from(String(text), 'base64'), content)).toBe(0)
        })
        await fc.assert(property, { numRuns: runs })
      })

      test('any headers: none that is stripped, all others in lower case and joined', async () => {
        const name = fc.constantFrom(...STRIPPED, ...TRAVELLING)
        const cased = fc.tuple(name, fc.boolean()).map(([text, upper]) => {
          return upper ? text.toUpperCase() : text
        })
        // No value is empty, because workerd drops some headers that are.
        const text = fc.string({ unit: fc.constantFrom(...'aZ09 ,;="/*+:'), maxLength: 12 })
        const value = text.map((end) => `v${end}`)
        const headers = fc.array(fc.tuple(cased, value), { maxLength: 12 })
        const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
        const property = fc.asyncProperty(method, headers, fc.string(), async (...request) => {
          const [sentMethod, sent, content] = request
          const target = `${HOOK}?x=1`
          const payload = await forwarded({
            method: sentMethod,
            target,
            headers: sent,
            body: content,
          })
          expect(payload).toMatchObject({ method: sentMethod, path: 'hook/webhook?x=1' })
          const own = Object.entries(payload.headers).filter(([key]) => !OF_ITS_OWN.test(key))
          expect(Object.fromEntries(own)).toEqual(joined(sent))
        })
        await fc.assert(property, { numRuns: runs })
      })
    },
  )
}

/**
 * Headers that are not forwarded, one of each kind; the socket itself sets `Connection` and the
 * like.
 */
const STRIPPED = [
  'x-github-authorization',
  'cookie',
  'proxy-authorization',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'forwarded',
  'via',
  'cdn-loop',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-',
  'cf-connecting-ip',
  'x-hookline-delivery',
  'x-hookline-x',
]
const TRAVELLING = [
  'x-a',
  'accept',
  'authorization',
  'referer',
  'x-forwarded',
  'cookie2',
  'cfx',
  'vi',
]

/** Headers that every request has, or that the relay adds. */
const OF_ITS_OWN = /^(?:host|content-length|x-hookline-(?:delivery|received-at))$/

/** Headers in their forwarded form. */
function joined(headers: readonly (readonly [name: string, value: string])[]) {
  const expected: Record<string, string> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (STRIPPED.includes(key)) continue
    const earlier = expected[key]
    expected[key] = earlier === undefined ? value.trim() : `${earlier}, ${value.trim()}`
  }
  return expected
}
