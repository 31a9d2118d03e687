import { StorageError } from './outbox.ts'
import type { SqlDatabase, SqlRow } from './sql.ts'

/** What is used of https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ */
export interface ObjectStorage {
  readonly sql: { exec(statement: string, ...values: unknown[]): { toArray(): SqlRow[] } }
  transactionSync<Result>(change: () => Result): Result
  setAlarm(time: number): Promise<void>
}

export interface ObjectState {
  readonly storage: ObjectStorage
  blockConcurrencyWhile<Result>(work: () => Promise<Result>): Promise<Result>
}

/** The runtime holds an answer back until what was written before it is on disk. */
export function objectDatabase(storage: ObjectStorage): SqlDatabase {
  return {
    run: (statement, ...values) => storage.sql.exec(statement, ...values).toArray(),
    write: async (change) => {
      try {
        return storage.transactionSync(change)
      } catch (cause) {
        throw new StorageError('the outbox cannot be written', { cause })
      }
    },
  }
}
