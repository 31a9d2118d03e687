// All tables of a relay's database, on Node and in each Durable Object.

/** The version of the tables: in `PRAGMA user_version` of a file, and in the table `meta`. */
export const SCHEMA_VERSION = 1

/**
 * One row a delivery; the columns are the fields of `Delivery` and `Collection`. `content` is last: it is by
 * far the longest column, and SQLite reads a row only as far as it must.
 */
const DELIVERY = `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL, replayOf TEXT, batch TEXT, owner TEXT NOT NULL, repository TEXT NOT NULL,
  queue TEXT NOT NULL, endpoint TEXT, path TEXT NOT NULL, method TEXT NOT NULL, received INTEGER NOT NULL,
  size INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, since INTEGER NOT NULL,
  queued INTEGER NOT NULL, at INTEGER NOT NULL, attempts INTEGER NOT NULL, doubts INTEGER NOT NULL,
  next INTEGER, wait INTEGER NOT NULL, accepted INTEGER, githubMs INTEGER, run TEXT, outcome TEXT,
  outcomeReason TEXT, conclusion TEXT, details TEXT, failures INTEGER NOT NULL, explanation TEXT, key TEXT,
  bytes INTEGER NOT NULL, grouping TEXT, period INTEGER, quiet INTEGER, length INTEGER, content TEXT`

export const ALL_COLUMNS: readonly string[] = DELIVERY.split(',').flatMap((column) =>
  column.trim().split(' ', 1),
)

/** The columns that a list reads, without those of `Collection` and the content. */
export const DELIVERY_COLUMNS = ALL_COLUMNS.slice(0, ALL_COLUMNS.indexOf('grouping'))

/**
 * The grouping of an event while it is collected: an event keeps its grouping, so that a replay collects it
 * again. The same text in the index and in each query, so that SQLite uses the index.
 */
export const COLLECTED = '(CASE WHEN batch IS NULL THEN grouping END)'

/** At most two, because each is written with every delivery. Queries of many rows read an index alone. */
const DELIVERY_INDEXES = [
  `CREATE INDEX delivery_open ON delivery (state, queue, ${COLLECTED}, seq, next, batch, key, at)
    WHERE next IS NOT NULL`,
  'CREATE INDEX delivery_list ON delivery (owner, endpoint, state, seq, batch, bytes, queued)',
]

/**
 * Large bodies. `token` is 1 for a credential that is not the relay's own, `bytes` counts what has arrived,
 * `finished` is 1 for a published body, and `accepted` is when no event with it waited any more.
 */
const BODIES = [
  `CREATE TABLE body (hash TEXT PRIMARY KEY, request TEXT NOT NULL, owner TEXT NOT NULL, endpoint TEXT,
    token INTEGER NOT NULL, created INTEGER NOT NULL, bytes INTEGER NOT NULL,
    finished INTEGER NOT NULL, accepted INTEGER)`,
  `CREATE TABLE chunk (hash TEXT NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (hash, number))`,
]

const ENDPOINTS = [
  `CREATE TABLE endpoint (hash TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL,
    created INTEGER NOT NULL, changed INTEGER NOT NULL, firstEvent INTEGER,
    lastEvent INTEGER, expect INTEGER, tokenHash TEXT,
    key TEXT NOT NULL, content TEXT NOT NULL, UNIQUE (owner, name))`,
  // Anyone may ask for the endpoints of an invented token.
  'CREATE INDEX endpoint_token ON endpoint (tokenHash) WHERE tokenHash IS NOT NULL',
]

const NOTIFICATIONS = [
  `CREATE TABLE notification (id TEXT PRIMARY KEY, at INTEGER NOT NULL, attempts INTEGER NOT NULL,
    next INTEGER NOT NULL, body TEXT NOT NULL)`,
  `CREATE TABLE alarm (kind TEXT NOT NULL, subject TEXT NOT NULL, since INTEGER NOT NULL,
    PRIMARY KEY (kind, subject)) WITHOUT ROWID`,
]

/** The first row of any table creates them all. */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE delivery (${DELIVERY})`,
  ...DELIVERY_INDEXES,
  // `accepted` counts the rows that were stored as `queued`, and `gone` those of them that were deleted.
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value)',
  `INSERT INTO meta VALUES ('schema', ${SCHEMA_VERSION}), ('accepted', 0), ('gone', 0)`,
  ...BODIES,
  ...ENDPOINTS,
  ...NOTIFICATIONS,
  // The queues whose credential GitHub accepted.
  'CREATE TABLE accepted (name TEXT PRIMARY KEY, at INTEGER NOT NULL)',
  // The relay keys with which the rows of a table were encrypted anew.
  'CREATE TABLE reencrypted (name TEXT PRIMARY KEY, keys TEXT NOT NULL)',
]
