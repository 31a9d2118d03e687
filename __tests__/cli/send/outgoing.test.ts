import { describe, expect, test } from '@jest/globals'
import { EXAMPLES } from '../../../src/cli/send/example-events.ts'
import { readSaved, savedTarget } from '../../../src/cli/send/outgoing-request.ts'
import { SCHEME_NAMES } from '../../../src/triggers/verify/schemes.ts'
import { gzip, toBase64 } from '../../../src/wire/bytes.ts'

const BYTES = Uint8Array.of(0, 1, 254, 255)

describe('a saved request', () => {
  const base64 = toBase64(BYTES)

  test('is read with the body as it was received', async () => {
    const gzipped = toBase64(await gzip(new TextEncoder().encode('packed')))
    const rows = [
      [null, undefined, ''],
      ['text', undefined, 'text'],
      [{ a: 1 }, undefined, '{"a":1}'],
      [gzipped, 'gzip', 'packed'],
      [base64, 'base64', new TextDecoder('latin1').decode(BYTES)],
    ] as const
    for (const [body, encoding, text] of rows) {
      const headers = encoding ? { 'x-hookline-body-encoding': encoding } : {}
      const saved = await readSaved({ path: 'w/t', method: 'post', headers, body })
      expect(new TextDecoder('latin1').decode(saved.body)).toBe(text)
    }
  })

  test('keeps its headers, except those of the connection and of the relay', async () => {
    const headers = {
      'X-GitHub-Event': 'push',
      Host: 'old.example.com',
      'content-length': '99',
      'x-hookline-delivery': 'old',
    }
    const saved = await readSaved({ path: '/w/t', method: 'post', headers, body: 'x' })
    expect(saved).toMatchObject({ path: 'w/t', method: 'POST' })
    expect(saved.headers).toEqual({ 'x-github-event': 'push' })
  })

  test.each([
    ['no object', 'text'],
    ['no path', { method: 'POST', body: '' }],
    [
      'a body that does not decode',
      { path: 'w/t', headers: { 'x-hookline-body-encoding': 'base64' }, body: '*' },
    ],
  ])('is an error with %s', async (_, value) => {
    await expect(readSaved(value)).rejects.toThrow()
  })

  test.each([
    ['http://localhost:3000/webhook', 'w/t?a=1', 'http://localhost:3000/webhook/w/t?a=1'],
    ['http://localhost:3000/webhook/', 'w/t', 'http://localhost:3000/webhook/w/t'],
    [
      'http://localhost:3000/webhook/other/webhook',
      'w/t',
      'http://localhost:3000/webhook/other/webhook',
    ],
    ['https://r.example/o/r', 'w/t/x', 'https://r.example/o/r/w/t/x'],
    ['https://r.example/o/r?__token=k', 'w/t?a=1', 'https://r.example/o/r/w/t?a=1&__token=k'],
    ['https://r.example/o/r?__token=k', 'w/t', 'https://r.example/o/r/w/t?__token=k'],
    ['https://r.example/o/r/other/webhook', 'w/t', 'https://r.example/o/r/other/webhook'],
  ])('at %s with path %s goes to %s', async (address, path, target) => {
    const saved = await readSaved({ path, method: 'POST', headers: {}, body: '' })
    expect(savedTarget(new URL(address), saved).href).toBe(target)
  })
})

test.each([...EXAMPLES.values()])(
  'fixture $name has the name of its sender, a known scheme, and the content type of its body',
  ({ name, scheme, request }) => {
    expect(name).toMatch(/^[a-z\d-]+(?:\.[a-z\d_-]+)+$/)
    if (scheme !== undefined) expect(SCHEME_NAMES).toContain(scheme)
    const { headers, body } = request({ id: '1', now: new Date(1_700_000_000_000) })
    const type =
      typeof body === 'object' || body === ''
        ? /^application\/(?:json|.*\+json)|^text\/plain/
        : /urlencoded$/
    expect(headers['content-type']).toMatch(type)
    expect(Object.keys(headers)).toEqual(Object.keys(headers).map((key) => key.toLowerCase()))
  },
)

test('deliveries of senders that number them differ', () => {
  const ping = EXAMPLES.get('github.ping')
  const now = new Date(0)
  const ids = ['1', '2'].map((id) => ping?.request({ id, now }).headers['x-github-delivery'])
  expect(ids).toEqual(['1', '2'])
})
