import { describe, expect, test } from '@jest/globals'
import {
  base64url,
  CompactEncrypt,
  compactDecrypt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose'
import {
  generateSealingKey,
  openSealed,
  readSealingKey,
  sealToken,
} from '../../../src/relay/credentials/seal.ts'
import { NODE_CIPHER } from '../../../src/relay/outbox/on-node.ts'
import {
  type Cipher,
  openEvent,
  sealEventsFor,
  WEB_CIPHER,
} from '../../../src/relay/outbox/sealed-event.ts'
import { dispatchOf } from '../../support/fake-lanes.ts'

const CIPHERS: readonly (readonly [string, Cipher])[] = [
  ['WebCrypto', WEB_CIPHER],
  ['Node', NODE_CIPHER],
]
const TOKEN = 'ghp_a-token-of-somebody'

/** A sealed event in its parts: header, key, nonce, text, tag. */
function partsOf(sealed: string): [string, string, string, string, string] {
  return sealed.split('.') as [string, string, string, string, string]
}

/** Key and nonce, which must never meet again. */
function usedOf(sealed: string): string {
  const [header, , iv] = partsOf(sealed)
  return `${header} ${iv}`
}

describe.each(CIPHERS)('an event sealed by the cipher of %s', (_name, cipher) => {
  test('is a JWE that jose opens, and nothing of it is readable', async () => {
    const key = await generateSealingKey()
    const event = dispatchOf('00000000-0000-4000-8000-000000000001')
    const { sealed, key: id } = await sealEventsFor(key, cipher)(event)
    expect(id).toBe(key.id)
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key.open)
    expect(protectedHeader).toEqual({
      ...{ alg: 'ECDH-ES', enc: 'A256GCM', typ: 'hookline-event', kid: key.id },
      epk: { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) },
    })
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toMatchObject({
      clientPayload: event.clientPayload,
      credential: { token: TOKEN },
    })
    const readable = partsOf(sealed).map((part) =>
      Buffer.from(base64url.decode(part)).toString('latin1'),
    )
    for (const secret of [TOKEN, 'hook/webhook']) expect(readable.join()).not.toContain(secret)
  })

  test.each(['P-256', 'P-384', 'P-521'])('opens again with a key on %s', async (crv) => {
    const { privateKey } = await generateKeyPair('ECDH-ES', { crv, extractable: true })
    const key = await readSealingKey(await exportJWK(privateKey))
    const event = dispatchOf('a')
    const { sealed } = await sealEventsFor(key, cipher)(event)
    const opened = await openEvent(sealed, [key])
    expect(opened.event).toEqual({ ...event, credential: undefined })
    await expect(compactDecrypt(sealed, key.open)).resolves.toBeTruthy()
  })

  test('never shares its nonce with another event of one key, however many come at once', async () => {
    const seal = sealEventsFor(await generateSealingKey(), cipher)
    const count = 1000
    const all = await Promise.all(Array.from({ length: count }, () => seal(dispatchOf('a'))))
    expect(new Set(all.map(({ sealed }) => partsOf(sealed)[0])).size).toBe(1)
    expect(new Set(all.map(({ sealed }) => usedOf(sealed))).size).toBe(count)
    // 96 bits, and none of them a count: no byte is the same in all.
    const nonces = all.map(({ sealed }) => base64url.decode(partsOf(sealed)[2]))
    for (let at = 0; at < 12; at++)
      expect(new Set(nonces.map((nonce) => nonce[at])).size).toBeGreaterThan(200)
    expect(nonces.every(({ length }) => length === 12)).toBe(true)
  })

  test('shares its ephemeral key with so many others, and no more', async () => {
    const seal = sealEventsFor(await generateSealingKey(), cipher, 3)
    const all = await Promise.all(Array.from({ length: 8 }, () => seal(dispatchOf('a'))))
    const headers = all.map(({ sealed }) => partsOf(sealed)[0])
    const [first, , , fourth, , , seventh] = headers
    expect(headers).toEqual([
      ...[first, first, first],
      ...[fourth, fourth, fourth],
      ...[seventh, seventh],
    ])
    expect(new Set(headers).size).toBe(3)
  })

  test('a key that could not be agreed on stands for no other event', async () => {
    let isBroken = true
    const key = await generateSealingKey()
    const seal = sealEventsFor(key, {
      ...cipher,
      withKey: (secret) => {
        if (isBroken) throw new Error('broken')
        return cipher.withKey(secret)
      },
    })
    const both = [seal(dispatchOf('a')), seal(dispatchOf('b'))]
    for (const each of both) await expect(each).rejects.toThrow('broken')
    isBroken = false
    const { sealed } = await seal(dispatchOf('c'))
    expect((await openEvent(sealed, [key])).event.delivery).toBe('c')
  })

  test('is refused when any bit of any part is another', async () => {
    const key = await generateSealingKey()
    const { sealed } = await sealEventsFor(key, cipher)(dispatchOf('a'))
    const parts = partsOf(sealed)
    const open: string[] = []
    for (const [place, part] of parts.entries()) {
      const bytes = base64url.decode(part)
      // Of a long part some, and always the first and the last.
      const step = Math.ceil(bytes.length / 24)
      const places = [...bytes.keys()].filter((at) => at % step === 0 || at === bytes.length - 1)
      for (const at of places) {
        const changed = Uint8Array.from(bytes, (byte, n) =>
          n === at ? byte ^ (1 << (at % 8)) : byte,
        )
        const forged = parts.with(place, base64url.encode(changed)).join('.')
        const opened = await openEvent(forged, [key]).catch(() => undefined)
        if (opened) open.push(`${place}, ${at}`)
      }
    }
    expect(open).toEqual([])
  })

  test('is refused when it is cut, or put together from two', async () => {
    const key = await generateSealingKey()
    const seal = sealEventsFor(key, cipher)
    const [one, two] = [await seal(dispatchOf('a')), await seal(dispatchOf('b'))]
    const [header, , iv, text, tag] = partsOf(one.sealed)
    const other = partsOf(two.sealed)
    const cut = (part: string) => base64url.encode(base64url.decode(part).slice(0, -1))
    const forged = [
      [header, '', other[2], text, tag],
      [header, '', iv, other[3], tag],
      [header, '', iv, text, other[4]],
      [header, 'AAAA', iv, text, tag],
      [header, '', cut(iv), text, tag],
      [header, '', iv, cut(text), tag],
      [header, '', iv, text, cut(tag)],
      [header, '', iv, text, ''],
      [header, '', iv, text],
      ['', '', iv, text, tag],
    ].map((parts) => parts.join('.'))
    for (const each of [...forged, '', '....']) {
      await expect(openEvent(each, [key])).rejects.toThrow()
    }
    await expect(openEvent(one.sealed, [key])).resolves.toBeTruthy()
  })

  test('opens after a rotation as long as its key is there', async () => {
    const [old, key] = [await generateSealingKey(), await generateSealingKey()]
    const before = await sealEventsFor(old, cipher)(dispatchOf('before'))
    const after = await sealEventsFor(key, cipher)(dispatchOf('after'))
    expect([before.key, after.key]).toEqual([old.id, key.id])
    for (const { sealed } of [before, after]) {
      await expect(openEvent(sealed, [key, old])).resolves.toBeTruthy()
    }
    await expect(openEvent(before.sealed, [key])).rejects.toThrow('another key')
    await expect(openEvent(before.sealed, [])).rejects.toThrow('another key')
    // Nor under the name of the key that is there.
    const [header, ...rest] = partsOf(before.sealed)
    const renamed = { ...decodeProtectedHeader(before.sealed), kid: key.id }
    expect(header).not.toBe(base64url.encode(JSON.stringify(renamed)))
    const forged = [base64url.encode(JSON.stringify(renamed)), ...rest].join('.')
    await expect(openEvent(forged, [key])).rejects.toThrow()
  })

  test('serves as nothing else, and nothing else as an event', async () => {
    const key = await generateSealingKey()
    const { sealed } = await sealEventsFor(key, cipher)(dispatchOf('a'))
    await expect(openSealed(sealed, [key])).rejects.toThrow('not a token')
    const token = await sealToken({ token: TOKEN, repository: 'o/r' }, key.publicJwk)
    await expect(openEvent(token, [key])).rejects.toThrow('no sealed event')
    // Nor the very content of an event, where it is not said to be one.
    const { plaintext } = await compactDecrypt(sealed, key.open)
    const untyped = await new CompactEncrypt(plaintext)
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.id })
      .encrypt(await importJWK(key.publicJwk, 'ECDH-ES'))
    await expect(openEvent(untyped, [key])).rejects.toThrow('no sealed event')
  })
})

test('a key serves a hundred thousand events, far fewer than 2³²', async () => {
  const key = await generateSealingKey()
  let agreements = 0
  const publicJwk = {
    ...key.publicJwk,
    get kty() {
      agreements++
      return 'EC'
    },
  }
  // What is counted is agreed on at once; to seal so many takes a second.
  const seal = sealEventsFor({ ...key, publicJwk }, { ...WEB_CIPHER, withKey: () => NEVER })
  const event = dispatchOf('a')
  for (let n = 0; n < 100_000; n++) void seal(event)
  expect(agreements).toBe(1)
  void seal(event)
  expect(agreements).toBe(2)
})

const NEVER = new Promise<never>(() => {})
