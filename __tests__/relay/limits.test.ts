import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'

const HOOK = '/o/r/hook/webhook'
const CAP = 256 * 1024

describe.each(RUNTIMES)('the limits of a relay on %s', (_, start) => {
  const at = scene(start)

  test.each([
    ['declared', CAP, undefined, 200],
    ['declared', CAP + 1, undefined, 413],
    ['chunked', CAP, [CAP / 2], 200],
    ['chunked', CAP + 1, [1], 413],
    ['chunked', 2 * CAP, Array.from({ length: 64 }, () => 8192), 413],
  ])('R6: a body %s as %i bytes', async (_, size, chunks, status) => {
    const request = { method: 'POST', target: HOOK, body: ' '.repeat(size) }
    const answer = await at.send(chunks ? { ...request, chunks } : request)
    expect(answer.status).toBe(status)
    expect(at.github.calls).toHaveLength(status === 200 ? 1 : 0)
  })

  test('R6: the cap holds however the body is cut into chunks', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: CAP }), { maxLength: 6 })
    const property = fc.asyncProperty(sizes, fc.boolean(), async (chunks, fits) => {
      const body = ' '.repeat(fits ? CAP : CAP + 1)
      const answer = await at.send({ method: 'POST', target: HOOK, body, chunks })
      expect(answer.status).toBe(fits ? 200 : 413)
    })
    await fc.assert(property, { numRuns: 20 })
  })

  test('R23: at most 100 headers travel, those that came first', async () => {
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
