import type { Secret } from '../../wire/secret.ts'

/** Hash functions by the names that senders use, and the platform's name for each. */
export const ALGORITHMS = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
} as const

export type Algorithm = keyof typeof ALGORITHMS

type Bytes = Uint8Array<ArrayBuffer>

/** The comparison is the platform's own, and takes the same time wherever the first difference is. */
export async function hmacHolds(
  algorithm: Algorithm,
  key: Bytes,
  signed: Bytes,
  signature: Bytes,
): Promise<boolean> {
  const hmac = { name: 'HMAC', hash: ALGORITHMS[algorithm] }
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature, signed)
}

/** Most senders use the text of a secret as the key. */
export function keyBytes(secret: Secret): Bytes {
  return new TextEncoder().encode(secret.reveal())
}

/** Text and bytes, one after the other. */
export function concat(parts: readonly (string | Uint8Array)[]): Bytes {
  const all = parts.map((part) =>
    typeof part === 'string' ? new TextEncoder().encode(part) : part,
  )
  const whole = new Uint8Array(all.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of all) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** True as soon as one holds; they are tried one after the other. */
export async function anyHolds<Candidate>(
  candidates: Iterable<Candidate>,
  holds: (candidate: Candidate) => Promise<boolean>,
): Promise<boolean> {
  for (const candidate of candidates) if (await holds(candidate)) return true
  return false
}
