import { toHex } from '../../wire/bytes.ts'
import {
  type GitHubCall,
  type GitHubResponse,
  isRateLimit,
  secondsToWait,
} from '../../wire/github-api.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { invalidToken, rateLimited } from '../errors.ts'
import type { GitHubCallOutcome, RelayMetrics } from '../metrics.ts'
import type { Credential } from './credential.ts'
import { Probes } from './probes.ts'
import type { Govern, LimitedCall } from './send.ts'

/** Concurrent calls that GitHub allows: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits */
const MOST_OPEN_CALLS = 100

/** Milliseconds between calls after a secondary rate limit, and for how long. */
const CAREFUL_INTERVAL = 750
const CAREFUL_TIME = 10 * 60_000

/** GitHub's windows are an hour: a longer wait comes from a wrong clock. */
export const LONGEST_RETRY_AFTER = 3_600_000

/** Seconds, if GitHub names none. */
const DEFAULT_WAIT = 60

/** Calls in an hour that GitHub allows, until a response names them. */
const DEFAULT_LIMIT = 5000

/** The part of these calls that lookups of runs may use. */
const LOOKUP_SHARE = 0.1

const HOUR = 3_600_000

/** Milliseconds for which a token that GitHub does not know is refused without a call. */
const REFUSED_TIME = 60_000

export interface RateLimiterPorts {
  /** Milliseconds since any moment; never jumps. */
  now(): number
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, back: () => void): () => void
  /** For moments that GitHub names. */
  date(): Date
  /** Milliseconds between calls while events wait. */
  readonly minInterval: number
  readonly metrics: RelayMetrics
}

interface Waiter {
  go(): void
}

/**
 * Limits the calls of one GitHub credential: a token, or an App on one account. GitHub counts calls by
 * credential, so live requests and stored events share one limiter.
 */
export class RateLimiter {
  readonly #ports: RateLimiterPorts
  #heldUntil = Number.NEGATIVE_INFINITY
  #carefulUntil = Number.NEGATIVE_INFINITY
  /** No call before this time while events wait. */
  #next = Number.NEGATIVE_INFINITY
  #refusedUntil = Number.NEGATIVE_INFINITY
  #wasAccepted = false
  #open = 0
  readonly #probes = new Probes()
  #isStoredNext = false
  #hourlyLimit = DEFAULT_LIMIT
  /** Times of the lookups in the last hour. */
  #lookups: number[] = []
  /** Calls of requests. */
  readonly #live: Waiter[] = []
  /** Queues with stored events. */
  readonly #stored: Waiter[] = []
  #cancel: (() => void) | undefined

  constructor(ports: RateLimiterPorts) {
    this.#ports = ports
  }

