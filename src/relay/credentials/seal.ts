import {
  base64url,
  CompactEncrypt,
  type CryptoKey,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { isObject, parsePlainJson } from '../../wire/json.ts'
import type { StaticPage } from '../pages/pages.ts'
import { type AccessScope, isCanonicalCompact, keyById, readScope } from './claims.ts'

/** The content of a sealed token: the GitHub token, and its allowed use. */
export interface Sealed extends AccessScope {
  readonly token: string
  /** Seconds since 1970, from which on it is not accepted; never when absent. */
  readonly expires?: number
}

/** A key that seals and opens. The part that seals is public. */
export interface SealingKey {
  readonly id: string
  readonly publicJwk: JWK
  readonly privateJwk: JWK
  readonly open: CryptoKey
}

// RFC 7518, sections 4.6 and 5.3.
const ALGORITHM = 'ECDH-ES'
const ENCRYPTION = 'A256GCM'

/** The path at which a relay publishes its public sealing keys. */
export const SEALING_KEYS_PATH = '/.well-known/hookline-seal.json'

const COMPACT_JWE = /^eyJ[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/

/** True for what has the form of a sealed token; whether it opens is another matter. */
export function looksSealed(token: string): boolean {
  return COMPACT_JWE.test(token)
}

/** @param publicJwk as a relay publishes it */
export function sealToken(sealed: Sealed, publicJwk: JWK): Promise<string> {
  return encrypt(JSON.stringify(sealed), publicJwk)
}

/** The content type of a sealed grant, which contains a signed grant with a secret. */
const GRANT = 'grant'

/** @param grant signed */
export function sealGrant(grant: string, publicJwk: JWK): Promise<string> {
  return encrypt(grant, publicJwk, { cty: GRANT })
}

async function encrypt(text: string, publicJwk: JWK, more: { cty?: string } = {}): Promise<string> {
  const { kid } = publicJwk
  const header = { alg: ALGORITHM, enc: ENCRYPTION, ...(kid && { kid }), ...more }
  const content = new TextEncoder().encode(text)
  const key = await importJWK(publicJwk, ALGORITHM)
  return new CompactEncrypt(content).setProtectedHeader(header).encrypt(key)
}

/**
 * A sealed token, or the text of a sealed grant.
 *
 * @throws Error of any kind when it is not sealed for one of these keys, or broken
 */
export async function openSealed(
  text: string,
  keys: readonly SealingKey[],
): Promise<Sealed | { readonly grant: string }> {
  if (!isCanonicalCompact(text)) throw new TypeError('not as it was sealed')
  const { plaintext, protectedHeader } = await compactDecrypt(
    text,
    ({ kid }) => keyById(keys, kid).open,
    { keyManagementAlgorithms: [ALGORITHM], contentEncryptionAlgorithms: [ENCRYPTION] },
  )
  const inside = new TextDecoder().decode(plaintext)
  if (protectedHeader.cty === GRANT) return { grant: inside }
  const content = parsePlainJson(inside)
  const scope = isObject(content) ? readScope(content) : undefined
  if (!isObject(content) || !scope) throw new TypeError('what is sealed is not a token')
  const { token, expires } = content
  const dated = expires === undefined || (typeof expires === 'number' && Number.isFinite(expires))
  if (typeof token !== 'string' || !dated) throw new TypeError('what is sealed is not a token')
  return { token, ...scope, ...(typeof expires === 'number' && { expires }) }
}

/** The public keys for sealing, as a JWK set with the current key first. */
export function sealingKeysPage(keys: readonly SealingKey[]): StaticPage {
  const set = { keys: keys.map(({ publicJwk }) => publicJwk) }
  return { contentType: 'application/json', body: JSON.stringify(set) }
}

export async function generateSealingKey(): Promise<SealingKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'P-256', extractable: true })
  return readSealingKey(await exportJWK(privateKey))
}

/**
 * The part of a key that seals, as a relay publishes it or as a private one holds it.
 *
 * @throws Error when it is none: a part is missing or broken, or the point is not on the curve
 */
export async function readPublicSealingKey(value: Readonly<Record<string, unknown>>): Promise<JWK> {
  const { kty, crv, x, y, kid } = value
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') {
    throw new TypeError('not an EC key')
  }
  const publicJwk = { kty, crv, x, y, ...(typeof kid === 'string' && { kid }) }
  await importJWK(publicJwk, ALGORITHM)
  return publicJwk
}

/** @throws Error when it is not a private key for sealing */
export async function readSealingKey(jwk: JWK): Promise<SealingKey> {
  const { kty, crv, x, y, d } = jwk
  if (kty !== 'EC' || !crv || !x || !y || !d) throw new TypeError('not a private EC key')
  const point = { kty, crv, x, y }
  const id = await thumbprint(point)
  const publicJwk = { ...point, kid: id, alg: ALGORITHM, use: 'enc' }
  // Only a symmetric key is imported as bytes.
  const open = (await importJWK({ ...point, d }, ALGORITHM)) as CryptoKey
  return { id, publicJwk, privateJwk: { ...publicJwk, d }, open }
}

/** RFC 7638: the names stand in alphabetical order, without spaces. */
async function thumbprint({ kty, crv, x, y }: JWK): Promise<string> {
  const content = new TextEncoder().encode(JSON.stringify({ crv, kty, x, y }))
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', content)))
}
