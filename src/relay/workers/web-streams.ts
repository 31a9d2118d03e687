import { RelayError } from '../errors.ts'
import { longestUpload } from '../figures.ts'
import type { Runtime } from '../runtime.ts'

type StreamClock = Pick<Runtime, 'now' | 'after'>

/**
 * The pieces of a body; only the time that the reader waits for the sender counts.
 *
 * @throws RelayError 408 if the body arrives more slowly than the minimum rate
 */
export async function* atMinimumRate(
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
    const cancel = after(Math.max(0, milliseconds), () => reject(new RelayError('request_timeout')))
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
