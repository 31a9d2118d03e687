import type { IncomingMessage } from 'node:http'
import { GRACE, longestUpload } from '../figures.ts'

const INTERVAL = 1000

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
