import type { DispatchPort } from '../../src/relay/dispatch.ts'
import { throughOutbox } from '../../src/relay/outbox/accept.ts'
import { laneNames } from '../../src/relay/outbox/lane.ts'
import { NODE_CIPHER } from '../../src/relay/outbox/on-node.ts'
import type { Outbox, OutboxLimits } from '../../src/relay/outbox/outbox.ts'
import { sealEventsFor } from '../../src/relay/outbox/sealed-event.ts'
import type { SealKey } from '../../src/relay/seal.ts'
import { type FakeTime, fakeLanes, SECOND } from './fake-lanes.ts'

interface Setup {
  readonly time: FakeTime
  readonly outbox: Outbox
  readonly key: SealKey
  readonly limits: OutboxLimits
  /** What GitHub does with what senders wait for, and with what waited. */
  readonly ask: DispatchPort
  readonly send: DispatchPort
}

/** A relay's way through an outbox, on a clock of the test: stopped, it can be started on what it kept. */
export async function acceptingRelay({ time, outbox, key, limits, ask, send }: Setup) {
  const lanes = await fakeLanes(send, { outbox, time, keys: [key], limits })
  const dispatch = throughOutbox({
    ...{ ask, lanes: lanes.queue, seal: sealEventsFor(key, NODE_CIPHER) },
    laneOf: laneNames(lanes.governors),
    log: () => {},
    ...{ acceptTime: 2500, callTime: 8000, now: () => time.now, random: () => 1 },
    after: (milliseconds, back) => time.at(Symbol('after'), milliseconds, back),
    background: () => {},
    report: (error) => lanes.reported.push(error),
  })
  const stop = async () => {
    const stopping = lanes.queue.stop()
    await time.pass(10 * SECOND)
    await stopping
  }
  return { ...lanes, dispatch, stop }
}
