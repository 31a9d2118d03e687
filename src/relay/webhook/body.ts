import { utf8Text } from '../../wire/bytes.ts'
import type { RelayRequest } from '../../wire/http.ts'
import { LIMITS } from '../../wire/limits.ts'
import { bodyTooLarge, incompleteBody, overloaded, RelayError } from '../errors.ts'
import type { Packer, PayloadLimit } from '../github/payload-limit.ts'
import type { BodyStorage, BodyUpload } from '../store/bodies.ts'
import { type ReceivedBody, type ReceivedEvent, writePayload } from './payload.ts'

/** The body of a request: in memory, or as an upload if it is too large for an event. */
export interface Received {
  readonly body: ReceivedBody
  readonly upload?: BodyUpload
  /** Bytes. */
  readonly size: number
}

interface ReceivePorts {
  readonly memory: HeldBody
  /** Stores a large body; `undefined` if the relay cannot. */
  readonly storage: BodyStorage | undefined
}

/**
 * Reads the body of a request, and stores what is too large for memory.
 *
 * @throws RelayError 400 for an incomplete body, 413 for one that is too large, 503 without memory or
 *   room on the disk
 */
export async function receiveBody(request: RelayRequest, ports: ReceivePorts): Promise<Received> {
  const { memory, storage } = ports
  const most = storage?.most ?? LIMITS.requestBodyBytes
  const arrived = (count: number) => memory.add(count)
  let upload: BodyUpload | undefined
  const write = (chunk: Uint8Array) => {
    upload ??= storage?.begin()
    return upload?.write(chunk) ?? Promise.resolve()
  }
  try {
    const small = LIMITS.requestBodyBytes
    const bytes =
      storage && request.readLargeBody
        ? await request.readLargeBody(small, { most, write }, arrived)
        : await request.readBody(small, arrived)
    if (bytes) return { body: { bytes, text: utf8Text(bytes) }, size: bytes.length }
    memory.release()
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
  storage: BodyStorage,
): Promise<Received & { readonly upload: BodyUpload }> {
  const upload = storage.begin()
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

interface WrittenEvent {
  readonly clientPayload: string
  /** The body of the event, or its reference if it was stored now. */
  readonly body: ReceivedBody
  readonly upload?: BodyUpload
}

/**
 * The payload of an event. A body of which no form fits is stored, if the request may do so.
 *
 * @throws RelayError 413 if it may not
 */
export async function writeEvent(
  event: ReceivedEvent,
  limit: PayloadLimit,
  storage: BodyStorage | undefined,
  packers: readonly Packer[],
): Promise<WrittenEvent> {
  try {
    return { clientPayload: await writePayload(event, limit, packers), body: event.body }
  } catch (error) {
    const isTooLarge = error instanceof RelayError && error.status === 413
    if (!isTooLarge || !storage || event.body.stored) throw error
    const { upload, body } = await storeBody(event.body.bytes, storage)
    try {
      const clientPayload = await writePayload({ ...event, body }, limit, packers)
      return { clientPayload, body, upload }
    } catch (failure) {
      await upload.discard()
      throw failure
    }
  }
}

/**
 * Limits the memory for request bodies: the bytes of all bodies whose requests are in progress. Only
 * received bytes count, so that a few slow clients do not block others.
 */
export class BodyMemory {
  readonly #most: number
  #held = 0

  /** @param most bytes of all bodies together */
  constructor(most: number) {
    this.#most = most
  }

  /** A place for one body; to be released when its request is answered. */
  hold(): HeldBody {
    let own = 0
    return {
      add: (bytes) => {
        own += bytes
        this.#held += bytes
        if (this.#held > this.#most) throw overloaded()
      },
      release: () => {
        this.#held -= own
        own = 0
      },
    }
  }
}

export interface HeldBody {
  /** @throws RelayError 503 when all bodies together are more than may be held */
  add(bytes: number): void
  release(): void
}
