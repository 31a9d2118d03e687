import { type Database, type SqlRow, type SqlStatement, StorageError } from '../store/database.ts'
import { SCHEMA, SCHEMA_VERSION } from '../store/schema.ts'

/** The used part of https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ */
export interface ObjectStorage {
  readonly sql: { exec(statement: string, ...values: unknown[]): { toArray(): SqlRow[] } }
  transactionSync<Result>(change: () => Result): Result
  /** Milliseconds since 1970; `null` if no alarm is set. */
  getAlarm(): Promise<number | null>
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
}

export interface ObjectState {
  readonly storage: ObjectStorage
  blockConcurrencyWhile<Result>(work: () => Promise<Result>): Promise<Result>
}

/** A statement that stores the first row of something. */
const STORES = /^INSERT INTO (?:delivery|endpoint|body|accepted) /

/**
 * The database of an object. Its first row creates all tables, so that an object which was only asked takes no
 * storage: until then there is nothing to read, and a change changes nothing. The runtime holds a response back
 * until earlier writes are on disk.
 */
export class ObjectDatabase implements Database {
  readonly #storage: ObjectStorage
  #hasTables: boolean

  /** @throws Error for tables of a newer version */
  constructor(storage: ObjectStorage) {
    this.#storage = storage
    this.#hasTables = hasTables(storage)
  }

  /** False for an object that stores nothing. */
  get hasTables(): boolean {
    return this.#hasTables
  }

  async read(...[text, ...values]: SqlStatement): Promise<readonly SqlRow[]> {
    return this.#hasTables ? this.#storage.sql.exec(text, ...values).toArray() : []
  }

  async write(statements: readonly SqlStatement[]): Promise<readonly SqlRow[]> {
    const isFirst = !this.#hasTables && statements.some(([text]) => STORES.test(text))
    if (!this.#hasTables && !isFirst) return []
    const creation = isFirst ? SCHEMA.map((text): SqlStatement => [text]) : []
    try {
      const rows = this.#storage.transactionSync(() =>
        [...creation, ...statements].flatMap(([text, ...values]) =>
          this.#storage.sql.exec(text, ...values).toArray(),
        ),
      )
      this.#hasTables = true
      return rows
    } catch (cause) {
      throw new StorageError('disk fails', { cause })
    }
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
