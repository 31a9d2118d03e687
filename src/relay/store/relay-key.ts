import { base64url, type CryptoKey } from 'jose'
import { toBase64, tryFromBase64 } from '../../wire/bytes.ts'
import { UserError } from '../../wire/errors.ts'
import { Secret, sameText } from '../../wire/secret.ts'

/** The keys that are derived from one relay key. The relay key itself is used for nothing else. */
interface RelayKey {
  /** 8 characters of base64url. It is stored with each record, and tells nothing about the key. */
  readonly id: string
  /** Encrypts the database: AES-256-GCM. */
  readonly storage: CryptoKey
  /** Computes the hashes by which stored GitHub tokens are found. */
  readonly tokens: CryptoKey
  readonly admin: Secret
  /** Bearer for metrics and status alone. */
  readonly read: Secret
}

/** The first key encrypts and is the admin key; all of them decrypt. */
export type RelayKeys = readonly [RelayKey, ...RelayKey[]]

const KEY_BYTES = 32

/**
 * Prefixes of the bearers, so that a bearer is not taken for a relay key, which would be another key
 * without an error, and a mistyped bearer is not taken for a GitHub token.
 */
const PREFIX = { admin: 'hookline_admin_', read: 'hookline_read_' } as const

/** A new relay key in base64, as `openssl rand -base64 32` prints it. */
export function newRelayKey(): Secret {
  return new Secret(toBase64(crypto.getRandomValues(new Uint8Array(KEY_BYTES))))
}

/**
 * Reads relay keys: 32 bytes each, in base64 or base64url, separated by commas.
 *
 * @param name the variable or the file, for errors
 * @throws UserError that shows no part of a key
 */
export async function readRelayKeys(text: Secret, name: string): Promise<RelayKeys> {
  // `split` returns at least one part.
  const [first = '', ...others] = text.reveal().split(',')
  const count = 1 + others.length
  const bytesOf = (part: string, number: number) =>
    keyBytes(part.trim(), count === 1 ? name : `${name} (key ${number} of ${count})`)
  const key = bytesOf(first, 1)
  const older = others.map((part, index) => bytesOf(part, index + 2))
  return Promise.all([deriveKey(key), ...older.map(deriveKey)])
}

/**
 * The admin bearer of a command's setting: of the first relay key, or the bearer itself.
 *
 * @throws UserError that shows no part of the setting
 */
export async function adminBearer(text: Secret, name: string): Promise<Secret> {
  const trimmed = text.reveal().trim()
  if (trimmed.startsWith(PREFIX.admin)) return new Secret(trimmed)
  const [{ admin }] = await readRelayKeys(text, name)
  return admin
}

/** True for a text that can be a bearer, and no GitHub token. */
export function looksLikeBearer(text: string): boolean {
  return Object.values(PREFIX).some((prefix) => text.startsWith(prefix))
}

/** Which bearer of the first key a request presents, compared in constant time; `undefined` if none. */
export async function bearerKind(
  [key]: RelayKeys,
  presented: Secret,
): Promise<keyof typeof PREFIX | undefined> {
  const [isAdmin, isRead] = await Promise.all(
    [key.admin, key.read].map((bearer) => sameText(bearer.reveal(), presented.reveal())),
  )
  if (isAdmin) return 'admin'
  return isRead ? 'read' : undefined
}

/** The hash by which a GitHub token is found in the database; it needs the relay key. */
export async function hashToken({ tokens }: RelayKey, token: Secret): Promise<string> {
  const hash = await crypto.subtle.sign('HMAC', tokens, encoded(`token ${token.reveal()}`))
  return base64url.encode(new Uint8Array(hash))
}

/** @throws UserError */
function keyBytes(text: string, name: string): Uint8Array<ArrayBuffer> {
  if (text === '') throw notAKey(name, 'it is empty')
  if (looksLikeBearer(text)) {
    throw notAKey(name, 'it is a bearer that was derived from a relay key')
  }
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw notAKey(name, 'it contains characters that base64 does not have')
  }
  const bytes = tryFromBase64(base64)
  if (bytes?.length !== KEY_BYTES) {
    throw notAKey(name, bytes ? `it has ${bytes.length} bytes` : 'it is cut off')
  }
  return bytes
}

function notAKey(name: string, found: string): UserError {
  return new UserError({
    message: `${name} is not a relay key: ${found}`,
    hint: `A relay key is ${KEY_BYTES} random bytes in base64. Restore it, or, for a relay without a database yet, create one: openssl rand -base64 ${KEY_BYTES}`,
  })
}

/** RFC 5869; a random key needs no salt. */
async function deriveKey(bytes: Uint8Array<ArrayBuffer>): Promise<RelayKey> {
  const { subtle } = crypto
  const relayKey = await subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits'])
  const derive = async (purpose: string) => {
    const info = encoded(`hookline ${purpose}`)
    const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
    return new Uint8Array(await subtle.deriveBits(algorithm, relayKey, 8 * KEY_BYTES))
  }
  const [id, storage, tokens, admin, read] = (await Promise.all(
    ['id', 'storage', 'tokens', 'admin', 'read'].map(derive),
  )) as [Bytes, Bytes, Bytes, Bytes, Bytes] // one for each purpose
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  return {
    id: base64url.encode(id.subarray(0, 6)),
    // Node's own cipher takes the key out.
    storage: await subtle.importKey('raw', storage, 'AES-GCM', true, ['encrypt', 'decrypt']),
    tokens: await subtle.importKey('raw', tokens, hmac, false, ['sign', 'verify']),
    admin: new Secret(PREFIX.admin + base64url.encode(admin)),
    read: new Secret(PREFIX.read + base64url.encode(read)),
  }
}

type Bytes = Uint8Array<ArrayBuffer>

function encoded(text: string): Bytes {
  return new TextEncoder().encode(text)
}
