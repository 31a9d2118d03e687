// A minimal stand-in for GitHub: it reads a request and responds 204.
import { createServer } from 'node:net'

/** Bytes of a request that identify its path. */
const FIRST_LINE = 100

// `DOWN=1`: it accepts no request.
const ANSWER = process.env.DOWN
  ? 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'
  : 'HTTP/1.1 204 No Content\r\n\r\n'

const STARTED = json({
  workflow_run_id: 1,
  run_url: 'https://api.github.com/repos/owner/repo/actions/runs/1',
  html_url: 'https://github.com/owner/repo/actions/runs/1',
})
const REPOSITORY = json({ default_branch: 'main' })

/**
 * The response to a request, by its first line.
 *
 * @param {string} line
 */
function answerTo(line) {
  if (process.env.DOWN) return ANSWER
  if (line.startsWith('GET ')) return REPOSITORY
  return line.includes('/actions/workflows/') ? STARTED : ANSWER
}

/** @param {object} value */
function json(value) {
  const body = JSON.stringify(value)
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/**
 * Counts requests by their headers and content length.
 *
 * @param {import('node:net').Socket} socket
 * @param {() => void} count
 */
function serve(socket, count) {
  /** @type {Buffer} */
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    for (let end = endOfCall(pending); end > 0; end = endOfCall(pending)) {
      const answer = answerTo(pending.toString('latin1', 0, FIRST_LINE))
      pending = pending.subarray(end)
      count()
      socket.write(answer)
    }
  })
  socket.on('error', () => {})
}

/**
 * @param {Buffer} bytes
 * @returns {number} 0 until the request is complete
 */
function endOfCall(bytes) {
  const head = bytes.indexOf('\r\n\r\n')
  if (head < 0) return 0
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))
  const end = head + 4 + Number(length?.[1] ?? 0)
  return bytes.length >= end ? end : 0
}

let calls = 0
const server = createServer((socket) => serve(socket, () => calls++))
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  process.send?.({ url: `http://127.0.0.1:${port}` })
})
process.on('message', () =>
  process.send?.({ calls, cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }),
)
process.on('disconnect', () => process.exit())
