import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { type Dispatcher, errors, Pool } from 'undici'
import {
  ANSWER_BYTES,
  type PlatformAnswer,
  type PlatformCall,
  PlatformFault,
  type PlatformRequest,
} from './github.ts'

interface PlatformPool {
  readonly call: PlatformCall
  close(): Promise<void>
}

/** Sockets towards the platform; what comes beyond waits its turn within its own time limit. */
const CONNECTIONS = 256

const CONNECT_TIMEOUT = 3000

/** Keep-alive connections to the platform's API. */
export function platformPool(apiUrl: URL): PlatformPool {
  const pool = new Pool(apiUrl.origin, {
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT },
    // `Exchange` has the one time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const pace: Pace = { fastest: Infinity, starting: undefined }
  const atStart = (message: unknown) => {
    // https://undici.nodejs.org/#/docs/api/DiagnosticsChannel has what it is.
    pace.starting?.startsOn((message as { socket: Socket }).socket)
    pace.starting = undefined
  }
  subscribe(REQUEST_STARTS, atStart)
  return {
    call: (request) => new Promise((resolve, reject) => send(pool, pace, request, resolve, reject)),
    close: () => {
      unsubscribe(REQUEST_STARTS, atStart)
      return pool.destroy()
    },
  }
}

function send(
  pool: Pool,
  pace: Pace,
  request: PlatformRequest,
  resolve: (answer: PlatformAnswer) => void,
  reject: (fault: PlatformFault) => void,
): void {
  const { method = 'POST', path, headers, body = '' } = request
  const exchange = new Exchange(request, pace, resolve, reject)
  pool.dispatch({ path, method, headers: { ...headers }, body }, exchange)
}

/** Said of every request right after `onRequestStart`, and the one way to learn its connection. */
const REQUEST_STARTS = 'undici:client:sendHeaders'

interface Pace {
  /** Milliseconds of the fastest answer so far. */
  fastest: number
  /** The request that is about to be written to a connection. */
  starting: Exchange | undefined
}

/** An end that comes in less than this part of the fastest answer was on its way before the request. */
const TOO_SOON = 0.8

type AnswerHeaders = Record<string, string | string[] | undefined>

/**
 * One request and its answer. Undici's events tell what its promises do not: whether a byte of the
 * request can have left before it failed.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: PlatformAnswer) => void
  readonly #reject: (fault: PlatformFault) => void
  readonly #timer: NodeJS.Timeout
  readonly #pace: Pace
  #start = 0
  /** What its connection had read for requests before it. */
  #readBefore = 0
  readonly #reads: boolean
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status: number | undefined
  #headers: AnswerHeaders = {}
  #size = 0
  #late = false

  constructor(
    { timeout, reads = false }: Pick<PlatformRequest, 'timeout' | 'reads'>,
    pace: Pace,
    resolve: (answer: PlatformAnswer) => void,
    reject: (fault: PlatformFault) => void,
  ) {
    this.#pace = pace
    this.#resolve = resolve
    this.#reject = reject
    this.#reads = reads
    this.#timer = setTimeout(() => this.#expire(), timeout)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#late) controller.abort(new Error('no time is left'))
    else this.#controller = controller
    this.#start = performance.now()
    this.#pace.starting = this
  }

  startsOn({ bytesRead }: Socket): void {
    this.#readBefore = bytesRead
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    // A hint ahead of the answer, such as 103, says nothing of what became of the request.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    this.#pace.fastest = Math.min(this.#pace.fastest, performance.now() - this.#start)
    if (status < 300 && !this.#reads) this.#answer(status)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > ANSWER_BYTES) controller.abort(new Error('the answer is too long'))
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
    // Before it started there is no one to tell, and `onRequestStart` will find it late.
    if (this.#controller) this.#controller.abort(error)
    else this.#fail(error)
  }

  #answer(status: number): void {
    const header = (name: string) => [this.#headers[name]].flat()[0]
    const text = this.#size > 0 ? Buffer.concat(this.#chunks).toString() : ''
    this.#resolve({ status, header, text })
  }

  #fail(cause: Error): void {
    const sent = this.#controller !== undefined && !this.#wasIdleEnded(cause)
    this.#reject(new PlatformFault(cause.message, { sent, cause }))
  }

  /**
   * True when the platform ended a kept connection while the request was on its way to it: it ends
   * without a byte, sooner than the platform has ever answered.
   */
  #wasIdleEnded(cause: Error): boolean {
    if (!(cause instanceof errors.SocketError)) return false
    if (this.#readBefore === 0 || cause.socket?.bytesRead !== this.#readBefore) return false
    return performance.now() - this.#start < this.#pace.fastest * TOO_SOON
  }
}
