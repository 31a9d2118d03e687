import { expect, test } from '@jest/globals'
import type { ChangeLine } from '../../../src/relay/delivery/log-lines.ts'
import { DeliveryRecorder, recordEach } from '../../../src/relay/delivery/recorder.ts'
import { StorageError } from '../../../src/relay/store/database.ts'
import type { NewDelivery } from '../../../src/relay/store/delivery-rows.ts'

/** Only the id matters here. */
const rowOf = (id: number) => ({ id: String(id) }) as NewDelivery

function recording(record: (rows: readonly NewDelivery[]) => Promise<void> = async () => {}) {
  const groups: number[] = []
  const timers: (() => void)[] = []
  const log: ChangeLine[] = []
  const reported: unknown[] = []
  const recorder = new DeliveryRecorder({
    record: (rows) => {
      groups.push(rows.length)
      return record(rows)
    },
    after: (_milliseconds, back) => {
      timers.push(back)
      return () => void timers.splice(timers.indexOf(back), 1)
    },
    now: () => 0,
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
  })
  const add = (count: number, bytes = 100) => {
    for (let n = 0; n < count; n++) recorder.add({ bytes, row: async () => rowOf(n) })
  }
  return { recorder, groups, timers, log, reported, add }
}

test('records of 50 ms are one transaction, which none of their requests waits for', async () => {
  const { recorder, groups, timers, add } = recording()
  add(3)
  expect([groups, timers.length]).toEqual([[], 1])
  timers[0]?.()
  await recorder.flush()
  expect(groups).toEqual([3])
})

test('64 records wait for nothing, and those that come meanwhile follow in their order', async () => {
  const { recorder, groups, add } = recording()
  add(64)
  add(100)
  await recorder.flush()
  expect(groups).toEqual([64, 64, 36])
})

test('what a slow disk cannot take is lost, counted, and told once a minute', async () => {
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const { recorder, groups, log, add } = recording(() => slow)
  add(5000)
  release()
  await recorder.flush()
  expect(groups.reduce((sum, count) => sum + count, 0)).toBeLessThan(5000)
  expect(log).toEqual([{ level: 'error', change: 'unrecorded', events: 1 }])
})

test('bytes are bounded, too', async () => {
  const { recorder, groups, log, add } = recording()
  add(40, 1024 * 1024)
  await recorder.flush()
  expect([groups, log.length]).toEqual([[32], 1])
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
