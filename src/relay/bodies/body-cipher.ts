import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'

/**
 * Encrypts a body with a key that is derived from its address. The relay stores only a hash of the address,
 * so the disk alone does not reveal the body.
 *
 * A body is a sequence of records: 4 bytes of length, the ciphertext of AES-256-GCM, and its tag of 16
 * bytes. The nonce counts the records, and the last record is marked, so that no record can be missing.
 */
export interface BodyCipher {
  seal(chunk: Uint8Array, isLast: boolean): Buffer
  /** @throws Error for records that are damaged, missing or in another order */
  open(records: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
}

const ALGORITHM = 'aes-256-gcm'
const LENGTH_BYTES = 4
const TAG_BYTES = 16

/** A record is at most so long; a longer one is damaged. */
const MOST_RECORD_BYTES = 64 * 1024 * 1024

/** @param id the random part of the address */
export function bodyCipher(id: string): BodyCipher {
  const key = new Uint8Array(hkdfSync('sha256', id, '', 'hookline stored body', 32))
  let sealed = 0
  return {
    seal: (chunk, isLast) => {
      const cipher = createCipheriv(ALGORITHM, key, nonceOf(sealed++))
      cipher.setAAD(mark(isLast))
      const text = Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32BE(text.length)
      return Buffer.concat([length, text])
    },
    async *open(records) {
      let opened = 0
      let rest = Buffer.alloc(0)
      let isLast = false
      for await (const part of records) {
        rest = Buffer.concat([rest, part])
        for (;;) {
          const record = firstRecord(rest)
          if (!record) break
          rest = rest.subarray(LENGTH_BYTES + record.length)
          if (isLast) throw new Error('a record follows the last one')
          // Only the last record is empty.
          isLast = record.length === TAG_BYTES
          yield openRecord(key, opened++, record, isLast)
        }
      }
      if (!isLast || rest.length > 0) throw new Error('the last record is missing')
    },
  }
}

function firstRecord(bytes: Buffer): Buffer | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined
  const length = bytes.readUInt32BE(0)
  if (length < TAG_BYTES || length > MOST_RECORD_BYTES) throw new Error('a record is damaged')
  const end = LENGTH_BYTES + length
  return bytes.length < end ? undefined : bytes.subarray(LENGTH_BYTES, end)
}

function openRecord(key: Uint8Array, number: number, record: Buffer, isLast: boolean): Buffer {
  const end = record.length - TAG_BYTES
  const decipher = createDecipheriv(ALGORITHM, key, nonceOf(number))
  decipher.setAAD(mark(isLast))
  decipher.setAuthTag(record.subarray(end))
  return Buffer.concat([decipher.update(record.subarray(0, end)), decipher.final()])
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 8)
  return nonce
}

function mark(isLast: boolean): Buffer {
  return Buffer.from([isLast ? 1 : 0])
}

/** The form of an address that the relay stores. */
export function hashOfBody(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}
