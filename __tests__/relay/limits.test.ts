import { describe, expect, test } from '@jest/globals'
import { fc } from '../support/properties.ts'
import { open, parseAnswer, received, sendBytes } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene, TOKEN } from '../support/scene.ts'

const HOOK = '/o/r/hook/webhook'
const CAP = 256 * 1024
const AUTH = `X-Platform-Authorization: ${TOKEN}\r\n`

describe.each(RUNTIMES)('the limits of a relay on %s', (_, start) => {
  const at = scene(start)

  test.each([
    ['declared', CAP, undefined, 200],
    ['declared', CAP + 1, undefined, 413],
    ['chunked', CAP, [CAP / 2], 200],
    ['chunked', CAP + 1, [1], 413],
    ['chunked', 2 * CAP, Array.from({ length: 64 }, () => 8192), 413],
  ])('a body %s as %i bytes', async (_, size, chunks, status) => {
    const request = { method: 'POST', target: HOOK, body: ' '.repeat(size) }
    const answer = await at.send(chunks ? { ...request, chunks } : request)
    expect(answer.status).toBe(status)
    expect(at.github.calls).toHaveLength(status === 200 ? 1 : 0)
  })

  test('the limit holds for 60 ways to cut a body into chunks', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: CAP }), { maxLength: 6 })
    const property = fc.asyncProperty(sizes, fc.boolean(), async (chunks, fits) => {
      const body = ' '.repeat(fits ? CAP : CAP + 1)
      at.github.reset()
      const answer = await at.send({ method: 'POST', target: HOOK, body, chunks })
      expect(answer.status).toBe(fits ? 200 : 413)
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test.each([
    ['a declared length that is never kept', 'HTTP/1.1', 'Content-Length: 10\r\n', 'abc'],
    ['chunks that never end', 'HTTP/1.1', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n'],
    ['a length that HTTP/1.0 never keeps', 'HTTP/1.0', 'Content-Length: 10\r\n', 'abc'],
  ])('%s: no event', async (_, version, framing, body) => {
    const socket = open(at.relay.url)
    socket.end(`POST ${HOOK} ${version}\r\nHost: h\r\n${AUTH}${framing}\r\n${body}`)
    await received(socket)
    expect(at.github.calls).toHaveLength(0)
  })

  test.each([
    [CAP, 200],
    [CAP + 1, 413],
  ])('a body of %i bytes by HTTP/1.0: %i', async (size, status) => {
    const head = `POST ${HOOK} HTTP/1.0\r\nHost: h\r\n${AUTH}Content-Length: ${size}\r\n\r\n`
    const bytes = await sendBytes(at.relay.url, `${head}${' '.repeat(size)}`)
    expect(parseAnswer(bytes).status).toBe(status)
    expect(at.github.calls).toHaveLength(status === 200 ? 1 : 0)
  })

  test('bytes after the declared length are not part of the body', async () => {
    const head = `POST ${HOOK} HTTP/1.1\r\nHost: h\r\n${AUTH}Content-Length: 3\r\n`
    await sendBytes(at.relay.url, `${head}Connection: close\r\n\r\nabcdef`)
    expect(at.payloads().map(({ body }) => body)).toEqual(['abc'])
  })

  test('of 150 headers the first 100 are forwarded', async () => {
    const headers = Array.from(
      { length: 150 },
      (_, n) => [`x-n-${String(n).padStart(3, '0')}`, '1'] as const,
    )
    expect((await at.send({ target: HOOK, headers })).status).toBe(200)
    const names = Object.keys(at.payloads()[0]?.headers ?? {}).filter(
      (name) => !name.startsWith('x-hookline-'),
    )
    expect(names).toHaveLength(100)
    expect(names).toContain('x-n-000')
    expect(names).not.toContain('x-n-149')
  })
})
