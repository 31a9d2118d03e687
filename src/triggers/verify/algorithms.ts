import { joinedBytes, toBase64, toHex, tryFromBase64 } from '../../wire/bytes.ts'
import type { Secret } from '../../wire/secret.ts'

export type Bytes = Uint8Array<ArrayBuffer>

/** Hash functions of an HMAC by the names that senders use, each with its name in WebCrypto. */
export const HASHES = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
} as const

export type Hash = keyof typeof HASHES

/** How a signature is made: by an HMAC, or by a key pair whose public key the receiver has. */
export type Algorithm = Hash | 'ed25519' | 'p256'

/** The length of a signature in bytes. */
const SIGNATURE_BYTES: Readonly<Record<Algorithm, number>> = {
  sha1: 20,
  sha256: 32,
  sha384: 48,
  sha512: 64,
  ed25519: 64,
  p256: 64,
}

/** The length of an Ed25519 public key in bytes. */
export const ED25519_KEY_BYTES = 32

/** The reason that none of the signatures can be valid, if all of them have another length. */
export function lengthFault(
  algorithm: Algorithm,
  signatures: readonly Bytes[],
): string | undefined {
  const expected = SIGNATURE_BYTES[algorithm]
  const [first] = signatures
  if (!first || signatures.some(({ length }) => length === expected)) return undefined
  return `the signature has ${first.length} bytes, but one of ${algorithm} has ${expected}`
}

/**
 * Whether a signature over bytes is valid. The key is the bytes of an HMAC secret, the 32 bytes of
 * an Ed25519 public key, or the SPKI of a P-256 key. WebCrypto compares in constant time.
 */
export async function signatureHolds(
  algorithm: Algorithm,
  key: Bytes,
  signed: Bytes,
  signature: Bytes,
): Promise<boolean> {
  // WebCrypto of Node returns false for a signature of another length, and that of workerd throws.
  if (signature.length !== SIGNATURE_BYTES[algorithm]) return false
  if (algorithm === 'ed25519') {
    if (key.length !== ED25519_KEY_BYTES) return false
    const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
    return crypto.subtle.verify('Ed25519', imported, signature, signed)
  }
  if (algorithm === 'p256') {
    const curve = { name: 'ECDSA', namedCurve: 'P-256' }
    const ecdsa = { name: 'ECDSA', hash: 'SHA-256' }
    try {
      const imported = await crypto.subtle.importKey('spki', key, curve, false, ['verify'])
      return await crypto.subtle.verify(ecdsa, imported, signature, signed)
    } catch {
      return false // the key is not a point on the curve
    }
  }
  const hmac = { name: 'HMAC', hash: HASHES[algorithm] }
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature, signed)
}

export async function hmacOf(hash: Hash, secret: string, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: HASHES[hash] }
  const key = await crypto.subtle.importKey('raw', textBytes(secret), algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, textBytes(text)))
}

/**
 * The encodings of a signature. Each returns the bytes; `undefined` if the string is not in that
 * encoding.
 */
export const ENCODINGS = { hex, base64, base64url } as const

export type Encoding = keyof typeof ENCODINGS

/** Mixed case is refused, so that each signature has few encoded forms. */
function hex(text: string): Bytes | undefined {
  if (text.length % 2 !== 0 || !/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text)) return undefined
  const pairs = text.match(/../g) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}

/**
 * Padding may be missing. Unused bits must be zero, as every encoder writes them: decoders ignore
 * these bits, so several strings would be accepted for one signature.
 */
function base64(text: string): Bytes | undefined {
  const bytes = tryFromBase64(text)
  if (!bytes) return undefined
  const written = toBase64(bytes)
  return text === written || text === written.replace(/=+$/, '') ? bytes : undefined
}

function base64url(text: string): Bytes | undefined {
  if (/[+/]/.test(text)) return undefined
  return base64(text.replaceAll('-', '+').replaceAll('_', '/'))
}

