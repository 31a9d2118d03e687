/** A call to another service. Redirects are not followed. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Until the whole answer is there, in milliseconds. */
  readonly timeout: number
}

export interface HttpReply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What the relay answers to the sender. */
export interface Reply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty for an answer without a body. */
  readonly body: string
  /** What is sent in place of `body`, as it comes. */
  readonly stream?: AsyncIterable<Uint8Array>
}

/** @throws HttpFailure when no whole answer came */
export type Http = (request: HttpRequest) => Promise<HttpReply>

/** No whole answer came. Says nothing of the URL, since a bot's token is part of it. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly reason: 'timeout' | 'connection'
  /** Host of the proxy that was asked, where there is one. */
  readonly proxy: string | undefined

  constructor(reason: HttpFailure['reason'], detail: string, proxy?: string) {
    const what = reason === 'timeout' ? 'no answer in time' : 'no connection'
    super(`${what}${proxy === undefined ? '' : ` through the proxy ${proxy}`} (${detail})`)
    this.reason = reason
    this.proxy = proxy
  }
}

/**
 * Milliseconds until another try, with full jitter.
 *
 * @param retry how many there were; the pause doubles with each
 * @param random a number from 0 to below 1
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function jitter(
  retry: number,
  random: number,
  { first, longest }: { readonly first: number; readonly longest: number },
): number {
  return random * Math.min(longest, first * 2 ** retry)
}
