import type { Database, SqlRow, SqlStatement } from '../store/database.ts'
import { INDEX_TABLES, SCHEMA, SCHEMA_VERSION } from '../store/schema.ts'
import { StorageError } from '../store/storage-error.ts'

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

  /** @throws Error for tables of a newer version */
  constructor(storage: ObjectStorage) {
    this.#storage = storage
    this.#exist = hasTables(storage)
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

/** @throws Error for tables of a newer version */
function hasTables({ sql }: ObjectStorage): boolean {
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'meta'"
  if (sql.exec(tables).toArray().length === 0) return false
  const [row] = sql.exec("SELECT value FROM meta WHERE name = 'schema'").toArray()
  if (Number(row?.value) <= SCHEMA_VERSION) return true
  throw new Error('a newer version of Hookline wrote the database of this object')
}

/** Creates the tables of the index. */
export function openIndexTables({ sql }: ObjectStorage): void {
  for (const statement of INDEX_TABLES) sql.exec(statement)
}
