import type { Database, SqlRow } from './database.ts'
import { MIGRATIONS, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { StorageError } from './storage-error.ts'

/** The used part of https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ */
export interface ObjectStorage {
  readonly sql: { exec(statement: string, ...values: unknown[]): { toArray(): SqlRow[] } }
  transactionSync<Result>(change: () => Result): Result
  /** Milliseconds since 1970; `null` if no alarm is set. */
  getAlarm(): Promise<number | null>
  setAlarm(time: number): Promise<void>
  deleteAll(): Promise<void>
}

export interface ObjectState {
  readonly storage: ObjectStorage
  blockConcurrencyWhile<Result>(work: () => Promise<Result>): Promise<Result>
}

/** The runtime holds a response back until earlier writes are on disk. */
export function objectDatabase(storage: ObjectStorage): Database {
  return {
    read: async (statement, ...values) => storage.sql.exec(statement, ...values).toArray(),
    write: async (statements) => {
      try {
        return storage.transactionSync(() =>
          statements.flatMap(([statement, ...values]) =>
            storage.sql.exec(statement, ...values).toArray(),
          ),
        )
      } catch (cause) {
        throw new StorageError('disk fails', { cause })
      }
    },
  }
}

/**
 * Migrates the tables of an object to the current version.
 *
 * @returns the version before; `undefined` if the object has no tables
 * @throws Error for tables of a newer version
 */
export function migrateObject(storage: ObjectStorage): number | undefined {
  const { sql } = storage
  const tables = sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
  const names = new Set(tables.map(({ name }) => name))
  if (!names.has('event')) return undefined
  // Version 1 had no table for its number.
  const [row] = names.has('meta')
    ? sql.exec("SELECT value FROM meta WHERE name = 'schema'").toArray()
    : [{ value: 1 }]
  const version = Number(row?.value)
  if (version > SCHEMA_VERSION) {
    throw new Error('a newer version of Hookline wrote the outbox of this object')
  }
  storage.transactionSync(() => {
    for (const statement of MIGRATIONS[version] ?? []) sql.exec(statement)
  })
  return version
}

/** Creates the tables of an object that has none. */
export function createTables(storage: ObjectStorage): void {
  storage.transactionSync(() => {
    for (const statement of SCHEMA) storage.sql.exec(statement)
  })
}
