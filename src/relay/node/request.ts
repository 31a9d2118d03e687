import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LargeBodySink, RelayRequest } from '../../wire/http.ts'

/** A request of node:http as the relay reads it. */
export class NodeRequest implements RelayRequest {
  readonly method: string
  readonly target: string
  readonly headers: RelayRequest['headers']
  readonly #request: IncomingMessage
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.method = request.method ?? 'GET'
    this.target = request.url ?? '/'
    this.headers = request.rawHeaders
    this.#request = request
    this.#response = response
  }

  readBody(limit: number, arrived?: (bytes: number) => void): Promise<Uint8Array> {
    return readBody(this.#request, limit, arrived)
  }

  readLargeBody(limit: number, sink: LargeBodySink, arrived?: (bytes: number) => void) {
    return readLargeBody(this.#request, limit, sink, arrived)
  }

  whenGone(back: () => void): void {
    const response = this.#response
    const closed = () => {
      if (!response.writableEnded) back()
    }
    if (response.closed) closed()
    else response.once('close', closed)
  }
}

/**
 * Reads the whole body of a request. Node's own iterator destroys the connection if its reader stops
 * early, so that the response could not be sent.
 *
 * @param arrived is called with the number of bytes of each chunk; an error that it throws ends the reading
 * @throws RangeError after more than `limit` bytes; the rest is discarded
 * @throws Error if the connection was answered and ended before the body was complete
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  arrived?: ((bytes: number) => void) | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const arrive = (chunk: Uint8Array) => {
      try {
        size += chunk.length
        if (size > limit) throw new RangeError(`more than ${limit} bytes`)
        arrived?.(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        chunks.length = 0
        request.off('data', arrive).resume()
        reject(error)
      }
    }
    request.on('data', arrive)
    request.once('end', () => {
      // The client received 408, and sends the request again.
      if (request.socket.writableEnded) return reject(new Error('the connection is ended'))
      resolve(joined(chunks, size))
    })
    request.once('error', reject)
  })
}

/**
 * Reads a body up to `limit` bytes into memory. A longer one goes to the sink, piece by piece: the next
 * piece is read when the one before is written.
 *
 * @returns `undefined` for a body that went to the sink
 * @throws RangeError after more than `sink.most` bytes, and any error of `sink.write` and `arrived`; the
 *   rest is discarded
 */
function readLargeBody(
  request: IncomingMessage,
  limit: number,
  sink: LargeBodySink,
  arrived?: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let written: Promise<void> | undefined
    const fail = (error: unknown) => {
      chunks.length = 0
      request.off('data', arrive).resume()
      reject(error)
    }
    const hand = (chunk: Uint8Array) => {
      request.pause()
      const next = (written ?? Promise.resolve()).then(() => sink.write(chunk))
      written = next
      next.then(() => request.resume(), fail)
    }
    const arrive = (chunk: Uint8Array) => {
      size += chunk.length
      if (size > sink.most) return fail(new RangeError(`more than ${sink.most} bytes`))
      if (written) return hand(chunk)
      try {
        arrived?.(chunk.length)
      } catch (error) {
        return fail(error)
      }
      chunks.push(chunk)
      if (size > limit) hand(joined(chunks.splice(0), size))
    }
    request.on('data', arrive)
    request.once('end', () => {
      if (request.socket.writableEnded) return reject(new Error('the connection is ended'))
      if (written) written.then(() => resolve(undefined), reject)
      else resolve(joined(chunks, size))
    })
    request.once('error', reject)
  })
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, size)
}
