import { expect, test } from '@jest/globals'
import type { ChangeLine } from '../../../src/relay/delivery/log-lines.ts'
import { DeliveryRecorder, recordEach } from '../../../src/relay/delivery/recorder.ts'
import { StorageError } from '../../../src/relay/store/database.ts'
import type { NewDelivery } from '../../../src/relay/store/delivery-rows.ts'

/** Only the id matters here. */
const rowOf = (id: number) => ({ id: String(id) }) as NewDelivery

function recording(record: (rows: readonly NewDelivery[]) => Promise<void> = async () => {}) {
  const groups: number[] = []
  const ids: string[] = []
  const timers: (() => void)[] = []
  const delays: number[] = []
  const log: ChangeLine[] = []
  const reported: unknown[] = []
  const time = { now: 0 }
  const recorder = new DeliveryRecorder({
    record: (rows) => {
      groups.push(rows.length)
      ids.push(...rows.map(({ id }) => id))
      return record(rows)
    },
    after: (milliseconds, back) => {
      timers.push(back)
      delays.push(milliseconds)
      return () => void timers.splice(timers.indexOf(back), 1)
    },
    now: () => time.now,
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
  })
  let next = 0
  const add = (count: number, bytes = 100) => {
    for (let n = 0; n < count; n++) {
      const id = next++
      recorder.add({ bytes, row: async () => rowOf(id) })
    }
  }
  return { recorder, groups, ids, timers, delays, log, reported, time, add }
}

test('records of 50 ms are one transaction, which none of their requests waits for', async () => {
  const { recorder, groups, timers, delays, add } = recording()
  add(3)
  expect([groups, timers.length, delays]).toEqual([[], 1, [50]])
  timers[0]?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(groups).toEqual([3])
  add(2)
  await recorder.flush()
  expect([groups, delays, timers]).toEqual([[3, 2], [50, 50], []])
})

test('64 records wait for nothing, and those that come meanwhile follow in their order', async () => {
  const { recorder, groups, ids, timers, add } = recording()
  add(64)
  expect(timers).toEqual([])
  add(100)
  await recorder.flush()
  expect(groups).toEqual([64, 64, 36])
  expect(ids).toEqual(Array.from({ length: 164 }, (_, n) => String(n)))
})

test('what a slow disk cannot take is lost, counted, and told once a minute', async () => {
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const { recorder, groups, log, time, add } = recording(() => slow)
  // 64 are on their way to the disk, and 4,096 wait.
  add(5000)
  const told = { level: 'error', change: 'unrecorded' }
  expect(log).toEqual([{ ...told, events: 1 }])
  time.now = 59_999
  add(1)
  time.now = 60_000
  add(1)
  expect(log.slice(1)).toEqual([{ ...told, events: 5000 - 64 - 4096 - 1 + 2 }])
  release()
  await recorder.flush()
  expect(groups.reduce((sum, count) => sum + count, 0)).toBe(64 + 4096)
})

test('bytes are bounded, too', async () => {
  const { recorder, groups, log, add } = recording()
  add(40, 1024 * 1024)
  await recorder.flush()
  expect([groups, log.length]).toEqual([[32], 1])
  add(32, 1024 * 1024)
  await recorder.flush()
  expect([groups, log.length]).toEqual([[32, 32], 1])
})

test('a group that fails is lost, and the next one is written', async () => {
  let count = 0
  const { recorder, groups, log, reported, add } = recording(async () => {
    if (count++ === 0) throw new StorageError('disk full')
  })
  add(100)
  await recorder.flush()
  expect([groups, reported.length]).toEqual([[64, 36], 1])
  expect(log).toEqual([{ level: 'error', change: 'unrecorded', events: 64 }])
})

test('where the runtime goes on after a response, each request is recorded by itself', async () => {
  const work: Promise<void>[] = []
  const groups: number[] = []
  const reported: unknown[] = []
  const port = recordEach({
    record: async (rows) => void groups.push(rows.length),
    background: (one) => work.push(one),
    report: (error) => reported.push(error),
  })
  port.add({ bytes: 1, row: async () => rowOf(1) })
  port.add({ bytes: 1, row: () => Promise.reject(new Error('no')) })
  await Promise.all(work)
  expect([groups, reported.length]).toEqual([[1], 1])
})
