import { ServerVersion } from './api-version.ts'
import { jitter } from './http.ts'
import { isObject, jsonOf } from './json.ts'
import type { Secret } from './secret.ts'

/**
 * A client of GitHub's API over any `call`. It alone knows the meaning of responses, which
 * redirects to follow, and when to retry; its callers word the errors.
 */
export interface GitHubOptions {
  readonly call: GitHubCall
  /** Base address of the API. */
  readonly apiUrl: URL
  readonly clock: Clock
  /** The version that the server speaks; clients of one server share it, so that it is learned once. */
  readonly version?: ServerVersion | undefined
  /** The `User-Agent`, which GitHub requires. */
  readonly agent?: string
}

export interface Clock {
  now(): Date
  sleep(milliseconds: number): Promise<void>
  /** A number from 0, less than 1. */
  random(): number
}

/** For how long, and after which faults, a request is retried. */
export interface RetryPolicy {
  /** Milliseconds for all tries together. */
  readonly budget: number
  /** Milliseconds after which no further try begins; the budget if absent. */
  readonly retryTime?: number | undefined
  /** Milliseconds for one try; the rest of the budget if absent. */
  readonly callTime?: number
  /**
   * The side effect of a request. `event`: a retry could start something twice, so only a request
   * that GitHub surely did not accept is retried. `none`: a retry does no harm, so every temporary
   * fault is retried.
   */
  readonly sideEffect: 'event' | 'none'
  /**
   * Retries of an `event` after a gateway's 502, although GitHub may have accepted the event: 0 if
   * absent. A caller that stores events looks for the run first, and needs none.
   */
  readonly retriesOf502?: number
  /** The first pause, which doubles up to the longest; the actual pause is a random part of it. */
  readonly pause?: { readonly first: number; readonly longest: number }
  /**
   * Whether an error of `tokens` or `call` is temporary, and after how many milliseconds; otherwise
   * the error is rethrown.
   */
  readonly passes?: (fault: unknown) => { readonly wait?: number } | undefined
  /** Gets every fault that is retried. */
  readonly tell?: (refusal: GitHubRefusal) => void
}

export interface GitHubRequest {
  /** POST by default. */
  readonly method?: ApiMethod | undefined
  /** Path below the API's base: `/repos/octo/repo/dispatches`. */
  readonly path: string
  readonly body?: RequestBody | undefined
  /** True if the body of a 2xx response is read, too; for a dispatch it is useless. */
  readonly reads?: boolean | undefined
  /** The most bytes of the body to read; `RESPONSE_BYTES` if absent. */
  readonly responseBytes?: number | undefined
  /** `application/vnd.github+json` if absent. */
  readonly accept?: string
  /** Whether a 2xx response is the expected one; every 2xx is, if absent. */
  readonly accepts?: (answer: GitHubResponse) => boolean
}

type ApiMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A function, if the body depends on the version of the API. */
export type RequestBody = string | ((isOlderVersion: boolean) => string)

/**
 * Returns the token for a request; `undefined` is enough for public data.
 *
 * @param refused a token that got a 401: returns another token, if there is one
 */
export type Tokens = (refused?: Secret) => Promise<Secret | undefined>

/** The result of a request after all tries. */
export type GitHubOutcome =
  | { readonly accepted: true; readonly answer: GitHubResponse }
  /** `answer` is absent if there was no response. */
  | {
      readonly accepted: false
      readonly refusal: GitHubRefusal
      readonly answer?: GitHubResponse
    }

/**
 * Why GitHub did not accept a request:
 * https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
 */
export interface GitHubRefusal {
  readonly kind: RefusalKind
  /** The status of the response; absent without one. */
  readonly status?: number
  /** Milliseconds to wait, by the response. */
  readonly wait?: number
  /** The error if there was no request or no response. */
  readonly cause?: unknown
}

export type RefusalKind =
  /** 401 */
  | 'unauthorized'
  /** 403: the organization has not authorized the token. */
  | 'sso'
  /** 429, or a 403 whose response is a rate limit. */
  | 'limited'
  | 'forbidden'
  | 'missing'
  /** 409: another request was first. */
  | 'conflict'
  /** Any other 4xx. */
  | 'rejected'
  /** A redirect that is not followed, because the token would go elsewhere. */
  | 'redirected'
  /** A 2xx that is not the expected one: a login page, a proxy. */
  | 'strange'
  /** 408 and 503: a temporary fault without an effect. */
  | 'unavailable'
  /** Any other 5xx: the request may have had its effect. */
  | 'failed'
  /** No connection: nothing was sent. */
  | 'unreachable'
  /** No response: the request may have had its effect. */
  | 'unanswered'
  /** There was no token, or requests are held back: nothing was sent. */
  | 'unasked'

