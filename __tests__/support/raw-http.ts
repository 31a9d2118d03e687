import { connect, type Socket } from 'node:net'

export interface RawRequest {
  readonly method?: string
  /** Request target, byte for byte; one character is one byte. */
  readonly target: string
  /**
   * Headers byte for byte; one character is one byte. `Host`, `Content-Length` and `Connection` are
   * added.
   */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
  /** Sends the body in chunks of these sizes, without a content length. */
  readonly chunks?: readonly number[]
}

export interface RawAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a request unchanged, which no HTTP client would do. */
export async function send(url: string, request: RawRequest): Promise<RawAnswer> {
  return parseAnswer(await sendBytes(url, requestBytes(request)))
}

/** Writes bytes to a new connection, and reads until the server closes it. */
export async function sendBytes(url: string, bytes: string | Uint8Array): Promise<Buffer> {
  const socket = open(url)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return received(socket)
}

export function open(url: string): Socket {
  const { hostname, port } = new URL(url)
  // A reset looks like a closed connection without a response; tests check the received bytes.
  return connect(Number(port), hostname).on('error', () => {})
}

/** Everything received until the connection is closed. */
export async function received(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks)
}

/**
 * A connection for several requests, which also shows that no response leaves bytes for the next
 * one.
 */
export interface KeptConnection {
  send(request: RawRequest): Promise<RawAnswer>
  close(): void
}

/** Connects at the first use, and again after the server has closed the connection. */
export function keptConnection(url: string): KeptConnection {
  let socket: Socket | undefined
  const send = (request: RawRequest) => {
    const used = socket && !socket.destroyed ? socket : open(url)
    socket = used
    const answer = answerOn(used, request.method === 'HEAD')
    used.write(requestBytes(request, 'keep-alive'))
    return answer
  }
  return { send, close: () => socket?.destroy() }
}

/** The next response, without waiting for the end of the connection. */
function answerOn(socket: Socket, bodiless: boolean): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    const arrive = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      if (!isWholeAnswer(bytes, bodiless)) return
      settle()
      resolve(parseAnswer(bytes))
    }
    const lose = () => {
      settle()
      reject(new Error(`the connection was closed after ${bytes.length} bytes`))
    }
    const settle = () => socket.off('data', arrive).off('close', lose)
    socket.on('data', arrive).on('close', lose)
  })
}

function isWholeAnswer(bytes: Buffer, bodiless: boolean): boolean {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return false
  const { status, headers } = parseAnswer(bytes.subarray(0, end + 4))
  if (bodiless || status === 204 || status === 304) return true
  if (headers['transfer-encoding'] === 'chunked') return bytes.subarray(-5).equals(LAST_CHUNK)
  return bytes.length >= end + 4 + Number(headers['content-length'] ?? 0)
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

export function requestBytes(
  { method = 'GET', target, headers = [], body = '', chunks }: RawRequest,
  connection: 'close' | 'keep-alive' = 'close',
) {
  const content = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body)
  const framing = chunks
    ? 'Transfer-Encoding: chunked\r\n'
    : content.length > 0
      ? `Content-Length: ${content.length}\r\n`
      : ''
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = `${method} ${target} HTTP/1.1\r\nHost: relay.test\r\n${framing}Connection: ${connection}\r\n${lines}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), chunks ? chunked(content, chunks) : content])
}

function chunked(content: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const size of [...sizes, content.length]) {
    const part = content.subarray(at, at + size)
    at += part.length
    if (part.length > 0)
      parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

/** @throws Error if the bytes are not a complete response */
export function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) throw new Error(`no answer, but ${bytes.length} bytes`)
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const rest = bytes.subarray(end + 4)
  const body = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest
  return { status: Number(statusLine.split(' ')[1]), headers, body: body.toString() }
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, line).toString(), 16)
    if (!size) return Buffer.concat(parts)
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