  /** Milliseconds until GitHub may be called again; 0 if it may be. */
  get heldFor(): number {
    return Math.max(0, this.#heldUntil - this.#ports.now())
  }

  /** Milliseconds between calls. */
  get minInterval(): number {
    const { now, minInterval } = this.#ports
    return now() < this.#carefulUntil ? Math.max(CAREFUL_INTERVAL, minInterval) : minInterval
  }

  /** True if nobody knows whether GitHub accepted the last event. */
  get isInDoubt(): boolean {
    return this.#probes.isInDoubt
  }

  /**
   * Checks whether a request may call GitHub.
   *
   * @throws RelayError 429 while a limit lasts, 401 for a token that GitHub refused a moment ago
   */
  admit(): void {
    const now = this.#ports.now()
    if (now < this.#heldUntil) throw rateLimited(Math.ceil((this.#heldUntil - now) / 1000))
    if (now < this.#refusedUntil) throw invalidToken()
  }

  /** Calls as a request: within its time, and in turn with stored events. */
  readonly live =
    (call: GitHubCall): GitHubCall =>
    (request) => {
      // The usual request does not wait.
      if (!this.#isFree()) {
        return this.#enter(request.timeout).then(() => this.#observed(call, request))
      }
      this.#open++
      return this.#observed(call, request)
    }

  /** Calls for a stored event whose `turn` has come. */
  readonly granted =
    (call: GitHubCall): GitHubCall =>
    async (request) => {
      this.#open++
      return this.#observed(call, request)
    }

  /**
   * Calls for a lookup of runs. All lookups of a credential use at most a tenth of its hourly limit.
   *
   * @throws RelayError 429 if that tenth is used up, or while a limit lasts
   */
  readonly lookup =
    (call: GitHubCall): GitHubCall =>
    async (request) => {
      this.admit()
      const now = this.#ports.now()
      this.#lookups = this.#lookups.filter((time) => time > now - HOUR)
      const [first = now] = this.#lookups
      if (this.#lookups.length >= this.#hourlyLimit * LOOKUP_SHARE) {
        throw rateLimited(Math.ceil((first + HOUR - now) / 1000))
      }
      this.#lookups.push(now)
      this.#open++
      return this.#observed(call, request)
    }

  /** Resolves when a queue may call GitHub for a stored event. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#stored.push({ go: resolve })
      this.#pump()
    })
  }

  /** Stops all calls for a time. */
  hold(milliseconds: number, isSecondary = false): void {
    const now = this.#ports.now()
    if (isSecondary) this.#carefulUntil = now + CAREFUL_TIME
    this.#heldUntil = Math.max(this.#heldUntil, now + Math.min(milliseconds, LONGEST_RETRY_AFTER))
    this.#pump()
  }

  async #observed(call: GitHubCall, request: Parameters<GitHubCall>[0]): Promise<GitHubResponse> {
    const { now, metrics } = this.#ports
    const start = now()
    // A lookup changes nothing at GitHub, so it leaves no doubt.
    const isEvent = request.method !== 'GET'
    try {
      const answer = await call(request)
      const { status } = answer
      if (isEvent) this.#probes.responded(status >= 500 && status !== 503, now())
      metrics.called(this.#observe(answer), now() - start)
      return answer
    } catch (error) {
      metrics.called('unanswered', now() - start)
      if (isEvent && wasSent(error)) this.#probes.responded(true, now())
      throw error
    } finally {
      this.#open--
      if (this.#live.length > 0 || this.#stored.length > 0) this.#pump()
    }
  }

  #observe(answer: GitHubResponse): GitHubCallOutcome {
    const { status, header } = answer
    const { now, date, metrics } = this.#ports
    const remaining = header('x-ratelimit-remaining')
    if (remaining !== undefined && /^\d{1,9}$/.test(remaining)) {
      metrics.left(this, Number(remaining))
    }
    const limit = header('x-ratelimit-limit')
    if (limit !== undefined && /^[1-9]\d{0,8}$/.test(limit)) this.#hourlyLimit = Number(limit)
    if (status < 300) this.#wasAccepted = true
    if (status === 401 && !this.#wasAccepted) this.#refusedUntil = now() + REFUSED_TIME
    const isLimit = isRateLimit(answer)
    const isSpent = remaining === '0'
    if (isLimit || isSpent || (status === 503 && header('retry-after') !== undefined)) {
      const seconds = secondsToWait(answer, date()) ?? (isLimit ? DEFAULT_WAIT : 0)
      if (seconds > 0) this.hold(seconds * 1000, isLimit && !isSpent)
    }
    if (isLimit) return 'limited'
    if (status < 300) return 'accepted'
    return status < 500 ? 'refused' : 'failed'
  }

  #isFree(): boolean {
    const isFirst = this.#live.length === 0 && this.#stored.length === 0
    const earliest = Math.max(this.#next, this.#heldUntil)
    return isFirst && this.#open < MOST_OPEN_CALLS && this.#ports.now() >= earliest
  }

  /** Waits for the turn of a request. @throws RelayError 429 if it does not come in time */
  #enter(timeout: number): Promise<void> {
    const { after } = this.#ports
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        go: () => {
          cancel()
          this.#open++
          resolve()
        },
      }
      const cancel = after(timeout, () => {
        this.#live.splice(this.#live.indexOf(waiter), 1)
        reject(rateLimited(Math.ceil(this.heldFor / 1000) || 1))
      })
      this.#live.push(waiter)
      this.#pump()
    })
  }