/** The repository in a path of the API. */
const REPOSITORY = /^\/(?:repos\/[\w.-]+\/[\w.-]+|repositories\/\d+)(?=[/?]|$)/

/** More retries than fit into the usual budget, even with the shortest random pauses. */
const MOST_RETRIES = 50

const PAUSE = { first: 250, longest: 1500 }

/** The calls of a client. The times are measured only for a caller that stores events. */
interface GitHubAttempts {
  readonly tries: number
  readonly githubStatus?: number
  readonly mayBeAccepted?: true
  /** When the first call began, by GitHub's clock: milliseconds since 1970. */
  readonly acceptedAt?: number
  /** Milliseconds of the last call. */
  readonly githubMs?: number
}

/** Requests that share a budget of time and the new location of a moved repository. */
export class GitHubClient {
  readonly #options: GitHubOptions
  readonly #patience: RetryPolicy
  readonly #tokens: Tokens
  readonly #version: ServerVersion
  readonly #base: string
  readonly #deadline: number
  readonly #lastTry: number
  /** The new location of the repository, which replaces the old one in paths. */
  #moved: { readonly from: string; readonly to: string } | undefined
  #tries = 0
  #status: number | undefined
  /** True after a 502 that was retried, until another try settles what it left open. */
  #mayBeAccepted = false
  #retriesOf502 = 0
  /** When the first call that counts began, and when the last one began. */
  #first: number | undefined
  #began = 0
  #times: Pick<GitHubAttempts, 'acceptedAt' | 'githubMs'> | undefined

  constructor(options: GitHubOptions, patience: RetryPolicy, tokens: Tokens) {
    this.#options = options
    this.#patience = patience
    this.#tokens = tokens
    this.#version = options.version ?? new ServerVersion(options.apiUrl)
    this.#base = this.#version.basePath
    const start = this.#now()
    this.#deadline = start + patience.budget
    this.#lastTry = Math.min(this.#deadline, start + (patience.retryTime ?? patience.budget))
  }

