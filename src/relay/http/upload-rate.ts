import type { IncomingMessage } from 'node:http'

/** Milliseconds in which every request must be complete, whatever its size. */
const GRACE = 15_000

/** Bytes a second that a request must send after that time. */
const LEAST_RATE = 64 * 1024

const INTERVAL = 1000

/** Milliseconds in which a request with so many bytes is complete at the minimum rate. */
export function longestUpload(bytes: number): number {
  return GRACE + (bytes / LEAST_RATE) * 1000
}

/** Calls `late` once if a request is slower than the minimum rate. */
export function watchUploadRate(request: IncomingMessage, late: () => void): void {
  const { socket } = request
  const start = performance.now()
  const before = socket.bytesRead
  const check = () => {
    if (request.complete || socket.destroyed) return
    if (performance.now() - start > longestUpload(socket.bytesRead - before)) late()
    else timer = setTimeout(check, INTERVAL).unref()
  }
  let timer = setTimeout(check, GRACE).unref()
  request.once('close', () => clearTimeout(timer))
}
