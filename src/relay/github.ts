import { jitter, SECONDARY_LIMIT } from '../wire/http.ts'
import { isObject, parsePlainJson } from '../wire/json.ts'
import type { DispatchEvent } from '../wire/payload.ts'
import type { Secret } from '../wire/secret.ts'
import type { TokenSource } from './claims.ts'
import {
  type Attempts,
  invalidToken,
  perhapsAccepted,
  perhapsNotGitHub,
  platformTimeout,
  platformUnavailable,
  platformUnreachable,
  RelayError,
  rateLimited,
  redirected,
} from './errors.ts'
import type { Repository } from './route.ts'

export interface Clock {
  now(): Date
  sleep(milliseconds: number): Promise<void>
  /** From 0, less than 1. */
  random(): number
}

export interface GitHubOptions {
  readonly call: PlatformCall
  /** Base address of the platform's API. */
  readonly apiUrl: URL
  /** Milliseconds for all tries of one event together. */
  readonly budget: number
  /** Milliseconds after which no further try begins; those of the budget when absent. */
  readonly retryTime?: number
  readonly clock: Clock
}

export const DEFAULT_BUDGET = 8000

/** What is asked about one repository; `path` is what follows `/repos/{owner}/{repo}`. */
interface Question {
  /** POST by default. */
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  /** True where the text of a 2xx is wanted too. */
  readonly reads?: boolean
}

/** What became of a question, all its tries done. */
export type Outcome =
  | { readonly accepted: true; readonly answer: PlatformAnswer }
  /** `answer` is absent when none came. */
  | { readonly accepted: false; readonly error: RelayError; readonly answer?: PlatformAnswer }

/** All that is asked for one event: one repository, one credential, one budget of time. */
export class GitHubSession {
  readonly #options: GitHubOptions
  readonly #repository: Repository
  readonly #event: DispatchEvent
  readonly #credential: TokenSource
  readonly #base: string
  readonly #deadline: number
  readonly #lastTry: number
  /** Of the repository; where GitHub says that it moved, the new one. */
  #place: string
  #hasMoved = false
  #tries = 0
  #status: number | undefined

  constructor(
    options: GitHubOptions,
    event: DispatchEvent,
    { repository, credential }: { repository: Repository; credential: TokenSource },
  ) {
    this.#options = options
    this.#event = event
    this.#repository = repository
    this.#credential = credential
    this.#base = options.apiUrl.pathname.replace(/\/+$/, '')
    const start = this.#now()
    this.#deadline = start + options.budget
    this.#lastTry = Math.min(this.#deadline, start + (options.retryTime ?? options.budget))
    this.#place = `/repos/${repository.owner}/${repository.name}`
  }

