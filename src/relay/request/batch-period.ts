import { PARAMETER, type ReservedParameters } from '../../wire/path.ts'
import { invalidBatch } from '../errors.ts'
import type { Dispatch } from '../github/dispatch.ts'

/** How long a URL asks to collect events into one. */
export interface BatchPeriod {
  /** Milliseconds from the first event to the end. */
  readonly most: number
  /** Milliseconds without a new one that end it sooner. */
  readonly quiet: number | undefined
}

/**
 * Takes an event into a batch. Resolves with the id of that batch, and with nothing where the event's
 * credential may not be kept, so that it must go by itself.
 *
 * @throws RelayError 503 when it cannot be taken
 */
export type CollectPort = (event: Dispatch, period: BatchPeriod) => Promise<string | undefined>

const MOST_SECONDS = 3600

/**
 * The period of a URL; `undefined` where it asks for none.
 *
 * @throws RelayError 400 for a value that is none
 */
export function batchPeriod(reserved: ReservedParameters): BatchPeriod | undefined {
  const [batch, quiet] = [reserved.get(PARAMETER.batch), reserved.get(PARAMETER.quiet)]
  if (batch === undefined) {
    if (quiet !== undefined) throw invalidBatch('__debounce stands without __batch', EXAMPLE)
    return undefined
  }
  const seconds = secondsOf(batch)
  if (seconds === undefined || seconds > MOST_SECONDS) {
    throw invalidBatch(
      '__batch is no number of seconds',
      `give a whole number from 1 to ${MOST_SECONDS}`,
    )
  }
  if (quiet === undefined) return { most: seconds * 1000, quiet }
  const pause = secondsOf(quiet)
  if (pause === undefined || pause >= seconds) {
    const range =
      seconds > 1 ? `give a whole number from 1 to ${seconds - 1}, less than __batch` : ''
    throw invalidBatch('__debounce is no number of seconds less than __batch', range || EXAMPLE)
  }
  return { most: seconds * 1000, quiet: pause * 1000 }
}

const EXAMPLE = 'an example of both: __batch=600&__debounce=60'

function secondsOf(text: string): number | undefined {
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined
}
