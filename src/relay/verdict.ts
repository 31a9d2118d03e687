import { RelayError } from './errors.ts'
import { type PlatformAnswer, PlatformFault } from './platform.ts'
import { invalidToken } from './refusals.ts'

/** Not accepted for sure, and another try may be. */
export interface Again {
  readonly kind: 'again'
  readonly error: RelayError
  /** Milliseconds that the platform asks to wait. */
  readonly wait?: number
}

/** Not accepted, or nobody can tell: not to be tried again. */
export interface Refused {
  readonly kind: 'refused'
  readonly error: RelayError
}

/** What an attempt to dispatch came to. */
export type Verdict =
  | { readonly kind: 'accepted' }
  /** To be sent once more, to another address. */
  | { readonly kind: 'moved'; readonly location: string }
  | Again
  | Refused

const MOVED: ReadonlySet<number> = new Set([307, 308])

/** Bad gateway, service unavailable: a small risk of a double, which the sender's own retry has too. */
const NOT_ACCEPTED: ReadonlySet<number> = new Set([502, 503])

/** Seconds, where the platform names none: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
const DEFAULT_RETRY_AFTER = 60

export function judgeAnswer(answer: PlatformAnswer, now: Date): Verdict {
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  if (MOVED.has(status)) return { kind: 'moved', location: answer.header('location') ?? '' }
  if (isRateLimit(answer)) return rateLimited(answer, now)
  if (NOT_ACCEPTED.has(status)) return { kind: 'again', error: platformUnavailable() }
  return { kind: 'refused', error: refusal(answer) }
}

export function judgeFault(fault: unknown): Verdict {
  if (!(fault instanceof PlatformFault)) throw fault
  if (fault.sent) return { kind: 'refused', error: platformTimeout(fault) }
  return { kind: 'again', error: platformUnavailable(fault) }
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
