import type { RawHeaders } from './headers.ts'

/** A call to another service. Redirects are not followed. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Milliseconds until the whole response must have arrived. */
  readonly timeout: number
}

export interface HttpResponse {
  readonly status: number
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** https://fetch.spec.whatwg.org/#redirect-status */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** The HTTP address that a response redirects to. Its path may contain a token. */
export function redirectOf(
  { status, headers }: HttpResponse,
  { url }: Pick<HttpRequest, 'url'>,
): URL | undefined {
  const { location = '' } = headers
  const isRedirect = REDIRECTS.includes(status) && location !== '' && URL.canParse(location, url)
  const address = isRedirect ? new URL(location, url) : undefined
  return address && /^https?:$/.test(address.protocol) ? address : undefined
}

/** One HTTP request as it came: no web `Request`, which would normalise its path. */
export interface RelayRequest {
  /** Upper case. */
  readonly method: string
  /** The raw request target, in origin or absolute form. */
  readonly target: string
  readonly headers: RawHeaders
  /**
   * Called once at most. A body that ends early rejects with the runtime's own error.
   *
   * @param arrived is told how many bytes came, as they come; what it throws ends the reading
   * @throws RangeError as soon as more than `limit` bytes have come
   */
  readBody(limit: number, arrived?: (bytes: number) => void): Promise<Uint8Array>
  /**
   * The body in pieces, in place of `readBody`; the rest is discarded if the reader stops early. Absent where
   * bodies cannot be stored.
   */
  pieces?(): AsyncIterable<Uint8Array>
  /** Calls back if the client ends the connection before it has the response. Absent if nobody can tell. */
  whenGone?(back: () => void): void
}

export interface RelayResponse {
  readonly status: number
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty for a response without a body. */
  readonly body: string
  /** A stream that replaces `body`. */
  readonly stream?: AsyncIterable<Uint8Array>
}

/** @throws HttpFailure if there is no complete response */
export type Http = (request: HttpRequest) => Promise<HttpResponse>

/**
 * There was no complete response. It does not contain the URL, because that may contain a bot's
 * token.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly reason: 'timeout' | 'connection'
  /** Host of the proxy, if one was used. */
  readonly proxy: string | undefined

  constructor(reason: HttpFailure['reason'], detail: string, proxy?: string) {
    const what = reason === 'timeout' ? 'no answer in time' : 'no connection'
    super(`${what}${proxy === undefined ? '' : ` through the proxy ${proxy}`} (${detail})`)
    this.reason = reason
    this.proxy = proxy
  }
}

/**
 * Milliseconds before a retry, with full jitter.
 *
 * @param retry the number of retries so far; each doubles the pause
 * @param random a number from 0, less than 1
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function jitter(
  retry: number,
  random: number,
  { first, longest }: { readonly first: number; readonly longest: number },
): number {
  return random * Math.min(longest, first * 2 ** retry)
}

export function jsonResponse(value: unknown): RelayResponse {
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: JSON.stringify(value) }
}
