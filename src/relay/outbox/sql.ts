import {
  type EventState,
  type LaneUsage,
  type Outbox,
  type OutboxChange,
  type OutboxEvent,
  type OutboxQuery,
  type SealedEvent,
  StorageError,
} from './outbox.ts'

export type SqlValue = string | number | null
export type SqlRow = Readonly<Record<string, unknown>>
export type SqlStatement = readonly [text: string, ...values: SqlValue[]]

/** A database that speaks SQLite, on any runtime. */
export interface SqlDatabase {
  /** @throws StorageError */
  read(...statement: SqlStatement): Promise<readonly SqlRow[]>
  /**
   * Runs statements in one transaction. Resolves when what they wrote is on disk.
   *
   * @throws StorageError when it is not; then nothing of it is
   */
  write(statements: readonly SqlStatement[]): Promise<void>
}

/** What stands in `PRAGMA user_version`, where there is one, and in the table `meta`. */
export const SCHEMA_VERSION = 2

/**
 * One row an event, whatever its state. `sealed` stands last: it is by far the longest, and a row is
 * read only as far as is asked for.
 */
const COLUMNS = `seq INTEGER PRIMARY KEY, delivery TEXT NOT NULL UNIQUE, lane TEXT NOT NULL,
credential TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL, since INTEGER NOT NULL,
tries INTEGER NOT NULL, next INTEGER NOT NULL, wait INTEGER NOT NULL, maybe INTEGER NOT NULL,
aside INTEGER NOT NULL, reason TEXT NOT NULL, key TEXT NOT NULL, bytes INTEGER NOT NULL,
batch TEXT, count INTEGER NOT NULL, sealed TEXT NOT NULL`

export const SCHEMA: readonly string[] = [
  `CREATE TABLE event (${COLUMNS})`,
  'CREATE INDEX event_state ON event (state, seq)',
  'CREATE INDEX event_batch ON event (batch, seq) WHERE batch IS NOT NULL',
  'CREATE TABLE accepted (name TEXT PRIMARY KEY, at INTEGER NOT NULL)',
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value)',
  `INSERT INTO meta VALUES ('schema', ${SCHEMA_VERSION})`,
]

/** An hour, which no wait exceeds: what a clock that was wrong wrote is cut to it. */
const HOUR = 3_600_000

/** From version 1, which had dead letters by `died`, and no name for who sent an event. */
export const MIGRATION: readonly string[] = [
  'DROP INDEX IF EXISTS waiting',
  'ALTER TABLE event RENAME TO event_1',
  ...SCHEMA,
  `INSERT INTO event SELECT seq, delivery, lane,
    CASE WHEN lane LIKE '%#own' THEN 'own' ELSE 'token:' || substr(lane, instr(lane, '#') + 1, 8) END,
    CASE WHEN died IS NULL THEN 'waiting' ELSE 'dead' END, at, coalesce(died, at), tries, next,
    min(max(0, next - at), ${HOUR}), 0, 0, reason, key, bytes, NULL, 0, sealed
    FROM event_1 ORDER BY seq`,
  'DROP TABLE event_1',
]

const NAMES = [
  ...['seq', 'delivery', 'lane', 'credential', 'state', 'at', 'since', 'tries', 'next', 'wait'],
  ...['maybe', 'aside', 'reason', 'key', 'bytes', 'batch', 'count'],
] as const

const SHOWN = NAMES.join(', ')
const PUT = `INSERT INTO event (${SHOWN}, sealed) VALUES (${NAMES.map(() => '?').join(', ')}, ?)`
const SET_TO = NAMES.map((name) => `${name} = ?`).join(', ')
const SET = `UPDATE event SET ${SET_TO}, sealed = coalesce(?, sealed) WHERE delivery = ?`
const SET_MEMBERS = 'UPDATE event SET state = ?, since = ? WHERE batch = ?'
const FORGET = 'DELETE FROM event WHERE delivery = ? OR batch = ?'
const ACCEPTED = `INSERT INTO accepted VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET at = max(at, excluded.at)`
const FORGET_ACCEPTED = 'DELETE FROM accepted WHERE at < ?'
const FIND = `SELECT ${SHOWN}, sealed FROM event WHERE delivery = ?`
const MEMBERS = `SELECT ${SHOWN}, sealed FROM event WHERE batch = ? ORDER BY seq`
const USAGE = `SELECT lane, state, sum(count = 0) AS events, sum(bytes) AS bytes, max(seq) AS last
  FROM event GROUP BY lane, state`

/** Milliseconds for which an acceptance is remembered. */
const REMEMBERED = 30 * 24 * HOUR

