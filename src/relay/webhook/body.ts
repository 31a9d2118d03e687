import { joinedBytes, utf8Text } from '../../wire/bytes.ts'
import { headerValue } from '../../wire/headers.ts'
import type { RelayRequest } from '../../wire/http.ts'
import { LIMITS } from '../../wire/limits.ts'
import { bodyTooLarge, RelayError } from '../errors.ts'
import {
  type Packer,
  type PayloadLimit,
  type ReceivedBody,
  type ReceivedEvent,
  writePayload,
} from '../github/payload.ts'
import type { BodyStorage, BodyUpload } from '../store/bodies.ts'

/** The body of a request: in memory, or as an upload if it is too large for an event. */
interface Received {
  readonly body: ReceivedBody
  readonly upload?: BodyUpload
  /** Bytes. */
  readonly size: number
}

/**
 * Reads the body of a request, and stores what is too large for memory.
 *
 * @throws RelayError 400 for an incomplete body, 413 for one that is too large, 503 without memory or
 *   room on the disk
 */
export async function receiveBody(
  request: RelayRequest,
  { memory, storage }: { readonly memory: HeldBody; readonly storage: BodyStorage | undefined },
): Promise<Received> {
  const limit = LIMITS.requestBodyBytes
  try {
    if (storage && request.pieces) {
      const declared = headerValue(request.headers, 'content-length')
      if (Number(declared) > storage.most) throw new RangeError(`more than ${storage.most} bytes`)
      const isSmall = Number(declared) <= limit
      if (!isSmall) return await receivePieces(request.pieces(), { memory, storage })
    }
    const bytes = await request.readBody(limit, (count) => memory.add(count))
    return inMemory(bytes)
  } catch (error) {
    if (error instanceof RelayError) throw error
    const most = storage?.most ?? limit
    if (error instanceof RangeError) throw bodyTooLarge(most)
    throw new RelayError('invalid_request', {
      message: 'the connection ended before the body was complete',
      hint: 'Send the request again.',
      cause: error,
    })
  }
}

/**
 * Reads a body up to the limit of an event into memory; a longer one is stored. The next piece is read when
 * the one before is written.
 */
async function receivePieces(
  pieces: AsyncIterable<Uint8Array>,
  { memory, storage }: { readonly memory: HeldBody; readonly storage: BodyStorage },
): Promise<Received> {
  const held: Uint8Array[] = []
  let size = 0
  let upload: BodyUpload | undefined
  try {
    for await (const chunk of pieces) {
      size += chunk.length
      if (size <= LIMITS.requestBodyBytes) {
        memory.add(chunk.length)
        held.push(chunk)
        continue
      }
      upload ??= storage.begin()
      for (const earlier of held.splice(0)) await upload.write(earlier)
      await upload.write(chunk)
    }
    if (!upload) return inMemory(joinedBytes(held))
    memory.release()
    return { ...(await finished(upload)), upload }
  } catch (error) {
    await upload?.discard()
    throw error
  }
}

function inMemory(bytes: Uint8Array): Received {
  return { body: { bytes, text: utf8Text(bytes) }, size: bytes.length }
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

/**
 * The payload of an event. A body of which no form fits is stored, if the request may do so; `body` then is
 * its reference.
 *
 * @throws RelayError 413 if it may not
 */
export async function writeEvent(
  event: ReceivedEvent,
  limit: PayloadLimit,
  storage: BodyStorage | undefined,
  packers: readonly Packer[],
): Promise<{
  readonly clientPayload: string
  readonly body: ReceivedBody
  readonly upload?: BodyUpload
}> {
  try {
    return { clientPayload: await writePayload(event, limit, packers), body: event.body }
  } catch (error) {
    const isTooLarge = error instanceof RelayError && error.code === 'payload_too_large'
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
        if (this.#held > this.#most)
          throw new RelayError('overloaded', { message: 'the relay is processing too many bodies' })
      },
      release: () => {
        this.#held -= own
        own = 0
      },
    }
  }
}

interface HeldBody {
  /** @throws RelayError 503 when all bodies together are more than may be held */
  add(bytes: number): void
  release(): void
}
