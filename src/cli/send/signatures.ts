import {
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Moment, Outgoing, SenderFile, Sign, SigningTools } from '../../triggers/sender.ts'
import { SENDER_FILES } from '../../triggers/senders.ts'
import { KEYS } from '../../triggers/verify/algorithms.ts'
import { ruleOf } from '../../triggers/verify/schemes.ts'
import { type SignedHeader, signedBytes } from '../../triggers/verify/signed-header.ts'
import { jsonBody, withField, withRequestHeaders } from '../../triggers/verify/signing.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import { readFile, writeText } from '../files.ts'
import { unknownName } from '../flag-values.ts'

const OWN_FORM = 'Only your workflow defines this signature: add it yourself with --header.'

/** The schemes that belong to no sender. */
const GENERAL: Readonly<Record<string, Sign>> = {
  token: (outgoing, secret, { place = {} }) => {
    const { header, query, field } = place
    if (header !== undefined)
      return withRequestHeaders(outgoing, { [header.toLowerCase()]: secret })
    if (field !== undefined) return withField(outgoing, field, secret)
    if (query === undefined) throw new UserError({ message: OWN_FORM })
    const url = new URL(outgoing.url)
    url.searchParams.set(query, secret)
    return { ...outgoing, url }
  },
  bearer: (outgoing, secret) => withRequestHeaders(outgoing, { authorization: `Bearer ${secret}` }),
  basic: (outgoing, secret) =>
    withRequestHeaders(outgoing, {
      authorization: `Basic ${Buffer.from(secret).toString('base64')}`,
    }),
}

const SIGNATURES: ReadonlyMap<string, Sign> = new Map([
  ...Object.entries(SENDER_FILES).flatMap(([name, { scheme, signing }]) => {
    const sign = signing?.sign ?? bySchemeOf(scheme)
    return sign ? [[name, sign] as const] : []
  }),
  ...Object.entries(GENERAL),
])

function bySchemeOf(own: SenderFile['scheme']): Sign | undefined {
  if (!own || 'check' in own) return undefined
  if ('header' in own) return byRule(own)
  const { tokenHeader, tokenField = '' } = own
  if (tokenHeader !== undefined) {
    return (outgoing, secret) => withRequestHeaders(outgoing, { [tokenHeader]: secret })
  }
  return (outgoing, secret) => withTokenAt(outgoing, tokenField, secret)
}

/** Sets `value[*].clientState` in each entry of the list, or a plain field. */
function withTokenAt(outgoing: Outgoing, path: string, secret: string): Outgoing {
  const [list = '', field] = path.split('[*].')
  if (field === undefined) return withField(outgoing, path, secret)
  const value = jsonBody(outgoing.request)[list]
  const items: unknown[] = Array.isArray(value) ? value : [{}]
  const signed = items.map((item) => ({ ...Object(item), [field]: secret }))
  return withField(outgoing, list, signed)
}

export const SIGNATURE_NAMES: readonly string[] = [...SIGNATURES.keys()].filter(
  (name) => name !== 'token',
)

/**
 * The certificate of SNS is at an address of Amazon, and verification accepts no other address.
 * Therefore no other key can sign, not even for a test event.
 */
export const ONLY_AMAZON =
  'Only Amazon can sign it: test the workflow without "verify", or publish to the topic.'

/** The schemes that cannot be signed here, with the reason. */
const UNSIGNED = new Map([
  ['aws-sns', ONLY_AMAZON],
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
  if (make) return make(outgoing, secret.reveal(), moment, TOOLS)
  const why = UNSIGNED.get(scheme)
  if (why) throw new UserError({ message: `${scheme} cannot be signed here`, hint: why })
  throw unknownName('signature scheme', scheme, SIGNATURE_NAMES)
}

/** The same at this moment. @param place of the secret; see `Moment` */
export function signedNow(
  outgoing: Outgoing,
  scheme: string,
  secret: Secret,
  place: Readonly<Record<string, string>> = {},
): Outgoing {
  const timestamp = Math.floor(Date.now() / 1000)
  return signed(outgoing, scheme, secret, { timestamp, id: `msg_${randomUUID()}`, place })
}

type Pair = 'ed25519' | 'p256' | 'p256-jwk'

/** The private key in the form that `signed` accepts, and the public key as the sender shows it. */
const MAKE_PAIR: Readonly<Record<Pair, () => { privateText: string; publicText: string }>> = {
  ed25519: () => {
    const pair = generateKeyPairSync('ed25519')
    const spki = pair.publicKey.export({ type: 'spki', format: 'der' })
    return { privateText: pem(pair.privateKey), publicText: spki.subarray(-32).toString('hex') }
  },
  p256: () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const spki = pair.publicKey.export({ type: 'spki', format: 'der' })
    return { privateText: pem(pair.privateKey), publicText: spki.toString('base64') }
  },
  'p256-jwk': () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const kid = randomUUID()
    const jwk = (key: KeyObject) => JSON.stringify({ ...key.export({ format: 'jwk' }), kid })
    return { privateText: jwk(pair.privateKey), publicText: jwk(pair.publicKey) }
  },
}

/** The schemes that verify with a public key, with the kind of their key pair. */
const PAIRS: ReadonlyMap<string, Pair> = new Map(
  Object.entries(SENDER_FILES).flatMap(([name, { signing }]): [string, Pair][] => {
    const algorithm = ruleOf(name)?.algorithm
    const isPaired = algorithm === 'ed25519' || algorithm === 'p256'
    const pair = isPaired ? algorithm : signing?.pair
    return pair === undefined ? [] : [[name, pair]]
  }),
)

