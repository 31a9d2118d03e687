import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../wire/errors.ts'
import type { Reply } from '../../wire/http.ts'
import { malformedRequest, type RelayError } from '../errors.ts'
import type { RelayPorts, RelayRequest } from '../ports.ts'
import { relay } from '../relay.ts'
import { errorReply, withStandardHeaders } from '../request/responses.ts'

interface RelayServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly ports: RelayPorts
  readonly limits?: Partial<ClientLimits>
  /** Answers addresses of its own; returns false for all others, which are then the relay's. */
  readonly route?: (request: IncomingMessage, response: ServerResponse) => boolean
}

export interface RunningServer {
  /** Where it listens, with the port it took. */
  readonly url: string
  /** Stops accepting, finishes what was accepted, and cuts off what takes longer than 9 s. */
  close(): Promise<void>
}

/** Milliseconds and bytes that a client may take. */
export interface ClientLimits {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  /** Bytes of the request line and the headers together. */
  readonly maxHeaderSize: number
  /** Connections at once; one more is closed as it comes. */
  readonly maxConnections: number
}

const LIMITS: ClientLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
  maxConnections: Infinity,
}

const STOP_TIMEOUT = 9000

/** Milliseconds for which a stopping server still takes a request on a connection that is open. */
const STOP_LINGER = 1000

/** Milliseconds between a refusal and the end of its connection. */
const LINGER = 1000

/** The relay behind node:http, with bounds on everything a client can draw out. */
export async function serveRelay(options: RelayServerOptions): Promise<RunningServer> {
  const { ports, route } = options
  const answering = new Answering()
  // A missing Host is answered by `answer`, with the headers of every other answer.
  const { maxConnections, ...limits } = { ...LIMITS, ...options.limits }
  const server = createServer({ ...limits, requireHostHeader: false })
  if (maxConnections !== Infinity) server.maxConnections = maxConnections
  const take = (request: IncomingMessage, response: ServerResponse) => {
    answering.begin(request, response)
    if (!route?.(request, response)) void answer(request, response, ports)
  }
  server.on('request', take)
  server.on('checkExpectation', take)
  const refuse = (socket: Duplex, status: number) => {
    if (!socket.writable || !answering.mayInterrupt(socket)) return
    endWith(socket, onTheWire(refusal(malformedRequest(status), 'GET', ports)))
  }
  server.on('connect', (_request, socket) => {
    // The server has let go of this connection, and of its errors.
    socket.on('error', () => {})
    refuse(socket, 405)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = statusOf(error)
    if (!socket.writable) socket.destroy()
    // What came in time may lie unread, where this process was busy: it is read before the next turn.
    else if (status === 408) setImmediate(() => refuse(socket, status))
    else refuse(socket, status)
  })
  const url = await listen(server, options)
  return { url, close: () => stop(server, answering) }
}

/** Answers one request as the relay does, with the ports that are given for it alone. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  ports: RelayPorts,
): Promise<void> {
  const reply = lacksOneHost(request)
    ? refusal(malformedRequest(400), request.method ?? 'GET', ports)
    : await relay(relayRequest(request), ports)
  if (response.destroyed || request.socket.writableEnded) return
  response.writeHead(reply.status, framed(reply, request.method))
  // A client that goes away in the middle ends its own answer, and nothing else.
  if (reply.stream) await pipeline(reply.stream, response).catch(() => response.destroy())
  else response.end(reply.body)
}

function relayRequest(request: IncomingMessage): RelayRequest {
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: request.rawHeaders,
    readBody: (limit, arrived) => readBody(request, limit, arrived),
  }
}

/** RFC 9112, section 3.2: an HTTP/1.1 request without one, or with two, is answered 400. */
function lacksOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (/^host$/i.test(rawHeaders[at] ?? '')) hosts++
  }
  return httpVersion === '1.1' ? hosts !== 1 : hosts > 1
}

function refusal(error: RelayError, method: string, ports: RelayPorts): Reply {
  const delivery = ports.newDelivery()
  return withStandardHeaders(errorReply(error, delivery), method, delivery)
}

/** The headers of a reply, and the length of its body where it may have one. */
function framed({ status, headers, body, stream }: Reply, method: string | undefined) {
  const bare = method === 'HEAD' || status === 204 || status === 304 || stream !== undefined
  return bare ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
}

