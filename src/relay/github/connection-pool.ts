import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { type Dispatcher, errors, Pool } from 'undici'
import {
  type GitHubCall,
  GitHubCallError,
  type GitHubCallRequest,
  type GitHubResponse,
  RESPONSE_BYTES,
} from '../../wire/github-api.ts'

interface GitHubConnectionPool {
  readonly call: GitHubCall
  close(): Promise<void>
}

/** Sockets to GitHub; further requests wait for their turn within their own time limit. */
const CONNECTIONS = 256

const CONNECT_TIMEOUT = 3000

const OPTIONS = {
  connections: CONNECTIONS,
  connect: { timeout: CONNECT_TIMEOUT },
  // `Exchange` has the one time limit.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const

/**
 * Keep-alive connections to GitHub's API. GitHub may end such a connection just as a request is written
 * to it. Then the request is sent once more, on a new connection, if it may arrive twice.
 */
export function githubConnectionPool(apiUrl: URL): GitHubConnectionPool {
  const kept = new Pool(apiUrl.origin, OPTIONS)
  const fresh = new Pool(apiUrl.origin, { ...OPTIONS, pipelining: 0 })
  const starts = new RequestStarts()
  const send = (pool: Pool, request: GitHubCallRequest): Promise<GitHubResponse> =>
    new Promise((resolve, reject) => {
      const { method = 'POST', path, headers, body = '' } = request
      pool.dispatch({ path, method, headers, body }, new Exchange(request, starts, resolve, reject))
    })
  return {
    call: async (request) => {
      const start = performance.now()
      try {
        return await send(kept, request)
      } catch (error) {
        const timeout = request.timeout - (performance.now() - start)
        if (!(error instanceof KeptConnectionEnded && request.mayRepeat) || timeout <= 0)
          throw error
        return send(fresh, { ...request, timeout })
      }
    },
    close: async () => {
      starts.close()
      await Promise.all([kept.destroy(), fresh.destroy()])
    },
  }
}

/** A connection that had carried other requests ended before the first byte of a response. */
class KeptConnectionEnded extends GitHubCallError {}

/**
 * Undici publishes this right after `onRequestStart` of a request; nothing else tells the connection.
 *
 * @see https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
 */
const REQUEST_STARTS = 'undici:client:sendHeaders'

/** Finds the connection of each request. */
class RequestStarts {
  #starting: ((socket: Socket) => void) | undefined

  constructor() {
    subscribe(REQUEST_STARTS, this.#publish)
  }

  /** To be called in `onRequestStart`. @param told is called with the connection of that request */
  next(told: (socket: Socket) => void): void {
    this.#starting = told
  }

  close(): void {
    unsubscribe(REQUEST_STARTS, this.#publish)
  }

  readonly #publish = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket } // as undici documents it
    this.#starting?.(socket)
    this.#starting = undefined
  }
}

type AnswerHeaders = Record<string, string | string[] | undefined>

/**
 * One request and its response. Undici's events tell what its promises do not: whether a byte of the
 * request can have left before it failed.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: GitHubResponse) => void
  readonly #reject: (fault: GitHubCallError) => void
  readonly #timer: NodeJS.Timeout
  readonly #starts: RequestStarts
  #connection: { readonly socket: Socket; readonly readBefore: number } | undefined
  readonly #reads: boolean
  readonly #responseBytes: number
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status: number | undefined
  #headers: AnswerHeaders = {}
  #size = 0
  #late = false

  constructor(
    {
      timeout,
      reads = false,
      responseBytes = RESPONSE_BYTES,
    }: Pick<GitHubCallRequest, 'timeout' | 'reads' | 'responseBytes'>,
    starts: RequestStarts,
    resolve: (answer: GitHubResponse) => void,
    reject: (fault: GitHubCallError) => void,
  ) {
    this.#starts = starts
    this.#resolve = resolve
    this.#reject = reject
    this.#reads = reads
    this.#responseBytes = responseBytes
    this.#timer = setTimeout(() => this.#expire(), timeout)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#late) {
      controller.abort(new Error('no time is left'))
      return
    }
    this.#controller = controller
    this.#starts.next((socket) => {
      this.#connection = { socket, readBefore: socket.bytesRead }
    })
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    // A hint before the response, such as 103, does not tell the result of the request.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (status < 300 && !this.#reads) this.#answer(status)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#responseBytes) controller.abort(new Error('the answer is too long'))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    if (this.#status !== undefined) this.#answer(this.#status)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer)
    if (this.#status === undefined) this.#fail(error)
    else this.#answer(this.#status)
  }

  #expire(): void {
    this.#late = true
    const error = new Error('no answer in time')
    // A request that has not started is not told; `onRequestStart` finds it late.
    if (this.#controller) this.#controller.abort(error)
    else this.#fail(error)
  }

  #answer(status: number): void {
    const header = (name: string) => {
      const value = this.#headers[name]
      return Array.isArray(value) ? value[0] : value
    }
    const text = this.#size > 0 ? Buffer.concat(this.#chunks).toString() : ''
    this.#resolve({ status, header, text })
  }

  #fail(cause: Error): void {
    const options = { sent: this.#controller !== undefined, cause }
    const { socket, readBefore = 0 } = this.#connection ?? {}
    const isKept = readBefore > 0 && socket?.bytesRead === readBefore && isEndOfConnection(cause)
    const ErrorOfCall = isKept ? KeptConnectionEnded : GitHubCallError
    this.#reject(new ErrorOfCall(cause.message, options))
  }
}

function isEndOfConnection(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException
  return error instanceof errors.SocketError || code === 'ECONNRESET' || code === 'EPIPE'
}
