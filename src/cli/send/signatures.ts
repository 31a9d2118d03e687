import {
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { KEYS } from '../../triggers/verify/algorithms.ts'
import { SIGNED_HEADERS } from '../../triggers/verify/schemes.ts'
import { type SignedHeader, signedBytes } from '../../triggers/verify/signed-header.ts'
import { sortedForm } from '../../triggers/verify/whole-request.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import type { Addressed, OutgoingRequest } from './request.ts'

/** What differs from one delivery to the next. */
interface Moment {
  /** Unix time in seconds. */
  readonly timestamp: number
  /** Tells deliveries apart. */
  readonly id: string
  /** Where a sender of the scheme `token` brings it: an option of `verify` with its value. */
  readonly place?: Readonly<Record<string, string>>
}

/** A request with the place it goes to, which some senders sign, or add to. */
type Outgoing = Pick<Addressed, 'request' | 'url'>

const OWN_FORM = 'the form is in your workflow: give the header yourself, with --header'

type Sign = (outgoing: Outgoing, secret: string, moment: Moment) => Outgoing

/** By the names of the option `scheme`: those of the table that verifies, and these. */
const OTHERS: Readonly<Record<string, Sign>> = {
  'standard-webhooks': (outgoing, secret, { id, timestamp }) => {
    const signed = Buffer.concat([textBytes(`${id}.${timestamp}.`), outgoing.request.body])
    return withHeaders(outgoing, {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${hmac('sha256', standardKey(secret), signed).toString('base64')}`,
    })
  },
  twilio: (outgoing, secret) => {
    const { request, url } = outgoing
    const type = request.headers['content-type'] ?? ''
    if (type.startsWith('application/x-www-form-urlencoded')) {
      const signature = hmac('sha1', secret, textBytes(url.href + sortedForm(request.body)))
      return withHeaders(outgoing, { 'x-twilio-signature': signature.toString('base64') })
    }
    const hash = createHash('sha256').update(request.body).digest('hex')
    const called = new URL(`${url.href}${url.search ? '&' : '?'}bodySHA256=${hash}`)
    const signature = hmac('sha1', secret, textBytes(called.href)).toString('base64')
    return withHeaders({ request, url: called }, { 'x-twilio-signature': signature })
  },
  contentful: (outgoing, secret, { timestamp }) => {
    const { request, url } = outgoing
    const headers = {
      'x-contentful-signed-headers': 'x-contentful-signed-headers,x-contentful-timestamp',
      'x-contentful-timestamp': String(timestamp * 1000),
    }
    const list = Object.entries(headers).map(([name, value]) => `${name}:${value}`)
    const head = `${request.method}\n${url.pathname}${url.search}\n${list.join(';')}\n`
    const signature = hmac('sha256', secret, Buffer.concat([textBytes(head), request.body]))
    return withHeaders(outgoing, {
      ...headers,
      'x-contentful-signature': signature.toString('hex'),
    })
  },
  mailgun: (outgoing, secret, { timestamp, id }) => {
    const [time, token] = [String(timestamp), createHash('sha256').update(id).digest('hex')]
    const signature = hmac('sha256', secret, textBytes(time + token)).toString('hex')
    return withField(outgoing, 'signature', { timestamp: time, token, signature })
  },
  netlify: (outgoing, secret) => {
    const sha256 = createHash('sha256').update(outgoing.request.body).digest('hex')
    const jws = hs256({ iss: 'netlify', sha256 }, secret)
    return withHeaders(outgoing, { 'x-webhook-signature': jws })
  },
  monday: (outgoing, secret, { timestamp: iat }) => {
    const claims = { accountId: 1, userId: 1, aud: outgoing.url.href, iat, exp: iat + 300 }
    return withHeaders(outgoing, { authorization: hs256(claims, secret) })
  },
  plaid: (outgoing, secret, { timestamp: iat }) => {
    const { key, kid } = privateJwk(secret)
    const hash = createHash('sha256').update(outgoing.request.body).digest('hex')
    const signed = unsignedJws({ alg: 'ES256', kid }, { iat, request_body_sha256: hash })
    const signature = sign('sha256', textBytes(signed), { key, dsaEncoding: 'ieee-p1363' })
    const jws = `${signed}.${signature.toString('base64url')}`
    return withHeaders(outgoing, { 'plaid-verification': jws })
  },
  'microsoft-graph': (outgoing, secret) => {
    const { value } = jsonBody(outgoing.request)
    const items: unknown[] = Array.isArray(value) ? value : [{}]
    const signed = items.map((item) => ({ ...Object(item), clientState: secret }))
    return withField(outgoing, 'value', signed)
  },
  gitlab: (outgoing, secret) => withHeaders(outgoing, { 'x-gitlab-token': secret }),
  telegram: (outgoing, secret) =>
    withHeaders(outgoing, { 'x-telegram-bot-api-secret-token': secret }),
  token: (outgoing, secret, { place = {} }) => {
    const { header, query, field } = place
    if (header !== undefined) return withHeaders(outgoing, { [header.toLowerCase()]: secret })
    if (field !== undefined) return withField(outgoing, field, secret)
    if (query === undefined) throw new UserError({ message: OWN_FORM })
    const url = new URL(outgoing.url)
    url.searchParams.set(query, secret)
    return { ...outgoing, url }
  },
  bearer: (outgoing, secret) => withHeaders(outgoing, { authorization: `Bearer ${secret}` }),
  basic: (outgoing, secret) =>
    withHeaders(outgoing, { authorization: `Basic ${Buffer.from(secret).toString('base64')}` }),
}

const SIGNATURES: ReadonlyMap<string, Sign> = new Map([
  ...Object.entries(SIGNED_HEADERS).map(([name, [, rule]]) => [name, byRule(rule)] as const),
  ...Object.entries(OTHERS),
])

export const SIGNATURE_NAMES: readonly string[] = [...SIGNATURES.keys()].filter(
  (name) => name !== 'token',
)

/**
 * SNS shows its certificate at an address of Amazon's, and no other address is believed: so there is no
 * key of one's own to sign with, not even for a trial.
 */
export const ONLY_AMAZON =
  'Amazon alone can sign it: try the workflow without "verify", or publish to the topic'

/** What cannot be signed here, and why. */
const UNSIGNED = new Map([
  ['aws_sns', ONLY_AMAZON],
  ['hmac', OWN_FORM],
  ['ed25519', OWN_FORM],
])

/**
 * The request as the sender of that scheme would sign it.
 *
 * @throws UserError for an unknown scheme, or a secret that the scheme cannot use
 */
export function signed(
  outgoing: Outgoing,
  scheme: string,
  secret: Secret,
  moment: Moment,
): Outgoing {
  const make = SIGNATURES.get(scheme)
  if (make) return make(outgoing, secret.reveal(), moment)
  const why = UNSIGNED.get(scheme)
  if (why) throw new UserError({ message: `${scheme} cannot be signed here`, hint: why })
  const hint = didYouMean(scheme, SIGNATURE_NAMES)
  throw new UserError({
    message: `unknown signature scheme ${JSON.stringify(scheme)}`,
    ...(hint && { hint }),
    notes: [`schemes: ${SIGNATURE_NAMES.join(', ')}`],
  })
}

interface KeyPair {
  /** As `signed` takes it for a secret. */
  readonly privateText: string
  /** What the receiver holds, as the sender would show it. */
  readonly publicText: string
}

/** By the schemes in which the receiver holds a public key: makes a pair of keys to try them with. */
const KEY_PAIRS: ReadonlyMap<string, () => KeyPair> = new Map([
  [
    'discord',
    () => {
      const pair = generateKeyPairSync('ed25519')
      const spki = pair.publicKey.export({ type: 'spki', format: 'der' })
      return { privateText: pem(pair.privateKey), publicText: spki.subarray(-32).toString('hex') }
    },
  ],
  [
    'sendgrid',
    () => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const spki = pair.publicKey.export({ type: 'spki', format: 'der' })
      return { privateText: pem(pair.privateKey), publicText: spki.toString('base64') }
    },
  ],
  [
    'plaid',
    () => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const jwk = (key: KeyObject) => JSON.stringify({ ...key.export({ format: 'jwk' }), kid })
      const kid = randomUUID()
      return { privateText: jwk(pair.privateKey), publicText: jwk(pair.publicKey) }
    },
  ],
])

export const PAIRED: readonly string[] = [...KEY_PAIRS.keys()]

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/**
 * The private key in a file. Where there is no such file, a pair is made and its private half is put
 * there, readable by its owner alone.
 *
 * @returns the public half too, when it is new
 * @throws UserError for a scheme without a pair of keys, or a file that cannot be read or written
 */
export function keyInFile(
  file: string,
  scheme: string,
): { readonly secret: Secret; readonly publicText?: string } {
  const make = KEY_PAIRS.get(scheme)
  if (!make) {
    const message = `--key is for ${PAIRED.join(', ')}: ${scheme} has no pair of keys`
    throw new UserError({ message, hint: 'set HOOKLINE_SECRET, or give --secret-stdin' })
  }
  try {
    if (existsSync(file)) return { secret: new Secret(readFileSync(file, 'utf8').trim()) }
    const { privateText, publicText } = make()
    writeFileSync(file, privateText, { mode: 0o600, flag: 'wx' })
    return { secret: new Secret(privateText), publicText }
  } catch (cause) {
    throw new UserError({ message: `--key: ${file} can be neither read nor written` }, { cause })
  }
}

function byRule(rule: SignedHeader): Sign {
  return (outgoing, secret, moment) => {
    const { template = '{body}', timestampHeader, timestampField, parts, prefix = '' } = rule
    const milliseconds = moment.timestamp * 1000
    const time =
      rule.timeForm === 'iso'
        ? new Date(milliseconds).toISOString()
        : String(rule.timeForm === 'milliseconds' ? milliseconds : moment.timestamp)
    const [, named] = /\{header\.([^}]+)\}/.exec(template) ?? []
    const filled = withHeaders(
      timestampField === undefined ? outgoing : withField(outgoing, timestampField, Number(time)),
      {
        ...(timestampHeader !== undefined && { [timestampHeader]: time }),
        ...(named !== undefined && { [named]: outgoing.request.headers[named] ?? moment.id }),
      },
    )
    const { request, url } = filled
    const signed = signedBytes(
      template,
      { ...request, bytes: request.body },
      { timestamp: time, url: url.href },
    )
    const signature = signatureText(rule, secret, signed ?? new Uint8Array())
    const timed = parts?.timestamp === undefined ? [] : [`${parts.timestamp}=${time}`]
    const value = parts
      ? [...timed, `${parts.signature}=${signature}`].join(parts.separator)
      : prefix + signature
    return withHeaders(filled, { [rule.header]: value })
  }
}

function signatureText(rule: SignedHeader, secret: string, signed: Uint8Array): string {
  const { algorithm = 'sha256', encoding = 'hex', key = 'text' } = rule
  if (algorithm === 'ed25519' || algorithm === 'p256') {
    const hash = algorithm === 'p256' ? 'sha256' : null
    return sign(hash, signed, privateKey(secret, algorithm)).toString(encoding)
  }
  const bytes = KEYS[key].read(secret)
  if (!bytes) throw new UserError({ message: `${KEYS[key].mistake}, as it is for the receiver` })
  return hmac(algorithm, bytes, signed).toString(encoding)
}

/** What stands before the 32 bytes of a private key of Ed25519 in PKCS#8 (RFC 8410). */
const ED25519_PKCS8 = '302e020100300506032b657004220420'

/** PEM, the base64 of PKCS#8, or the 32 bytes of a key of Ed25519 in hex. */
function privateKey(secret: string, algorithm: 'ed25519' | 'p256'): KeyObject {
  const isSeed = /^[0-9a-f]{64}$/i.test(secret)
  const text = secret.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, '')
  const der = isSeed ? Buffer.from(ED25519_PKCS8 + secret, 'hex') : Buffer.from(text, 'base64')
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  } catch (cause) {
    const kind = algorithm === 'p256' ? 'ec -pkeyopt ec_paramgen_curve:P-256' : 'ed25519'
    const message = 'the secret is not a private key: what the receiver holds is the public one'
    const hint = `give --key with a file that is not there yet: a pair is made in it; or make one with "openssl genpkey -algorithm ${kind}"`
    throw new UserError({ message, hint }, { cause })
  }
}

function privateJwk(secret: string): { readonly key: KeyObject; readonly kid: string } {
  try {
    const jwk: unknown = JSON.parse(secret)
    if (!isObject(jwk) || typeof jwk.kid !== 'string') throw new TypeError('no "kid"')
    return { key: createPrivateKey({ key: jwk, format: 'jwk' }), kid: jwk.kid }
  } catch (cause) {
    const message =
      'the secret is not a private JWK with a "kid": what the receiver holds is public'
    throw new UserError({ message }, { cause })
  }
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function standardKey(secret: string): Uint8Array {
  const bytes = KEYS.base64.read(secret.replace(/^(?:v1,)?whsec_/, ''))
  if (bytes) return bytes
  throw new UserError({ message: 'the secret is not whsec_… with base64 after it' })
}

function hmac(hash: string, key: string | Uint8Array, signed: Uint8Array): Buffer {
  return createHmac(hash, key).update(signed).digest()
}

function hs256(claims: object, secret: string): string {
  const signed = unsignedJws({ alg: 'HS256', typ: 'JWT' }, claims)
  return `${signed}.${hmac('sha256', secret, textBytes(signed)).toString('base64url')}`
}

function unsignedJws(header: object, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(claims)}`
}

function withHeaders<Of extends Outgoing>(outgoing: Of, headers: OutgoingRequest['headers']): Of {
  const { request } = outgoing
  return { ...outgoing, request: { ...request, headers: { ...request.headers, ...headers } } }
}

/** A sender that signs within the body writes it anew. */
function withField(outgoing: Outgoing, field: string, value: unknown): Outgoing {
  const body = textBytes(JSON.stringify({ ...jsonBody(outgoing.request), [field]: value }))
  return { ...outgoing, request: { ...outgoing.request, body } }
}

function jsonBody({ body }: OutgoingRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body) || '{}')
    if (isObject(value)) return value
  } catch {
    // as below
  }
  const message = 'this sender signs within the body, which has to be a JSON object for that'
  throw new UserError({ message })
}

function textBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