  /** How GitHub was asked so far; what is only looked up does not count. */
  get attempts(): Attempts {
    const [tries, status] = [this.#tries, this.#status]
    return status === undefined ? { tries } : { tries, platformStatus: status }
  }

  /**
   * Asks, and asks again where the fault allows it, as often as fits into the budget: after a random
   * part of 250 ms, then of twice as much, up to 1.5 s; or when GitHub says.
   */
  async ask(question: Question): Promise<Outcome> {
    for (let retries = 0; ; ) {
      const { verdict, answer } = await this.#attempt(question)
      if (verdict.kind === 'accepted') return { accepted: true, answer: verdict.answer }
      if (verdict.kind === 'moved') {
        if (this.#follow(verdict.location, question.path)) continue
        return { accepted: false, error: redirected(verdict.answer) }
      }
      const refused = { accepted: false, error: verdict.error, ...(answer && { answer }) } as const
      if (verdict.kind === 'refused') return refused
      const delay = verdict.wait || this.#jitter(retries)
      const isLast = ++retries === MOST_RETRIES || this.#now() + delay >= this.#lastTry
      if (isLast) return refused
      await this.#options.clock.sleep(delay)
    }
  }

  async #attempt(question: Question): Promise<{ verdict: Verdict; answer?: PlatformAnswer }> {
    if (question.method !== 'GET') this.#tries++
    this.#status = undefined
    try {
      const wanted = { repository: this.#repository, event: this.#event }
      const token = await this.#credential.token(wanted)
      const first = await this.#send(question, token)
      // A token that the relay made itself may have ended before its time: it makes another one.
      const other =
        first.status === 401 && (await this.#credential.token({ ...wanted, refused: token }))
      const answer = other && other !== token ? await this.#send(question, other) : first
      this.#status = answer.status
      if (question.method === 'GET') {
        if (answer.status === 200) return { verdict: { kind: 'accepted', answer }, answer }
        if (MOVED_GET.has(answer.status)) return { verdict: movedTo(answer), answer }
      }
      return { verdict: classifyResponse(answer, this.#options.clock.now(), this.#event), answer }
    } catch (fault) {
      return { verdict: classifyFault(fault) }
    }
  }

  #send(question: Question, token: Secret | undefined): Promise<PlatformAnswer> {
    const timeout = Math.max(1, this.#deadline - this.#now())
    const path = `${this.#base}${this.#place}${question.path}`
    return this.#options.call({ ...question, path, headers: platformHeaders(token), timeout })
  }

  /**
   * Goes where GitHub says that the repository is now: once, within the same API, and to the same
   * question. A token must not follow any other redirect.
   */
  #follow(location: string, path: string): boolean {
    const { origin } = this.#options.apiUrl
    const current = `${origin}${this.#base}${this.#place}${path}`
    const { href } = URL.canParse(location, current) ? new URL(location, current) : { href: '' }
    const prefix = `${origin}${this.#base}`
    if (this.#hasMoved || !href.startsWith(`${prefix}/`) || !href.endsWith(path)) return false
    const place = href.slice(prefix.length, href.length - path.length)
    if (place === this.#place || !REPOSITORY.test(place)) return false
    this.#hasMoved = true
    this.#place = place
    return true
  }

  #jitter(retry: number): number {
    return jitter(retry, this.#options.clock.random(), { first: 250, longest: 1500 })
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

/** More than ever fit into the usual budget, were every pause as short as chance allows. */
const MOST_RETRIES = 50

const REPOSITORY = /^\/(?:repos\/[\w-]+\/[\w.-]+|repositories\/\d+)$/

export function platformHeaders(token: Secret | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/vnd.github+json',
    'content-type': 'application/json',
    'user-agent': 'hookline-relay',
    'x-github-api-version': '2022-11-28',
  }
  if (token) headers.authorization = `Bearer ${token.reveal()}`
  return headers
}

/** What an attempt came to. */
type Verdict =
  | { readonly kind: 'accepted'; readonly answer: PlatformAnswer }
  /** To be sent once more, to another address. */
  | { readonly kind: 'moved'; readonly location: string; readonly answer: PlatformAnswer }
  | Retry
  /** Not accepted, or nobody can tell: not to be tried again. */
  | { readonly kind: 'refused'; readonly error: RelayError }

/** Another try may be accepted, and this one was not, or carries the same delivery id. */
interface Retry {
  readonly kind: 'again'
  readonly error: RelayError
  /** Milliseconds that the platform asks to wait. */
  readonly wait?: number
}

/** GitHub answers so for a repository that was renamed or moved. */
const MOVED: ReadonlySet<number> = new Set([307, 308])

/** To look something up, it may answer these too. */
const MOVED_GET: ReadonlySet<number> = new Set([301, 302])

/** Request timeout and conflict: a fault of the moment, on the platform's side. */
const FAULTS_OF_THE_MOMENT: ReadonlySet<number> = new Set([408, 409])

/** Seconds, where the platform names none: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
const DEFAULT_RETRY_AFTER = 60

export function classifyResponse(
  answer: PlatformAnswer,
  now: Date,
  event: DispatchEvent = 'repository_dispatch',
): Verdict {
  const { status } = answer
  if (isAccepted(answer, event)) return { kind: 'accepted', answer }
  if (MOVED.has(status)) return movedTo(answer)
  if (isRateLimit(answer)) return limitReached(answer, now)
  if (status === 503) return unavailableFor(secondsToWait(answer, now))
  // A gateway may have handed it on: the repeat carries the same delivery id.
  if (status === 502) return { kind: 'again', error: perhapsAccepted() }
  if (status >= 500) return { kind: 'refused', error: perhapsAccepted() }
  if (status < 300) return { kind: 'refused', error: perhapsNotGitHub(answer) }
  return { kind: 'refused', error: refusal(answer, event) }
}

/** A login page or a proxy's own may say 200 as well: GitHub says 204, or names the run it started. */
function isAccepted(answer: PlatformAnswer, event: DispatchEvent): boolean {
  if (answer.status !== 200 || event !== 'workflow_dispatch') return answer.status === 204
  const { workflow_run_id, html_url } = fieldsOf(answer)
  return typeof workflow_run_id === 'number' || typeof html_url === 'string'
}

function movedTo(answer: PlatformAnswer): Verdict {
  return { kind: 'moved', location: answer.header('location') ?? '', answer }
}

function classifyFault(fault: unknown): Verdict {
  if (fault instanceof RelayError) return withoutToken(fault)
  if (!(fault instanceof PlatformFault)) throw fault
  if (fault.sent) return { kind: 'refused', error: platformTimeout(fault) }
  return { kind: 'again', error: platformUnreachable(fault) }
}

/** There was no token to ask with, so GitHub was not told of the event. */
function withoutToken(error: RelayError): Verdict {
  const isPassing = error.status === 429 || error.status === 502 || error.status === 503
  if (!isPassing) return { kind: 'refused', error }
  const { retryAfter } = error
  return { kind: 'again', error, ...(retryAfter !== undefined && { wait: retryAfter * 1000 }) }
}

function unavailableFor(seconds: number | undefined): Retry {
  const error = platformUnavailable(undefined, seconds)
  return { kind: 'again', error, ...(seconds !== undefined && { wait: seconds * 1000 }) }
}

const NEEDED = {
  repository_dispatch: '`contents: write` on it (classic: `repo`)',
  workflow_dispatch: '`actions: write` on it (classic: `repo`)',
} as const satisfies Record<DispatchEvent, string>

function refusal(answer: PlatformAnswer, event: DispatchEvent): RelayError {
  const { status, text } = answer
  if (status === 401) return invalidToken()
  if (status === 403 || status === 404) {
    return new RelayError(
      403,
      'repository_not_accessible',
      'the token cannot reach the repository',
      { hint: `check its name, and that the token has ${NEEDED[event]}` },
    )
  }
  if (status === 422 && /too large/i.test(text)) {
    return new RelayError(413, 'payload_too_large', 'the event is larger than GitHub accepts', {
      hint: 'send less, or only an address from which the workflow fetches the rest',
    })
  }
  if (status < 400) return redirected(answer)
  if (FAULTS_OF_THE_MOMENT.has(status)) return platformUnavailable()
  return new RelayError(422, 'rejected', `GitHub rejected the event with status ${status}`, {
    hint: 'the token is not at fault: look at what is sent',
  })
}

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
export function isRateLimit({ status, header, text }: PlatformAnswer): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  const told = header('retry-after') !== undefined || header('x-ratelimit-remaining') === '0'
  return told || SECONDARY_LIMIT.test(text)
}

function limitReached(answer: PlatformAnswer, now: Date): Verdict {
  const told = secondsToWait(answer, now)
  const retryAfter = told ?? DEFAULT_RETRY_AFTER
  const error = rateLimited(retryAfter)
  if (told === undefined) return { kind: 'refused', error }
  return { kind: 'again', error, wait: told * 1000 }
}

/**
 * `Retry-After` in seconds or as a date; else the moment at which the spent limit is filled again. A
 * moment is told by the platform's clock, which ours may not agree with.
 */
export function secondsToWait({ header }: PlatformAnswer, now: Date): number | undefined {
  const retryAfter = header('retry-after')?.trim()
  if (retryAfter && /^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const reset = header('x-ratelimit-remaining') === '0' ? header('x-ratelimit-reset') : undefined
  const until = retryAfter ? Date.parse(retryAfter) : Number(reset) * 1000
  if (!Number.isFinite(until)) return undefined
  const answered = Date.parse(header('date') ?? '') || now.getTime()
  return Math.max(0, Math.ceil((until - answered) / 1000))
}

/** What of a platform's answer the relay looks at. */
export interface PlatformAnswer {
  readonly status: number
  /** By lower-case name; `undefined` when absent. */
  header(name: string): string | undefined
  /** At most the first 64 KB; may be cut short where the answer trickled. */
  readonly text: string
}

/** The fields of its text; none where that is not an object of JSON. */
export function fieldsOf({ text }: PlatformAnswer): Readonly<Record<string, unknown>> {
  try {
    const value = parsePlainJson(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

export interface PlatformRequest {
  /** POST by default. */
  readonly method?: 'GET' | 'POST'
  /** From the root of the platform's origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Milliseconds until the answer must be there. */
  readonly timeout: number
  /** True where the text of a 2xx is wanted too: of an accepted event it is of no use. */
  readonly reads?: boolean
}

/**
 * Sends one request, follows nothing, tries nothing twice.
 *
 * @throws PlatformFault when no answer came
 */
export type PlatformCall = (request: PlatformRequest) => Promise<PlatformAnswer>

/** Bytes of an answer that are read: enough for any error message. */
export const ANSWER_BYTES = 64 * 1024

/** No answer came from the platform. */
export class PlatformFault extends Error {
  override readonly name = 'PlatformFault'
  /** True when the request may have arrived: nobody can tell whether it took effect. */
  readonly sent: boolean

  constructor(message: string, options: ErrorOptions & { readonly sent: boolean }) {
    super(message, options)
    this.sent = options.sent
  }
}
