import { describe, expect, test } from '@jest/globals'
import {
  base64url,
  CompactEncrypt,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose'
import {
  generateSealingKey,
  openSealed,
  readSealingKey,
  sealToken,
} from '../../../src/relay/credentials/sealing-key.ts'
import { openEvent, sealEventsFor } from '../../../src/relay/outbox/sealed-event.ts'
import { dispatchOf } from '../../support/fake-outbox.ts'

const TOKEN = 'ghp_a-token-of-somebody'

describe('a stored event', () => {
  test('is a JWE that jose opens, and nothing of it is readable', async () => {
    const key = await generateSealingKey()
    const event = dispatchOf('00000000-0000-4000-8000-000000000001')
    const { sealed, key: id } = await sealEventsFor(key)(event)
    expect(id).toBe(key.id)
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key.open)
    expect(protectedHeader).toMatchObject({
      alg: 'ECDH-ES',
      enc: 'A256GCM',
      typ: 'hookline-event',
      kid: key.id,
    })
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toMatchObject({
      clientPayload: event.clientPayload,
      credential: { token: TOKEN },
    })
    const parts = sealed
      .split('.')
      .map((part) => Buffer.from(base64url.decode(part)).toString('latin1'))
    for (const secret of [TOKEN, 'hook/webhook']) expect(parts.join()).not.toContain(secret)
  })

  test.each(['P-256', 'P-384', 'P-521'])('opens again with a key on %s', async (crv) => {
    const { privateKey } = await generateKeyPair('ECDH-ES', { crv, extractable: true })
    const key = await readSealingKey(await exportJWK(privateKey))
    const event = dispatchOf('a')
    const { sealed } = await sealEventsFor(key)(event)
    expect((await openEvent(sealed, [key])).event).toEqual({ ...event, credential: undefined })
  })

  test('opens with the key that sealed it, and with no other', async () => {
    const [old, current] = [await generateSealingKey(), await generateSealingKey()]
    const { sealed } = await sealEventsFor(old)(dispatchOf('a'))
    await expect(openEvent(sealed, [current, old])).resolves.toBeTruthy()
    await expect(openEvent(sealed, [current])).rejects.toThrow()
    await expect(openEvent(`${sealed.slice(0, -4)}AAAA`, [old])).rejects.toThrow()
  })

  test('cannot serve as a sealed token, and a sealed token not as an event', async () => {
    const key = await generateSealingKey()
    const { sealed } = await sealEventsFor(key)(dispatchOf('a'))
    await expect(openSealed(sealed, [key])).rejects.toThrow()
    const token = await sealToken({ token: TOKEN, repository: 'o/r' }, key.publicJwk)
    await expect(openEvent(token, [key])).rejects.toThrow()
  })

  test('that is no event is refused, with any key', async () => {
    const key = await generateSealingKey()
    const header = { alg: 'ECDH-ES', enc: 'A256GCM', typ: 'hookline-event', kid: key.id }
    const forged = await new CompactEncrypt(new TextEncoder().encode('{"delivery":1}'))
      .setProtectedHeader(header)
      .encrypt(await importJWK(key.publicJwk, 'ECDH-ES'))
    await expect(openEvent(forged, [key])).rejects.toThrow('no sealed event')
  })
})
