import { base64url, compactDecrypt, type JWK } from 'jose'
import { isObject } from '../../wire/json.ts'
import { type StoredCredential, storedCredential } from '../credentials/credentials.ts'
import type { SealingKey } from '../credentials/seal.ts'
import type { Dispatch } from '../github/dispatch.ts'

/** An event as it lay sealed. */
interface OpenedEvent {
  readonly event: Omit<Dispatch, 'credential'>
  readonly credential: StoredCredential
}

/** Seals events for the disk. */
export type SealEvent = (event: Dispatch) => Promise<{ sealed: string; key: string }>

type Bytes = Uint8Array<ArrayBuffer>

/** What a runtime seals with. */
export interface Cipher {
  /** AES-256-GCM with one key. */
  withKey(secret: Bytes): Encrypt | Promise<Encrypt>
  base64url(bytes: Uint8Array): string
}

/** Gives the ciphertext, and behind it the tag of 16 bytes. */
type Encrypt = (
  content: Bytes,
  iv: Bytes,
  additionalData: Bytes,
) => Uint8Array | Promise<Uint8Array>

/** On any runtime. */
export const WEB_CIPHER: Cipher = {
  withKey: async (secret) => {
    const key = await crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt'])
    return async (content, iv, additionalData) => {
      const algorithm = { name: 'AES-GCM', iv, additionalData }
      return new Uint8Array(await crypto.subtle.encrypt(algorithm, key, content))
    }
  },
  base64url: base64url.encode,
}

/**
 * Events that one derived key seals; its nonces are random: RFC 7518, section 8.2, and NIST SP
 * 800-38D allow 2³² of them.
 */
const EVENTS_OF_ONE_SECRET = 100_000

/**
 * Seals by ECDH-ES and A256GCM (RFC 7518, sections 4.6 and 5.3), as a token is sealed, but with an
 * ephemeral key that serves many events: agreeing on a new one costs far more than the encryption.
 *
 * @param key opens what is sealed
 */
export function sealEventsFor(
  { id, publicJwk }: SealingKey,
  cipher = WEB_CIPHER,
  eventsOfOneSecret = EVENTS_OF_ONE_SECRET,
): SealEvent {
  let agreed: Promise<Agreement> | undefined
  let left = 0
  return async (event) => {
    if (left-- === 0 || !agreed) {
      left = eventsOfOneSecret - 1
      agreed = agree(publicJwk, id, cipher)
    }
    // A failed agreement must not stand for all that follow.
    const { header, encrypt } = await agreed.catch((error) => {
      left = 0
      throw error
    })
    const iv = crypto.getRandomValues(new Uint8Array(12))
    const content = UTF8.encode(JSON.stringify(contentOf(event)))
    const encrypted = await encrypt(content, iv, UTF8.encode(header))
    const [text, tag] = [encrypted.subarray(0, -16), encrypted.subarray(-16)]
    const parts = [header, '', ...[iv, text, tag].map((part) => cipher.base64url(part))]
    return { sealed: parts.join('.'), key: id }
  }
}

const UTF8 = new TextEncoder()

interface Agreement {
  /** The protected header, encoded: the same for all that the secret seals. */
  readonly header: string
  readonly encrypt: Encrypt
}

async function agree({ kty, crv, x, y }: JWK, kid: string, cipher: Cipher): Promise<Agreement> {
  const { subtle } = crypto
  const curve = { name: 'ECDH', namedCurve: crv ?? '' }
  // The parts of a public key, and nothing that says what it may be used for.
  const theirs = await subtle.importKey('jwk', partsOf({ kty, crv, x, y }), curve, true, [])
  const ours = await subtle.generateKey(curve, true, ['deriveBits'])
  const bits = CURVE_BITS.get(crv) ?? 256
  const shared = await subtle.deriveBits({ name: 'ECDH', public: theirs }, ours.privateKey, bits)
  const secret = await subtle.digest('SHA-256', concatKdfInput(new Uint8Array(shared)))
  const { x: epkX, y: epkY } = await subtle.exportKey('jwk', ours.publicKey)
  const epk = partsOf({ kty, crv, x: epkX, y: epkY })
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', typ: TYPE, kid, epk }
  return {
    header: base64url.encode(JSON.stringify(header)),
    encrypt: await cipher.withKey(new Uint8Array(secret)),
  }
}

const CURVE_BITS = new Map<string | undefined, number>([
  ['P-256', 256],
  ['P-384', 384],
  ['P-521', 528],
])

/** So that what is sealed as an event can serve as nothing else. */
const TYPE = 'hookline-event'

/** RFC 7518, section 4.6.2, for one round of SHA-256: no names of parties, a key of 256 bits. */
function concatKdfInput(shared: Uint8Array): Bytes {
  const algorithm = UTF8.encode('A256GCM')
  const number = (value: number) => [0, 0, 0, value]
  return Uint8Array.from([
    ...number(1),
    ...shared,
    ...number(algorithm.length),
    ...algorithm,
    ...number(0),
    ...number(0),
    ...[0, 0, 1, 0],
  ])
}

function partsOf(parts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(parts).filter((entry): entry is [string, string] => !!entry[1])
  return Object.fromEntries(entries)
}

/** @throws Error of any kind when none of these keys opens it, or it is broken */
export async function openEvent(sealed: string, keys: readonly SealingKey[]): Promise<OpenedEvent> {
  const keyOf = ({ kid }: { kid?: string }) => {
    const key = keys.find(({ id }) => id === kid)
    if (!key) throw new TypeError('sealed for another key')
    return key.open
  }
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, keyOf, {
    keyManagementAlgorithms: ['ECDH-ES'],
    contentEncryptionAlgorithms: ['A256GCM'],
  })
  const content: unknown = JSON.parse(new TextDecoder().decode(plaintext))
  if (protectedHeader.typ !== TYPE || !isContent(content)) throw new TypeError('no sealed event')
  const { credential, ...event } = content
  return { event, credential }
}

/** What is sealed. */
type Content = OpenedEvent['event'] & Pick<OpenedEvent, 'credential'>

function contentOf({ credential, ...event }: Dispatch): Content {
  return { ...event, credential: storedCredential(credential) }
}

/** It lay on the relay's own disk, so nothing more is asked for than that it is a whole event. */
function isContent(value: unknown): value is Content {
  if (!isObject(value)) return false
  const { repository, clientPayload, delivery, credential } = value
  const isText = typeof clientPayload === 'string' && typeof delivery === 'string'
  return isText && isObject(repository) && isObject(credential)
}
