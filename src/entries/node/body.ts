import type { IncomingMessage } from 'node:http'
import { whole } from '../../wire/bytes.ts'

/**
 * Reads the body of a request to its end. Node's own iterator would destroy the connection when its
 * reader stops early, before the answer is sent on it; and this costs a good deal less.
 *
 * @throws RangeError as soon as more than `limit` bytes have come; what follows is thrown away
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const arrive = (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        request.off('data', arrive).resume()
        reject(new RangeError(`more than ${limit} bytes`))
      }
    }
    request.on('data', arrive)
    request.once('end', () => resolve(whole(chunks, size)))
    request.once('error', reject)
  })
}
