import type { Attempts } from '../errors.ts'
import type { Dispatch } from '../github/send.ts'
import type { EndpointSettings } from '../store/endpoint-settings.ts'

/** The period in which a batch collects events. */
export interface BatchPeriod {
  /** Milliseconds from the first event to the end. */
  readonly most: number
  /** Milliseconds without a new event that end the batch earlier. */
  readonly quiet: number | undefined
}

/**
 * Adds an event to a batch and resolves with the id of the batch, or with `undefined` if the outbox may
 * not store the credential of the event, so that the event must be sent by itself.
 *
 * @throws RelayError 503 if the outbox cannot store the event
 */
export type CollectPort = (event: Dispatch, period: BatchPeriod) => Promise<string | undefined>

/** Stores an event before GitHub is asked. @returns `undefined` if it cannot be stored */
export type StorePort = (event: Dispatch) => Promise<Attempts | undefined>

/** The period of an endpoint's batches; `undefined` if it has none. */
export function batchPeriod({ batch, debounce }: EndpointSettings): BatchPeriod | undefined {
  if (batch === undefined) return undefined
  return { most: batch * 1000, quiet: debounce === undefined ? undefined : debounce * 1000 }
}
