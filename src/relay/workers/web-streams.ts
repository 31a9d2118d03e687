import { joinedBytes } from '../../wire/bytes.ts'
import { headerValue, type RawHeaders } from '../../wire/headers.ts'
import type { LargeBodySink } from '../../wire/http.ts'

/**
 * Reads a body up to `limit` bytes into memory; a longer one goes to the sink. The next piece is read when
 * the one before is written.
 *
 * @returns `undefined` if the sink has the body
 * @throws RangeError if the body has more bytes than the sink takes
 */
export async function readLargeBody(
  body: ReadableStream<Uint8Array> | null,
  headers: RawHeaders,
  limit: number,
  sink: LargeBodySink,
  arrived: ((bytes: number) => void) | undefined,
): Promise<Uint8Array | undefined> {
  const tooLarge = () => new RangeError(`more than ${sink.most} bytes`)
  if (Number(headerValue(headers, 'content-length')) > sink.most) throw tooLarge()
  const held: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
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
