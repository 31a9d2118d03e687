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
  const done: Reencrypted[] = []
  if (await hasTable(database, ENCRYPTED_ENDPOINTS.name)) {
    done.push(await reencryptEndpoints(database, encryption))
  }
  if (await hasTable(database, ENCRYPTED_DELIVERIES.name)) {
    done.push(await reencrypt(database, ENCRYPTED_DELIVERIES, encryption))
  }
  return {
    rows: done.reduce((sum, { rows }) => sum + rows, 0),
    unreadable: done.reduce((sum, { unreadable }) => sum + unreadable, 0),
  }
}

/** The number of rows by the id of the relay key that encrypted them. @throws StorageError */
export async function rowsOfKeys(database: Database): Promise<Readonly<Record<string, number>>> {
  const sums = new Map<string, number>()
  for (const table of [ENCRYPTED_DELIVERIES, ENCRYPTED_ENDPOINTS]) {
    if (!(await hasTable(database, table.name))) continue
    for (const [key, count] of Object.entries(await rowsByKey(database, table))) {
      sums.set(key, (sums.get(key) ?? 0) + count)
    }
  }
  return Object.fromEntries(sums)
}

/** On Workers, the first row of a table creates it. */
async function hasTable(database: Database, name: string): Promise<boolean> {
  const text = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
  return (await database.read(text, name)).length > 0
}
