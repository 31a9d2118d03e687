import { afterEach, describe, expect, test } from '@jest/globals'
import { Alarms } from '../../../src/relay/delivery/alarms.ts'
import type { ChangeLine } from '../../../src/relay/delivery/log-lines.ts'
import { StorageError } from '../../../src/relay/store/database.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { Secret } from '../../../src/wire/secret.ts'
import {
  type DeliveryScene,
  type DeliverySetup,
  ENDPOINT,
  id,
  startScene,
} from '../../support/delivery-scene.ts'
import { HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'
import { memoryDatabase } from '../../support/memory-database.ts'
import { RunsAtGitHub } from '../../support/runs-at-github.ts'
import { until } from '../../support/until.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

async function begin(setup: DeliverySetup = {}) {
  const runs = new RunsAtGitHub()
  const scene = await startScene(runs.rule, { notify: { secret: SECRET, all: false }, ...setup })
  scenes.push(scene)
  runs.of(scene)
  let next = 1
  return {
    ...scene,
    runs,
    save: async (name: string, more: Partial<Endpoint> = {}) => {
      const idOf = new Secret(name.padEnd(22, 'x'))
      await scene.saveEndpoint({ ...ENDPOINT, name, id: idOf, created: scene.time.now, ...more })
      // The relay decrypts it in real time, which this waits for.
      await scene.time.pass(0)
    },
    /** An event of an endpoint that GitHub accepted. */
    use: async (endpoint: string) => {
      const event = id(next++)
      await scene.put(event, { endpoint, wait: 0 })
      await scene.time.pass(SECOND)
      return event
    },
    alarms: async () =>
      (await scene.deliveries.alarms()).map(({ kind, subject }) => `${kind} ${subject}`),
    lines: () => scene.log.filter(({ change }) => change === 'alarm'),
    types: async (count: number) => {
      await until(async () => {
        await scene.time.pass(SECOND)
        return scene.received.length >= count
      })
      return scene.received.map(({ type }) => type)
    },
  }
}

const SILENT = 'silent o/orders'

describe('an endpoint that expects an event every 2 hours', () => {
  test('is an alarm, a line and a notification after 2 hours, once, and the next event ends it', async () => {
    const { save, use, time, alarms, lines, types, received, deliveries } = await begin()
    await save('orders', { expect: '2h' })
    await save('rare')
    await time.pass(2 * HOUR)
    expect(await alarms()).toEqual([])
    await time.pass(2 * HOUR)
    expect(await alarms()).toEqual([SILENT])
    expect(await deliveries.alarms()).toMatchObject([{ kind: 'silent', subject: 'o/orders' }])
    expect(lines()).toEqual([
      { change: 'alarm', level: 'error', alarm: 'silent', subject: 'o/orders', active: true },
    ])
    await use('orders')
    await time.pass(2 * MINUTE)
    expect(await alarms()).toEqual([])
    expect(lines()).toHaveLength(2)
    expect(await types(2)).toEqual(['alarm.silent', 'alarm.silent.ended'])
    expect(received[0]?.data).toEqual({
      alarm: 'silent',
      subject: 'o/orders',
      since: expect.any(String),
      active: true,
    })
  })

  test('is silent again 2 hours after its last event, also of a filtered one', async () => {
    const { save, put, time, lines } = await begin()
    await save('orders', { expect: '2h' })
    for (let hour = 0; hour < 5; hour++) {
      await time.pass(HOUR)
      await put(id(hour), { endpoint: 'orders', state: hour % 2 ? 'filtered' : 'waiting' })
    }
    await time.pass(HOUR)
    expect(lines()).toEqual([])
    await time.pass(2 * HOUR)
    expect(lines()).toHaveLength(1)
  })

  test('has no second alarm after a restart, and its last event is known', async () => {
    const first = await begin()
    await first.save('orders', { expect: '2h' })
    await first.save('heard', { expect: '2h' })
    await first.time.pass(2 * HOUR - MINUTE)
    await first.use('heard')
    await first.time.pass(HOUR)
    expect(await first.alarms()).toEqual([SILENT])
    await first.kill()
    const { database, time } = first
    const second = await begin({ database, time })
    expect(await second.alarms()).toEqual([SILENT])
    await time.pass(HOUR / 2)
    expect(second.lines()).toEqual([])
  })

  test('is not silent because the disk could not record its event', async () => {
    const { save, deliver, time, lines, database } = await begin()
    await save('orders', { expect: '2h' })
    await time.pass(HOUR)
    database.isFailing = true
    await deliver(id(1))
    await time.pass(MINUTE)
    database.isFailing = false
    await time.pass(HOUR + HOUR / 2)
    expect(lines()).toEqual([])
    await time.pass(HOUR)
    expect(lines()).toHaveLength(1)
  })

  test('is not silent if the relay is killed a second after an event', async () => {
    const first = await begin()
    await first.save('orders', { expect: '2h' })
    await first.time.pass(2 * HOUR - MINUTE)
    await first.use('orders')
    await first.kill()
    const { database, time } = first
    const second = await begin({ database, time })
    await time.pass(HOUR)
    expect(second.lines()).toEqual([])
  })

  test('that expects nothing any more, or is deleted, has no alarm', async () => {
    const { save, time, alarms, endpoints } = await begin()
    await save('orders', { expect: '2h' })
    await save('gone', { expect: '30m' })
    await time.pass(3 * HOUR)
    expect(await alarms()).toHaveLength(2)
    await endpoints.of('o').delete('orders')
    await save('orders')
    await endpoints.of('o').delete('gone')
    await time.pass(2 * MINUTE)
    expect(await alarms()).toEqual([])
  })
})

test('three events in a row without a run begin the alarm no_runs, and the next run ends it', async () => {
  const { save, use, time, runs, alarms, types, lines } = await begin()
  await save('e1')
  runs.behavior.set('o/r', 'none')
  for (let n = 0; n < 2; n++) await use('e1')
  await time.pass(4 * MINUTE)
  expect(await alarms()).toEqual([])
  await use('e1')
  await time.pass(4 * MINUTE)
  expect(await alarms()).toEqual(['no_runs o/e1 o/r'])
  runs.behavior.set('o/r', 'success')
  await use('e1')
  await time.pass(4 * MINUTE)
  expect(await alarms()).toEqual([])
  expect(lines()).toHaveLength(2)
  const all = await types(5)
  expect(all.filter((type) => type.startsWith('alarm'))).toEqual([
    'alarm.no_runs',
    'alarm.no_runs.ended',
  ])
})

test('a clock that jumps back an hour while the relay is off neither begins nor keeps an alarm', async () => {
  const first = await begin()
  await first.save('orders', { expect: '2h' })
  await first.use('orders')
  await first.time.pass(2 * MINUTE)
  await first.kill()
  const { database, time } = first
  time.now -= HOUR
  const second = await begin({ database, time })
  await time.pass(HOUR)
  expect(second.lines()).toEqual([])
  await time.pass(2 * HOUR)
  expect(second.lines()).toHaveLength(1)
})

describe('the alarms of a database', () => {
  async function direct(hasReceiver = true) {
    const database = await memoryDatabase()
    const time = { now: START }
    const log: ChangeLine[] = []
    const reported: unknown[] = []
    let notified = 0
    const alarms = new Alarms({
      ...{ database, now: () => time.now, notified: () => notified++ },
      notify: hasReceiver
        ? { url: new URL('https://receiver.example'), secret: new Secret(SECRET), all: false }
        : undefined,
      log: (line) => log.push(line),
      report: (error) => reported.push(error),
    })
    return {
      ...{ database, time, log, reported, alarms, notified: () => notified },
      /** An endpoint that was changed, and had its last event, so many milliseconds after the start. */
      endpoint: (name: string, expected: number | null, changed = 0, last: number | null = null) =>
        database.write([
          [
            `INSERT INTO endpoint (hash, owner, name, created, changed, lastEvent, expect, key, content)
              VALUES (?1, 'o', ?1, 0, ?2, ?3, ?4, 'k', '')`,
            ...[name, START + changed, last === null ? null : START + last, expected],
          ],
        ]),
      /** Checks the endpoints so many milliseconds after the start. @returns the subjects of alarms */
      check: async (at: number) => {
        time.now = START + at
        await alarms.run()
        return (await alarms.active()).map(({ kind, subject }) => `${kind} ${subject}`)
      },
      bodies: async () =>
        (await database.read('SELECT body FROM notification ORDER BY at, rowid')).map(({ body }) =>
          JSON.parse(String(body)),
        ),
    }
  }

  test('begin a millisecond after the expected time, and are told with all that is known', async () => {
    const { endpoint, check, log, bodies, alarms, database, notified } = await direct()
    await endpoint('a', 1000)
    await endpoint('b', 1000, -5000, 500)
    await endpoint('c', null, -9e9)
    expect(await check(1000)).toEqual([])
    expect(await check(1001)).toEqual(['silent o/a'])
    expect(await check(1500)).toEqual(['silent o/a'])
    expect(await check(1501)).toEqual(['silent o/a', 'silent o/b'])
    expect(await alarms.active()).toEqual([
      { kind: 'silent', subject: 'o/a', since: START + 1001 },
      { kind: 'silent', subject: 'o/b', since: START + 1501 },
    ])
    await database.write([["UPDATE endpoint SET lastEvent = ? WHERE name = 'a'", START + 1502]])
    expect(await check(1502)).toEqual(['silent o/b'])
    const line = { change: 'alarm', alarm: 'silent' }
    expect(log).toEqual([
      { ...line, level: 'error', subject: 'o/a', active: true },
      { ...line, level: 'error', subject: 'o/b', active: true },
      { ...line, subject: 'o/a', active: false },
    ])
    const since = '2026-01-02T00:00:01.001Z'
    expect(await bodies()).toEqual([
      {
        ...{ type: 'alarm.silent', timestamp: since },
        data: { alarm: 'silent', subject: 'o/a', since, active: true },
      },
      {
        ...{ type: 'alarm.silent', timestamp: '2026-01-02T00:00:01.501Z' },
        data: {
          ...{ alarm: 'silent', subject: 'o/b', since: '2026-01-02T00:00:01.501Z', active: true },
        },
      },
      {
        ...{ type: 'alarm.silent.ended', timestamp: '2026-01-02T00:00:01.502Z' },
        data: { alarm: 'silent', subject: 'o/a', since, active: false },
      },
    ])
    expect(notified()).toBe(5)
  })

  test('do not begin for as long as an unrecorded event may explain the silence', async () => {
    const { endpoint, check, alarms, time } = await direct()
    await endpoint('a', 1000)
    time.now = START + 900
    alarms.unrecorded()
    expect(await check(1900)).toEqual([])
    expect(await check(1901)).toEqual(['silent o/a'])
  })

  test('of a deleted endpoint end; those without runs end for nothing else', async () => {
    const { endpoint, check, alarms, database } = await direct()
    await endpoint('a', null)
    await endpoint('b', null)
    for (const name of ['a', 'b']) await alarms.change('no_runs', `o/${name} o/r`, true)
    await alarms.change('silent', 'o/a', true)
    expect(await check(5)).toEqual(['no_runs o/a o/r', 'no_runs o/b o/r'])
    await database.write([["DELETE FROM endpoint WHERE name = 'a'"]])
    expect(await check(6)).toEqual(['no_runs o/b o/r'])
  })

  test('are checked each minute while an endpoint expects events, or an alarm lasts', async () => {
    const { endpoint, check, alarms, database, log } = await direct(false)
    expect(alarms.next()).toBeUndefined()
    await alarms.look()
    expect(alarms.next()).toBeUndefined()
    await alarms.change('no_runs', 'o/x o/r', false)
    expect([alarms.next(), log]).toEqual([undefined, []])
    await alarms.change('no_runs', 'o/x o/r', true)
    await alarms.change('no_runs', 'o/x o/r', true)
    expect([alarms.next(), log.length]).toEqual([START + MINUTE, 1])
    // The alarm belongs to no endpoint.
    await check(7)
    expect([alarms.next(), log.length]).toEqual([undefined, 2])
    await endpoint('a', 1000)
    await alarms.look()
    expect(alarms.next()).toBe(START + 7 + MINUTE)
    expect(await database.read('SELECT * FROM notification')).toEqual([])
  })

  test('are checked again after the database failed', async () => {
    const { endpoint, check, alarms, database, reported, notified } = await direct()
    await endpoint('a', 1000)
    await alarms.look()
    const { read } = database
    const fault = new StorageError('disk fails')
    database.read = async () => {
      throw fault
    }
    await alarms.run()
    expect([reported, alarms.next(), notified()]).toEqual([[fault], START + MINUTE, 1])
    database.read = read
    expect(await check(2000)).toEqual(['silent o/a'])
  })
})
