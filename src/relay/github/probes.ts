import { BoundedCache } from '../bounded-cache.ts'

/** Repositories of a credential whose last answers are remembered. */
const REMEMBERED = 1000

/** A credential is in doubt when so many repositories turned ambiguous, and none answered clearly since. */
const REPOSITORIES_IN_DOUBT = 3

/** Milliseconds between stored events of failing repositories while in doubt: doubled to a minute. */
const FIRST_PROBE = 1000
const LONGEST_PROBE = 60_000

/** The same between repositories that did not fail; the one that worked last does not wait. */
const LONGEST_TRY = 4000

/** Of four turns, repositories that fail get one. */
const SHARE = 4

/**
 * - `works`: GitHub accepted an event of the repository, or refused its content
 * - `failed`: GitHub did not accept the event, for certain
 * - `ambiguous`: GitHub may have accepted the event
 * - `none`: the answer says nothing about the repository
 */
export type AnswerSign = 'works' | 'failed' | 'ambiguous' | 'none'

interface RepositoryHealth {
  sign: AnswerSign
  /** When GitHub last answered that the repository works. */
  worked: number
  /** When it got its last turn. */
  turned: number
}

interface ProbeTime {
  readonly now: number
  /** Milliseconds between two turns. */
  readonly minInterval: number
  /** Open calls of repositories that fail. */
  readonly openOfFailing: number
  /** True if these have no room for another call. */
  readonly isFull: boolean
  isFailing(repository: string): boolean
}

/**
 * Decides which repository of a credential is tried next. A repository that fails concerns no other one.
 * The credential is in doubt only if several repositories turned ambiguous, and no clear answer came
 * since: then GitHub as a whole may fail, and few events are tried, so that few are in doubt.
 */
export class Probes {
  readonly #health = new BoundedCache<string, RepositoryHealth>(REMEMBERED)
  /** Repositories that turned ambiguous since the last clear answer to any. */
  readonly #turned = new Set<string>()
  /** The repository that worked last, unless an event of it was tried since the credential is in doubt. */
  #favorite: string | undefined
  /** Since the last clear answer: ambiguous ones of repositories that failed before, and tries of others. */
  #failingProbes = 0
  #tries = 0
  #nextProbe = Number.NEGATIVE_INFINITY
  #nextTry = Number.NEGATIVE_INFINITY
  /** No turn of a failing repository before this time. */
  #nextFailing = Number.NEGATIVE_INFINITY
  #turnsSinceFailing = SHARE

  get isInDoubt(): boolean {
    return this.#turned.size >= REPOSITORIES_IN_DOUBT
  }

  isFailing(repository: string): boolean {
    const { sign } = this.#health.get(repository) ?? {}
    return sign === 'failed' || sign === 'ambiguous'
  }

  /** True if a new event of a repository waits without a call. */
  mustWait(repository: string, now: number): boolean {
    if (!this.isInDoubt || repository === this.#favorite) return false
    return this.isFailing(repository) || now < this.#nextTry
  }

  next(ready: readonly string[], time: ProbeTime): { repository: string } | { wait: number } {
    const failing = ready.filter((repository) => time.isFailing(repository))
    const working = ready.filter((repository) => !failing.includes(repository))
    const workingIn = this.#tryIn(working, time)
    const failingIn = failing.length === 0 ? Number.POSITIVE_INFINITY : this.#failingIn(time)
    const hasShare = !this.isInDoubt && this.#turnsSinceFailing >= SHARE - 1
    const isTurnOfFailing = workingIn > 0 || hasShare
    if (failingIn <= 0 && isTurnOfFailing) {
      this.#nextFailing = time.now + SHARE * time.minInterval
      this.#nextProbe = time.now + doubled(this.#failingProbes, LONGEST_PROBE)
      this.#turnsSinceFailing = 0
      return this.#choose(failing, time.now)
    }
    if (workingIn <= 0) {
      this.#turnsSinceFailing++
      return this.#choose(working, time.now)
    }
    return { wait: Math.min(workingIn, failingIn) }
  }

  /** To be told of each call that asks GitHub to accept an event. */
  began(repository: string, now: number): void {
    if (!this.isInDoubt || this.isFailing(repository)) return
    if (repository === this.#favorite) this.#favorite = undefined
    this.#nextTry = now + doubled(this.#tries++, LONGEST_TRY)
  }

  /** To be told of each answer to an event. */
  answered(repository: string, sign: AnswerSign, now: number): void {
    if (sign === 'none') return
    const known = this.#healthOf(repository)
    if (sign !== 'ambiguous') {
      this.#turned.clear()
      this.#failingProbes = 0
      this.#tries = 0
      this.#nextTry = now
      this.#nextProbe = now
    } else if (known.sign === 'ambiguous') {
      this.#failingProbes++
      this.#nextProbe = now + doubled(this.#failingProbes, LONGEST_PROBE)
    } else {
      this.#turned.add(repository)
      this.#nextProbe = now + FIRST_PROBE
    }
    known.sign = sign
    if (sign === 'works') {
      known.worked = now
      this.#favorite = repository
    } else if (repository === this.#favorite) this.#favorite = undefined
  }

  /** To be told of an ambiguous answer that another process got, or this one. */
  heard(repository: string, now: number): void {
    const isKnown = this.#health.get(repository)?.sign === 'ambiguous'
    if (!isKnown) this.answered(repository, 'ambiguous', now)
  }

  #tryIn(working: readonly string[], { now }: ProbeTime): number {
    if (working.length === 0) return Number.POSITIVE_INFINITY
    const isFree = !this.isInDoubt || working.some((repository) => repository === this.#favorite)
    return isFree ? 0 : Math.max(0, this.#nextTry - now)
  }

  #failingIn({ now, isFull, openOfFailing }: ProbeTime): number {
    if (isFull || (this.isInDoubt && openOfFailing > 0)) return FIRST_PROBE
    const earliest = this.isInDoubt
      ? Math.max(this.#nextProbe, this.#nextFailing)
      : this.#nextFailing
    return Math.max(0, earliest - now)
  }

  /** In doubt the one that worked last is tried first; otherwise all take turns. */
  #choose(repositories: readonly string[], now: number): { repository: string } {
    const rank = (repository: string) => {
      const { worked, turned } = this.#healthOf(repository)
      return this.isInDoubt ? [-worked, turned] : [turned, 0]
    }
    const favored = this.isInDoubt ? repositories.filter((one) => one === this.#favorite) : []
    const [best = ''] = [...favored, ...repositories].toSorted((one, other) => {
      const [a = 0, b = 0] = rank(one)
      const [c = 0, d = 0] = rank(other)
      // Two times before all others are equal.
      return a === c ? (b === d ? 0 : b - d) : a - c
    })
    this.#healthOf(best).turned = now
    return { repository: best }
  }

  #healthOf(repository: string): RepositoryHealth {
    const known = this.#health.get(repository)
    if (known) return known
    const never = Number.NEGATIVE_INFINITY
    const health: RepositoryHealth = { sign: 'none', worked: never, turned: never }
    this.#health.set(repository, health)
    return health
  }
}

function doubled(times: number, longest: number): number {
  return Math.min(longest, FIRST_PROBE * 2 ** times)
}
