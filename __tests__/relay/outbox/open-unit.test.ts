import { expect, test } from '@jest/globals'
import { generateSealingKey } from '../../../src/relay/credentials/sealing-key.ts'
import type { StoredEvent } from '../../../src/relay/outbox/event.ts'
import { openBatch } from '../../../src/relay/outbox/open-unit.ts'
import { sealEventsFor } from '../../../src/relay/outbox/sealed-event.ts'
import { RelayError } from '../../../src/relay/relay-errors.ts'
import { PACK } from '../../../src/relay/request/client-payload.ts'
import { dispatchOf } from '../../support/fake-outbox.ts'

test('of a batch without a deliverable event, those of a missing key wait, and the others are refused', async () => {
  const [key, missing] = [await generateSealingKey(), await generateSealingKey()]
  const stored = async (delivery: string, sealingKey: typeof key) => {
    const { sealed, key: id } = await sealEventsFor(sealingKey)(dispatchOf(delivery))
    return { delivery, key: id, sealed } as StoredEvent
  }
  const events = [await stored('revoked', key), await stored('locked', missing)]
  const restore = () => {
    throw new RelayError(401, 'revoked', 'the grant is revoked', { hint: '' })
  }
  const ports = { keys: [key], credentials: { restore }, pack: PACK }
  const opened = await openBatch('batch', events, ports)
  expect(opened.outcome).toEqual({ kind: 'isolated', reason: 'unreadable' })
  expect(opened.failed.map(({ event, outcome }) => [event.delivery, outcome.kind])).toEqual([
    ['revoked', 'refused'],
  ])
  const all = await openBatch('batch', events.slice(0, 1), ports)
  expect([all.outcome, all.failed]).toEqual([{ kind: 'refused', reason: 'revoked' }, []])
})
