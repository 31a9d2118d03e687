import { NOTIFICATION_TABLES } from './notifications.ts'

/** The version of the tables: in `PRAGMA user_version` of a file, and in the table `meta`. */
export const SCHEMA_VERSION = 1

/**
 * One row a delivery; the columns are the fields of `Delivery` and `Collection`. `content` is last: it is by
 * far the longest column, and SQLite reads a row only as far as it must.
 */
const DELIVERY = `CREATE TABLE IF NOT EXISTS delivery (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL, replay_of TEXT, batch TEXT, owner TEXT NOT NULL, repository TEXT NOT NULL,
  queue TEXT NOT NULL, endpoint TEXT, path TEXT NOT NULL, method TEXT NOT NULL, received INTEGER NOT NULL,
  size INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, since INTEGER NOT NULL,
  queued INTEGER NOT NULL, at INTEGER NOT NULL, attempts INTEGER NOT NULL, doubts INTEGER NOT NULL,
  next INTEGER, wait INTEGER NOT NULL, grouping TEXT, period INTEGER, quiet INTEGER, length INTEGER,
  accepted INTEGER, github_ms INTEGER, run TEXT, outcome TEXT, outcome_reason TEXT, conclusion TEXT,
  details TEXT, failures INTEGER NOT NULL, explanation TEXT, key TEXT, bytes INTEGER NOT NULL,
  content TEXT)`

/**
 * The grouping of an event while it is collected: an event keeps its grouping, so that a replay collects it
 * again. The same text in the index and in each query, so that SQLite uses the index.
 */
export const COLLECTED = '(CASE WHEN batch IS NULL THEN grouping END)'

/** At most two, because each is written with every delivery. Queries of many rows read an index alone. */
const DELIVERY_INDEXES = [
  `CREATE INDEX IF NOT EXISTS delivery_open
    ON delivery (state, ${COLLECTED}, queue, seq, next, batch, key, at) WHERE next IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS delivery_list
    ON delivery (owner, endpoint, state, seq, batch, bytes, queued)`,
]

/** The tables of deliveries. `meta` counts rows that were stored with `queued`, and those that were deleted. */
export const DELIVERY_TABLES: readonly string[] = [
  DELIVERY,
  ...DELIVERY_INDEXES,
  'CREATE TABLE IF NOT EXISTS accepted (name TEXT PRIMARY KEY, at INTEGER NOT NULL)',
  'CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value)',
  `INSERT OR IGNORE INTO meta VALUES ('schema', ${SCHEMA_VERSION}), ('accepted', 0), ('gone', 0)`,
  // Large bodies: `token` is 1 for a credential that is not the relay's own, `bytes` counts what has arrived,
  // `finished` is 1 for a published body, and `accepted` is when no event with it waited any more.
  `CREATE TABLE IF NOT EXISTS body (hash TEXT PRIMARY KEY, request TEXT NOT NULL, owner TEXT NOT NULL,
    endpoint TEXT, token INTEGER NOT NULL, created INTEGER NOT NULL, bytes INTEGER NOT NULL,
    finished INTEGER NOT NULL, accepted INTEGER)`,
  `CREATE TABLE IF NOT EXISTS chunk (hash TEXT NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (hash, number))`,
]

/** `content` is last: it is by far the longest column, and SQLite reads a row only as far as it must. */
const EVENT = `CREATE TABLE event (seq INTEGER PRIMARY KEY, delivery TEXT NOT NULL UNIQUE,
  unit TEXT NOT NULL, queue TEXT NOT NULL, holder TEXT NOT NULL, credential TEXT NOT NULL,
  path TEXT NOT NULL, method TEXT NOT NULL, received INTEGER NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL, since INTEGER NOT NULL, attempts INTEGER NOT NULL,
  doubts INTEGER NOT NULL, next INTEGER NOT NULL, wait INTEGER NOT NULL, reason TEXT NOT NULL,
  key TEXT NOT NULL, bytes INTEGER NOT NULL, content TEXT NOT NULL)`

/** One row an open batch: its events are in `event`, with its id as their unit. */
const BATCH = `CREATE TABLE batch (id TEXT PRIMARY KEY, queue TEXT NOT NULL, grouping TEXT NOT NULL,
  opened INTEGER NOT NULL, period INTEGER NOT NULL, debounce INTEGER, last INTEGER NOT NULL,
  count INTEGER NOT NULL, length INTEGER NOT NULL)`

const TABLES = [
  EVENT,
  BATCH,
  // Events and bytes by queue and by holder, and of all: what the quota compares.
  `CREATE TABLE usage (name TEXT PRIMARY KEY, events INTEGER NOT NULL, bytes INTEGER NOT NULL)
    WITHOUT ROWID`,
]

