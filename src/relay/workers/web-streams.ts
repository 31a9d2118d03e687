import { joinedBytes } from '../../wire/bytes.ts'
import { headerValue, type RawHeaders } from '../../wire/headers.ts'
import type { LargeBodySink } from '../../wire/http.ts'
import { malformedRequest } from '../errors.ts'
import { longestUpload } from '../figures.ts'

/** Time in milliseconds. */
interface StreamClock {
  now(): number
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, back: () => void): () => void
}

interface LargeBodyReading {
  /** Bytes up to which the body is read into memory. */
  readonly limit: number
  readonly sink: LargeBodySink
  readonly arrived: ((bytes: number) => void) | undefined
  readonly clock: StreamClock
}

/**
 * Reads a body up to `limit` bytes into memory; a longer one goes to the sink. The next piece is read when
 * the one before is written.
 *
 * @returns `undefined` if the sink has the body
 * @throws RangeError if the body has more bytes than the sink takes
 * @throws RelayError 408 if the body arrives more slowly than the minimum rate
 */
export async function readLargeBody(
  body: ReadableStream<Uint8Array> | null,
  headers: RawHeaders,
  { limit, sink, arrived, clock }: LargeBodyReading,
): Promise<Uint8Array | undefined> {
  const tooLarge = () => new RangeError(`more than ${sink.most} bytes`)
  if (Number(headerValue(headers, 'content-length')) > sink.most) throw tooLarge()
  if (!body) return new Uint8Array()
  const held: Uint8Array[] = []
  let size = 0
  for await (const chunk of atMinimumRate(body, clock)) {
    size += chunk.length
    if (size > sink.most) throw tooLarge()
    if (size <= limit) {
      arrived?.(chunk.length)
      held.push(chunk)
      continue
    }
    for (const earlier of held.splice(0)) await sink.write(earlier)
    await sink.write(chunk)
  }
  return size > limit ? undefined : joinedBytes(held, size)
}

/** Only the time that the reader waits for the sender counts. @throws RelayError 408 */
async function* atMinimumRate(
  body: ReadableStream<Uint8Array>,
  clock: StreamClock,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let [size, waited] = [0, 0]
  try {
    for (;;) {
      const begun = clock.now()
      const { done, value } = await inTime(reader.read(), longestUpload(size) - waited, clock)
      if (done) return
      waited += clock.now() - begun
      size += value.length
      yield value
    }
  } finally {
    // A stream that has ended needs no cancellation, and one that failed has no use for it.
    reader.cancel().catch(() => {})
  }
}

function inTime<Result>(
  work: Promise<Result>,
  milliseconds: number,
  { after }: StreamClock,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = after(Math.max(0, milliseconds), () => reject(malformedRequest(408)))
    work.then(resolve, reject).finally(cancel)
  })
}

/** A stream that reads the next piece when the client has taken the one before. */
export function readable(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
}
