import { type Dispatcher, Pool } from 'undici'
import {
  type GitHubCall,
  GitHubCallError,
  type GitHubCallRequest,
  type GitHubResponse,
  RESPONSE_BYTES,
} from '../../wire/github.ts'
import { type RequestOnConnection, StaleConnectionDetector } from './stale-connections.ts'

interface GitHubConnectionPool {
  readonly call: GitHubCall
  close(): Promise<void>
}

/** Sockets towards the platform; what comes beyond waits its turn within its own time limit. */
const CONNECTIONS = 256

const CONNECT_TIMEOUT = 3000

/** Keep-alive connections to the platform's API. */
export function githubConnectionPool(apiUrl: URL): GitHubConnectionPool {
  const pool = new Pool(apiUrl.origin, {
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT },
    // `Exchange` has the one time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const stale = new StaleConnectionDetector()
  return {
    call: (request) =>
      new Promise((resolve, reject) => send(pool, stale, request, resolve, reject)),
    close: () => {
      stale.close()
      return pool.destroy()
    },
  }
}

function send(
  pool: Pool,
  stale: StaleConnectionDetector,
  request: GitHubCallRequest,
  resolve: (answer: GitHubResponse) => void,
  reject: (fault: GitHubCallError) => void,
): void {
  const { method = 'POST', path, headers, body = '' } = request
  const exchange = new Exchange(request, stale, resolve, reject)
  pool.dispatch({ path, method, headers, body }, exchange)
}

type AnswerHeaders = Record<string, string | string[] | undefined>

/**
 * One request and its answer. Undici's events tell what its promises do not: whether a byte of the
 * request can have left before it failed.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: GitHubResponse) => void
  readonly #reject: (fault: GitHubCallError) => void
  readonly #timer: NodeJS.Timeout
  readonly #stale: StaleConnectionDetector
  #sending: RequestOnConnection | undefined
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
    stale: StaleConnectionDetector,
    resolve: (answer: GitHubResponse) => void,
    reject: (fault: GitHubCallError) => void,
  ) {
    this.#stale = stale
    this.#resolve = resolve
    this.#reject = reject
    this.#reads = reads
    this.#responseBytes = responseBytes
    this.#timer = setTimeout(() => this.#expire(), timeout)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#late) controller.abort(new Error('no time is left'))
    else this.#controller = controller
    this.#sending = this.#stale.requestStarts()
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
    if (this.#sending) this.#stale.answerStarts(this.#sending)
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
    // Before it started there is no one to tell, and `onRequestStart` will find it late.
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
    const wasStale = this.#sending !== undefined && this.#stale.wasStale(this.#sending, cause)
    const sent = this.#controller !== undefined && !wasStale
    this.#reject(new GitHubCallError(cause.message, { sent, cause }))
  }
}
