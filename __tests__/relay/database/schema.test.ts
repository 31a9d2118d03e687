import { expect, test } from '@jest/globals'
import { MIGRATIONS, SCHEMA, SCHEMA_VERSION } from '../../../src/relay/database/schema.ts'
import { memoryDatabase } from '../../support/memory-database.ts'

/** The tables of version 2, which had a row for each batch. */
const VERSION_2 = [
  `CREATE TABLE event (seq INTEGER PRIMARY KEY, delivery TEXT NOT NULL UNIQUE, lane TEXT NOT NULL,
    credential TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL, since INTEGER NOT NULL,
    tries INTEGER NOT NULL, next INTEGER NOT NULL, wait INTEGER NOT NULL, maybe INTEGER NOT NULL,
    aside INTEGER NOT NULL, reason TEXT NOT NULL, key TEXT NOT NULL, bytes INTEGER NOT NULL,
    batch TEXT, count INTEGER NOT NULL, sealed TEXT NOT NULL)`,
  'CREATE INDEX event_state ON event (state, seq)',
  'CREATE INDEX event_batch ON event (batch, seq) WHERE batch IS NOT NULL',
  'CREATE TABLE accepted (name TEXT PRIMARY KEY, at INTEGER NOT NULL)',
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value)',
  "INSERT INTO meta VALUES ('schema', 2)",
  `INSERT INTO event VALUES
    (1, 'a', 'o/r#own', 'grant:g', 'waiting', 1, 1, 1, 5, 4, 0, 0, 'queued', 'k', 10, NULL, 0, 's'),
    (2, 'b', 'o/r#own', 'grant:g', 'waiting', 1, 1, 3, 5, 4, 2, 0, 'github_timeout', 'k', 10, NULL, 0, 's'),
    (3, 'c', 'o/r#own', 'grant:g', 'dead', 1, 2, 1, 5, 4, 0, 0, 'rejected', 'k', 10, NULL, 0, 's'),
    (4, 'open', 'o/r#own', 'grant:g', 'collecting', 1, 1, 0, 100, 99, 0, 0, 'batch', 'k', 0, NULL, 1, '{}'),
    (5, 'd', 'o/r#own', 'grant:g', 'member', 1, 1, 0, 1, 0, 0, 0, 'batch', 'k', 10, 'open', 0, 's'),
    (6, 'sent', 'o/r#own', 'grant:g', 'sent', 1, 9, 1, 1, 0, 0, 0, 'batch', 'k', 0, NULL, 1, '{}'),
    (7, 'e', 'o/r#own', 'grant:g', 'sent', 1, 9, 0, 1, 0, 0, 0, 'batch', 'k', 10, 'sent', 0, 's')`,
  "INSERT INTO accepted VALUES ('o/r#own', 7)",
]

test('an outbox of version 2 keeps each event, its batch, its state, and the sums of the quota', async () => {
  const database = await memoryDatabase(VERSION_2)
  for (const statement of MIGRATIONS[2] ?? []) database.run(statement)
  const rows = await database.read('SELECT delivery, unit, state, next FROM event ORDER BY seq')
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['a', 'a', 'waiting', 5],
    ['b', 'b', 'uncertain', 5],
    ['c', 'c', 'dead', 5],
    // The batch that was open is due at the end of its time.
    ['d', 'open', 'waiting', 100],
    ['e', 'sent', 'delivered', 1],
  ])
  expect(await database.read('SELECT * FROM usage ORDER BY name')).toEqual([
    { name: 'all', events: 4, bytes: 40 },
    { name: 'copies', events: 1, bytes: 10 },
    { name: 'holder own', events: 4, bytes: 40 },
    { name: 'queue o/r#own', events: 4, bytes: 40 },
  ])
  expect(await database.read("SELECT value FROM meta WHERE name = 'accepted'")).toEqual([
    { value: 5 },
  ])
  expect(await database.read('SELECT at FROM accepted')).toEqual([{ at: 7 }])
})

test('a database of version 4 keeps the events of an open batch, which is due at the end of its time', async () => {
  const isBatch = (text: string) => text.startsWith('CREATE TABLE batch')
  const database = await memoryDatabase([
    ...SCHEMA.filter((text) => !isBatch(text)),
    `CREATE TABLE batch (id TEXT PRIMARY KEY, queue TEXT NOT NULL, grouping TEXT NOT NULL,
      opened INTEGER NOT NULL, period INTEGER NOT NULL, debounce INTEGER, last INTEGER NOT NULL,
      count INTEGER NOT NULL, space INTEGER NOT NULL, unpacked INTEGER NOT NULL, packed INTEGER NOT NULL)`,
    "INSERT INTO batch VALUES ('open', 'o/r#own', '[]', 1, 99, NULL, 1, 1, 48000, 500, 60)",
    `INSERT INTO event VALUES (1, 'a', 'open', 'o/r#own', 'own', 'grant:g', 'waiting', 1, 1, 0,
      0, 100, 99, 'batch', 'k', 10, 's')`,
  ])
  for (const statement of MIGRATIONS[4] ?? []) database.run(statement)
  expect(await database.read('SELECT delivery, unit, state, next FROM event')).toEqual([
    { delivery: 'a', unit: 'open', state: 'waiting', next: 100 },
  ])
  const columns = "SELECT name FROM pragma_table_info('batch')"
  expect(await database.read(columns)).toEqual(await (await memoryDatabase()).read(columns))
  expect(await database.read('SELECT * FROM batch')).toEqual([])
})

test('a database of version 3 gets the tables of receipts, and its events stay', async () => {
  const isOfReceipts = (text: string) => / (?:followed|receipt|alarm|last_event) /.test(text)
  const database = await memoryDatabase(SCHEMA.filter((text) => !isOfReceipts(text)))
  database.run(`INSERT INTO event VALUES (1, 'a', 'a', 'o/r#own', 'own', 'grant:g', 'waiting', 1, 1, 1,
    0, 5, 4, 'queued', 'k', 10, 's')`)
  await expect(database.read('SELECT * FROM followed')).rejects.toThrow('no such table')
  for (const statement of MIGRATIONS[3] ?? []) database.run(statement)
  expect(await database.read('SELECT delivery, state FROM event')).toEqual([
    { delivery: 'a', state: 'waiting' },
  ])
  expect(await database.read('SELECT * FROM followed')).toEqual([])
  const [{ value } = {}] = await database.read("SELECT value FROM meta WHERE name = 'schema'")
  expect(value).toBe(SCHEMA_VERSION)
  const tables = 'SELECT name FROM sqlite_master ORDER BY name'
  expect(await database.read(tables)).toEqual(await (await memoryDatabase()).read(tables))
})
