// All encrypted rows of a database, whatever their table.

import type { Database } from './database.ts'
import { ENCRYPTED_DELIVERIES } from './deliveries.ts'
import { type Encryption, type Reencrypted, reencrypt, rowsByKey } from './encryption.ts'
import { ENCRYPTED_ENDPOINTS } from './endpoint-records.ts'

const TABLES = [ENCRYPTED_DELIVERIES, ENCRYPTED_ENDPOINTS]

/** Encrypts the rows of older relay keys by the first one. @throws StorageError */
export async function reencryptAll(
  database: Database,
  encryption: Encryption,
): Promise<Reencrypted> {
  let [rows, unreadable] = [0, 0]
  for (const table of TABLES) {
    const done = await reencrypt(database, table, encryption)
    rows += done.rows
    unreadable += done.unreadable
  }
  return { rows, unreadable }
}

/** The number of rows by the id of the relay key that encrypted them. @throws StorageError */
export async function rowsOfKeys(database: Database): Promise<Readonly<Record<string, number>>> {
  const sums = new Map<string, number>()
  for (const table of TABLES) {
    for (const [key, count] of Object.entries(await rowsByKey(database, table))) {
      sums.set(key, (sums.get(key) ?? 0) + count)
    }
  }
  return Object.fromEntries(sums)
}