  /** Lets waiting calls go, in turns, so that neither a long queue nor many senders block the other. */
  #pump(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const { now, after } = this.#ports
    while (this.#open < MOST_OPEN_CALLS && this.#live.length + this.#stored.length > 0) {
      // While responses are ambiguous, one stored event is tried at a time.
      const isHeld = this.#stored.length === 0 || (this.isInDoubt && this.#open > 0)
      const probeIn = isHeld ? Number.POSITIVE_INFINITY : this.#probes.waitAt(now())
      const hasLive = this.#live.length > 0
      const earliest = Math.max(this.#heldUntil, this.#next) - now()
      const wait = hasLive ? earliest : Math.max(earliest, probeIn)
      // While a call is open and in doubt, its end pumps again.
      if (wait === Number.POSITIVE_INFINITY) return
      if (wait > 0) {
        this.#cancel = after(wait, () => this.#pump())
        return
      }
      const isStored = probeIn <= 0 && (this.#isStoredNext || !hasLive)
      this.#isStoredNext = !isStored
      if (this.#stored.length > 0) this.#next = now() + this.minInterval
      if (isStored) this.#probes.tried(now())
      const waiter = isStored ? this.#stored.shift() : this.#live.shift()
      waiter?.go()
    }
  }
}

/** True if GitHub may have received the request of a failed call. */
function wasSent(error: unknown): boolean {
  return error instanceof Error && 'sent' in error && error.sent === true
}

/** Credentials whose limiter is remembered. */
const REMEMBERED = 10_000

/** Tokens whose hash is remembered: hashing costs more than all other lookups of a request. */
const HASHES = 1000

/** The rate limiters of all GitHub credentials that were used lately. */
export class RateLimiters {
  readonly #ports: RateLimiterPorts
  readonly #isApp: boolean
  readonly #limiters = new BoundedCache<string, RateLimiter>(REMEMBERED)
  readonly #hashes = new BoundedCache<string, string>(HASHES)

  /** @param isApp true if the relay's own credential is an App, which has limits per account */
  constructor(ports: RateLimiterPorts, isApp: boolean) {
    this.#ports = ports
    this.#isApp = isApp
  }

  /** `own` for the relay's own credential, otherwise the SHA-256 of the token, in hexadecimal. */
  async holderOf(credential: Credential): Promise<string> {
    const known = this.#knownHolder(credential)
    if (known !== undefined) return known
    const text = textOf(credential)
    const hash = await sha256(text)
    this.#hashes.set(text, hash)
    return hash
  }

  #knownHolder(credential: Credential): string | undefined {
    return credential.isOwn ? OWN : this.#hashes.get(textOf(credential))
  }

  /** @param owner of the repository of a call */
  of(holder: string, owner: string): RateLimiter {
    const name = this.nameOf(holder, owner)
    const known = this.#limiters.get(name)
    if (known) return known
    const limiter = new RateLimiter(this.#ports)
    this.#limiters.set(name, limiter)
    return limiter
  }

  /** The credential by which GitHub counts calls. */
  nameOf(holder: string, owner: string): string {
    return holder === OWN && this.#isApp ? `app:${owner.toLowerCase()}` : holder
  }

  /** For calls that a sender waits for. */
  readonly live: Govern = async ({ credential, repository }) => {
    if (credential.kind === 'none') return undefined
    const holder = this.#knownHolder(credential) ?? (await this.holderOf(credential))
    const limiter = this.of(holder, repository.owner)
    limiter.admit()
    return limiter.live
  }

  /** For stored events whose turn has come. */
  readonly granted: Govern = async (asking) => (await this.#of(asking))?.granted

  /** For lookups of runs. */
  readonly lookup: Govern = async (asking) => (await this.#of(asking))?.lookup

  async #of({ credential, repository }: LimitedCall): Promise<RateLimiter | undefined> {
    if (credential.kind === 'none') return undefined
    return this.of(await this.holderOf(credential), repository.owner)
  }
}

const OWN = 'own'

function textOf({ githubToken }: Credential): string {
  return githubToken?.reveal() ?? ''
}

export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toHex(new Uint8Array(hash))
}
