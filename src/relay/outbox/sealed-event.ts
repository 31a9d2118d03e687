import { CompactEncrypt, compactDecrypt, importJWK } from 'jose'
import { isObject } from '../../wire/json.ts'
import { type StoredCredential, storedCredential } from '../credentials/credentials.ts'
import type { SealingKey } from '../credentials/seal.ts'
import type { Dispatch } from '../github/dispatch.ts'

// RFC 7518, sections 4.6 and 5.3.
const ALGORITHM = 'ECDH-ES'
const ENCRYPTION = 'A256GCM'

/** An encrypted event cannot serve as a sealed token, and the reverse. */
const TYPE = 'hookline-event'

/** An event and what is needed to restore its credential. */
interface OpenedEvent {
  readonly event: Omit<Dispatch, 'credential'>
  readonly credential: StoredCredential
}

/** Encrypts an event for the disk. */
export type SealEvent = (event: Dispatch) => Promise<{ sealed: string; key: string }>

/** @param key opens what it seals */
export function sealEventsFor({ id, publicJwk }: SealingKey): SealEvent {
  const imported = importJWK(publicJwk, ALGORITHM)
  // A failed import rejects each seal; the relay has read this key before.
  imported.catch(() => {})
  return async ({ credential, ...event }) => {
    const content: Content = { ...event, credential: storedCredential(credential) }
    const bytes = new TextEncoder().encode(JSON.stringify(content))
    const header = { alg: ALGORITHM, enc: ENCRYPTION, typ: TYPE, kid: id }
    const encryption = new CompactEncrypt(bytes).setProtectedHeader(header)
    return { sealed: await encryption.encrypt(await imported), key: id }
  }
}

/** @throws Error of any kind if none of the keys opens it, or it is damaged */
export async function openEvent(sealed: string, keys: readonly SealingKey[]): Promise<OpenedEvent> {
  const keyOf = ({ kid }: { kid?: string }) => {
    const key = keys.find(({ id }) => id === kid)
    if (!key) throw new TypeError('sealed for another key')
    return key.open
  }
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, keyOf, {
    keyManagementAlgorithms: [ALGORITHM],
    contentEncryptionAlgorithms: [ENCRYPTION],
  })
  const content: unknown = JSON.parse(new TextDecoder().decode(plaintext))
  if (protectedHeader.typ !== TYPE || !isContent(content)) throw new TypeError('no sealed event')
  const { credential, ...event } = content
  return { event, credential }
}

type Content = OpenedEvent['event'] & Pick<OpenedEvent, 'credential'>

/** The relay wrote it to its own disk, so only the presence of the parts is checked. */
function isContent(value: unknown): value is Content {
  if (!isObject(value)) return false
  const { repository, clientPayload, delivery, credential } = value
  const hasStrings = typeof clientPayload === 'string' && typeof delivery === 'string'
  return hasStrings && isObject(repository) && isObject(credential)
}
