import type { IncomingMessage } from 'node:http'

/**
 * The body of a request, chunk by chunk. Node's own iterator would destroy the connection when its
 * reader stops early, before the answer is sent on it, and costs a tenth of the throughput.
 */
export async function* bodyOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const arrivals = new Arrivals()
  const { arrive, stop } = arrivals
  request.on('data', arrive).once('end', stop).once('error', stop)
  try {
    while (!arrivals.stopped) {
      await arrivals.next()
      yield* arrivals.take()
    }
    if (arrivals.error) throw arrivals.error
  } finally {
    // What is not read is thrown away by the server.
    request.off('data', arrive).resume()
  }
}

/** What came and has not been read yet. */
class Arrivals {
  stopped = false
  error: Error | undefined
  #chunks: Uint8Array[] = []
  #wake = () => {}

  readonly arrive = (chunk: Uint8Array): void => {
    this.#chunks.push(chunk)
    this.#wake()
  }

  readonly stop = (error?: Error): void => {
    this.stopped = true
    this.error = error
    this.#wake()
  }

  next(): Promise<void> {
    if (this.stopped || this.#chunks.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  take(): Uint8Array[] {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }
}
