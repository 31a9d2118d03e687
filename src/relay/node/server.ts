import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../wire/errors.ts'
import type { RelayRequest, RelayResponse } from '../../wire/http.ts'
import { type ErrorCode, RelayError } from '../errors.ts'
import { GRACE, longestUpload } from '../figures.ts'
import { type Relay, respond } from '../relay.ts'
import { errorResponse, withStandardHeaders } from '../webhook/responses.ts'

interface RelayServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly relay: Relay
  readonly limits?: Partial<ClientLimits> | undefined
  /** Handles a request and returns true, or returns false and leaves the request to the relay. */
  readonly route?: (request: IncomingMessage, response: ServerResponse) => boolean
}

export interface RunningServer {
  /** The address with the real port. */
  readonly url: string
  /** Stops accepting requests, and waits at most 9 s for those in progress. */
  close(): Promise<void>
}

/** The limits of one client, in milliseconds and bytes. */
export interface ClientLimits {
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** The end of an idle connection: proxies keep theirs for 60 seconds, and must be the first to close it. */
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  /** Bytes of the request line and the headers together. */
  readonly maxHeaderSize: number
  /** Concurrent connections: 5,000 idle ones take about 100 MB. The oldest one makes room for a new one. */
  readonly maxConnections: number
}

const LIMITS: ClientLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 5000,
}

const STOP_TIMEOUT = 9000

/** Milliseconds for which a stopping server still accepts requests on open connections. */
const STOP_LINGER = 1000

/** Milliseconds from a connection to its first byte, before it may have to make room for another one. */
const FIRST_BYTE_TIME = 250

/** Milliseconds between a refusal and the end of its connection. */
const LINGER = 1000

/** Milliseconds between two looks at the rate of an upload. */
const RATE_CHECK_INTERVAL = 1000

/** The relay as a server of node:http, with a limit for everything that a client can delay. */
export async function serveRelay(options: RelayServerOptions): Promise<RunningServer> {
  const { relay, route } = options
  const connections = new Connections()
  // `answer` checks the Host header, so that this response has the headers of every other one.
  const { maxConnections, ...limits } = limitsOf(options)
  const server = createServer({ ...limits, requireHostHeader: false })
  server.maxConnections = maxConnections
  server.on('connection', (socket) => connections.keepOneFree(socket, maxConnections))
  const refuse = (socket: Duplex, code: ErrorCode) => {
    if (!socket.writable || !connections.mayInterrupt(socket)) return
    endWith(socket, onTheWire(refusalResponse(new RelayError(code), 'GET', relay)))
  }
  const take = (request: IncomingMessage, response: ServerResponse) => {
    connections.begin(request, response)
    if (relay.store?.largeBodies)
      watchUploadRate(request, () => refuse(request.socket, 'request_timeout'))
    if (!route?.(request, response)) void answer(request, response, relay)
  }
  server.on('request', take)
  server.on('checkExpectation', take)
  server.on('connect', (_request, socket) => {
    // The server no longer handles the errors of this connection.
    socket.on('error', () => {})
    refuse(socket, 'method_not_allowed')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const code = parserErrorCode(error)
    if (!socket.writable) socket.destroy()
    // If this process was busy, bytes that arrived in time are still unread; read them first.
    else if (code === 'request_timeout') setImmediate(() => refuse(socket, code))
    else refuse(socket, code)
  })
  const url = await listen(server, options)
  return { url, close: () => stop(server, connections) }
}

/** Large bodies take longer than other requests; `watchUploadRate` then ends the slow ones. */
function limitsOf({ relay: { store }, limits }: RelayServerOptions): ClientLimits {
  const largeBodies = store?.largeBodies
  const requestTimeout = largeBodies ? longestUpload(largeBodies.most) : LIMITS.requestTimeout
  return { ...LIMITS, requestTimeout, ...limits }
}

