import { type Outbox, type OutboxEvent, type SealedEvent, StorageError } from './outbox.ts'

export type SqlValue = string | number | null
export type SqlRow = Readonly<Record<string, unknown>>

/** A database that speaks SQLite, on any runtime. */
interface SqlDatabase {
  /** Runs one statement at once, and gives the rows it returns. */
  run(statement: string, ...values: readonly SqlValue[]): readonly SqlRow[]
  /**
   * Runs what changes rows, alone or with others in one transaction. Resolves when it is on disk.
   *
   * @throws StorageError when it is not; then nothing of it is
   */
  write<Result>(change: () => Result): Promise<Result>
}

/** What stands in `PRAGMA user_version` where there is one. */
export const SCHEMA_VERSION = 1

/**
 * One row an event, those that wait and those that died. `sealed` stands last: it is by far the
 * longest, and a row is read only as far as is asked for.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS event (seq INTEGER PRIMARY KEY, delivery TEXT UNIQUE, lane TEXT,
at INTEGER, tries INTEGER, next INTEGER, reason TEXT, key TEXT, bytes INTEGER, died INTEGER, sealed TEXT)`,
  'CREATE INDEX IF NOT EXISTS waiting ON event (lane, seq) WHERE died IS NULL',
]

const SHOWN = 'delivery, lane, at, tries, next, reason, key, bytes, died'

const PUT = `INSERT INTO event (${SHOWN}, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const DUE = `SELECT ${SHOWN}, sealed FROM event
  WHERE lane = ? AND died IS NULL AND key IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT 1`
const DONE = `DELETE FROM event WHERE delivery = ? AND died IS NULL RETURNING ${SHOWN}`
const DEFER = `UPDATE event SET tries = ?, next = ?, reason = ?
  WHERE delivery = ? AND died IS NULL RETURNING ${SHOWN}`
const BURY = `UPDATE event SET reason = ?, died = ?
  WHERE delivery = ? AND died IS NULL RETURNING ${SHOWN}`
const LIST = `SELECT ${SHOWN} FROM event ORDER BY seq`
const FIND = `SELECT ${SHOWN}, sealed FROM event WHERE delivery = ?`
const REPLAY = `UPDATE event
  SET seq = (SELECT max(seq) FROM event) + 1, at = ?, next = ?, tries = 0, reason = 'replayed', died = NULL
  WHERE delivery = ? AND died IS NOT NULL RETURNING ${SHOWN}`
const DROP_ONE = `DELETE FROM event WHERE delivery = ? RETURNING ${SHOWN}`
const DROP_DEAD = `DELETE FROM event WHERE died IS NOT NULL AND (died < ? OR seq NOT IN (
  SELECT seq FROM event WHERE died IS NOT NULL ORDER BY died DESC, seq DESC LIMIT ?
)) RETURNING ${SHOWN}`

/** Makes the table where there is none. To be called within a transaction, or where each call is one. */
export function createSchema(database: Pick<SqlDatabase, 'run'>): void {
  for (const statement of SCHEMA) database.run(statement)
}

/** An outbox in a database whose schema is there. */
export function sqlOutbox({ run, write }: SqlDatabase): Outbox {
  const change = (statement: string, ...values: SqlValue[]) =>
    write(() => run(statement, ...values).map(eventOf))
  return {
    put: async ({ delivery, lane, at, tries, next, reason, key, bytes, died, sealed }) => {
      const values = [delivery, lane, at, tries, next, reason, key, bytes, died ?? null, sealed]
      await write(() => run(PUT, ...values))
    },
    due: async (lane, keys) => run(DUE, lane, JSON.stringify(keys)).map(sealedEventOf)[0],
    done: async (delivery) => (await change(DONE, delivery))[0],
    defer: async (delivery, { tries, next, reason }) =>
      (await change(DEFER, tries, next, reason, delivery))[0],
    bury: async (delivery, reason, now) => (await change(BURY, reason, now, delivery))[0],
    list: async () => run(LIST).map(eventOf),
    find: async (delivery) => run(FIND, delivery).map(sealedEventOf)[0],
    replay: async (delivery, now) => (await change(REPLAY, now, now, delivery))[0],
    drop: (which) =>
      'delivery' in which
        ? change(DROP_ONE, which.delivery)
        : change(DROP_DEAD, which.diedBefore, which.beyond),
  }
}

function eventOf(row: SqlRow): OutboxEvent {
  const { delivery, lane, at, tries, next, reason, key, bytes, died } = row
  return {
    delivery: String(delivery),
    lane: String(lane),
    at: Number(at),
    tries: Number(tries),
    next: Number(next),
    reason: String(reason),
    key: String(key),
    bytes: Number(bytes),
    died: died === null ? undefined : Number(died),
  }
}

function sealedEventOf(row: SqlRow): SealedEvent {
  return { ...eventOf(row), sealed: String(row.sealed) }
}

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
        throw new StorageError('disk fails', { cause })
      }
    },
  }
}
