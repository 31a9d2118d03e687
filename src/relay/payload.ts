import { type BodyEncoding, gzip, toBase64 } from '../wire/bytes.ts'
import { LIMITS } from '../wire/limits.ts'
import { HEADER, writeClientPayload } from '../wire/payload.ts'
import { payloadTooLarge } from './refusals.ts'

export interface ReceivedBody {
  readonly bytes: Uint8Array
  /** The bytes as UTF-8; `undefined` when they are not. */
  readonly text: string | undefined
}

/** A request as it is to travel, its body still as it came. */
export interface Received {
  readonly path: string
  readonly method: string
  /** Only those that travel. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: ReceivedBody
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
}

/**
 * The serialised `client_payload`, at most `LIMITS.clientPayloadBytes` long. Text travels as it is,
 * other bytes as base64, and what is too large for GitHub gzipped.
 *
 * @throws RelayError 413 when it is too large even then
 */
export async function writePayload(received: Received): Promise<string> {
  const plain = written(received, plainBody(received.body))
  if (byteLength(plain) <= LIMITS.clientPayloadBytes) return plain
  const packed = written(received, await packedBody(received.body))
  const bytes = byteLength(packed)
  if (bytes > LIMITS.clientPayloadBytes) throw payloadTooLarge(bytes)
  return packed
}

interface TravellingBody {
  readonly body: string | null
  readonly encoding?: BodyEncoding
}

function plainBody({ bytes, text }: ReceivedBody): TravellingBody {
  if (bytes.length === 0) return { body: null }
  return text === undefined ? { body: toBase64(bytes), encoding: 'base64' } : { body: text }
}

async function packedBody({ bytes }: ReceivedBody): Promise<TravellingBody> {
  if (bytes.length === 0) return { body: null }
  return { body: toBase64(await gzip(bytes)), encoding: 'gzip' }
}

function written(received: Received, { body, encoding }: TravellingBody): string {
  const { path, method, delivery, receivedAt } = received
  const headers: Record<string, string> = Object.fromEntries(received.headers)
  headers[HEADER.delivery] = delivery
  headers[HEADER.receivedAt] = receivedAt
  if (encoding) headers[HEADER.bodyEncoding] = encoding
  return writeClientPayload({ path, method, headers, body })
}

function byteLength(text: string): number {
  // A UTF-16 unit takes at most 3 bytes of UTF-8, so most payloads need no encoding to be counted.
  if (text.length * 3 <= LIMITS.clientPayloadBytes) return text.length * 3
  return new TextEncoder().encode(text).length
}
