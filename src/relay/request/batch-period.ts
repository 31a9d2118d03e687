import { PARAMETER, type ReservedParameters } from '../../wire/path.ts'
import type { Dispatch } from '../github/dispatch.ts'
import { invalidBatch } from '../relay-errors.ts'

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

const MOST_SECONDS = 3600

/**
 * The period that a URL asks for; `undefined` if it asks for no batch.
 *
 * @throws RelayError 400 for an invalid value
 */
export function batchPeriod(reserved: ReservedParameters): BatchPeriod | undefined {
  const [batch, quiet] = [reserved.get(PARAMETER.batch), reserved.get(PARAMETER.quiet)]
  if (batch === undefined) {
    if (quiet !== undefined) throw invalidBatch('__debounce needs __batch', EXAMPLE)
    return undefined
  }
  const seconds = parseSeconds(batch)
  if (seconds === undefined || seconds > MOST_SECONDS) {
    throw invalidBatch(
      '__batch is not a number of seconds',
      `Use a whole number from 1 to ${MOST_SECONDS}.`,
    )
  }
  if (quiet === undefined) return { most: seconds * 1000, quiet }
  const pause = parseSeconds(quiet)
  if (pause === undefined || pause >= seconds) {
    const range =
      seconds > 1 ? `Use a whole number from 1 to ${seconds - 1}, less than __batch.` : ''
    throw invalidBatch('__debounce is not a number of seconds less than __batch', range || EXAMPLE)
  }
  return { most: seconds * 1000, quiet: pause * 1000 }
}

const EXAMPLE = 'Use both, for example __batch=600&__debounce=60.'

function parseSeconds(text: string): number | undefined {
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined
}
