// All encrypted rows of a database, whatever their table.

import type { Database } from './database.ts'
import { ENCRYPTED_DELIVERIES } from './deliveries.ts'
import { type Encryption, type Reencrypted, reencrypt, rowsByKey } from './encryption.ts'
import { ENCRYPTED_ENDPOINTS, reencryptEndpoints } from './endpoint-records.ts'

/** Encrypts the rows of older relay keys by the first one. @throws StorageError */
export async function reencryptAll(
  database: Database,
  encryption: Encryption,
): Promise<Reencrypted> {
  const done = [
    await reencryptEndpoints(database, encryption),
    await reencrypt(database, ENCRYPTED_DELIVERIES, encryption),
  ]
  return {
    rows: done.reduce((sum, { rows }) => sum + rows, 0),
    unreadable: done.reduce((sum, { unreadable }) => sum + unreadable, 0),
  }
}

/** The number of rows by the id of the relay key that encrypted them. @throws StorageError */
export async function rowsOfKeys(database: Database): Promise<Readonly<Record<string, number>>> {
  const sums = new Map<string, number>()
  for (const table of [ENCRYPTED_DELIVERIES, ENCRYPTED_ENDPOINTS]) {
    for (const [key, count] of Object.entries(await rowsByKey(database, table))) {
      sums.set(key, (sums.get(key) ?? 0) + count)
    }
  }
  return Object.fromEntries(sums)
}
