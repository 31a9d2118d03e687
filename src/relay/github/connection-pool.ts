import { type Dispatcher, Pool } from 'undici'
import {
  GitHubCallError,
  type GitHubCallRequest,
  type GitHubResponse,
  RESPONSE_BYTES,
} from '../../wire/github-api.ts'

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
 * Keep-alive connections to GitHub's API. A request is sent once: if its connection ends before the
 * response, GitHub may have accepted the event.
 */
export function githubConnectionPool(apiUrl: URL) {
  const pool = new Pool(apiUrl.origin, OPTIONS)
  return {
    call: (request: GitHubCallRequest) =>
      new Promise<GitHubResponse>((resolve, reject) => {
        const { method = 'POST', path, headers, body = '' } = request
        pool.dispatch({ path, method, headers, body }, new Exchange(request, resolve, reject))
      }),
    close: () => pool.destroy(),
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
  readonly #request: GitHubCallRequest
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status: number | undefined
  #headers: AnswerHeaders = {}
  #size = 0
  #late = false
  #isAnswered = false

  constructor(
    request: GitHubCallRequest,
    resolve: (answer: GitHubResponse) => void,
    reject: (fault: GitHubCallError) => void,
  ) {
    this.#resolve = resolve
    this.#reject = reject
    this.#request = request
    this.#timer = setTimeout(() => this.#expire(), request.timeout)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#late) {
      controller.abort(new Error('no time is left'))
      return
    }
    this.#controller = controller
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
    if (status < 300 && !this.#request.reads) this.#answer(status)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { responseBytes = RESPONSE_BYTES } = this.#request
    this.#size += chunk.length
    if (this.#size > responseBytes) controller.abort(new Error('the answer is too long'))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    if (this.#status !== undefined && !this.#isAnswered) this.#answer(this.#status)
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
    this.#isAnswered = true
    const header = (name: string) => {
      const value = this.#headers[name]
      return Array.isArray(value) ? value[0] : value
    }
    const text = this.#size > 0 ? Buffer.concat(this.#chunks).toString() : ''
    this.#resolve({ status, header, text })
  }

  #fail(cause: Error): void {
    const sent = this.#controller !== undefined
    this.#reject(new GitHubCallError(cause.message, { sent, cause }))
  }
}