/**
 * What `receipts` stores: one row for each event whose run is followed (`next` is null at its end), and each
 * receipt that waits to be sent.
 */
const RECEIPT_TABLES = [
  `CREATE TABLE followed (seq INTEGER PRIMARY KEY, delivery TEXT NOT NULL UNIQUE,
    repository TEXT NOT NULL, credential TEXT NOT NULL, path TEXT NOT NULL, method TEXT NOT NULL,
    received INTEGER NOT NULL, at INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL, conclusion TEXT NOT NULL, run TEXT NOT NULL, since INTEGER NOT NULL,
    failures INTEGER NOT NULL, next INTEGER)`,
  'CREATE INDEX followed_next ON followed (repository, next) WHERE next IS NOT NULL',
  'CREATE INDEX followed_credential ON followed (repository, credential, seq)',
  `CREATE TABLE receipt (id TEXT PRIMARY KEY, at INTEGER NOT NULL, attempts INTEGER NOT NULL,
    next INTEGER NOT NULL, body TEXT NOT NULL)`,
  'CREATE INDEX receipt_next ON receipt (next)',
]

const USAGE_NAMES = (row: string) =>
  `('all'), ('queue ' || ${row}.queue), ('holder ' || ${row}.holder)`

const ADD = `INSERT INTO usage SELECT column1, 1, NEW.bytes FROM (VALUES ${USAGE_NAMES('NEW')}) WHERE true
  ON CONFLICT (name) DO UPDATE SET events = events + 1, bytes = bytes + excluded.bytes;`

const SUBTRACT = `UPDATE usage SET events = events - 1, bytes = bytes - OLD.bytes
    WHERE name IN (SELECT column1 FROM (VALUES ${USAGE_NAMES('OLD')}));
  DELETE FROM usage WHERE events = 0 AND name IN (SELECT column1 FROM (VALUES ${USAGE_NAMES('OLD')}));`

const ADD_COPY = `INSERT INTO usage VALUES ('copies', 1, NEW.bytes)
  ON CONFLICT (name) DO UPDATE SET events = events + 1, bytes = bytes + excluded.bytes;`

const SUBTRACT_COPY = `UPDATE usage SET events = events - 1, bytes = bytes - OLD.bytes
  WHERE name = 'copies';`

/** Keeps `usage` equal to the sums over `event`, in the transaction of each change. */
const TRIGGERS = [
  `CREATE TRIGGER event_stored AFTER INSERT ON event WHEN NEW.state <> 'delivered'
    BEGIN ${ADD} END`,
  `CREATE TRIGGER copy_stored AFTER INSERT ON event WHEN NEW.state = 'delivered'
    BEGIN ${ADD_COPY} END`,
  `CREATE TRIGGER event_deleted AFTER DELETE ON event WHEN OLD.state <> 'delivered'
    BEGIN ${SUBTRACT} END`,
  `CREATE TRIGGER copy_deleted AFTER DELETE ON event WHEN OLD.state = 'delivered'
    BEGIN ${SUBTRACT_COPY} END`,
  `CREATE TRIGGER event_copied AFTER UPDATE OF state ON event
    WHEN OLD.state <> 'delivered' AND NEW.state = 'delivered' BEGIN ${SUBTRACT} ${ADD_COPY} END`,
  `CREATE TRIGGER copy_replayed AFTER UPDATE OF state ON event
    WHEN OLD.state = 'delivered' AND NEW.state <> 'delivered' BEGIN ${SUBTRACT_COPY} ${ADD} END`,
]

/** The same text in the index and in each query, so that SQLite uses the index. */
export const UNDELIVERED = "state IN ('waiting', 'uncertain')"

const INDEXES = [
  'CREATE INDEX event_unit ON event (unit, seq)',
  'CREATE INDEX event_state ON event (state, since, bytes)',
  `CREATE INDEX event_undelivered ON event (queue, seq, next, unit, key, at) WHERE ${UNDELIVERED}`,
]

export const SCHEMA: readonly string[] = [
  ...DELIVERY_TABLES,
  ...NOTIFICATION_TABLES,
  ...TABLES,
  ...TRIGGERS,
  ...INDEXES,
  ...RECEIPT_TABLES,
]

/** The tables of the index on Workers. `at` is when a queue was added, reported, or was asked to report. */
export const INDEX_TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS queue (name TEXT PRIMARY KEY, holder TEXT NOT NULL,
    events INTEGER NOT NULL, bytes INTEGER NOT NULL, copies INTEGER NOT NULL, waits INTEGER NOT NULL,
    at INTEGER NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS queue_holder ON queue (holder)',
  'CREATE TABLE IF NOT EXISTS accepted (name TEXT PRIMARY KEY, at INTEGER NOT NULL)',
]