/** An outbox in a database whose schema is there. */
export function sqlOutbox({ read, write }: SqlDatabase): Outbox {
  return {
    apply: (changes) => write(changes.flatMap(statementsOf)),
    find: async (delivery) => (await read(FIND, delivery)).map(sealedEventOf)[0],
    list: async (query) => (await read(...listStatement(query))).map(eventOf),
    members: async (batch) => (await read(MEMBERS, batch)).map(sealedEventOf),
    usage: async () => (await read(USAGE)).map(usageOf),
    accepted: async (name) => {
      const [row] = await read('SELECT at FROM accepted WHERE name = ?', name)
      return row && Number(row.at)
    },
  }
}

function statementsOf(change: OutboxChange): SqlStatement[] {
  if ('put' in change) return [[PUT, ...valuesOf(change.put), change.put.sealed]]
  if ('set' in change) {
    const { set, sealed = null } = change
    return [[SET, ...valuesOf(set), sealed, set.delivery]]
  }
  if ('forget' in change) return [[FORGET, change.forget, change.forget]]
  if ('members' in change) return [[SET_MEMBERS, change.state, change.at, change.members]]
  const { accepted, at } = change
  return [
    [ACCEPTED, accepted, at],
    [FORGET_ACCEPTED, at - REMEMBERED],
  ]
}

function valuesOf(event: OutboxEvent): SqlValue[] {
  return NAMES.map((name) => event[name] ?? null)
}

function listStatement(query: OutboxQuery): SqlStatement {
  const { states, after, limit, lane, reason, credential, batch } = query
  const conditions: [string, ...SqlValue[]][] = [
    [`state IN (${states.map(() => '?').join(', ')})`, ...states],
  ]
  if (after !== undefined) conditions.push(['seq > ?', after])
  if (lane !== undefined) {
    conditions.push(["(lane = ? OR substr(lane, 1, length(?) + 1) = ? || '#')", lane, lane, lane])
  }
  if (reason !== undefined) conditions.push(['reason = ?', reason])
  if (credential !== undefined) conditions.push(['credential = ?', credential])
  if (batch !== undefined) conditions.push(['batch = ?', batch])
  const where = conditions.map(([text]) => text).join(' AND ')
  const values = conditions.flatMap(([, ...given]) => given)
  return [`SELECT ${SHOWN} FROM event WHERE ${where} ORDER BY seq LIMIT ?`, ...values, limit]
}

function eventOf(row: SqlRow): OutboxEvent {
  const number = (name: string) => Number(row[name])
  const text = (name: string) => String(row[name])
  return {
    ...{ delivery: text('delivery'), seq: number('seq'), lane: text('lane') },
    // What was written here.
    ...{ credential: text('credential'), state: text('state') as EventState },
    ...{ at: number('at'), since: number('since'), tries: number('tries') },
    ...{ next: number('next'), wait: number('wait'), maybe: number('maybe') },
    ...{ aside: number('aside'), reason: text('reason'), key: text('key') },
    ...{ bytes: number('bytes'), count: number('count') },
    batch: row.batch === null ? undefined : text('batch'),
  }
}

function sealedEventOf(row: SqlRow): SealedEvent {
  return { ...eventOf(row), sealed: String(row.sealed) }
}

function usageOf({ lane, state, events, bytes, last }: SqlRow): LaneUsage {
  return {
    lane: String(lane),
    state: String(state) as EventState, // as `eventOf` says
    events: Number(events),
    bytes: Number(bytes),
    last: Number(last),
  }
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
    read: async (statement, ...values) => storage.sql.exec(statement, ...values).toArray(),
    write: async (statements) => {
      try {
        storage.transactionSync(() => {
          for (const [statement, ...values] of statements) storage.sql.exec(statement, ...values)
        })
      } catch (cause) {
        throw new StorageError('disk fails', { cause })
      }
    },
  }
}

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"

/**
 * Whether an object has a database; one of the version before is brought up to this one, whole.
 *
 * @throws Error for one that a newer version wrote
 */
export function migrateObject(storage: ObjectStorage): boolean {
  const { sql } = storage
  const names = new Set(
    sql
      .exec(TABLES)
      .toArray()
      .map(({ name }) => name),
  )
  if (!names.has('event')) return false
  if (!names.has('meta')) {
    storage.transactionSync(() => {
      for (const statement of MIGRATION) sql.exec(statement)
    })
    return true
  }
  const [row] = sql.exec("SELECT value FROM meta WHERE name = 'schema'").toArray()
  if (Number(row?.value) > SCHEMA_VERSION) {
    throw new Error('the outbox of this object was written by a newer hookline')
  }
  return true
}

/** Makes the tables in an object that has none. */
export function prepareObject(storage: ObjectStorage): void {
  storage.transactionSync(() => {
    for (const statement of SCHEMA) storage.sql.exec(statement)
  })
}
