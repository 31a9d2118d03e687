import { isObject } from '../../wire/json.ts'
import { type StoredCredential, storedCredential } from '../credentials/credentials.ts'
import { openRecord, type SealedRecord, sealRecordsFor } from '../credentials/sealed-record.ts'
import type { SealingKey } from '../credentials/sealing-key.ts'
import type { Dispatch } from '../github/dispatch.ts'

const TYPE = 'hookline-event'

/** An event and what is needed to restore its credential. */
interface OpenedEvent {
  readonly event: Omit<Dispatch, 'credential'>
  readonly credential: StoredCredential
}

/** Encrypts an event for the disk. */
export type SealEvent = (event: Dispatch) => Promise<SealedRecord>

/** @param key opens what it seals */
export function sealEventsFor(key: SealingKey): SealEvent {
  const seal = sealRecordsFor(TYPE, key)
  return ({ credential, ...event }) =>
    seal({ ...event, credential: storedCredential(credential) } satisfies Content)
}

/** @throws Error of any kind if none of the keys opens it, or it is damaged */
export async function openEvent(sealed: string, keys: readonly SealingKey[]): Promise<OpenedEvent> {
  const content = await openRecord(TYPE, sealed, keys)
  if (!isContent(content)) throw new TypeError('no sealed event')
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