/** An answer for a connection whose request could not be read, so that there is no response to write. */
function onTheWire(reply: Reply): string {
  const headers = { ...framed(reply, 'GET'), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${reply.status} Refused\r\n${lines.join('')}\r\n${reply.body}`
}

/**
 * Reads the body of a request to its end. Node's own iterator would destroy the connection when its
 * reader stops early, before the answer is sent on it; and this costs a good deal less.
 *
 * @throws RangeError as soon as more than `limit` bytes have come; what follows is thrown away
 * @throws Error when the connection was answered and ended before the body was
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
      // Whoever was told that the request came too late sends it again.
      if (request.socket.writableEnded) return reject(new Error('the connection is ended'))
      const [only] = chunks
      // Most bodies come in one piece; copying it is a large part of what it costs to receive one.
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, size))
    })
    request.once('error', reject)
  })
}

/** Says a last thing, and gives the client a moment to hear it: one that keeps sending would be reset. */
function endWith(socket: Duplex, text: string): void {
  socket.end(text)
  const cut = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(cut))
}

/**
 * Which requests are in the works. They are counted, and a connection is known until it closes: a
 * map that grows and shrinks with every request would cost as much as the rest of serving it.
 */
class Answering {
  readonly #connections = new Map<Duplex, Connection>()
  #open = 0
  #stopping = false
  #idle: (() => void) | undefined

  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(socket) ?? this.#connect(socket)
    connection.last = response
    connection.open++
    this.#open++
    response.once('close', connection.ended)
    if (this.#stopping) response.shouldKeepAlive = false
  }

  /**
   * True when nothing on its way to the client would be mistaken for a refusal, or the other way
   * round. Otherwise the connection ends with what is on its way.
   */
  mayInterrupt(socket: Duplex): boolean {
    const { last, open } = this.#connections.get(socket) ?? { last: undefined, open: 0 }
    if (!last || open === 0) return true
    if (last.req.complete && !last.headersSent) last.shouldKeepAlive = false
    else if (open === 1 && !last.headersSent) return true
    else socket.destroy()
    return false
  }

  /** Every answer from now on is the last one on its connection. */
  endConnections(): void {
    this.#stopping = true
    for (const { last } of this.#connections.values()) if (last) last.shouldKeepAlive = false
  }

  /** Resolves when all that was begun is answered, or nobody is there any more to be answered. */
  async finish(): Promise<void> {
    if (this.#open === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }

  #connect(socket: Duplex): Connection {
    const connection: Connection = {
      last: undefined,
      open: 0,
      ended: () => this.#end(connection, 1),
    }
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      // Of requests that came one behind the other, only the first is told that its client is gone.
      this.#end(connection, connection.open)
    })
    return connection
  }

  #end(connection: Connection, count: number): void {
    const ended = Math.min(count, connection.open)
    connection.open -= ended
    this.#open -= ended
    if (this.#open === 0) this.#idle?.()
  }
}

interface Connection {
  /** The response that was begun last. */
  last: ServerResponse | undefined
  /** Requests in the works. */
  open: number
  readonly ended: () => void
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

/** @throws UserError when the address cannot be had */
async function listen(server: Server, { host, port }: RelayServerOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, host, port)))
    server.listen(port, host, resolve)
  })
  // A server that listens on a port has this kind of address.
  const { port: taken } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`
}

const LISTEN_FAULTS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'something else listens there: --port 0 takes a free port'],
  ['EACCES', 'the system does not allow it: take a port above 1023'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['ENOTFOUND', 'there is no host of this name'],
])

function cannotListen(cause: NodeJS.ErrnoException, host: string, port: number): unknown {
  const hint = LISTEN_FAULTS.get(cause.code)
  if (hint === undefined) return cause
  return new UserError({ message: `cannot listen on ${host}:${port}`, hint }, { cause })
}

/**
 * Nothing new is let in. A client that keeps its connection may send its next request at this very
 * moment, and would be reset: it is answered, and told that the connection ends.
 */
async function stop(server: Server, answering: Answering): Promise<void> {
  // The server's own `close` would close what is idle at once.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  const cut = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT)
  answering.endConnections()
  // What is open keeps the process alive, and nothing else has to wait.
  await Promise.race([closed, sleep(STOP_LINGER, undefined, { ref: false })])
  await answering.finish()
  // What is left has sent no request: a client may hold such a connection open as long as it likes.
  server.closeAllConnections()
  await closed
  server.close(() => {}) // which ends the looking for slow clients
  clearTimeout(cut)
}
