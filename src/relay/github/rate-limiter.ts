import { toHex } from '../../wire/bytes.ts'
import {
  type GitHubCall,
  type GitHubCallRequest,
  type GitHubResponse,
  isRateLimit,
  secondsToWait,
} from '../../wire/github-api.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { RelayError, rateLimited } from '../errors.ts'
import type { GitHubCallOutcome, RelayMetrics } from '../metrics.ts'
import type { Runtime } from '../runtime.ts'
import { OWN } from '../store/queue-name.ts'
import type { Credential } from './credential.ts'
import { type AnswerSign, Probes } from './probes.ts'
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

/** Open calls of repositories that fail, at most: a quarter, so that they leave room for the others. */
const MOST_FAILING_CALLS = MOST_OPEN_CALLS / 4

/** Milliseconds after which a call that is still open, even a lookup, makes its repository count as failing. */
const SLOW_CALL = 2500

/** Milliseconds until a queue asks again for a turn while too many calls are open. */
const BUSY_WAIT = 1000

/** A time before all others. */
const NEVER = Number.NEGATIVE_INFINITY

/** A call that has no answer yet. */
interface OpenCall {
  /** `owner/name` in lower case. */
  readonly repository: string
  readonly start: number
}

interface RateLimiterPorts extends Pick<Runtime, 'now' | 'after'> {
  /** For moments that GitHub names. */
  date(): Date
  /** Milliseconds between stored events. */
  readonly minInterval: number
  readonly metrics: RelayMetrics
}

interface Waiter {
  readonly repository: string
  go(): void
}

/**
 * Limits the calls of one GitHub credential: a token, or an App on one account. GitHub counts calls by
 * credential, so live requests and stored events share one limiter. A rate limit holds all of them; a
 * repository that fails holds up only itself.
 */
export class RateLimiter {
  readonly #ports: RateLimiterPorts
  #heldUntil = NEVER
  #carefulUntil = NEVER
  /** No turn of a stored event before this time; after a secondary rate limit, no call of a request either. */
  #nextTurn = NEVER
  #refusedUntil = NEVER
  #wasAccepted = false
  readonly #probes = new Probes()
  /** The open calls, the first of them first. */
  readonly #calls = new Set<OpenCall>()
  #hourlyLimit = DEFAULT_LIMIT
  /** Times of the lookups in the last hour. */
  #lookups: number[] = []
  /** Requests that wait until a call may begin. */
  readonly #waiting: Waiter[] = []
  #cancel: (() => void) | undefined

  constructor(ports: RateLimiterPorts) {
    this.#ports = ports
  }

