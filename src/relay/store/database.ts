/** Bytes are a `Uint8Array` when they are written; rows have the runtime's own type. */
export type SqlValue = string | number | null | Uint8Array<ArrayBuffer>
export type SqlRow = Readonly<Record<string, unknown>>
export type SqlStatement = readonly [text: string, ...values: SqlValue[]]

/**
 * A database that speaks SQLite, on any runtime. It has the tables of `schema.ts`; before its first row there is
 * nothing to read, and a change changes nothing.
 */
export interface Database {
  /** @throws StorageError */
  read(...statement: SqlStatement): Promise<readonly SqlRow[]>
  /**
   * Runs statements in one transaction. Resolves with the rows that they return, one statement after
   * the other, when their changes are on disk.
   *
   * @throws StorageError; then nothing was changed
   */
  write(statements: readonly SqlStatement[]): Promise<readonly SqlRow[]>
}

/** The words of the log. */
export type StorageFault = 'disk full' | 'disk fails' | 'not writable' | 'damaged' | 'file gone'

/** The disk is full, missing or failing. Nothing was written. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly reason: StorageFault

  constructor(reason: StorageFault, options?: ErrorOptions) {
    super(`the database of the relay cannot be read or written: ${reason}`, options)
    this.reason = reason
  }
}
