import type { IncomingMessage } from 'node:http'

/**
 * The body of a request, chunk by chunk. Node's own iterator would destroy the connection when its
 * reader stops early, before the answer is sent on it; and this one costs a good deal less.
 */
export function bodyOf(request: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new BodyReader(request) }
}

class BodyReader implements AsyncIterator<Uint8Array, undefined> {
  readonly #request: IncomingMessage
  readonly #chunks: Uint8Array[] = []
  #ended = false
  #error: Error | undefined
  #wake = () => {}

  constructor(request: IncomingMessage) {
    this.#request = request
    request.on('data', this.#arrive)
    request.once('end', () => this.#end())
    request.once('error', (error) => this.#end(error))
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#chunks.length === 0 && !this.#ended) await this.#news()
    const value = this.#chunks.shift()
    if (value) return { done: false, value }
    if (this.#error) throw this.#error
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    // What is not read flows on and is thrown away.
    this.#request.off('data', this.#arrive).resume()
    return { done: true, value: undefined }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  readonly #arrive = (chunk: Uint8Array): void => {
    this.#chunks.push(chunk)
    this.#wake()
  }

  #end(error?: Error): void {
    this.#ended = true
    this.#error = error
    this.#wake()
  }
}
