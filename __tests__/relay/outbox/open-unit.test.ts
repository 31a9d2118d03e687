import { expect, test } from '@jest/globals'
import type { StoredEvent } from '../../../src/relay/delivery/event.ts'
import { encryptEvent } from '../../../src/relay/delivery/event-record.ts'
import { openBatch } from '../../../src/relay/delivery/open-unit.ts'
import { endpointDeleted } from '../../../src/relay/errors.ts'
import { PACK } from '../../../src/relay/github/payload-limit.ts'
import { dispatchOf } from '../../support/fake-outbox.ts'
import { encryptionOf, relayKeys } from '../../support/relay-keys.ts'

test('of a batch without a deliverable event, those of a missing key wait, and the others are refused', async () => {
  const encryption = await encryptionOf()
  const missing = await encryptionOf(relayKeys())
  const stored = async (delivery: string, by: typeof encryption) =>
    ({ delivery, ...(await encryptEvent(dispatchOf(delivery), by)) }) as StoredEvent
  const events = [await stored('deleted', encryption), await stored('locked', missing)]
  const restore = () => {
    throw endpointDeleted()
  }
  const ports = { encryption, credentials: { restore }, pack: PACK }
  const opened = await openBatch('batch', events, ports)
  expect(opened.outcome).toEqual({ kind: 'isolated', reason: 'unreadable' })
  expect(opened.failed.map(({ event, outcome }) => [event.delivery, outcome.kind])).toEqual([
    ['deleted', 'refused'],
  ])
  const all = await openBatch('batch', events.slice(0, 1), ports)
  expect([all.outcome, all.failed]).toEqual([{ kind: 'refused', reason: 'endpoint_deleted' }, []])
})