  /**
   * The number of tries and the last status; a GET does not count. `mayBeAccepted` is true if GitHub may
   * have accepted the request in a try before the last one.
   */
  get attempts(): GitHubAttempts {
    const [tries, status] = [this.#tries, this.#status]
    return {
      tries,
      ...(status !== undefined && { githubStatus: status }),
      ...(this.#mayBeAccepted && { mayBeAccepted: true }),
      ...this.#times,
    }
  }

  /** For a caller that stores events: when the first call began, by GitHub's clock. */
  #timesUntil(answer: GitHubResponse) {
    const { retryTime } = this.#patience
    if (retryTime === undefined || this.#first === undefined) return undefined
    const ended = this.#now()
    const ahead = Date.parse(answer.header('date') ?? '') - ended || 0
    return { acceptedAt: this.#first + ahead, githubMs: ended - this.#began }
  }

  /**
   * The new location of the last request's repository, `/repos/octo/repo` or `/repositories/1`, if
   * it moved.
   */
  get movedTo(): string | undefined {
    return this.#moved?.to
  }

  /**
   * Sends a request, and retries it if the fault allows that, as often as fits into the budget:
   * after a random part of a doubling pause, or at the time that GitHub names.
   *
   * @throws any error of `tokens`
   */
  async ask(question: GitHubRequest): Promise<GitHubOutcome> {
    for (let retries = 0; ; ) {
      const outcome = await this.#attempt(question)
      const isRejected = !outcome.accepted && outcome.refusal.kind === 'rejected'
      // GitHub would have rejected the content in every try.
      if (outcome.accepted || isRejected) this.#mayBeAccepted = false
      if (outcome.accepted) return outcome
      const { refusal, answer } = outcome
      if (answer && this.#follow(answer, question)) continue
      if (!this.#mayRepeat(refusal, question)) return outcome
      const delay = refusal.wait || this.#pause(refusal, retries)
      const isLast = ++retries === MOST_RETRIES || this.#now() + delay >= this.#lastTry
      if (isLast) return outcome
      if (refusal.kind === 'failed' && question.method !== 'GET') {
        this.#mayBeAccepted = true
        this.#retriesOf502++
      }
      this.#patience.tell?.(refusal)
      await this.#options.clock.sleep(delay)
    }
  }

  async #attempt(question: GitHubRequest): Promise<GitHubOutcome> {
    const counts = question.method !== 'GET'
    if (counts) this.#tries++
    this.#status = undefined
    try {
      const token = await this.#tokens()
      const first = await this.#send(question, token)
      // An installation token may expire early, so another one is created.
      const other = first.status === 401 && token && (await this.#tokens(token))
      const answer = other && other !== token ? await this.#send(question, other) : first
      this.#status = answer.status
      if (counts) this.#times = this.#timesUntil(answer)
      const refusal = refusalOf(answer, this.#options.clock, question)
      return refusal ? { accepted: false, refusal, answer } : { accepted: true, answer }
    } catch (cause) {
      return { accepted: false, refusal: this.#refusalWithoutAnswer(cause) }
    }
  }

  #refusalWithoutAnswer(cause: unknown): GitHubRefusal {
    if (cause instanceof GitHubCallError) {
      return { kind: cause.sent ? 'unanswered' : 'unreachable', cause }
    }
    const passing = this.#patience.passes?.(cause)
    if (!passing) throw cause
    return { kind: 'unasked', cause, ...passing }
  }

  #send(question: GitHubRequest, token: Secret | undefined): Promise<GitHubResponse> {
    const { method, body, reads, responseBytes, accept } = question
    const { callTime = Number.POSITIVE_INFINITY } = this.#patience
    const path = this.#base + this.#placed(question.path)
    return this.#version.ask((version, isOlder) => {
      const now = this.#now()
      if (method !== 'GET') {
        this.#began = now
        this.#first ??= now
      }
      const timeout = Math.max(1, Math.min(callTime, this.#deadline - now))
      const headers = githubHeaders(version, token, accept, this.#options.agent)
      const sent = typeof body === 'function' ? body(isOlder) : body
      return this.#options.call({
        method,
        path,
        headers,
        body: sent,
        timeout,
        reads,
        responseBytes,
      })
    })
  }

  #placed(path: string): string {
    const moved = this.#moved
    return moved && path.startsWith(moved.from) ? moved.to + path.slice(moved.from.length) : path
  }

  /**
   * Follows GitHub's redirect to the new location of a repository: once, within the same API, and
   * to the same path below the repository. Any other redirect would get the token.
   */
  #follow(answer: GitHubResponse, question: GitHubRequest): boolean {
    if (this.#moved || !isMove(answer, question)) return false
    const [from] = REPOSITORY.exec(question.path) ?? []
    if (from === undefined) return false
    const rest = question.path.slice(from.length)
    const { origin } = this.#options.apiUrl
    const current = `${origin}${this.#base}${question.path}`
    const location = answer.header('location') ?? ''
    const { href } = URL.canParse(location, current) ? new URL(location, current) : { href: '' }
    const prefix = `${origin}${this.#base}`
    if (!href.startsWith(`${prefix}/`) || !href.endsWith(rest)) return false
    const to = href.slice(prefix.length, href.length - rest.length)
    if (to === from || REPOSITORY.exec(to)?.[0] !== to) return false
    this.#moved = { from, to }
    return true
  }

  /** Full jitter; but after a rate limit the whole pause. */
  #pause({ kind, wait }: GitHubRefusal, retry: number): number {
    const pause = this.#patience.pause ?? PAUSE
    const isTold = wait !== undefined
    return kind === 'limited' && !isTold
      ? pause.longest
      : jitter(retry, this.#options.clock.random(), pause)
  }

  /** Whether a retry may succeed, and surely starts nothing twice. */
  #mayRepeat({ kind, status, wait }: GitHubRefusal, { method }: GitHubRequest): boolean {
    const { sideEffect, retriesOf502 = 0 } = this.#patience
    const isHarmless = sideEffect === 'none'
    if (kind === 'limited') return wait !== undefined || isHarmless
    if (kind === 'unreachable' || kind === 'unasked' || status === 503) return true
    if (status === 502 && !isHarmless) return method === 'GET' || this.#retriesOf502 < retriesOf502
    return isHarmless && ['unavailable', 'failed', 'unanswered'].includes(kind)
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

/** GitHub responds 307 or 308 for a renamed or moved repository; for a GET, also 301 or 302. */
function isMove({ status }: GitHubResponse, { method }: GitHubRequest): boolean {
  return (
    status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302))
  )
}

/** The fault in a response; `undefined` if there is none. */
export function refusalOf(
  answer: GitHubResponse,
  clock: Pick<Clock, 'now'>,
  { accepts }: Pick<GitHubRequest, 'accepts'> = {},
): GitHubRefusal | undefined {
  const { status } = answer
  if (status >= 200 && status < 300) {
    return !accepts || accepts(answer) ? undefined : { kind: 'strange', status }
  }
  if (isRateLimit(answer)) return withWait({ kind: 'limited', status }, answer, clock)
  if (status === 503) return withWait({ kind: 'unavailable', status }, answer, clock)
  return { kind: refusalKind(answer), status }
}

function refusalKind({ status, header }: GitHubResponse): RefusalKind {
  if (status < 200) return 'strange'
  if (status < 400) return 'redirected'
  if (status === 401) return 'unauthorized'
  if (status === 403) return header('x-github-sso') === undefined ? 'forbidden' : 'sso'
  if (status === 404) return 'missing'
  if (status === 408) return 'unavailable'
  if (status === 409) return 'conflict'
  return status >= 500 ? 'failed' : 'rejected'
}

/**
 * Messages of GitHub for too many requests, even if the primary rate limit is not used up, and for
 * too many wrong tokens.
 *
 * @see
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
 */
const LIMIT = /rate limit|secondary rate|abuse detection|number of login attempts exceeded/i

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
export function isRateLimit({ status, header, text }: GitHubResponse): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  const hasLimitHeader =
    header('retry-after') !== undefined || header('x-ratelimit-remaining') === '0'
  return hasLimitHeader || LIMIT.test(text)
}

function withWait(
  refusal: GitHubRefusal,
  answer: GitHubResponse,
  { now }: Pick<Clock, 'now'>,
): GitHubRefusal {
  const seconds = secondsToWait(answer, now())
  return seconds === undefined ? refusal : { ...refusal, wait: seconds * 1000 }
}

/**
 * The wait of `Retry-After`, in seconds or as a date; otherwise the time until the rate limit
 * resets. Times are compared with the `Date` of the response, because this machine's clock may
 * differ.
 */
export function secondsToWait({ header }: GitHubResponse, now: Date): number | undefined {
  const retryAfter = header('retry-after')?.trim()
  if (retryAfter && /^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const reset = header('x-ratelimit-remaining') === '0' ? header('x-ratelimit-reset') : undefined
  const until = retryAfter ? Date.parse(retryAfter) : Number(reset) * 1000
  if (!Number.isFinite(until)) return undefined
  const answered = Date.parse(header('date') ?? '') || now.getTime()
  return Math.max(0, Math.ceil((until - answered) / 1000))
}

function githubHeaders(
  version: string,
  token: Secret | undefined,
  accept = 'application/vnd.github+json',
  agent = 'hookline',
): Record<string, string> {
  const headers: Record<string, string> = {
    accept,
    'content-type': 'application/json',
    'user-agent': agent,
    'x-github-api-version': version,
  }
  if (token) headers.authorization = `Bearer ${token.reveal()}`
  return headers
}

/** The parts of GitHub's response that are used. */
export interface GitHubResponse {
  readonly status: number
  /** By lower-case name; `undefined` if absent. */
  header(name: string): string | undefined
  /** In the relay at most the first 64 KB; may be incomplete if the response was too slow. */
  readonly text: string
}

/** The fields of a JSON response; none if it is not a JSON object. */
export function fieldsOf({ text }: { readonly text: string }): Readonly<Record<string, unknown>> {
  const value = jsonOf(text)
  return isObject(value) ? value : {}
}

/** The objects of a JSON array; none for any other value. */
export function listOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export interface GitHubCallRequest
  extends Pick<GitHubRequest, 'method' | 'reads' | 'responseBytes'> {
  /** Path from the root of the origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Milliseconds until the whole response must have arrived. */
  readonly timeout: number
}

/**
 * Sends one request once, and follows no redirect.
 *
 * @throws GitHubCallError if there is no response
 */
export type GitHubCall = (request: GitHubCallRequest) => Promise<GitHubResponse>

/** Bytes of a response that the relay reads: enough for any error message. */
export const RESPONSE_BYTES = 64 * 1024

/** There was no response from GitHub. */
export class GitHubCallError extends Error {
  override readonly name = 'GitHubCallError'
  /** True if the request may have arrived, so its effect is unknown. */
  readonly sent: boolean

  constructor(message: string, options: ErrorOptions & { readonly sent: boolean }) {
    super(message, options)
    this.sent = options.sent
  }
}