export const PAIRED: readonly string[] = [...PAIRS.keys()]

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/**
 * The private key in a file. If the file is missing, creates a key pair and writes the private key to the
 * file with mode 0600.
 *
 * @returns the public key too, if the pair is new
 * @throws UserError for a scheme without a key pair, or a file that cannot be read or written
 */
export function keyInFile(
  file: string,
  scheme: string,
): { readonly secret: Secret; readonly publicText?: string } {
  const pair = PAIRS.get(scheme)
  if (pair === undefined) {
    throw new UserError({
      message: `--private-key: ${scheme} has no key pair`,
      hint: 'Set HOOKLINE_WEBHOOK_SECRET, and omit --private-key.',
      notes: [`schemes with a key pair: ${PAIRED.join(', ')}`],
    })
  }
  if (existsSync(file)) {
    const text = new TextDecoder().decode(readFile(file, '--private-key'))
    return { secret: new Secret(text.trim()) }
  }
  const { privateText, publicText } = MAKE_PAIR[pair]()
  writeText(file, privateText, { option: '--private-key', mode: 0o600 })
  return { secret: new Secret(privateText), publicText }
}

function byRule(rule: SignedHeader): Sign {
  return (outgoing, secret, moment) => {
    const { signedPayload = '{body}', timestampHeader, timestampBodyField } = rule
    const time = timeText(rule, moment)
    const [, named] = /\{header\.([^}]+)\}/.exec(signedPayload) ?? []
    const filled = withRequestHeaders(
      timestampBodyField === undefined
        ? outgoing
        : withField(outgoing, timestampBodyField, Number(time)),
      {
        ...(timestampHeader !== undefined && { [timestampHeader]: time }),
        ...(named !== undefined && { [named]: outgoing.request.headers[named] ?? moment.id }),
      },
    )
    const { request, url } = filled
    const signed = signedBytes(
      signedPayload,
      { ...request, bytes: request.body },
      { timestamp: time, url: url.href },
    )
    const signature = signatureText(rule, secret, signed ?? new Uint8Array())
    return withRequestHeaders(filled, { [rule.header]: signatureHeader(rule, time, signature) })
  }
}

function timeText({ timestampFormat }: SignedHeader, { timestamp }: Moment): string {
  if (timestampFormat === 'rfc3339') return new Date(timestamp * 1000).toISOString()
  return String(timestampFormat === 'milliseconds' ? timestamp * 1000 : timestamp)
}

/** Time and signature, the time first. */
function signatureHeader(
  { parts, signaturePrefix = '' }: SignedHeader,
  time: string,
  signature: string,
): string {
  if (!parts) return signaturePrefix + signature
  const { separator, timestamp } = parts
  const part = (name: string, text: string) => (/^\d+$/.test(name) ? text : `${name}=${text}`)
  const timed = timestamp === undefined ? [] : [part(timestamp, time)]
  return [...timed, part(parts.signature, signaturePrefix + signature)].join(separator)
}

function signatureText(rule: SignedHeader, secret: string, signed: Uint8Array): string {
  const { algorithm = 'sha256', signatureEncoding = 'hex', secretEncoding = 'text' } = rule
  if (algorithm === 'ed25519' || algorithm === 'p256') {
    const hash = algorithm === 'p256' ? 'sha256' : null
    return sign(hash, signed, privateKey(secret, algorithm)).toString(signatureEncoding)
  }
  const bytes = KEYS[secretEncoding].read(secret)
  if (!bytes)
    throw new UserError({
      message: `"secret" ${KEYS[secretEncoding].mistake}`,
      hint: 'Set HOOKLINE_WEBHOOK_SECRET to the secret that the sender shows.',
    })
  return TOOLS.hmac(algorithm, bytes, signed, signatureEncoding)
}

const TOOLS: SigningTools = {
  hmac: (hash, key, signed, encoding) => createHmac(hash, key).update(signed).digest(encoding),
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
  jws(alg, claims, secret) {
    if (alg === 'HS256') {
      const signed = unsignedJws({ alg, typ: 'JWT' }, claims)
      return `${signed}.${TOOLS.hmac('sha256', secret, signed, 'base64url')}`
    }
    const { key, kid } = privateJwk(secret)
    const signed = unsignedJws({ alg, kid }, claims)
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  },
}

/** The prefix of an Ed25519 private key in PKCS#8 (RFC 8410, section 7). */
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
    const message = 'the secret is not a private key; it may be the public key of the receiver'
    const hint = `Add --private-key with a new file, or run: openssl genpkey -algorithm ${kind}`
    throw new UserError({ message, hint }, { cause })
  }
}

function privateJwk(secret: string): { readonly key: KeyObject; readonly kid: string } {
  try {
    const jwk: unknown = JSON.parse(secret)
    if (!isObject(jwk) || typeof jwk.kid !== 'string') throw new TypeError('no "kid"')
    return { key: createPrivateKey({ key: jwk, format: 'jwk' }), kid: jwk.kid }
  } catch (cause) {
    const message = 'the secret is not a private JWK with a "kid"'
    const hint = 'Add --private-key with a new file: the command creates a key pair.'
    throw new UserError({ message, hint }, { cause })
  }
}

function unsignedJws(header: object, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(claims)}`
}
