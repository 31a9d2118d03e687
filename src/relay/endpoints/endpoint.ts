import { base64url } from 'jose'
import { toHex } from '../../wire/bytes.ts'
import { isObject } from '../../wire/json.ts'
import { type AccessScope, readScope } from '../credentials/claims.ts'
import { openRecord, type SealedRecord, sealRecordsFor } from '../credentials/sealed-record.ts'
import type { SealingKey } from '../credentials/sealing-key.ts'
import type { BatchSettings } from '../request/batch-period.ts'
import type { CheckClaims } from '../request/verification-claims.ts'

/** The settings of a webhook URL that the relay stores: for one path. */
export interface EndpointSettings extends AccessScope, CheckClaims, BatchSettings {
  /** `<workflow>/<trigger>`, to which the rest of the URL's path is added. */
  readonly path: string
  /** The longest time without an event, such as `2h`; beyond it, the relay begins an alarm. */
  readonly expect?: string
  /** A GitHub token; without it the relay uses its own credential. */
  readonly token?: string
}

/** An endpoint: `https://<relay>/-/<id>` stands for its settings. */
export interface Endpoint extends EndpointSettings {
  /** 22 characters of base64url, from 128 random bits. Anyone who has it can send events. */
  readonly id: string
  /** The public name: in the admin API, logs, metrics and records. */
  readonly name: string
}

/** One row of the database. All else of an endpoint is sealed. */
export interface EndpointRow extends SealedRecord {
  /** SHA-256 of the id, in hexadecimal. */
  readonly hash: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly created: number
  /** When the settings or the id changed. */
  readonly changed: number
  /** When GitHub or the outbox accepted its first event; `null` before that. */
  readonly firstEvent: number | null
}

const ID_BYTES = 16

export function newEndpointId(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
}

/** The id is looked up by its hash, so that the time of a lookup tells nothing about other ids. */
export async function hashOf(id: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  return toHex(new Uint8Array(hash))
}

const TYPE = 'hookline-endpoint'

/** @param key opens what it seals */
export function sealEndpointsFor(key: SealingKey): (endpoint: Endpoint) => Promise<SealedRecord> {
  return sealRecordsFor(TYPE, key)
}

/** @throws Error of any kind if none of the keys opens it, or it is damaged */
export async function openEndpoint(
  { sealed }: SealedRecord,
  keys: readonly SealingKey[],
): Promise<Endpoint> {
  const content = await openRecord(TYPE, sealed, keys)
  if (!isEndpoint(content)) throw new TypeError('no sealed endpoint')
  return content
}

/** The relay wrote it to its own disk, so only the presence of the parts is checked. */
function isEndpoint(value: unknown): value is Endpoint {
  if (!isObject(value) || readScope(value)?.path === undefined) return false
  return typeof value.id === 'string' && typeof value.name === 'string'
}
