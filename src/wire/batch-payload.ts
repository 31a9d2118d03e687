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
 * The JSON array of the events' payloads, before it is compressed with gzip. Each event is written by
 * `writeClientPayload`.
 */
export function joinBatch(events: readonly string[]): string {
  return `[${events.join(',')}]`
}

interface BatchEnvelope {
  /** The path of the first event, so that job conditions and logs see one event. */
  readonly path: string
  readonly method: string
  readonly count: number
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
}

/** @param first the `client_payload` of the first event, as JSON */
export function batchEnvelope(first: string, count: number, delivery: string): BatchEnvelope {
  const { path, method, headers } = readClientPayload(JSON.parse(first))
  return { path, method, count, delivery, receivedAt: headers[HEADER.receivedAt] ?? '' }
}

/**
 * The `client_payload` of a batch, as JSON.
 *
 * @param packed the result of `joinBatch`, compressed with gzip, in base64
 */
export function writeBatchPayload(
  { path, method, count, delivery, receivedAt }: BatchEnvelope,
  packed: string,
): string {
  const headers = payloadHeaders([], { batch: count, delivery, receivedAt, bodyEncoding: 'gzip' })
  return writeClientPayload({ path, method, headers, body: packed })
}

/**
 * The events of a batch, each for `readClientPayload`; `undefined` if the payload is a single
 * event. Decompression stops at `LIMITS.batchBytes`.
 *
 * @param unpack decompresses gzip, for a runtime with a faster way than `DecompressionStream`
 * @throws PayloadError if the header says that it is a batch, but it is none
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
    // Bodies are strings inside, so exact parsing of numbers does not matter.
    events = parsePlainJson(text ?? '')
  } catch {
    // `undefined` fails the check below, too.
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
