import { bodyBytes, type Unpack, utf8Text } from './bytes.ts'
import { PayloadError } from './errors.ts'
import { type Json, parsePlainJson } from './json.ts'
import { LIMITS } from './limits.ts'
import {
  type ClientPayload,
  HEADER,
  payloadHeaders,
  readClientPayload,
  writeClientPayload,
} from './payload.ts'

/**
 * What stands around and between the events of a batch, each written by `writeClientPayload`: for
 * whoever packs them as they come. All in one: `joinBatch`.
 */
export const BATCH_TEXT = { begin: '[', between: ',', end: ']' } as const

/** The text of a batch that is then gzipped: a JSON array of the events' own payloads. */
export function joinBatch(events: readonly string[]): string {
  return `${BATCH_TEXT.begin}${events.join(BATCH_TEXT.between)}${BATCH_TEXT.end}`
}

/** What tells of a batch as a whole. */
export interface BatchEnvelope {
  /** Of its first event: by them guards and logs see one event. */
  readonly path: string
  readonly method: string
  /** How many events it holds. */
  readonly count: number
  /** The id of the batch. */
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
}

/** @param first the `client_payload` of its first event, as JSON text */
export function batchEnvelope(first: string, count: number, delivery: string): BatchEnvelope {
  const { path, method, headers } = readClientPayload(JSON.parse(first))
  return { path, method, count, delivery, receivedAt: headers[HEADER.receivedAt] ?? '' }
}

/**
 * The `client_payload` of a batch, as JSON text.
 *
 * @param packed base64 of the gzipped text that `joinBatch` gives
 */
export function writeBatchPayload(
  { path, method, count, delivery, receivedAt }: BatchEnvelope,
  packed: string,
): string {
  const headers = payloadHeaders([], { batch: count, delivery, receivedAt, bodyEncoding: 'gzip' })
  return writeClientPayload({ path, method, headers, body: packed })
}

/**
 * The events of a batch, each to be read by `readClientPayload`; `undefined` where the payload is an
 * event by itself. What unpacks to more than `LIMITS.batchBytes` is not unpacked further than that.
 *
 * @param unpack what unpacks gzip, where the runtime has a quicker way than the one of all runtimes
 * @throws PayloadError when it is no batch, though its header says so
 */
export async function readBatch(
  { headers, body }: ClientPayload,
  unpack?: Unpack,
): Promise<Json[] | undefined> {
  const count = headers[HEADER.batch]
  if (count === undefined) return undefined
  const text = utf8Text(await unpacked(body, headers[HEADER.bodyEncoding], unpack))
  let events: Json = null
  try {
    // Bodies are texts, so no number of an event is read here.
    events = parsePlainJson(text ?? '')
  } catch {
    // `null` is no list either.
  }
  if (!Array.isArray(events)) throw new PayloadError('the batch holds no list of events')
  if (String(events.length) !== count) {
    throw new PayloadError(`the batch holds ${events.length} events, not the number it names`)
  }
  if (events.length > LIMITS.batchEvents) {
    const most = LIMITS.batchEvents
    throw new PayloadError(`the batch holds ${events.length} events, more than ${most}`)
  }
  return events
}

async function unpacked(
  body: Json,
  encoding: string | undefined,
  unpack: Unpack | undefined,
): Promise<Uint8Array> {
  try {
    if (typeof body === 'string') {
      return await bodyBytes(body, encoding, LIMITS.batchBytes, unpack)
    }
  } catch (cause) {
    const isTooMuch = cause instanceof RangeError
    const megabytes = LIMITS.batchBytes / 1024 / 1024
    const what = isTooMuch ? `unpacks to more than ${megabytes} MB` : `is not ${encoding}`
    throw new PayloadError(`the body of the batch ${what}`, { cause })
  }
  throw new PayloadError('the body of the batch is not a string')
}
