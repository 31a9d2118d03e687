import { writeDispatch } from '../wire/payload.ts'
import type { Secret } from '../wire/secret.ts'
import { type Attempts, invalidToken, RelayError } from './errors.ts'
import type { Dispatch, DispatchPort } from './relay.ts'

export interface Clock {
  now(): Date
  sleep(milliseconds: number): Promise<void>
  /** From 0, less than 1. */
  random(): number
}

export interface ForwardOptions {
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

const MOST_TRIES = 3

/** Makes each dispatch a call of the platform's API, with as many tries as its faults allow. */
export function dispatchTo(options: ForwardOptions): DispatchPort {
  const { apiUrl, clock, budget } = options
  const base = apiUrl.pathname.replace(/\/+$/, '')
  return async (dispatch) => {
    const start = clock.now().getTime()
    const deadline = start + budget
    const lastTry = Math.min(deadline, start + (options.retryTime ?? budget))
    const { owner, name } = dispatch.repository
    const first = `${base}/repos/${owner}/${name}/dispatches`
    let path = first
    for (let tries = 1; ; tries++) {
      const { verdict, attempts } = await attempt(path, tries, dispatch, deadline, options)
      if (verdict.kind === 'accepted') return attempts
      if (verdict.kind !== 'moved') await pause(verdict, attempts, lastTry, clock)
      else if (path === first) path = redirected(verdict.location, first, base, apiUrl, attempts)
      else throw platformUnavailable().after(attempts)
    }
  }
}

/** @throws RelayError when no other try may be made, or none is left, or no time for one */
async function pause(
  verdict: Refused | Retry,
  attempts: Attempts,
  lastTry: number,
  clock: Clock,
): Promise<void> {
  if (verdict.kind === 'refused') throw verdict.error.after(attempts)
  const delay = verdict.wait ?? jitter(attempts.tries - 1, clock)
  const inTime = clock.now().getTime() + delay < lastTry
  if (attempts.tries === MOST_TRIES || !inTime) throw verdict.error.after(attempts)
  await clock.sleep(delay)
}

/** Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
function jitter(retry: number, clock: Clock): number {
  return clock.random() * Math.min(1500, 250 * 2 ** retry)
}

interface Attempted {
  readonly verdict: Verdict
  readonly attempts: Attempts
}

async function attempt(
  path: string,
  tries: number,
  { repository, credential, clientPayload }: Dispatch,
  deadline: number,
  { call, clock }: ForwardOptions,
): Promise<Attempted> {
  const send = (token: Secret | undefined) => {
    const timeout = Math.max(1, deadline - clock.now().getTime())
    const body = writeDispatch(clientPayload)
    return call({ path, headers: platformHeaders(token), body, timeout })
  }
  try {
    const wanted = { repository, event: 'repository_dispatch' } as const
    const token = await credential.token(wanted)
    const first = await send(token)
    // A token that the relay made itself may have ended before its time: it makes another one.
    const other = first.status === 401 && (await credential.token({ ...wanted, refused: token }))
    const answer = other && other !== token ? await send(other) : first
    const attempts = { tries, platformStatus: answer.status }
    return { verdict: classifyResponse(answer, clock.now()), attempts }
  } catch (fault) {
    return { verdict: classifyFault(fault), attempts: { tries } }
  }
}

export function platformHeaders(token: Secret | undefined): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    'content-type': 'application/json',
    'user-agent': 'hookline-relay',
    'x-github-api-version': '2022-11-28',
    ...(token && { authorization: `Bearer ${token.reveal()}` }),
  }
}

/** GitHub answers so for a repository that was renamed or moved. */
const DISPATCHES = /^\/(?:repos\/[\w-]+\/[\w.-]+|repositories\/\d+)\/dispatches$/

/**
 * Where to send the event instead.
 *
 * @throws RelayError unless it is within the same API: a token must not follow any other redirect
 */
function redirected(
  location: string,
  from: string,
  base: string,
  { origin }: URL,
  attempts: Attempts,
): string {
  const current = `${origin}${from}`
  const { href } = URL.canParse(location, current) ? new URL(location, current) : { href: '' }
  const within = href.startsWith(`${origin}${base}/`) && attempts.tries < MOST_TRIES
  const path = href.slice(origin.length)
  if (within && path !== from && DISPATCHES.test(path.slice(base.length))) return path
  throw platformUnavailable().after(attempts)
}

/** Not accepted for sure, and another try may be. */
interface Retry {
  readonly kind: 'again'
  readonly error: RelayError
  /** Milliseconds that the platform asks to wait. */
  readonly wait?: number
}

/** Not accepted, or nobody can tell: not to be tried again. */
interface Refused {
  readonly kind: 'refused'
  readonly error: RelayError
}

/** What an attempt to dispatch came to. */
type Verdict =
  | { readonly kind: 'accepted' }
  /** To be sent once more, to another address. */
  | { readonly kind: 'moved'; readonly location: string }
  | Retry
  | Refused

const MOVED: ReadonlySet<number> = new Set([307, 308])

/** Bad gateway, service unavailable: a small risk of a double, which the sender's own retry has too. */
const NOT_ACCEPTED: ReadonlySet<number> = new Set([502, 503])

/** Seconds, where the platform names none: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
const DEFAULT_RETRY_AFTER = 60

export function classifyResponse(answer: PlatformAnswer, now: Date): Verdict {
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  if (MOVED.has(status)) return { kind: 'moved', location: answer.header('location') ?? '' }
  if (isRateLimit(answer)) return rateLimited(answer, now)
  if (NOT_ACCEPTED.has(status)) return { kind: 'again', error: platformUnavailable() }
  return { kind: 'refused', error: refusal(answer) }
}

function classifyFault(fault: unknown): Verdict {
  if (fault instanceof RelayError) return withoutToken(fault)
  if (!(fault instanceof PlatformFault)) throw fault
  if (fault.sent) return { kind: 'refused', error: platformTimeout(fault) }
  return { kind: 'again', error: platformUnavailable(fault) }
}

/** There was no token to ask with, so GitHub was not told of the event. */
function withoutToken(error: RelayError): Verdict {
  if (error.status !== 429 && error.status !== 502 && error.status !== 503) {
    return { kind: 'refused', error }
  }
  const { retryAfter } = error
  return { kind: 'again', error, ...(retryAfter !== undefined && { wait: retryAfter * 1000 }) }
}

export function platformUnavailable(cause?: unknown): RelayError {
  return new RelayError(502, 'platform_unavailable', 'GitHub did not accept the event', {
    hint: 'send the request again later',
    cause,
  })
}

function platformTimeout(cause: unknown): RelayError {
  return new RelayError(504, 'platform_timeout', 'GitHub did not answer in time', {
    hint: 'the event may have been accepted: send it again, and let the workflow drop duplicates',
    cause,
  })
}

function refusal({ status, text }: PlatformAnswer): RelayError {
  if (status === 401) return invalidToken()
  if (status === 403 || status === 404) {
    return new RelayError(
      403,
      'repository_not_accessible',
      'the token cannot reach the repository',
      {
        hint: 'check its name, and that the token has `contents: write` on it (classic: `repo`)',
      },
    )
  }
  if (status === 422 && /too large/i.test(text)) {
    return new RelayError(413, 'payload_too_large', 'the event is larger than GitHub accepts', {
      hint: 'send less, or only an address from which the workflow fetches the rest',
    })
  }
  if (status < 400 || status >= 500) return platformUnavailable()
  return new RelayError(422, 'rejected', `GitHub rejected the event with status ${status}`, {
    hint: 'this is no fault of the token: look at what is sent',
  })
}

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
function isRateLimit({ status, header, text }: PlatformAnswer): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  const told = header('retry-after') !== undefined || header('x-ratelimit-remaining') === '0'
  return told || /secondary rate/i.test(text)
}

