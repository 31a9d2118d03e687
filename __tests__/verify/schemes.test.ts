import { describe, expect, test } from '@jest/globals'
import { bound, receive, type Sent } from '../support/receive.ts'
import type { Signer } from './signers/signer.ts'
import { BODY_SIGNERS, SIGNERS, TIMED_SIGNERS } from './signers.ts'

const body = '{"id": "évt_1",  "big":12345678901234567890}\r\n'
const time = new Date('2026-11-21T00:00:00Z')

async function signed(signer: Signer, secret = signer.secret): Promise<Sent> {
  return { headers: await signer.sign({ body, time }, secret), body, receivedAt: time }
}

/** True when a webhook trigger that asks for this verification makes an item of the request. */
async function fires(verify: unknown, sent: Sent): Promise<boolean> {
  const { items } = await receive(bound('webhook', { verify }), sent)
  return items.length === 1
}

describe.each(SIGNERS)('$name', (signer) => {
  const verify = signer.verify(signer.secret)

  test('a request of the sender fires', async () => {
    expect(await fires(verify, await signed(signer))).toBe(true)
  })

  test('a request signed with another secret does not', async () => {
    expect(await fires(verify, await signed(signer, signer.other))).toBe(false)
  })

  test('a request without one of the headers does not', async () => {
    const sent = await signed(signer)
    const names = Object.keys(sent.headers ?? {})
    for (const name of names) {
      const { [name]: _, ...headers } = sent.headers ?? {}
      expect(await fires(verify, { ...sent, headers })).toBe(false)
      expect(await fires(verify, { ...sent, headers: { ...headers, [name]: '' } })).toBe(false)
    }
    expect(names).not.toEqual([])
  })

  test('every change of one bit of the signature is refused', async () => {
    const sent = await signed(signer)
    const [header, prefix] = signer.signature
    const value = sent.headers?.[header] ?? ''
    for (const changed of oneBitChanges(value.slice(prefix.length))) {
      const headers = { ...sent.headers, [header]: prefix + changed }
      expect([changed, await fires(verify, { ...sent, headers })]).toEqual([changed, false])
    }
  })

  test('the headers that prove the sender, and the secret, are not in the item', async () => {
    const { items } = await receive(bound('webhook', { verify }), await signed(signer))
    expect(Object.keys(Object(items[0]?.headers))).not.toContain(signer.signature[0])
    if (signer.secret) expect(JSON.stringify(items)).not.toContain(signer.secret)
  })
})

describe.each(BODY_SIGNERS)('$name', (signer) => {
  test('every change of one bit of the body is refused', async () => {
    const sent = await signed(signer)
    const trigger = bound('webhook', { verify: signer.verify(signer.secret) })
    const bytes = new TextEncoder().encode(body)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const { items } = await receive(trigger, { ...sent, body: withBitChanged(bytes, bit) })
      expect([bit, items.length]).toEqual([bit, 0])
    }
  })

  test.each(['', ' ', '\n', '\0', '\uFEFF'])(
    'the body with %j after it, or without its end, is refused',
    async (more) => {
      const sent = await signed(signer)
      const verify = signer.verify(signer.secret)
      expect(await fires(verify, { ...sent, body: more ? body + more : body.slice(0, -1) })).toBe(
        false,
      )
    },
  )
})

describe.each(SIGNERS.filter(({ secret }) => secret !== ''))('$name', (signer) => {
  test('every change of one bit of the secret is refused', async () => {
    const sent = await signed(signer)
    for (const secret of oneBitChanges(signer.secret)) {
      const fired = await fires(signer.verify(secret), sent).catch(() => 'no valid secret')
      expect([secret, fired]).not.toEqual([secret, true])
    }
  })

  test('while a secret is rotated, the old and the new one hold', async () => {
    const verify = { ...signer.verify(signer.secret), secret: [signer.other, signer.secret] }
    expect(await fires(verify, await signed(signer))).toBe(true)
    expect(await fires(verify, await signed(signer, signer.other))).toBe(true)
    expect(await fires(signer.verify(signer.other), await signed(signer))).toBe(false)
  })
})

describe.each(TIMED_SIGNERS)('R32: $name', (signer) => {
  const verify = signer.verify(signer.secret)

  test.each([
    [0, true],
    [300, true],
    [-300, true],
    [301, false],
    [-301, false],
    [86_400, false],
  ])('received %d seconds after it was signed: %s', async (skew, expected) => {
    const sent = await signed(signer)
    const receivedAt = new Date(time.getTime() + skew * 1000)
    expect(await fires(verify, { ...sent, receivedAt })).toBe(expected)
  })

  test.each([
    [60, 61, false],
    [60, 60, true],
    [900, 899, true],
  ])('with a tolerance of %d, %d seconds: %s', async (tolerance, skew, expected) => {
    const receivedAt = new Date(time.getTime() + skew * 1000)
    const sent = { ...(await signed(signer)), receivedAt }
    expect(await fires({ ...verify, tolerance }, sent)).toBe(expected)
  })

  test('without a relay the time is now', async () => {
    const sent = { ...(await signed(signer)), receivedAt: undefined }
    const trigger = bound('webhook', { verify })
    const at = (skew: number) => ({ now: () => time.getTime() + skew * 1000 })
    expect((await receive(trigger, sent, at(299))).items).toHaveLength(1)
    expect((await receive(trigger, sent, at(301))).items).toHaveLength(0)
  })
})

describe.each(TIMED_SIGNERS.filter(({ timestamp }) => timestamp))('$name', (signer) => {
  test('every change of one bit of the time is refused', async () => {
    const sent = await signed(signer)
    const name = signer.timestamp ?? ''
    for (const changed of oneBitChanges(sent.headers?.[name] ?? '')) {
      const headers = { ...sent.headers, [name]: changed }
      expect([changed, await fires(signer.verify(signer.secret), { ...sent, headers })]).toEqual([
        changed,
        false,
      ])
    }
  })
})

function* oneBitChanges(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const char = String.fromCharCode(text.charCodeAt(at) ^ (1 << bit))
      yield text.slice(0, at) + char + text.slice(at + 1)
    }
  }
}

function withBitChanged(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
}
