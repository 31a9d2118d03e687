import { fromBase64, toBase64, utf8Text } from '../../wire/bytes.ts'
import { isObject } from '../../wire/json.ts'
import { type StoredCredential, storedCredential } from '../github/credential.ts'
import type { Dispatch } from '../github/send.ts'
import { ENCRYPTED_DELIVERIES } from '../store/deliveries.ts'
import type { StoredDelivery } from '../store/delivery-rows.ts'
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
  return encryptContent({ event, credential: storedCredential(credential) }, encryption)
}

export function encryptContent(
  content: DeliveryContent,
  encryption: Encryption,
): Promise<EncryptedRecord> {
  return encryption.encrypt(TYPE, content)
}

/** @returns `undefined` if it is not stored, no relay key decrypts it, or it is damaged */
export async function decryptContent(
  { key, content: encrypted }: Pick<StoredDelivery, 'key' | 'content'>,
  encryption: Encryption,
): Promise<DeliveryContent | undefined> {
  if (key === null || encrypted === null) return undefined
  const record = { key, content: encrypted }
  const content = await encryption.decrypt(TYPE, record).catch(() => undefined)
  const { event, received } = isObject(content) ? content : {}
  if (!isObject(event) && !isObject(received)) return undefined
  // The relay wrote it to its own disk.
  return content as DeliveryContent
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
