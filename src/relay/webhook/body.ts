import { utf8Text } from '../../wire/bytes.ts'
import { LIMITS } from '../../wire/limits.ts'
import { bodyTooLarge, incompleteBody, RelayError } from '../errors.ts'
import type { HeldBody, RelayPorts, RelayRequest } from '../relay-ports.ts'
import type { BodyRequest, BodyUpload, LargeBodies } from '../store/bodies.ts'
import {
  type PayloadLimit,
  type ReceivedBody,
  type ReceivedEvent,
  writePayload,
} from './payload.ts'

/** The body of a request: in memory, or as an upload if it is too large for an event. */
export interface Received {
  readonly body: ReceivedBody
  readonly upload?: BodyUpload
  /** Bytes. */
  readonly size: number
}

interface ReceivePorts {
  readonly memory?: HeldBody | undefined
  /** Absent if this request may not store a large body. */
  readonly largeBodies?: LargeBodies | undefined
  readonly bodyRequest: BodyRequest
}

/**
 * Reads the body of a request, and stores what is too large for memory.
 *
 * @throws RelayError 400 for an incomplete body, 413 for one that is too large, 503 without memory or
 *   room on the disk
 */
export async function receiveBody(request: RelayRequest, ports: ReceivePorts): Promise<Received> {
  const { memory, largeBodies, bodyRequest } = ports
  const most = largeBodies?.most ?? LIMITS.requestBodyBytes
  const arrived = (count: number) => memory?.add(count)
  let upload: BodyUpload | undefined
  const write = (chunk: Uint8Array) => {
    upload ??= largeBodies?.begin(bodyRequest)
    return upload?.write(chunk) ?? Promise.resolve()
  }
  try {
    const small = LIMITS.requestBodyBytes
    const bytes =
      largeBodies && request.readLargeBody
        ? await request.readLargeBody(small, { most, write }, arrived)
        : await request.readBody(small, arrived)
    if (bytes) return { body: { bytes, text: utf8Text(bytes) }, size: bytes.length }
    memory?.release()
    if (!upload) throw new TypeError('a large body was read without an upload')
    return { ...(await finished(upload)), upload }
  } catch (error) {
    await upload?.discard()
    if (error instanceof RelayError) throw error
    throw error instanceof RangeError ? bodyTooLarge(most) : incompleteBody(error)
  }
}

/** Stores a body that is in memory, because no form of it fits into an event. */
async function storeBody(
  bytes: Uint8Array,
  largeBodies: LargeBodies,
  bodyRequest: BodyRequest,
): Promise<Received & { readonly upload: BodyUpload }> {
  const upload = largeBodies.begin(bodyRequest)
  try {
    await upload.write(bytes)
    return { ...(await finished(upload)), upload }
  } catch (error) {
    await upload.discard()
    throw error
  }
}

async function finished(upload: BodyUpload): Promise<Received> {
  const stored = await upload.finish()
  return { body: { bytes: new Uint8Array(), text: undefined, stored }, size: stored.bodyLength }
}

interface WritePorts extends Pick<ReceivePorts, 'largeBodies' | 'bodyRequest'> {
  readonly packers: RelayPorts['packers']
}

/**
 * The payload of an event. A body of which no form fits is stored, if the request may do so.
 *
 * @throws RelayError 413 if it may not
 */
export async function writeEvent(
  event: ReceivedEvent,
  limit: PayloadLimit,
  { packers, largeBodies, bodyRequest }: WritePorts,
): Promise<{ readonly clientPayload: string; readonly upload?: BodyUpload }> {
  try {
    return { clientPayload: await writePayload(event, limit, packers) }
  } catch (error) {
    const isTooLarge = error instanceof RelayError && error.status === 413
    if (!isTooLarge || !largeBodies || event.body.stored) throw error
    const { upload, body } = await storeBody(event.body.bytes, largeBodies, bodyRequest)
    try {
      return { clientPayload: await writePayload({ ...event, body }, limit, packers), upload }
    } catch (failure) {
      await upload.discard()
      throw failure
    }
  }
}