/**
 * The two numbers of a P-256 ECDSA signature, 32 bytes each, which WebCrypto expects, from ASN.1
 * DER (RFC 3279). Only the shortest encoding is accepted.
 */
export function fromDer(der: Bytes): Bytes | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined
  const raw = new Uint8Array(64)
  let at = 2
  for (const end of [32, 64]) {
    const size = der[at + 1] ?? 0
    const number = der.subarray(at + 2, at + 2 + size)
    const [first = 0x80, second = 0] = number
    const isPadded = first === 0 && size > 1
    if (der[at] !== 2 || number.length !== size || first >= 0x80) return undefined
    if (isPadded && second < 0x80) return undefined
    const digits = isPadded ? number.subarray(1) : number
    if (digits.length > 32) return undefined
    raw.set(digits, end - digits.length)
    at += 2 + size
  }
  return at === der.length ? raw : undefined
}

/** How the string of a secret becomes a key, and what to say of a secret that cannot. */
interface KeyForm {
  /** The key; `undefined` if the string is invalid. */
  readonly read: (text: string) => Bytes | undefined
  readonly mistake: string
}

export const KEYS = {
  /** Most senders use the bytes of the string as the key. */
  text: { read: textBytes, mistake: '' },
  base64: { read: ENCODINGS.base64, mistake: 'is not base64' },
  hex: { read: ENCODINGS.hex, mistake: 'is not hex: pairs of 0-9 and a-f' },
  ed25519: {
    read: ed25519Key,
    mistake: 'is not a public key of Ed25519: 32 bytes in hex or base64, or SPKI',
  },
  p256: {
    read: p256Key,
    mistake: 'is not a public key of P-256: the base64 of its SPKI, as the sender shows it',
  },
} as const satisfies Record<string, KeyForm>

/** The prefix of the 32 key bytes in its SPKI (RFC 8410). */
const ED25519_SPKI = '302a300506032b6570032100'

function ed25519Key(text: string): Bytes | undefined {
  const plain = withoutArmour(text)
  const bytes = ENCODINGS.hex(plain) ?? ENCODINGS.base64(plain)
  if (bytes?.length !== 44) return bytes?.length === ED25519_KEY_BYTES ? bytes : undefined
  return toHex(bytes.subarray(0, 12)) === ED25519_SPKI ? bytes.slice(12) : undefined
}

/** The prefix of an uncompressed P-256 point (RFC 5480): 26 bytes, then 0x04 and 64 bytes. */
const P256_SPKI = '3059301306072a8648ce3d020106082a8648ce3d03010703420004'

function p256Key(text: string): Bytes | undefined {
  const bytes = ENCODINGS.base64(withoutArmour(text))
  if (bytes?.length !== 91) return undefined
  return toHex(bytes.subarray(0, 27)) === P256_SPKI ? bytes : undefined
}

/** The SPKI of a P-256 key from the coordinates of its point, 32 bytes each. */
export function p256Spki(x: Bytes, y: Bytes): Bytes | undefined {
  const prefix = hex(P256_SPKI)
  return prefix && x.length === 32 && y.length === 32 ? concat([prefix, x, y]) : undefined
}

/** A PEM file without its first and last line and without line breaks. */
function withoutArmour(text: string): string {
  return text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s/g, '')
}

export function keyBytes(secret: Secret): Bytes {
  return textBytes(secret.reveal())
}

export function textBytes(text: string): Bytes {
  return new TextEncoder().encode(text)
}

/** SHA-256 in lower-case hex, which some senders sign instead of the body. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  // A copy, because WebCrypto does not accept shared memory.
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))))
}

export function concat(parts: readonly (string | Uint8Array)[]): Bytes {
  return joinedBytes(parts.map((part) => (typeof part === 'string' ? textBytes(part) : part)))
}

/** True if the check succeeds for one candidate; they are tried one by one. */
export async function anyHolds<Candidate>(
  candidates: Iterable<Candidate>,
  holds: (candidate: Candidate) => Promise<boolean>,
): Promise<boolean> {
  for (const candidate of candidates) if (await holds(candidate)) return true
  return false
}
