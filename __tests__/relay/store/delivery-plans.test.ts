import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Database, SqlStatement } from '../../../src/relay/store/database.ts'
import { DeliveryTable } from '../../../src/relay/store/deliveries.ts'
import { SCHEMA } from '../../../src/relay/store/schema.ts'
import { testOnNode24 } from '../../support/node24.ts'
import { type DatabaseServer, SERVERS } from '../../support/real-databases.ts'

const NAME = 'node:sqlite'

let server: DatabaseServer | undefined
let database: Database
beforeAll(async () => {
  const [, start] = SERVERS.find(([name]) => name === NAME) ?? []
  server = await start?.()
  if (server) database = server.open('plans')
})
afterAll(() => server?.close())

testOnNode24('a write is on disk before it is answered: synchronous is FULL', async () => {
  expect(await database.read('PRAGMA synchronous')).toEqual([{ synchronous: 2 }])
  expect(await database.read('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
})

test('a delivery has two indexes besides that of its id', () => {
  const indexes = SCHEMA.filter((text) => /^CREATE INDEX \w+ ON delivery /.test(text))
  expect(indexes).toHaveLength(2)
  expect(SCHEMA.some((text) => /TRIGGER/.test(text))).toBe(false)
})

/** SQLite's plan of each statement that a question reads. */
async function plansOf(question: (table: DeliveryTable) => Promise<unknown>): Promise<string[]> {
  const read: SqlStatement[] = []
  const watched: Database = {
    read: (...statement) => {
      read.push(statement)
      return database.read(...statement)
    },
    write: async (statements) => {
      read.push(...statements)
      return []
    },
  }
  const limits = { events: 1e5, bytes: 1e9, ownerShare: 1, retention: 1 }
  const parts = { database: watched, limits, keyIds: ['k1', 'k0'], now: () => 1000 }
  await question(new DeliveryTable(parts))
  const plans = read.map(async ([text, ...values]) => {
    const rows = await database.read(`EXPLAIN QUERY PLAN ${text}`, ...values)
    return rows.map(({ detail }) => String(detail))
  })
  return (await Promise.all(plans)).flat()
}

const QUEUE = 'octo/shop#own'

// A step of the delivery loop must not read 100,000 waiting rows to find one.
testOnNode24.each<[string, (table: DeliveryTable) => Promise<unknown>]>([
  ['the next event', (table) => table.nextDue(QUEUE, 5, ['a'])],
  ['the time of the next event', (table) => table.nextTime(QUEUE, ['a'])],
  ['the queues', (table) => table.queues()],
  ['the time of the next run', (table) => table.nextRun()],
  ['what is used', (table) => table.room.count()],
])('%s: an index answers without a row', async (_, question) => {
  const details = await plansOf(question)
  const ofDeliveries = details.filter((detail) => /(?:SCAN|SEARCH) delivery\b/.test(detail))
  expect(ofDeliveries.length).toBeGreaterThan(0)
  for (const detail of ofDeliveries) {
    // Rows that are selected by their id or number are few.
    expect(detail).toMatch(/USING COVERING INDEX|USING INTEGER PRIMARY KEY \(rowid=|\(id=\?\)/)
  }
})

testOnNode24('the next event is found at the begin of an index, without a sort', async () => {
  const details = await plansOf((table) => table.nextDue(QUEUE, 5, []))
  const searches = details.filter((detail) => /COVERING INDEX delivery_open/.test(detail))
  expect(searches).toEqual(
    Array(2).fill(
      'SEARCH delivery USING COVERING INDEX delivery_open (state=? AND queue=? AND <expr>=?)',
    ),
  )
  expect(details.filter((detail) => /TEMP B-TREE/.test(detail))).toEqual([])
})

testOnNode24('the collected events of a queue are read without those of other queues', async () => {
  const details = await plansOf((table) => table.collecting(QUEUE))
  expect(details).toEqual([
    'SEARCH delivery USING INDEX delivery_open (state=? AND queue=? AND <expr>>?)',
  ])
})

testOnNode24.each<[string, (table: DeliveryTable) => Promise<unknown>]>([
  ['a batch', (table) => table.group(QUEUE, 'g')],
  ['due runs', (table) => table.dueRuns(5)],
  ['uncertain events', (table) => table.uncertain(QUEUE)],
  ['collected events', (table) => table.collecting(QUEUE)],
  ['old events', (table) => table.endOld(5, [QUEUE], [])],
  ['events of a deleted endpoint', (table) => table.endDeleted('octo', 'orders')],
  ['deliveries of an endpoint', (table) => table.list({ owner: 'octo', endpoint: 'a', limit: 9 })],
  [
    'the last outcomes',
    (table) => table.lastOutcomes({ owner: 'o', endpoint: 'a', repository: 'o/a' }, 3),
  ],
])('%s: an index selects the rows', async (_, question) => {
  const details = await plansOf(question)
  expect(details.filter((detail) => /SCAN delivery(?! USING)/.test(detail))).toEqual([])
  expect(details.some((detail) => /INDEX delivery_(?:open|list)/.test(detail))).toBe(true)
})
