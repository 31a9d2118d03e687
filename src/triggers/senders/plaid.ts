import { isObject, type JsonObject, scalarText } from '../../wire/json.ts'
import type { Secret } from '../../wire/secret.ts'
import type { Facts, Payloads, Signing } from '../sender.ts'
import { anyHolds } from '../verify/algorithms.ts'
import { bodyRefusal, compactJws, es256Holds, parseJsonObject } from '../verify/jws.ts'
import {
  DEFAULT_TOLERANCE,
  MISMATCH,
  missingHeader,
  receivedAt,
  type Scheme,
  timeRefusal,
  wrongSecret,
} from '../verify/scheme.ts'
import { withRequestHeaders } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'Plaid',
  secret: 'PLAID_JWK',
  shown: 'the JWK from `/webhook_verification_key/get` for the `kid` of the signature',
  events: ['body.webhook_code', 'SYNC_UPDATES_AVAILABLE', 'ITEM_LOGIN_REQUIRED'],
}

/**
 * A JWS over the hash of the body, with a P-256 private key; Plaid's API returns the public key by
 * its id.
 */
export const scheme: Scheme = {
  name: 'plaid',
  page: 'https://plaid.com/docs/api/webhooks/webhook-verification/',
  needs: ['secret'],
  takes: ['tolerance'],
  mistake: ({ secrets }) =>
    secrets.some((secret) => jwksOf(secret).length === 0)
      ? wrongSecret(
          'is not a JWK of P-256 with a "kid", as /webhook_verification_key/get of Plaid gives it',
        )
      : undefined,
  credentials: () => ({ headers: ['plaid-verification'] }),
  async check(request, { secrets, tolerance = DEFAULT_TOLERANCE }, ports) {
    const jws = compactJws(request.headers['plaid-verification'])
    if (!jws) return missingHeader('plaid-verification')
    if (jws.header.alg !== 'ES256') return 'the signature is not of ES256'
    const keys = secrets.flatMap(jwksOf).filter(({ kid }) => kid === jws.header.kid)
    if (keys.length === 0) {
      return 'the "kid" of the signature is that of no key in "secret": ask Plaid for that key, and add it'
    }
    const valid = keys.filter(({ expired_at: expired }) => {
      return typeof expired !== 'number' || receivedAt(request, ports) < expired * 1000
    })
    if (valid.length === 0) return 'the key with the "kid" of the signature has expired'
    if (!(await anyHolds(valid, (key) => es256Holds(jws, key)))) return MISMATCH
    return (
      (await bodyRefusal(jws.claims.request_body_sha256, request.bytes)) ??
      timeRefusal(scalarText(jws.claims.iat), tolerance, request, ports)
    )
  },
}

/** Accepts a JWK, several, a JWK set, or Plaid's response `{"key": {…}}`. */
function jwksOf(secret: Secret): JsonObject[] {
  const text = secret.reveal().trim()
  const value = parseJsonObject(text.startsWith('[') ? `{"keys":${text}}` : text)
  const keys = value && [value, value.key, ...(Array.isArray(value.keys) ? value.keys : [])]
  return (keys ?? [])
    .flatMap((key) => (isObject(key) ? [key] : []))
    .filter(({ kty, crv, kid }) => kty === 'EC' && crv === 'P-256' && typeof kid === 'string')
}

export const signing: Signing = {
  sign: (outgoing, secret, { timestamp: iat }, { jws, sha256 }) => {
    const claims = { iat, request_body_sha256: sha256(outgoing.request.body) }
    return withRequestHeaders(outgoing, { 'plaid-verification': jws('ES256', claims, secret) })
  },
  pair: 'p256-jwk',
}

export const payloads: Payloads = {
  sync_updates_available: () => ({
    body: {
      webhook_type: 'TRANSACTIONS',
      webhook_code: 'SYNC_UPDATES_AVAILABLE',
      item_id: 'wz666MBjYWTp2PDzzggYhM6oWWmBb',
    },
  }),
}
