import type { Dispatch } from '../github/dispatch.ts'
import type { BatchPeriod, CollectPort } from '../request/batch-period.ts'
import { type AcceptPorts, type Lanes, mayBeKept } from './accept.ts'
import { labelOf } from './lane.ts'
import type { SealedEvent } from './outbox.ts'

/** An event that is to be handed over with others. */
export interface CollectedEvent
  extends Pick<SealedEvent, 'delivery' | 'lane' | 'credential' | 'key' | 'sealed'>,
    Pick<Dispatch, 'target' | 'clientPayload'> {
  readonly period: BatchPeriod
}

/** Where events wait, and batches are collected. */
export interface CollectingLanes extends Lanes {
  /** @returns the id of the batch. @throws RelayError 503 when it cannot be taken */
  collect(event: CollectedEvent): Promise<string>
}

interface CollectPorts extends Pick<AcceptPorts, 'seal' | 'laneOf'> {
  readonly lanes: CollectingLanes
}

/** Takes events into batches, which the lanes hand over as one. */
export function collectInto(ports: CollectPorts): CollectPort {
  const { lanes, seal } = ports
  return async (dispatch, period) => {
    const { delivery, credential, target, clientPayload } = dispatch
    const lane = await ports.laneOf(dispatch)
    // Where the lanes are elsewhere, this is how it is known here what was accepted.
    if (credential.kind !== 'grant') await lanes.waits(lane)
    if (!(await mayBeKept(dispatch, lane, ports))) return undefined
    const { sealed, key } = await seal(dispatch)
    const label = labelOf(credential, lane)
    const event = { delivery, lane, credential: label, key, sealed, target, clientPayload, period }
    return lanes.collect(event)
  }
}
