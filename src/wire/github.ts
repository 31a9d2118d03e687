import { jitter } from './http.ts'
import { isObject, parsePlainJson } from './json.ts'
import type { Secret } from './secret.ts'

/**
 * GitHub's API, asked over any `call`: a question becomes an outcome. What an answer means, which one
 * moves a question elsewhere, and when it is asked again, stands here alone; who asks adds the words.
 */
export interface GitHubOptions {
  readonly call: GitHubCall
  /** Base address of the API. */
  readonly apiUrl: URL
  readonly clock: Clock
  /** The `User-Agent`, which GitHub wants of everyone. */
  readonly agent?: string
}

export interface Clock {
  now(): Date
  sleep(milliseconds: number): Promise<void>
  /** From 0, less than 1. */
  random(): number
}

/** For how long, and after what, a question is asked again. */
export interface RetryPolicy {
  /** Milliseconds for all tries together. */
  readonly budget: number
  /** Milliseconds after which no further try begins; those of the budget when absent. */
  readonly retryTime?: number | undefined
  /** Milliseconds for one try; what is left of the budget when absent. */
  readonly callTime?: number
  /**
   * What a repeat may do. `event`: start something twice, so that only what was surely not accepted is
   * asked again, and a gateway's 502. `nothing`: no harm, so that whatever may pass is waited for.
   */
  readonly sideEffect: 'event' | 'none'
  /** The first pause, which doubles up to the longest, and of which a random part is waited. */
  readonly pause?: { readonly first: number; readonly longest: number }
  /** Whether what tokens or call threw may pass, and after how many milliseconds; else it is thrown on. */
  readonly passes?: (fault: unknown) => { readonly wait?: number } | undefined
  /** Is told of every fault that is outlived. */
  readonly tell?: (refusal: GitHubRefusal) => void
}

export interface GitHubRequest {
  /** POST by default. */
  readonly method?: Method | undefined
  /** From the API's base: `/repos/octo/repo/dispatches`. */
  readonly path: string
  readonly body?: string | undefined
  /** True where the text of a 2xx is wanted too. */
  readonly reads?: boolean | undefined
  /** Bytes of the text that are read, at most; `RESPONSE_BYTES` when absent. */
  readonly responseBytes?: number | undefined
  /** `application/vnd.github+json` when absent. */
  readonly accept?: string
  /** Whether a 2xx is the one that is meant; any is, when absent. */
  readonly accepts?: (answer: GitHubResponse) => boolean
  /** True if the body has a delivery id, by which a duplicate is recognized. */
  readonly hasDelivery?: boolean | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * What the questions are asked with; nothing is enough for what is public.
 *
 * @param refused a token that GitHub called 401: another one, where there is one
 */
export type Tokens = (refused?: Secret) => Promise<Secret | undefined>

/** What became of a question, all its tries done. */
export type GitHubOutcome =
  | { readonly accepted: true; readonly answer: GitHubResponse }
  /** `answer` is absent when none came. */
  | {
      readonly accepted: false
      readonly refusal: GitHubRefusal
      readonly answer?: GitHubResponse
    }

/** Why GitHub did not do what it was asked for: https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api */
export interface GitHubRefusal {
  readonly kind: RefusalKind
  /** Of the answer; absent where none came. */
  readonly status?: number
  /** Milliseconds that GitHub asks to wait. */
  readonly wait?: number
  /** The fault, where GitHub was not asked or no answer came. */
  readonly cause?: unknown
}

export type RefusalKind =
  /** 401 */
  | 'unauthorized'
  /** 403: the organization has not authorized the token. */
  | 'sso'
  /** 429, or a 403 that says so. */
  | 'limited'
  | 'forbidden'
  | 'missing'
  /** 409: somebody else was first. */
  | 'conflict'
  /** Any other 4xx. */
  | 'rejected'
  /** A redirect that no token may follow. */
  | 'redirected'
  /** A 2xx that is not the one that was asked for: a login page, a proxy. */
  | 'strange'
  /** 408 and 503: a fault of the moment, at which nothing was done. */
  | 'unavailable'
  /** Any other 5xx: it may have been done. */
  | 'failed'
  /** No connection: nothing has left. */
  | 'unreachable'
  /** No answer: it may have been done. */
  | 'unanswered'
  /** There was no token to ask with, or it is held back: GitHub was not asked. */
  | 'unasked'

/** Where a renamed repository is: the first part of a path in the API. */
const REPOSITORY = /^\/(?:repos\/[\w-]+\/[\w.-]+|repositories\/\d+)(?=[/?]|$)/

/** More than ever fit into the usual budget, were every pause as short as chance allows. */
const MOST_RETRIES = 50

const PAUSE = { first: 250, longest: 1500 }

/** Questions that share a budget of time, and what is learnt of where a repository is now. */
export class GitHubClient {
  readonly #options: GitHubOptions
  readonly #patience: RetryPolicy
  readonly #tokens: Tokens
  readonly #base: string
  readonly #deadline: number
  readonly #lastTry: number
  /** Where the repository was said to be, in place of what the questions name. */
  #moved: { readonly from: string; readonly to: string } | undefined
  #tries = 0
  #status: number | undefined

