import { base64url, CompactSign, type CryptoKey, compactVerify, type JWK } from 'jose'
import { isObject, parsePlainJson } from '../../wire/json.ts'
import { CHECK_CLAIMS, type CheckClaims } from '../request/verification-claims.ts'
import { type AccessScope, isCanonicalCompact, keyById, readScope } from './claims.ts'

/**
 * Permission to start workflows with the relay's own GitHub credential, signed by the admin of the
 * relay, so that no URL contains a GitHub token.
 */
export interface Grant extends AccessScope, CheckClaims {
  /** Names it in `HOOKLINE_REVOKED_GRANTS`. */
  readonly id: string
  /** Seconds since 1970, from which on it is not accepted; never when absent. */
  readonly exp?: number
}

/** A key that signs and verifies grants. Anyone with the key can create grants. */
export interface SigningKey {
  readonly id: string
  readonly jwk: JWK
  readonly key: CryptoKey
}

// RFC 7518, section 3.2: the key is at least as long as the hash.
const ALGORITHM = 'HS256'
const KEY_BYTES = 32

const COMPACT_JWS = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

/** True for what has the form of a grant; whether it is signed is another matter. */
export function looksLikeGrant(token: string): boolean {
  return COMPACT_JWS.test(token)
}

/** Every claim that a grant may have: one that is not understood could have narrowed it. */
const CLAIMS = ['id', 'repository', 'path', 'dispatch', 'ref', 'exp', ...CHECK_CLAIMS]

/** Critical headers that are understood here; a relay that does not know them refuses the grant. */
const CRITICAL = Object.fromEntries(CHECK_CLAIMS.map((name) => [name, true]))

/** @returns a compact JWS (RFC 7515) whose `crit` lists the checks that the relay must make */
export async function signGrant(grant: Grant, { id: kid, key }: SigningKey): Promise<string> {
  const crit = CHECK_CLAIMS.filter((name) => grant[name] !== undefined)
  const asked = Object.fromEntries(crit.map((name) => [name, true]))
  const jws = new CompactSign(new TextEncoder().encode(JSON.stringify(grant)))
  return jws
    .setProtectedHeader({ alg: ALGORITHM, kid, ...(crit.length > 0 && { crit, ...asked }) })
    .sign(key, { crit: CRITICAL })
}

/**
 * Checks the signature alone: scope, expiry and revocation are judged at each request.
 *
 * @throws Error of any kind when none of these keys signed it, or it is not a grant
 */
export async function openGrant(text: string, keys: readonly SigningKey[]): Promise<Grant> {
  if (!isCanonicalCompact(text)) throw new TypeError('not as it was signed')
  const { payload } = await compactVerify(text, ({ kid }) => keyById(keys, kid).key, {
    algorithms: [ALGORITHM],
    crit: CRITICAL,
  })
  const content = parsePlainJson(new TextDecoder().decode(payload))
  const scope = isObject(content) ? readScope(content) : undefined
  if (!isObject(content) || !scope) throw new TypeError('what is signed is not a grant')
  if (!Object.keys(content).every((name) => CLAIMS.includes(name))) {
    throw new TypeError('a claim that is not understood')
  }
  const { id, exp, if: condition, ifError, verify } = content
  const dated = exp === undefined || (typeof exp === 'number' && Number.isFinite(exp))
  if (typeof id !== 'string' || id === '' || !dated) throw new TypeError('a grant without an id')
  return {
    id,
    ...scope,
    ...(condition !== undefined && { if: condition }),
    ...(ifError !== undefined && { ifError }),
    ...(verify !== undefined && { verify }),
    ...(typeof exp === 'number' && { exp }),
  }
}

export async function generateSigningKey(): Promise<SigningKey> {
  return readSigningKey({
    kty: 'oct',
    kid: base64url.encode(crypto.getRandomValues(new Uint8Array(9))),
    alg: ALGORITHM,
    use: 'sig',
    k: base64url.encode(crypto.getRandomValues(new Uint8Array(KEY_BYTES))),
  })
}

/** @throws Error when it is not a key for signing, or one that could be guessed */
export async function readSigningKey(jwk: JWK): Promise<SigningKey> {
  const { kty, kid, alg = ALGORITHM, k } = jwk
  if (kty !== 'oct' || alg !== ALGORITHM) throw new TypeError('not a key for HS256')
  if (typeof kid !== 'string' || kid === '') throw new TypeError('a key without "kid"')
  const bytes = new Uint8Array(base64url.decode(k ?? ''))
  if (bytes.length < KEY_BYTES) throw new TypeError('a key too short')
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign', 'verify'])
  return { id: kid, jwk, key }
}
