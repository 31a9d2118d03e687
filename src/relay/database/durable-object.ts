import type { Database, SqlRow, SqlStatement } from './database.ts'
import { INDEX_TABLES, MIGRATIONS, SCHEMA, SCHEMA_VERSION } from './schema.ts'
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
    write: async (statements) => writeTo(storage, statements),
  }
}

/** @throws StorageError; then nothing was changed */
function writeTo(storage: ObjectStorage, statements: readonly SqlStatement[]): readonly SqlRow[] {
  try {
    return storage.transactionSync(() =>
      statements.flatMap(([statement, ...values]) =>
        storage.sql.exec(statement, ...values).toArray(),
      ),
    )
  } catch (cause) {
    throw new StorageError('disk fails', { cause })
  }
}

/** A statement that stores an event. */
const STORES = /^INSERT INTO event /

/**
 * The tables of the outbox in an object. The first stored event creates them, so that an object without
 * events takes no storage: until then there is nothing to read, and a change changes nothing.
 */
export class OutboxTables implements Database {
  readonly #storage: ObjectStorage
  #exist: boolean
  /** The version of the tables before a migration; `undefined` without a migration. */
  readonly migratedFrom: number | undefined

  /** @throws Error for tables of a newer version */
  constructor(storage: ObjectStorage) {
    this.#storage = storage
    const found = migrateObject(storage)
    this.#exist = found !== undefined
    this.migratedFrom = found === SCHEMA_VERSION ? undefined : found
  }

  get exist(): boolean {
    return this.#exist
  }

  async read(...statement: SqlStatement): Promise<readonly SqlRow[]> {
    return this.#exist ? objectDatabase(this.#storage).read(...statement) : []
  }

  async write(statements: readonly SqlStatement[]): Promise<readonly SqlRow[]> {
    const isFirst = !this.#exist && statements.some(([text]) => STORES.test(text))
    if (!this.#exist && !isFirst) return []
    const creation = isFirst ? SCHEMA.map((text): SqlStatement => [text]) : []
    const rows = writeTo(this.#storage, [...creation, ...statements])
    this.#exist = true
    return rows
  }

  /** Gives up the storage of an object without events. */
  async deleteIfEmpty(): Promise<void> {
    const events = () => this.#storage.sql.exec('SELECT seq FROM event LIMIT 1').toArray()
    if (!this.#exist || events().length > 0) return
    this.#exist = false
    await this.#storage.deleteAll()
  }
}

/**
 * Migrates the tables of an object to the current version.
 *
 * @returns the version before; `undefined` if the object has no tables
 * @throws Error for tables of a newer version
 */
function migrateObject(storage: ObjectStorage): number | undefined {
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

/** Creates the tables of the index. A table of an earlier version gets the column that it lacks. */
export function openIndexTables({ sql }: ObjectStorage): void {
  for (const statement of INDEX_TABLES) sql.exec(statement)
  const columns = sql.exec("SELECT name FROM pragma_table_info('queue')").toArray()
  if (columns.some(({ name }) => name === 'at')) return
  // The time 0 makes the index ask each queue for its usage.
  sql.exec('ALTER TABLE queue ADD COLUMN at INTEGER NOT NULL DEFAULT 0')
}
