import { describe, expect, test } from '@jest/globals'
import { base64url, CompactEncrypt, compactDecrypt } from 'jose'
import { generateSealingKey, readSealingKeys } from '../../../src/relay/credentials/sealing-key.ts'
import { openEvent, sealEventsFor } from '../../../src/relay/outbox/sealed-event.ts'
import { dispatchOf } from '../../support/fake-outbox.ts'

const TOKEN = 'ghp_a-token-of-somebody'

describe('a stored event', () => {
  test('is a JWE that jose opens, and nothing of it is readable', async () => {
    const key = await generateSealingKey()
    const event = dispatchOf('00000000-0000-4000-8000-000000000001')
    const { sealed, key: id } = await sealEventsFor(key)(event)
    expect(id).toBe(key.id)
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key.bytes)
    expect(protectedHeader).toMatchObject({
      alg: 'dir',
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

  test('opens with the key that sealed it, and with no other', async () => {
    const [old, current] = [await generateSealingKey(), await generateSealingKey()]
    const { sealed } = await sealEventsFor(old)(dispatchOf('a'))
    await expect(openEvent(sealed, [current, old])).resolves.toBeTruthy()
    await expect(openEvent(sealed, [current])).rejects.toThrow()
    await expect(openEvent(`${sealed.slice(0, -4)}AAAA`, [old])).rejects.toThrow()
  })

  test.each(['hookline-event', 'hookline-endpoint'])(
    'of the type %s that is no event is refused',
    async (typ) => {
      const key = await generateSealingKey()
      const header = { alg: 'dir', enc: 'A256GCM', typ, kid: key.id }
      const forged = await new CompactEncrypt(new TextEncoder().encode('{"delivery":1}'))
        .setProtectedHeader(header)
        .encrypt(key.bytes)
      await expect(openEvent(forged, [key])).rejects.toThrow(/no sealed event|not a record/)
    },
  )
})

describe('sealing keys', () => {
  test('are read in base64 and base64url, in their order', async () => {
    const [one, two] = [await generateSealingKey(), await generateSealingKey()]
    const padded = Buffer.from(two.bytes).toString('base64')
    const read = await readSealingKeys(`${one.text}, ${padded}`)
    expect(read.map(({ id }) => id)).toEqual([one.id, two.id])
  })

  test.each(['', 'short', '{"keys":[]}', `${'A'.repeat(44)}=`])('%j is none', async (text) => {
    await expect(readSealingKeys(text)).rejects.toThrow('HOOKLINE_SEALING_KEYS')
  })
})