  /** Milliseconds until GitHub may be called again; 0 if it may be. */
  get heldFor(): number {
    return Math.max(0, this.#heldUntil - this.#ports.now())
  }

  /** Milliseconds between stored events. */
  get minInterval(): number {
    const { minInterval } = this.#ports
    return this.#isCareful() ? Math.max(CAREFUL_INTERVAL, minInterval) : minInterval
  }

  /** The used part of the calls that lookups may make; more than 1 after GitHub named a lower limit. */
  get lookupsUsed(): number {
    this.#forgetLookups()
    return this.#lookups.length / (this.#hourlyLimit * LOOKUP_SHARE)
  }

  /**
   * True if a new event of a repository should wait without a call: the last answers of several
   * repositories were all ambiguous, and another one is tried first.
   *
   * @param repository `owner/name` in lower case, as in all methods
   */
  mustWait(repository: string): boolean {
    return this.#probes.mustWait(repository, this.#ports.now())
  }

  /** To be told of an ambiguous answer that a request got, perhaps from another process. */
  noteDoubt(repository: string): void {
    this.#probes.heard(repository, this.#ports.now())
  }

  /**
   * Checks whether a request may call GitHub.
   *
   * @throws RelayError 429 while a limit lasts, 401 for a token that GitHub refused a moment ago and never accepted
   */
  admit(): void {
    // A clock costs more than all else here, above all on Workers.
    if (this.#heldUntil === NEVER && this.#refusedUntil === NEVER) return
    const now = this.#ports.now()
    if (now < this.#heldUntil) throw rateLimited(Math.ceil((this.#heldUntil - now) / 1000))
    if (now < this.#refusedUntil) throw new RelayError('invalid_token')
  }

  /** Calls as a request: within its time. */
  live(repository: string): (call: GitHubCall) => GitHubCall {
    return (call) => (request) => {
      const mayCall = this.#waiting.length === 0 && this.#mayOpen(repository)
      return mayCall
        ? this.#observed(call, request, this.#begin(repository))
        : this.#delayed(call, request, repository)
    }
  }

  /** Calls for a stored event that has its turn. */
  granted(repository: string): (call: GitHubCall) => GitHubCall {
    return (call) => (request) => this.#observed(call, request, this.#begin(repository))
  }

  /**
   * Calls for a lookup of runs. All lookups of a credential use at most a tenth of its hourly limit. They do not
   * wait for a turn: an event in doubt whose lookup is refused would be sent again.
   *
   * @throws RelayError as `admit`, and 429 if that tenth is used up
   */
  lookup(repository: string): (call: GitHubCall) => GitHubCall {
    return (call) => async (request) => {
      this.admit()
      this.#forgetLookups()
      const now = this.#ports.now()
      const [first = now] = this.#lookups
      if (this.#lookups.length >= this.#hourlyLimit * LOOKUP_SHARE) {
        throw rateLimited(Math.ceil((first + HOUR - now) / 1000))
      }
      this.#lookups.push(now)
      return this.#observed(call, request, this.#begin(repository))
    }
  }

  /**
   * Gives the next turn to one of the repositories that have a stored event to send. While others work,
   * repositories that fail get at most a quarter of the turns.
   *
   * @returns the milliseconds until one may send, if none may now
   */
  next(ready: readonly string[]): ReturnType<Probes['next']> {
    const now = this.#ports.now()
    const wait = Math.max(this.#heldUntil, this.#nextTurn) - now
    if (wait > 0) return { wait }
    if (this.#calls.size >= MOST_OPEN_CALLS) return { wait: BUSY_WAIT }
    const isFailing = (repository: string) => this.#isFailing(repository)
    const openOfFailing = this.#openCallsOfFailing()
    const turn = this.#probes.next(ready, {
      now,
      isFailing,
      minInterval: this.minInterval,
      openOfFailing,
      isFull: openOfFailing >= MOST_FAILING_CALLS,
    })
    if ('repository' in turn) this.#nextTurn = now + this.minInterval
    return turn
  }

  /** Stops all calls for a time. */
  hold(milliseconds: number, isSecondary = false): void {
    const now = this.#ports.now()
    if (isSecondary) this.#carefulUntil = now + CAREFUL_TIME
    this.#heldUntil = Math.max(this.#heldUntil, now + Math.min(milliseconds, LONGEST_RETRY_AFTER))
    this.#pump()
  }

  async #delayed(
    call: GitHubCall,
    request: GitHubCallRequest,
    repository: string,
  ): Promise<GitHubResponse> {
    const began = this.#ports.now()
    const open = await this.#enter(repository, request.timeout)
    // A call that lasted longer would be open while the delivery loop sends its event again.
    const timeout = Math.max(1, request.timeout - (this.#ports.now() - began))
    return this.#observed(call, { ...request, timeout }, open)
  }

  async #observed(
    call: GitHubCall,
    request: GitHubCallRequest,
    open: OpenCall,
  ): Promise<GitHubResponse> {
    const { now, metrics } = this.#ports
    const { repository, start } = open
    // A lookup changes nothing at GitHub, so no answer to it leaves doubt about an event.
    const isEvent = request.method !== 'GET'
    if (isEvent) this.#probes.began(repository, start)
    try {
      const answer = await call(request)
      const end = now()
      const sign = isRateLimit(answer) ? 'none' : signOf(answer.status)
      if (isEvent) this.#probes.answered(repository, sign, end)
      metrics.called(this.#observe(answer), end - start)
      return answer
    } catch (error) {
      const end = now()
      metrics.called('unanswered', end - start)
      if (isEvent) this.#probes.answered(repository, wasSent(error) ? 'ambiguous' : 'failed', end)
      throw error
    } finally {
      this.#calls.delete(open)
      if (this.#waiting.length > 0) this.#pump()
    }
  }

  #begin(repository: string): OpenCall {
    const start = this.#ports.now()
    if (this.#isCareful()) this.#nextTurn = Math.max(this.#nextTurn, start + CAREFUL_INTERVAL)
    const open = { repository, start }
    this.#calls.add(open)
    return open
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
    // A 503 is no limit, even with `Retry-After`: it concerns one repository, so that only its queue rests.
    if (isLimit || isSpent) {
      const seconds = secondsToWait(answer, date()) ?? (isLimit ? DEFAULT_WAIT : 0)
      if (seconds > 0) this.hold(seconds * 1000, isLimit && !isSpent)
    }
    if (isLimit) return 'limited'
    if (status < 300) return 'accepted'
    return status < 500 ? 'refused' : 'failed'
  }

  #isCareful(): boolean {
    return this.#carefulUntil !== NEVER && this.#ports.now() < this.#carefulUntil
  }

  #forgetLookups(): void {
    const since = this.#ports.now() - HOUR
    this.#lookups = this.#lookups.filter((time) => time > since)
  }

  #isFailing(repository: string): boolean {
    if (this.#probes.isFailing(repository)) return true
    for (const call of this.#calls) {
      if (call.repository === repository) return this.#ports.now() - call.start > SLOW_CALL
    }
    return false
  }

  #openCallsOfFailing(): number {
    return [...this.#calls].filter(({ repository }) => this.#isFailing(repository)).length
  }

  #mayOpen(repository: string): boolean {
    const earliest = this.#isCareful() ? Math.max(this.#nextTurn, this.#heldUntil) : this.#heldUntil
    if (this.#calls.size >= MOST_OPEN_CALLS) return false
    if (earliest !== NEVER && this.#ports.now() < earliest) return false
    return !this.#isFailing(repository) || this.#openCallsOfFailing() < MOST_FAILING_CALLS
  }

  /** Waits for the turn of a request. @throws RelayError 429 if it does not come in time */
  #enter(repository: string, timeout: number): Promise<OpenCall> {
    const { after } = this.#ports
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        repository,
        go: () => {
          cancel()
          resolve(this.#begin(repository))
        },
      }
      const cancel = after(timeout, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(rateLimited(Math.ceil(this.heldFor / 1000) || 1))
      })
      this.#waiting.push(waiter)
      this.#pump()
    })
  }

  /** Lets the waiting requests go that may. The end of each call looks again. */
  #pump(): void {
    this.#cancel?.()
    this.#cancel = undefined
    for (;;) {
      const at = this.#waiting.findIndex(({ repository }) => this.#mayOpen(repository))
      if (at < 0) break
      const [waiter] = this.#waiting.splice(at, 1)
      waiter?.go()
    }
    if (this.#waiting.length === 0) return
    const { now, after } = this.#ports
    const wait = Math.max(this.#heldUntil, this.#isCareful() ? this.#nextTurn : 0) - now()
    if (wait > 0) this.#cancel = after(wait, () => this.#pump())
  }
}

/** The conclusion from a status; a rate limit says nothing about the repository. */
function signOf(status: number): AnswerSign {
  if (status < 300 || status === 422 || status === 413 || status === 400) return 'works'
  return status >= 500 && status !== 503 ? 'ambiguous' : 'failed'
}

/** True if GitHub may have received the request of a failed call. */
function wasSent(error: unknown): boolean {
  return error instanceof Error && 'sent' in error && error.sent === true
}

/** Credentials whose limiter is remembered. */
const REMEMBERED = 10_000

/** Tokens whose hash is remembered: hashing costs more than all other lookups of a request. */
const HASHES = 1000

export type NameQueue = RateLimiters['nameQueue']

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

  /** The name of an event's queue, as store/queue-name.ts reads it. */
  readonly nameQueue = async ({ repository, credential }: LimitedCall): Promise<string> =>
    `${repositoryName(repository)}#${await this.#holderOf(credential)}`

  /** `own` for the relay's own credential, otherwise the SHA-256 of the token, in hexadecimal. */
  async #holderOf({ isOwn, githubToken }: Credential): Promise<string> {
    if (isOwn) return OWN
    const text = githubToken?.reveal() ?? ''
    const known = this.#hashes.get(text)
    if (known !== undefined) return known
    const hash = await sha256(text)
    this.#hashes.set(text, hash)
    return hash
  }

