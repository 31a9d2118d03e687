import { CompactEncrypt, compactDecrypt } from 'jose'
import type { SealingKey } from './sealing-key.ts'

// RFC 7518, sections 4.5 and 5.3.
const ALGORITHM = 'dir'
const ENCRYPTION = 'A256GCM'

/** A record as the database stores it. */
export interface SealedRecord {
  /** Compact JWE. */
  readonly sealed: string
  /** Id of the sealing key that opens it. */
  readonly key: string
}

/**
 * Encrypts records for the database.
 *
 * @param type header `typ`, so that a record of one kind cannot serve as another
 * @param key opens what it seals
 */
export function sealRecordsFor(
  type: string,
  { id, bytes }: SealingKey,
): (content: object) => Promise<SealedRecord> {
  return async (content) => {
    const plain = new TextEncoder().encode(JSON.stringify(content))
    const header = { alg: ALGORITHM, enc: ENCRYPTION, typ: type, kid: id }
    const sealed = await new CompactEncrypt(plain).setProtectedHeader(header).encrypt(bytes)
    return { sealed, key: id }
  }
}

/** @throws Error of any kind if none of the keys opens it, it is of another type, or it is damaged */
export async function openRecord(
  type: string,
  sealed: string,
  keys: readonly SealingKey[],
): Promise<unknown> {
  const keyOf = ({ kid }: { kid?: string }) => {
    const key = keys.find(({ id }) => id === kid)
    if (!key) throw new TypeError('sealed for another key')
    return key.bytes
  }
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, keyOf, {
    keyManagementAlgorithms: [ALGORITHM],
    contentEncryptionAlgorithms: [ENCRYPTION],
  })
  if (protectedHeader.typ !== type) throw new TypeError(`not a record of the type ${type}`)
  return JSON.parse(new TextDecoder().decode(plaintext))
}
