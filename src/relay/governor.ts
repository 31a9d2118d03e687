import { toHex } from '../wire/bytes.ts'
import { type GitHubCall, type GitHubResponse, isRateLimit, secondsToWait } from '../wire/github.ts'
import { BoundedCache } from './bounded-cache.ts'
import { type Credential, isOwn } from './credentials/credentials.ts'
import type { GitHubCallOutcome, RelayMetrics } from './endpoints/metrics.ts'
import { invalidToken, rateLimited } from './errors.ts'
import type { Dispatch, Govern } from './github/dispatch.ts'

/** Calls that GitHub allows at once: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits */
const CALLS_AT_ONCE = 100

/** Milliseconds from call to call once GitHub spoke of a secondary limit, and for how long. */
const CAREFUL_PACE = 750
const CAREFUL_TIME = 10 * 60_000

/** GitHub's windows are an hour: a longer wait was told by a clock that is wrong. */
export const LONGEST_WAIT = 3_600_000

/** Seconds, where GitHub names none. */
const DEFAULT_WAIT = 60

/** Milliseconds for which a token that GitHub does not know is refused without asking. */
const REFUSED_TIME = 60_000

export interface GovernorPorts {
  /** Milliseconds since any moment; never jumps. */
  now(): number
  /** Calls back after so many milliseconds; what it returns keeps it from doing so. */
  after(milliseconds: number, back: () => void): () => void
  /** For moments that GitHub names. */
  date(): Date
  /** Milliseconds from call to call while something waits. */
  readonly pace: number
  readonly metrics: RelayMetrics
}

/**
 * What one authority of GitHub may be asked: a token, or an App on one account. GitHub counts by it,
 * so all that is asked with it passes here: what senders wait for, and what waits in the outbox.
 */
export class Governor {
  readonly #ports: GovernorPorts
  #heldUntil = Number.NEGATIVE_INFINITY
  #carefulUntil = Number.NEGATIVE_INFINITY
  /** No paced call before. */
  #next = Number.NEGATIVE_INFINITY
  #refusedUntil = Number.NEGATIVE_INFINITY
  #wasAccepted = false
  #open = 0
  #isLanesTurn = false
  /** Calls that senders wait for. */
  readonly #live: Waiter[] = []
  readonly #lanes: Waiter[] = []
  #cancel: (() => void) | undefined

  constructor(ports: GovernorPorts) {
    this.#ports = ports
  }

