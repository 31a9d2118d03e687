import type { Dispatch } from '../github/dispatch.ts'

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

/** The settings of an endpoint, in seconds. */
export interface BatchSettings {
  /** 1 to 3,600: how long events are collected. */
  readonly batch?: number
  /** Less than `batch`: ends the batch after so long without a new event. */
  readonly debounce?: number
}

export const MOST_BATCH_SECONDS = 3600

/** The period of an endpoint's batches; `undefined` if it has none. */
export function batchPeriod({ batch, debounce }: BatchSettings): BatchPeriod | undefined {
  if (batch === undefined) return undefined
  return { most: batch * 1000, quiet: debounce === undefined ? undefined : debounce * 1000 }
}