/** Calls `late` once if a request is slower than the minimum rate. */
function watchUploadRate(request: IncomingMessage, late: () => void): void {
  const { socket } = request
  const start = performance.now()
  const before = socket.bytesRead
  const check = () => {
    if (request.complete || socket.destroyed) return
    if (performance.now() - start > longestUpload(socket.bytesRead - before)) late()
    else timer = setTimeout(check, RATE_CHECK_INTERVAL).unref()
  }
  let timer = setTimeout(check, GRACE).unref()
  request.once('close', () => clearTimeout(timer))
}

export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  relay: Relay,
): Promise<void> {
  const reply = lacksOneHost(request)
    ? refusalResponse(new RelayError('invalid_request'), request.method ?? 'GET', relay)
    : await respond(relayRequest(request, response), relay)
  if (response.destroyed || request.socket.writableEnded) {
    // The client is gone, and an unread stream would keep its file.
    if (reply.stream instanceof Readable) reply.stream.destroy()
    return
  }
  response.writeHead(reply.status, framedHeaders(reply, request.method))
  // A client that disconnects must end only its own response.
  if (reply.stream) await pipeline(reply.stream, response).catch(() => response.destroy())
  else response.end(reply.body)
}

function relayRequest(request: IncomingMessage, response: ServerResponse): RelayRequest {
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: request.rawHeaders,
    readBody: (limit, arrived) => collectBody(request, limit, arrived),
    pieces: () => piecesOf(request),
    whenGone: (back) => {
      const closed = () => {
        if (!response.writableEnded) back()
      }
      if (response.closed) closed()
      else response.once('close', closed)
    },
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
export function collectBody(
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
      const [only] = chunks
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, size))
    })
    request.once('error', reject)
  })
}

async function* piecesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false })
    if (request.socket.writableEnded) throw new Error('the connection is ended')
  } finally {
    request.resume()
  }
}

/** RFC 9112, section 3.2: an HTTP/1.1 request without one, or with two, is answered 400. */
function lacksOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return httpVersion === '1.1' ? hosts !== 1 : hosts > 1
}

function refusalResponse(error: RelayError, method: string, relay: Relay): RelayResponse {
  const delivery = relay.newDelivery()
  return withStandardHeaders(errorResponse(error, delivery), method, delivery)
}

/** The headers of a reply, and the length of its body where it may have one. */
function framedHeaders(
  { status, headers, body, stream }: RelayResponse,
  method: string | undefined,
) {
  const bare = method === 'HEAD' || status === 204 || status === 304 || stream !== undefined
  return bare ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
}