  /** Milliseconds until GitHub may be asked again; 0 when it may. */
  get heldFor(): number {
    return Math.max(0, this.#heldUntil - this.#ports.now())
  }

  /** Milliseconds from call to call. */
  get pace(): number {
    const { now, pace } = this.#ports
    return now() < this.#carefulUntil ? Math.max(CAREFUL_PACE, pace) : pace
  }

  /**
   * To be asked before a request begins to ask GitHub.
   *
   * @throws RelayError 429 while a limit lasts, 401 for a token that GitHub called that a moment ago
   */
  admit(): void {
    const now = this.#ports.now()
    if (now < this.#heldUntil) throw rateLimited(Math.ceil((this.#heldUntil - now) / 1000))
    if (now < this.#refusedUntil) throw invalidToken()
  }

  /** Asks as a request does: within its time, and in its turn where calls are counted. */
  readonly live =
    (call: GitHubCall): GitHubCall =>
    (request) => {
      const wait = this.#enter(request.timeout)
      if (wait) return wait.then(() => this.#observed(call, request))
      this.#open++
      return this.#observed(call, request)
    }

  /** Asks as a lane does that has had its `turn`. */
  readonly granted =
    (call: GitHubCall): GitHubCall =>
    (request) => {
      this.#open++
      return this.#observed(call, request)
    }

  /** Resolves when it is a lane's turn to ask. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#lanes.push({ go: resolve })
      this.#pump()
    })
  }

  /** Takes in that GitHub asks for patience. */
  hold(milliseconds: number, isSecondary = false): void {
    const now = this.#ports.now()
    if (isSecondary) this.#carefulUntil = now + CAREFUL_TIME
    this.#heldUntil = Math.max(this.#heldUntil, now + Math.min(milliseconds, LONGEST_WAIT))
    this.#pump()
  }

  async #observed(call: GitHubCall, request: Parameters<GitHubCall>[0]): Promise<GitHubResponse> {
    const { now, metrics } = this.#ports
    const start = now()
    try {
      const answer = await call(request)
      metrics.called(this.#observe(answer), now() - start)
      return answer
    } catch (error) {
      metrics.called('unanswered', now() - start)
      throw error
    } finally {
      this.#open--
      this.#pump()
    }
  }

  #observe(answer: GitHubResponse): GitHubCallOutcome {
    const { status, header } = answer
    const { now, date, metrics } = this.#ports
    const remaining = header('x-ratelimit-remaining')
    if (remaining !== undefined && /^\d{1,9}$/.test(remaining)) {
      metrics.left(this, Number(remaining))
    }
    if (status < 300) this.#wasAccepted = true
    if (status === 401 && !this.#wasAccepted) this.#refusedUntil = now() + REFUSED_TIME
    const isLimit = isRateLimit(answer)
    const isSpent = remaining === '0'
    if (isLimit || isSpent || (status === 503 && header('retry-after') !== undefined)) {
      const told = secondsToWait(answer, date())
      const seconds = told ?? (isLimit ? DEFAULT_WAIT : 0)
      if (seconds > 0) this.hold(seconds * 1000, isLimit && !isSpent)
    }
    if (isLimit) return 'limited'
    if (status < 300) return 'accepted'
    return status < 500 ? 'refused' : 'failed'
  }

  /** @returns what to wait for; `undefined` when nothing is in the way, which is the usual case */
  #enter(timeout: number): Promise<void> | undefined {
    const { now, after } = this.#ports
    const isFirst = this.#live.length === 0 && this.#lanes.length === 0
    const earliest = Math.max(this.#next, this.#heldUntil)
    if (isFirst && this.#open < CALLS_AT_ONCE && now() >= earliest) return undefined
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

  /** Lets those go on whose turn it is, and looks again when it is the next one's. */
  #pump(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const { now, after } = this.#ports
    while (this.#open < CALLS_AT_ONCE && this.#live.length + this.#lanes.length > 0) {
      const wait = Math.max(this.#heldUntil, this.#next) - now()
      if (wait > 0) {
        this.#cancel = after(wait, () => this.#pump())
        return
      }
      // By turns: neither a long queue nor many senders keep the other side waiting.
      const isPaced = this.#lanes.length > 0
      const isLane = isPaced && (this.#isLanesTurn || this.#live.length === 0)
      this.#isLanesTurn = !isLane
      if (isPaced) this.#next = now() + this.pace
      const waiter = isLane ? this.#lanes.shift() : this.#live.shift()
      waiter?.go()
    }
  }
}

interface Waiter {
  go(): void
}

/** Authorities whose governor is remembered. */
const REMEMBERED = 10_000

/** Tokens whose hash is remembered: to make one costs more than all else that is looked up. */
const HASHES = 1000

/** For what a call is made, and by whom. */
type Asking = Pick<Dispatch, 'repository' | 'credential'>

/** The governors of all authorities that GitHub was asked with lately. */
export class Governors {
  readonly #ports: GovernorPorts
  readonly #isApp: boolean
  readonly #governors = new BoundedCache<string, Governor>(REMEMBERED)
  readonly #hashes = new BoundedCache<string, string>(HASHES)

  /** @param isApp whether the relay's own authority is an App, which has limits on each account */
  constructor(ports: GovernorPorts, isApp: boolean) {
    this.#ports = ports
    this.#isApp = isApp
  }

  /** Whom a credential stands for: `own`, or the SHA-256 of a token, in hexadecimal. */
  holderOf(credential: Credential): string | Promise<string> {
    if (isOwn(credential)) return OWN
    const text = credential.githubToken?.reveal() ?? ''
    const known = this.#hashes.get(text)
    if (known !== undefined) return known
    return sha256(text).then((hash) => {
      this.#hashes.set(text, hash)
      return hash
    })
  }

  /** @param owner of the repository that GitHub is asked about */
  of(holder: string, owner: string): Governor {
    const authority = this.authorityOf(holder, owner)
    const known = this.#governors.get(authority)
    if (known) return known
    const governor = new Governor(this.#ports)
    this.#governors.set(authority, governor)
    return governor
  }

  /** What GitHub counts calls by. */
  authorityOf(holder: string, owner: string): string {
    return holder === OWN && this.#isApp ? `app:${owner.toLowerCase()}` : holder
  }

  /** For calls that senders wait for. */
  readonly live: Govern = (asking) =>
    this.#with(asking, (governor) => {
      governor.admit()
      return governor.live
    })

  /** For calls of lanes that had their turn. */
  readonly granted: Govern = (asking) => this.#with(asking, (governor) => governor.granted)

  #with<Result>({ credential, repository }: Asking, use: (governor: Governor) => Result) {
    if (credential.kind === 'none') return undefined
    const holder = this.holderOf(credential)
    if (typeof holder === 'string') return use(this.of(holder, repository.owner))
    return holder.then((known) => use(this.of(known, repository.owner)))
  }
}

const OWN = 'own'

export function isOwnHolder(holder: string): boolean {
  return holder === OWN
}

export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toHex(new Uint8Array(hash))
}
