import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { readStorageSettings } from '../../../src/relay/storage-settings.ts'
import { dispatchOf, fakeOutbox } from '../../support/fake-outbox.ts'
import { HOUR, SECOND } from '../../support/fake-time.ts'

/** The quota is full after two hours; then new events replace the records of delivered ones. */
const HOURS = 24
const EVENTS_PER_SECOND = 10
const MB = 1024 * 1024

test('36,000 events of 2 KB an hour for 24 hours, in batches of a minute, within a quota of 256 MB', async () => {
  const { limits } = readStorageSettings({ HOOKLINE_MAX_STORAGE_MB: '256' })
  let delivered = 0
  const relay = await fakeOutbox(
    async () => {
      delivered++
    },
    { limits, isKnown: true },
  )
  const body = randomBytes(1000).toString('hex')
  const seconds = HOURS * (HOUR / SECOND)
  let number = 0
  for (let second = 0; second < seconds; second++) {
    for (let n = 0; n < EVENTS_PER_SECOND; n++) {
      const event = dispatchOf(`${number++}`, { body })
      expect(await relay.collect(event, { most: 60 * SECOND, quiet: undefined })).toBeDefined()
    }
    await relay.time.pass(SECOND)
    if (second % 3600 !== 0) continue
    await relay.outbox.check()
    const { bytes, copies } = await relay.ledger.usage()
    expect(bytes + copies).toBeLessThanOrEqual(256 * MB)
  }
  await relay.time.pass(HOUR)
  expect(delivered).toBeGreaterThan(0)
  expect(await relay.outbox.figures()).toMatchObject({
    events: { waiting: 0, uncertain: 0, dead: 0 },
    imbalance: 0,
  })
})
