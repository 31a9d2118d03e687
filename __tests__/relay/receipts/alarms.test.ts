import { describe, expect, test } from '@jest/globals'
import { Alarms } from '../../../src/relay/delivery/alarms-old.ts'
import { ReceiptStore } from '../../../src/relay/delivery/receipt-store.ts'
import type { ReceiptLine } from '../../../src/relay/log-lines.ts'
import { encryptEndpoint } from '../../../src/relay/store/endpoint-records.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { EndpointTable } from '../../../src/relay/store/endpoint-table.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { ENDPOINT } from '../../support/fake-outbox.ts'
import { HOUR, MINUTE, START } from '../../support/fake-time.ts'
import { type MemoryDatabase, memoryDatabase } from '../../support/memory-database.ts'
import { encryptionOf } from '../../support/relay-keys.ts'

const encryption = await encryptionOf()

/** The alarms of one process on a database, on a clock of the test. */
async function startAlarms(database: MemoryDatabase, start = START) {
  let now = start
  const log: ReceiptLine[] = []
  const active = new Set<string>()
  const report = (error: unknown) => {
    throw error
  }
  const table = new EndpointTable(database)
  const store = new ReceiptStore(database)
  const alarms = new Alarms({
    store,
    endpoints: table.all,
    encryption,
    sends: true,
    now: () => now,
    shown: (kind, subject, isActive) =>
      void (isActive ? active.add(`${kind} ${subject}`) : active.delete(`${kind} ${subject}`)),
    log: (line) => void log.push(line),
    report,
  })
  await alarms.start()
  return {
    log,
    active,
    alarms,
    store,
    /** Creates an endpoint, or changes the one with this name. */
    save: async (name: string, more: Partial<Endpoint> = {}, isNew = true) => {
      const id = new Secret((isNew ? name : `${name}2`).padEnd(22, 'x'))
      const endpoint: Endpoint = { ...ENDPOINT, name, id, created: now, ...more }
      const row = await encryptEndpoint(endpoint, { changed: now, firstEvent: null }, encryption)
      const store = table.of('o')
      const before = (await store.named(name)) ?? row
      await (isNew ? store.create(row) : store.replace(row, before))
      return endpoint
    },
    use: async (endpoint: Endpoint) => alarms.noteEvent(endpoint),
    remove: (name: string) => table.of('o').delete(name),
    pass: async (milliseconds: number) => {
      const end = now + milliseconds
      for (; now < end; now += MINUTE) await alarms.check()
      await alarms.check()
      return now
    },
    receipts: async () => {
      const all = await store.dueReceipts(now, 100)
      return all.map(({ body }) => JSON.parse(body))
    },
  }
}

describe('an endpoint that expects an event every 2 hours', () => {
  test('is an alarm, a line and a receipt after 2 hours, once, and the next event ends it', async () => {
    const scene = await startAlarms(await memoryDatabase())
    const orders = await scene.save('orders', { expect: '2h' })
    await scene.save('rare')
    await scene.pass(2 * HOUR)
    expect([...scene.active]).toEqual([])
    await scene.pass(2 * HOUR)
    expect([...scene.active]).toEqual(['silent endpoint:o/orders'])
    expect(scene.log).toEqual([
      { receipts: 'silent', level: 'error', subject: 'endpoint:o/orders' },
    ])
    await scene.use(orders)
    await scene.pass(MINUTE)
    expect([...scene.active]).toEqual([])
    const receipts = await scene.receipts()
    expect(receipts.map(({ type }) => type)).toEqual(['alarm.silent', 'alarm.silent.ended'])
    expect(receipts[0]?.data).toEqual({
      alarm: 'silent',
      subject: 'endpoint:o/orders',
      since: expect.any(String),
      active: true,
    })
  })

  test('is silent again 2 hours after its last event', async () => {
    const scene = await startAlarms(await memoryDatabase())
    const orders = await scene.save('orders', { expect: '2h' })
    for (let hour = 0; hour < 5; hour++) {
      await scene.pass(HOUR)
      await scene.use(orders)
    }
    await scene.pass(HOUR)
    expect(scene.log).toEqual([])
    await scene.pass(2 * HOUR)
    expect(scene.log).toHaveLength(1)
  })

  test('has no second alarm after a restart, and its last event is known', async () => {
    const database = await memoryDatabase()
    const first = await startAlarms(database)
    await first.save('orders', { expect: '2h' })
    const heard = await first.save('heard', { expect: '2h' })
    await first.pass(2 * HOUR - MINUTE)
    await first.use(heard)
    const now = await first.pass(HOUR)
    expect([...first.active]).toEqual(['silent endpoint:o/orders'])
    await first.alarms.writeEvents()
    const second = await startAlarms(database, now)
    expect([...second.active]).toEqual(['silent endpoint:o/orders'])
    await second.pass(HOUR / 2)
    expect(second.log).toEqual([])
    expect(await second.receipts()).toHaveLength(1)
  })

  test('that expects nothing any more, or is deleted, has no alarm', async () => {
    const scene = await startAlarms(await memoryDatabase())
    await scene.save('orders', { expect: '2h' })
    await scene.save('gone', { expect: '30m' })
    await scene.pass(3 * HOUR)
    expect(scene.active.size).toBe(2)
    await scene.save('orders', {}, false)
    await scene.remove('gone')
    await scene.pass(MINUTE)
    expect([...scene.active]).toEqual([])
  })
})