  /** @param owner of the repository of a call */
  of(holder: string, owner: string): RateLimiter {
    // GitHub counts the calls of an App for each account.
    const name = holder === OWN && this.#isApp ? `app:${owner.toLowerCase()}` : holder
    const known = this.#limiters.get(name)
    if (known) return known
    const limiter = new RateLimiter(this.#ports)
    this.#limiters.set(name, limiter)
    return limiter
  }

  /** For calls that a sender waits for. */
  readonly live: Govern = async (asking) => {
    const limiter = await this.#of(asking)
    limiter.admit()
    return limiter.live(repositoryName(asking.repository))
  }

  /** For stored events whose turn has come. */
  readonly granted: Govern = async (asking) =>
    (await this.#of(asking)).granted(repositoryName(asking.repository))

  readonly lookup: Govern = async (asking) =>
    (await this.#of(asking)).lookup(repositoryName(asking.repository))

  async #of({ credential, repository }: LimitedCall): Promise<RateLimiter> {
    return this.of(await this.#holderOf(credential), repository.owner)
  }
}

/** GitHub's names do not distinguish upper from lower case. */
function repositoryName({ owner, name }: LimitedCall['repository']): string {
  return `${owner}/${name}`.toLowerCase()
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toHex(new Uint8Array(hash))
}