function rateLimited(answer: PlatformAnswer, now: Date): Verdict {
  const told = secondsToWait(answer, now)
  const retryAfter = told ?? DEFAULT_RETRY_AFTER
  const error = new RelayError(429, 'rate_limited', "GitHub's rate limit is reached", {
    hint: `send the request again in ${retryAfter} seconds`,
    retryAfter,
  })
  if (told === undefined) return { kind: 'refused', error }
  return { kind: 'again', error, wait: told * 1000 }
}

/** `Retry-After` in seconds or as a date; else the moment at which the spent limit is filled again. */
function secondsToWait({ header }: PlatformAnswer, now: Date): number | undefined {
  const retryAfter = header('retry-after')?.trim()
  if (retryAfter && /^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const reset = header('x-ratelimit-remaining') === '0' ? header('x-ratelimit-reset') : undefined
  const until = retryAfter ? Date.parse(retryAfter) : Number(reset) * 1000
  if (!Number.isFinite(until)) return undefined
  return Math.max(0, Math.ceil((until - now.getTime()) / 1000))
}

/** What of a platform's answer the relay looks at. */
export interface PlatformAnswer {
  readonly status: number
  /** By lower-case name; `undefined` when absent. */
  header(name: string): string | undefined
  /** At most the first 64 KB; may be cut short where the answer trickled. */
  readonly text: string
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