/** The bytes of a response, for a connection whose request could not be parsed. */
function onTheWire(reply: RelayResponse): string {
  const headers = { ...framedHeaders(reply, 'GET'), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${reply.status} Refused\r\n${lines.join('')}\r\n${reply.body}`
}

/** Ends the connection with this text. It is closed later, because a reset could discard the text. */
function endWith(socket: Duplex, text: string): void {
  socket.end(text)
  const cut = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(cut))
}

/** The open connections, and the number of requests in progress. */
class Connections {
  /** In the order in which they became idle: a connection moves to the end after each response. */
  readonly #connections = new Map<Duplex, Connection>()
  #open = 0
  #waiting: NodeJS.Timeout | undefined
  #stopping = false
  #finished: (() => void) | undefined

  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(socket) ?? this.#connect(socket)
    connection.last = response
    connection.open++
    this.#open++
    response.once('close', connection.ended)
    if (this.#stopping) response.shouldKeepAlive = false
  }

  /**
   * Adds a new connection. If it is the last one that fits, another one is closed, so that the next client
   * can connect.
   */
  keepOneFree(opened: Socket, max: number): void {
    this.#connect(opened)
    this.#makeRoom(max)
  }

  /** Tries again later while no connection fits, because one in use may become idle. */
  #makeRoom(max: number): void {
    if (this.#connections.size < max) return
    this.#closeUnused()
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined
      this.#makeRoom(max)
    }, FIRST_BYTE_TIME).unref()
  }

  /**
   * Closes the oldest connection that has sent no byte. Without such a connection, closes the one that has
   * been idle for the longest time.
   */
  #closeUnused(): void {
    let idle: Duplex | undefined
    for (const [socket, { last, open, since }] of this.#connections) {
      if (socket instanceof Socket && socket.bytesRead === 0) {
        // A client that has just connected gets some time for its first byte.
        if (performance.now() - since >= FIRST_BYTE_TIME) socket.destroy()
        return
      }
      if (last && open === 0) idle ??= socket
    }
    idle?.destroy()
  }

  /**
   * True if an error response cannot be mistaken for the response to an earlier request on the same
   * connection. Otherwise the connection ends after the response that is in progress.
   */
  mayInterrupt(socket: Duplex): boolean {
    const { last, open } = this.#connections.get(socket) ?? { last: undefined, open: 0 }
    if (!last || open === 0) return true
    if (last.req.complete && !last.headersSent) last.shouldKeepAlive = false
    else if (open === 1 && !last.headersSent) return true
    else socket.destroy()
    return false
  }

  /** From now on, each response ends its connection. */
  endConnections(): void {
    this.#stopping = true
    for (const { last } of this.#connections.values()) if (last) last.shouldKeepAlive = false
  }

  /** Resolves when no request is in progress. */
  async finish(): Promise<void> {
    if (this.#open === 0) return
    await new Promise<void>((resolve) => {
      this.#finished = resolve
    })
  }

  #connect(socket: Duplex): Connection {
    const connection: Connection = {
      since: performance.now(),
      last: undefined,
      open: 0,
      ended: () => {
        this.#end(connection, 1)
        if (this.#connections.delete(socket)) this.#connections.set(socket, connection)
      },
    }
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      // Node reports the closed connection only to the first of several pipelined requests.
      this.#end(connection, connection.open)
    })
    return connection
  }

  #end(connection: Connection, count: number): void {
    const ended = Math.min(count, connection.open)
    connection.open -= ended
    this.#open -= ended
    if (this.#open === 0) this.#finished?.()
  }
}

interface Connection {
  /** When the client connected, in milliseconds of `performance.now()`. */
  readonly since: number
  /** The response to the latest request. */
  last: ServerResponse | undefined
  /** Requests in progress. */
  open: number
  readonly ended: () => void
}

function parserErrorCode({ code }: NodeJS.ErrnoException): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'invalid_request'
}

/** @throws UserError if the server cannot listen on this address */
async function listen(
  server: Server,
  { host, port }: Pick<RelayServerOptions, 'host' | 'port'>,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, host, port)))
    server.listen(port, host, resolve)
  })
  // A server that listens on a port has this kind of address.
  const { port: taken } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`
}

/** @throws UserError if no server can listen on this address */
export async function requireFreePort(address: Pick<RelayServerOptions, 'host' | 'port'>) {
  const server = createServer()
  await listen(server, address)
  server.close()
}

const LISTEN_FAULTS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'Another process listens there. Use another port, or --port 0 for a free one.'],
  ['EACCES', 'The system does not allow this port. Use a port above 1023.'],
  ['EADDRNOTAVAIL', 'This machine does not have the address. Use 127.0.0.1 or 0.0.0.0.'],
  ['ENOTFOUND', 'The host name is unknown. Use an address of this machine.'],
])

function cannotListen(cause: NodeJS.ErrnoException, host: string, port: number): unknown {
  const hint = LISTEN_FAULTS.get(cause.code)
  if (hint === undefined) return cause
  return new UserError({ message: `cannot listen on ${host}:${port}`, hint }, { cause })
}

/**
 * Stops accepting connections. A client may be sending its next request on an open connection, so
 * open connections are answered once more, with `Connection: close`.
 */
async function stop(server: Server, connections: Connections): Promise<void> {
  // `server.close` would close idle connections immediately.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  const cut = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT)
  connections.endConnections()
  // The timer must not keep the process alive.
  await Promise.race([closed, sleep(STOP_LINGER, undefined, { ref: false })])
  await connections.finish()
  // The remaining connections have no request in progress.
  server.closeAllConnections()
  await closed
  server.close(() => {}) // ends the timer that looks for slow clients
  clearTimeout(cut)
}
