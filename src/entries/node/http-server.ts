import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { UserError } from '../../protocol/errors.ts'

export interface HttpServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  answer(request: IncomingMessage, response: ServerResponse): void
  /** The answer to what is no request, as bytes for the wire; see `fault`. */
  refuse(status: number): string
}

export interface RunningServer {
  /** Where it listens, with the port it took. */
  readonly url: string
  /** Stops accepting, finishes what was accepted, and cuts off what takes longer than 9 s. */
  close(): Promise<void>
}

/** Milliseconds and bytes that a client may take. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
  /** Of the request line and the headers together. */
  maxHeaderSize: 16 * 1024,
}

const STOP_TIMEOUT = 9000

/** A server with bounds on everything a client can draw out. */
export async function serveHttp(options: HttpServerOptions): Promise<RunningServer> {
  const answering = new Answering()
  // A missing Host is answered by `answer`, with the headers of every other answer.
  const server = createServer({ ...LIMITS, requireHostHeader: false })
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    answering.begin(request, response)
    options.answer(request, response)
  }
  server.on('request', answer)
  server.on('checkExpectation', answer)
  server.on('connect', (_request, socket) => socket.end(options.refuse(405)))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || answering.isAnswered(socket)) socket.destroy()
    else socket.end(options.refuse(statusOf(error)))
  })
  const url = await listen(server, options)
  return { url, close: () => stop(server, answering) }
}

/**
 * Which requests are in the works. They are counted, and a connection is known until it closes: a
 * map that grows and shrinks with every request would cost as much as the rest of serving it.
 */
class Answering {
  /** The last response of each connection. */
  readonly #responses = new Map<Duplex, ServerResponse>()
  #open = 0
  #stopping = false
  #idle: (() => void) | undefined

  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    if (!this.#responses.has(socket)) socket.once('close', () => this.#responses.delete(socket))
    this.#responses.set(socket, response)
    this.#open++
    response.once('close', this.#ended)
    if (this.#stopping) response.shouldKeepAlive = false
  }

  /** True when the request of this connection has part of its answer. */
  isAnswered(socket: Duplex): boolean {
    const response = this.#responses.get(socket)
    return response?.headersSent === true && !response.closed
  }

  /** Resolves when all that was begun is answered. */
  async finish(): Promise<void> {
    this.#stopping = true
    for (const response of this.#responses.values()) response.shouldKeepAlive = false
    if (this.#open === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }

  readonly #ended = (): void => {
    this.#open--
    if (this.#open === 0) this.#idle?.()
  }
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

/** @throws UserError when the address cannot be had */
async function listen(server: Server, { host, port }: HttpServerOptions): Promise<string> {
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

async function stop(server: Server, answering: Answering): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const cut = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT)
  await answering.finish()
  // What is left has sent no request: a client may hold such a connection open as long as it likes.
  server.closeAllConnections()
  await closed
  clearTimeout(cut)
}
