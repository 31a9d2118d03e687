import { fromBase64, toBase64, utf8Text } from '../../wire/bytes.ts'
import { isObject } from '../../wire/json.ts'
import { type StoredCredential, storedCredential } from '../github/credential.ts'
import type { Dispatch } from '../github/send.ts'
import { ENCRYPTED_DELIVERIES } from '../store/deliveries.ts'
import type { EncryptedRecord, Encryption } from '../store/encryption.ts'

const TYPE = ENCRYPTED_DELIVERIES.type

/** An event and what is needed to restore its credential. */
export interface DecryptedEvent {
  readonly event: Omit<Dispatch, 'credential'>
  readonly credential: StoredCredential
}

/**
 * A request that started nothing: a filtered one as it was received, so that it can be replayed; of a refused
 * one only what explains the refusal.
 */
export interface StoredRequest {
  /** The raw request target: some schemes sign it. It contains the id of the endpoint. */
  readonly target: string
  readonly method: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** The forwarded headers, by lower-case name; of a refused request the values are absent. */
  readonly headers: readonly (readonly [name: string, value?: string])[]
  /** Base64, or a string if it is valid UTF-8; `null` if it is not stored. */
  readonly body: { readonly text: string } | { readonly base64: string } | null
  /** True if only the beginning of the body is stored. */
  readonly isCut?: boolean
}

/** The content of a delivery. */
export type DeliveryContent =
  | (DecryptedEvent & { readonly received?: undefined })
  | { readonly received: StoredRequest; readonly event?: undefined }

/** Encrypts an event for the disk. */
export function encryptEvent(
  { credential, ...event }: Dispatch,
  encryption: Encryption,
): Promise<EncryptedRecord> {
  return encryption.encrypt(TYPE, { ...event, credential: storedCredential(credential) })
}

/** Encrypts a decrypted event again, after a change. */
export function encryptAgain(
  { event, credential }: DecryptedEvent,
  encryption: Encryption,
): Promise<EncryptedRecord> {
  return encryption.encrypt(TYPE, { ...event, credential })
}

/** Encrypts a filtered or refused request for the disk. */
export function encryptRequest(
  received: StoredRequest,
  encryption: Encryption,
): Promise<EncryptedRecord> {
  return encryption.encrypt(TYPE, { received })
}

/** @throws Error of any kind if no relay key decrypts it, it is damaged, or it is no event */
export async function decryptEvent(
  record: EncryptedRecord,
  encryption: Encryption,
): Promise<DecryptedEvent> {
  const { event, ...content } = await decryptContent(record, encryption)
  if (!event || !('credential' in content)) throw new TypeError('no event')
  return { event, credential: content.credential }
}

/** @throws Error of any kind if no relay key decrypts it, or it is damaged */
export async function decryptContent(
  record: EncryptedRecord,
  encryption: Encryption,
): Promise<DeliveryContent> {
  const content = await encryption.decrypt(TYPE, record)
  if (isEvent(content)) {
    const { credential, ...event } = content
    return { event, credential }
  }
  if (!isRequest(content)) throw new TypeError('no event')
  return { received: content.received }
}

/** The stored form of a body: it is shown as JSON. */
export function storedBody(bytes: Uint8Array): NonNullable<StoredRequest['body']> {
  const text = utf8Text(bytes)
  return text === undefined ? { base64: toBase64(bytes) } : { text }
}

/** The bytes of a stored body. */
export function bodyOf(body: NonNullable<StoredRequest['body']>): Uint8Array {
  return 'text' in body ? new TextEncoder().encode(body.text) : fromBase64(body.base64)
}

/** The relay wrote it to its own disk, so only the presence of the parts is checked. */
function isEvent(
  value: unknown,
): value is DecryptedEvent['event'] & Pick<DecryptedEvent, 'credential'> {
  if (!isObject(value)) return false
  const { repository, clientPayload, delivery, credential } = value
  const hasStrings = typeof clientPayload === 'string' && typeof delivery === 'string'
  return hasStrings && isObject(repository) && isObject(credential)
}

function isRequest(value: unknown): value is { readonly received: StoredRequest } {
  return isObject(value) && isObject(value.received) && typeof value.received.target === 'string'
}
