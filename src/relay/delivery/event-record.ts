import { isObject } from '../../wire/json.ts'
import { type StoredCredential, storedCredential } from '../github/credential.ts'
import type { Dispatch } from '../github/send.ts'
import type { Database } from '../store/database.ts'
import {
  type EncryptedRecord,
  type EncryptedTable,
  type Encryption,
  type Reencrypted,
  reencrypt,
} from '../store/encryption.ts'

const TYPE = 'hookline-event'

/** The table of events, as `store/encryption.ts` reads and changes it. */
export const ENCRYPTED_EVENTS: EncryptedTable = { name: 'event', id: 'seq', type: TYPE }

/** An event and what is needed to restore its credential. */
interface DecryptedEvent {
  readonly event: Omit<Dispatch, 'credential'>
  readonly credential: StoredCredential
}

/** Encrypts an event for the disk. */
export function encryptEvent(
  { credential, ...event }: Dispatch,
  encryption: Encryption,
): Promise<EncryptedRecord> {
  const content = { ...event, credential: storedCredential(credential) } satisfies Content
  return encryption.encrypt(TYPE, content)
}

/** @throws Error of any kind if no relay key decrypts it, or it is damaged */
export async function decryptEvent(
  record: EncryptedRecord,
  encryption: Encryption,
): Promise<DecryptedEvent> {
  const content = await encryption.decrypt(TYPE, record)
  if (!isContent(content)) throw new TypeError('no event')
  const { credential, ...event } = content
  return { event, credential }
}

/** Encrypts the events of older relay keys by the first one. */
export function reencryptEvents(database: Database, encryption: Encryption): Promise<Reencrypted> {
  return reencrypt(database, ENCRYPTED_EVENTS, encryption)
}

type Content = DecryptedEvent['event'] & Pick<DecryptedEvent, 'credential'>

/** The relay wrote it to its own disk, so only the presence of the parts is checked. */
function isContent(value: unknown): value is Content {
  if (!isObject(value)) return false
  const { repository, clientPayload, delivery, credential } = value
  const hasStrings = typeof clientPayload === 'string' && typeof delivery === 'string'
  return hasStrings && isObject(repository) && isObject(credential)
}
