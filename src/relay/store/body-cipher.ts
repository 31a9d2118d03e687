import { toHex } from '../../wire/bytes.ts'

/**
 * Encrypts a body with a key that is derived from its address. The relay stores only a hash of the address,
 * so the storage alone does not reveal the body.
 *
 * A body is a sequence of chunks: each is the ciphertext of AES-256-GCM with its tag. The nonce is the number
 * of the chunk, and the last chunk is marked, so that no chunk can be missing or replaced.
 */
export interface BodyCipher {
  encrypt(
    chunk: Uint8Array<ArrayBuffer>,
    number: number,
    isLast: boolean,
  ): Promise<Uint8Array<ArrayBuffer>>
  /** @throws Error for a chunk that is damaged, or has another number */
  decrypt(
    chunk: Uint8Array<ArrayBuffer>,
    number: number,
    isLast: boolean,
  ): Promise<Uint8Array<ArrayBuffer>>
}

/** Bytes that a chunk grows by. */
export const TAG_BYTES = 16

const ENCODER = new TextEncoder()

/** @param id the random part of the address */
export async function bodyCipher(id: string): Promise<BodyCipher> {
  const { subtle } = crypto
  const secret = await subtle.importKey('raw', ENCODER.encode(id), 'HKDF', false, ['deriveKey'])
  const key = await subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: ENCODER.encode('hookline stored body'),
    },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
  return {
    encrypt: async (chunk, number, isLast) =>
      new Uint8Array(await subtle.encrypt(parameters(number, isLast), key, chunk)),
    decrypt: async (chunk, number, isLast) =>
      new Uint8Array(await subtle.decrypt(parameters(number, isLast), key, chunk)),
  }
}

function parameters(number: number, isLast: boolean) {
  const iv = new Uint8Array(12)
  new DataView(iv.buffer).setUint32(8, number)
  return { name: 'AES-GCM', iv, additionalData: new Uint8Array([isLast ? 1 : 0]) }
}

/** The form of an address that the relay stores: of its owner and id, so that no other owner's address finds it. */
export async function hashOfBody(owner: string, id: string): Promise<string> {
  return toHex(
    new Uint8Array(await crypto.subtle.digest('SHA-256', ENCODER.encode(`${owner}/${id}`))),
  )
}