  constructor(options: GitHubOptions, patience: RetryPolicy, tokens: Tokens) {
    this.#options = options
    this.#patience = patience
    this.#tokens = tokens
    this.#base = options.apiUrl.pathname.replace(/\/+$/, '')
    const start = this.#now()
    this.#deadline = start + patience.budget
    this.#lastTry = Math.min(this.#deadline, start + (patience.retryTime ?? patience.budget))
  }

  /** How GitHub was asked so far; what is only looked up does not count. */
  get attempts(): { readonly tries: number; readonly githubStatus?: number } {
    const [tries, status] = [this.#tries, this.#status]
    return status === undefined ? { tries } : { tries, githubStatus: status }
  }

  /** Where the repository of the last question is, `/repos/octo/repo` or `/repositories/1`, if it moved. */
  get movedTo(): string | undefined {
    return this.#moved?.to
  }

  /**
   * Asks, and asks again where the fault allows it, as often as fits into the budget: after a random
   * part of a pause that doubles, or when GitHub says.
   *
   * @throws whatever the tokens throw
   */
  async ask(question: GitHubRequest): Promise<GitHubOutcome> {
    for (let retries = 0; ; ) {
      const outcome = await this.#attempt(question)
      if (outcome.accepted) return outcome
      const { refusal, answer } = outcome
      if (refusal.kind === 'redirected' && answer && this.#follow(answer, question)) continue
      if (!mayRepeat(refusal, this.#patience)) return outcome
      const delay = refusal.wait || this.#pause(refusal, retries)
      const isLast = ++retries === MOST_RETRIES || this.#now() + delay >= this.#lastTry
      if (isLast) return outcome
      this.#patience.tell?.(refusal)
      await this.#options.clock.sleep(delay)
    }
  }

  async #attempt(question: GitHubRequest): Promise<GitHubOutcome> {
    if (question.method !== 'GET') this.#tries++
    this.#status = undefined
    try {
      const token = await this.#tokens()
      const first = await this.#send(question, token)
      // A token that was made for this may have ended before its time: another one is made.
      const other = first.status === 401 && token && (await this.#tokens(token))
      const answer = other && other !== token ? await this.#send(question, other) : first
      this.#status = answer.status
      const refusal = refusalOf(answer, this.#options.clock.now(), question)
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
    const { method, body, reads, responseBytes, accept, hasDelivery = false } = question
    const { callTime = Number.POSITIVE_INFINITY, sideEffect } = this.#patience
    const timeout = Math.max(1, Math.min(callTime, this.#deadline - this.#now()))
    const path = this.#base + this.#placed(question.path)
    const headers = githubHeaders(token, accept, this.#options.agent)
    const mayRepeat = method === 'GET' || sideEffect === 'none' || hasDelivery
    const call = { method, path, headers, body, timeout, reads, responseBytes, mayRepeat }
    return this.#options.call(call)
  }

  #placed(path: string): string {
    const { from, to } = this.#moved ?? { from: '', to: '' }
    return from !== '' && path.startsWith(from) ? to + path.slice(from.length) : path
  }

  /**
   * Goes where GitHub says that the repository is now: once, within the same API, and to the same
   * question. A token must not follow any other redirect.
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

  /** Full jitter; those who call too fast wait as long as they would at most. */
  #pause({ kind, wait }: GitHubRefusal, retry: number): number {
    const pause = this.#patience.pause ?? PAUSE
    const isTold = wait !== undefined
    return kind === 'limited' && !isTold
      ? pause.longest
      : jitter(retry, this.#options.clock.random(), pause)
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

/** Whether another try may be accepted, and this one does no harm. */
function mayRepeat(refusal: GitHubRefusal, { sideEffect }: RetryPolicy): boolean {
  const { kind, status, wait } = refusal
  if (kind === 'limited') return wait !== undefined || sideEffect === 'none'
  if (kind === 'unreachable' || kind === 'unasked' || status === 502 || status === 503) return true
  return sideEffect === 'none' && ['unavailable', 'failed', 'unanswered'].includes(kind)
}

/** GitHub answers 307 and 308 for a repository that was renamed or moved; to look something up, the others too. */
function isMove({ status }: GitHubResponse, { method }: GitHubRequest): boolean {
  return (
    status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302))
  )
}

/** What an answer says is wrong; `undefined` where nothing is. */
export function refusalOf(
  answer: GitHubResponse,
  now: Date,
  { accepts }: Pick<GitHubRequest, 'accepts'> = {},
): GitHubRefusal | undefined {
  const { status } = answer
  if (status >= 200 && status < 300) {
    return !accepts || accepts(answer) ? undefined : { kind: 'strange', status }
  }
  if (isRateLimit(answer)) return withWait({ kind: 'limited', status }, answer, now)
  if (status === 503) return withWait({ kind: 'unavailable', status }, answer, now)
  return { kind: kindOf(answer), status }
}

function kindOf({ status, header }: GitHubResponse): RefusalKind {
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
 * What GitHub says to those who call too fast, whatever number of calls they have left, and to those who
 * came with too many wrong tokens.
 *
 * @see https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
 */
const LIMIT = /rate limit|secondary rate|abuse detection|number of login attempts exceeded/i

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
export function isRateLimit({ status, header, text }: GitHubResponse): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  const told = header('retry-after') !== undefined || header('x-ratelimit-remaining') === '0'
  return told || LIMIT.test(text)
}

function withWait(refusal: GitHubRefusal, answer: GitHubResponse, now: Date): GitHubRefusal {
  const seconds = secondsToWait(answer, now)
  return seconds === undefined ? refusal : { ...refusal, wait: seconds * 1000 }
}

/**
 * `Retry-After` in seconds or as a date; else the moment at which the spent limit is filled again. A
 * moment is told by the platform's clock, which ours may not agree with.
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
  token: Secret | undefined,
  accept = 'application/vnd.github+json',
  agent = 'hookline',
): Record<string, string> {
  const headers: Record<string, string> = {
    accept,
    'content-type': 'application/json',
    'user-agent': agent,
    'x-github-api-version': '2022-11-28',
  }
  if (token) headers.authorization = `Bearer ${token.reveal()}`
  return headers
}

/** What of a platform's answer is looked at. */
export interface GitHubResponse {
  readonly status: number
  /** By lower-case name; `undefined` when absent. */
  header(name: string): string | undefined
  /** At most the first 64 KB where the relay asked; may be cut short where the answer trickled. */
  readonly text: string
}

/** The fields of its text; none where that is not an object of JSON. */
export function fieldsOf({ text }: { readonly text: string }): Readonly<Record<string, unknown>> {
  const value = jsonOf(text)
  return isObject(value) ? value : {}
}

/** The objects of a JSON array; none for any other value. */
export function listOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** `undefined` for what is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return parsePlainJson(text)
  } catch {
    return undefined
  }
}

export interface GitHubCallRequest {
  /** POST by default. */
  readonly method?: Method | undefined
  /** From the root of the platform's origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Milliseconds until the answer must be there. */
  readonly timeout: number
  /** True where the text of a 2xx is wanted too: of an accepted event it is of no use. */
  readonly reads?: boolean | undefined
  /** Bytes of the text that are read, at most; `RESPONSE_BYTES` when absent. */
  readonly responseBytes?: number | undefined
  /** True if the request does no harm when it arrives twice: it reads, or has a delivery id. */
  readonly mayRepeat?: boolean | undefined
}

/**
 * Sends one request and follows no redirect. It is sent a second time only if `mayRepeat` is true and
 * a kept connection ended.
 *
 * @throws GitHubCallError when no answer came
 */
export type GitHubCall = (request: GitHubCallRequest) => Promise<GitHubResponse>

/** Bytes of an answer that the relay reads: enough for any error message. */
export const RESPONSE_BYTES = 64 * 1024

/** No answer came from the platform. */
export class GitHubCallError extends Error {
  override readonly name = 'GitHubCallError'
  /** True when the request may have arrived: nobody can tell whether it took effect. */
  readonly sent: boolean

  constructor(message: string, options: ErrorOptions & { readonly sent: boolean }) {
    super(message, options)
    this.sent = options.sent
  }
}
