import { afterEach, describe, expect, test } from '@jest/globals'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { Secret } from '../../../src/wire/secret.ts'
import {
  type DeliveryScene,
  type DeliverySetup,
  ENDPOINT,
  id,
  startScene,
} from '../../support/delivery-scene.ts'
import { HOUR, MINUTE, SECOND } from '../../support/fake-time.ts'
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
