import { utf8Text } from '../../wire/bytes.ts'
import { isObject, type JsonObject, scalarText, tryParseJson } from '../../wire/json.ts'
import { type Secret, sameText } from '../../wire/secret.ts'
import {
  anyHolds,
  ENCODINGS,
  keyBytes,
  p256Spki,
  sha256Hex,
  signatureHolds,
  textBytes,
} from './algorithms.ts'
import {
  DEFAULT_TOLERANCE,
  MISMATCH,
  missing,
  type Refusal,
  receivedAt,
  type Scheme,
  timeRefusal,
} from './scheme.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A JWS over the hash of the body, under a secret that both know. */
export const netlify: Scheme = {
  name: 'netlify',
  page: 'https://docs.netlify.com/deploy/deploy-notifications/#payload-signature',
  needs: ['secret'],
  credentials: () => ({ headers: ['x-webhook-signature'] }),
  async check({ headers, bytes }, { secrets }) {
    const jws = compactJws(headers['x-webhook-signature'])
    if (!jws) return missing('x-webhook-signature')
    if (!(await hs256Holds(jws, secrets))) return MISMATCH
    if (jws.claims.iss !== 'netlify') return 'the signature is not of Netlify'
    return bodyRefusal(jws.claims.sha256, bytes)
  },
}

/** The same under the private one of two keys of P-256; Plaid's API shows the public one, by its id. */
export const plaid: Scheme = {
  name: 'plaid',
  page: 'https://plaid.com/docs/api/webhooks/webhook-verification/',
  needs: ['secret'],
  takes: ['tolerance'],
  mistake: ({ secrets }) =>
    secrets.some((secret) => jwksOf(secret).length === 0)
      ? '"secret" is not a JWK of P-256 with a "kid", as /webhook_verification_key/get of Plaid gives it'
      : undefined,
  credentials: () => ({ headers: ['plaid-verification'] }),
  async check(request, { secrets, tolerance = DEFAULT_TOLERANCE }, ports) {
    const jws = compactJws(request.headers['plaid-verification'])
    if (!jws) return missing('plaid-verification')
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

/** A JWT of its own for each request. It says for whom and when, and nothing of the body. */
export const monday: Scheme = {
  name: 'monday',
  page: 'https://developer.monday.com/apps/docs/integration-authorization',
  needs: ['secret'],
  takes: ['url', 'tolerance'],
  credentials: () => ({ headers: ['authorization'] }),
  async check(request, { secrets, url, tolerance = DEFAULT_TOLERANCE }, ports) {
    const presented = request.headers.authorization
    if (!presented) return missing('authorization')
    const jws = compactJws(presented.replace(/^Bearer +/i, ''))
    if (!jws || !(await hs256Holds(jws, secrets))) return MISMATCH
    const { aud, exp, iat } = jws.claims
    if (url !== undefined && !(await sameText(url.reveal(), scalarText(aud)))) {
      return 'the signature is for another URL'
    }
    if (typeof exp !== 'number') return 'the signature does not say until when it is valid'
    if (receivedAt(request, ports) > (exp + tolerance) * 1000) return 'the signature has expired'
    return iat === undefined ? undefined : timeRefusal(scalarText(iat), tolerance, request, ports)
  },
}

/** RFC 7515 */
interface Jws {
  readonly header: JsonObject
  readonly claims: JsonObject
  /** What is signed. */
  readonly signed: Bytes
  readonly signature: Bytes
}

function compactJws(text = ''): Jws | undefined {
  const [head = '', payload = '', tail = '', ...more] = text.split('.')
  const [header, claims] = [head, payload].map((part) => {
    const bytes = ENCODINGS.base64url(part)
    return bytes && objectOf(utf8Text(bytes))
  })
  const signature = ENCODINGS.base64url(tail)
  if (!header || !claims || !signature || more.length > 0) return undefined
  return { header, claims, signed: textBytes(`${head}.${payload}`), signature }
}

function objectOf(text = ''): JsonObject | undefined {
  const value = tryParseJson(text)
  return isObject(value) ? value : undefined
}

/** Which algorithm holds is ours to say: that of the header is compared, and no more. */
async function hs256Holds(
  { header, signed, signature }: Jws,
  secrets: readonly Secret[],
): Promise<boolean> {
  if (header.alg !== 'HS256') return false
  return anyHolds(secrets, (secret) =>
    signatureHolds('sha256', keyBytes(secret), signed, signature),
  )
}

async function es256Holds({ signed, signature }: Jws, { x, y }: JsonObject): Promise<boolean> {
  const [xBytes, yBytes] = [x, y].map((text) => ENCODINGS.base64url(scalarText(text)))
  const key = xBytes && yBytes && p256Spki(xBytes, yBytes)
  return key !== undefined && signatureHolds('p256', key, signed, signature)
}

/** A JWK, several, a JWK set, or what Plaid answers: `{"key": {…}}`. */
function jwksOf(secret: Secret): JsonObject[] {
  const text = secret.reveal().trim()
  const value = objectOf(text.startsWith('[') ? `{"keys":${text}}` : text)
  const keys = value && [value, value.key, ...(Array.isArray(value.keys) ? value.keys : [])]
  return (keys ?? [])
    .flatMap((key) => (isObject(key) ? [key] : []))
    .filter(({ kty, crv, kid }) => kty === 'EC' && crv === 'P-256' && typeof kid === 'string')
}

async function bodyRefusal(hash: unknown, bytes: Uint8Array): Promise<Refusal> {
  return hash === (await sha256Hex(bytes)) ? undefined : MISMATCH
}
