import type { Credential } from '../credentials/credentials.ts'
import type { Dispatch } from '../github/dispatch.ts'
import { type Governors, isOwnHolder } from '../governor.ts'
import { backoff, backoffAside, LONGEST_WAIT, type Outcome } from './attempt.ts'
import type { OutboxEvent } from './outbox.ts'

/** Milliseconds until a lane that is refused is asked for again, each time it is; then the last. */
export const PAUSES = [1, 5, 15, 60].map((minutes) => minutes * 60_000)

/** Calls of one lane that may be open, where GitHub takes them, and is slow to say so. */
const CALLS = 4

/** At every so many failures of the first event in line others are tried too. */
const FAILURES_OF_HEAD = 3

/** So many are tried then, the first among them: it, the one behind it, and one further back. */
const TRIED_TOGETHER = 3

/** An event that waits, and what is known of it since the start. */
export interface Waiting {
  event: OutboxEvent
  /** A call for it is open. */
  isOpen: boolean
  /** Not to be tried before; in milliseconds of the queue's clock. */
  until: number
  /** Tries of it as the first in line that failed by 5xx or without an answer. */
  failures: number
  /** It was tried, and GitHub did not take it. */
  hasFailed: boolean
}

/** What is to be done next in a lane: try an event, or wait until a time; nothing where neither. */
export interface NextTry {
  readonly entry?: Waiting
  readonly at: number
}

/**
 * Events of one credential for one repository, as long as there are any. Those in `line` go in their
 * order. Those in `aside` GitHub alone refuses, or nobody can ask for them: each of them is tried at
 * times of its own, so that it holds up no other.
 */
export class Lane {
  readonly name: string
  readonly line = new Map<string, Waiting>()
  readonly aside = new Map<string, Waiting>()
  /** Calls that are open. */
  open = 0
  /** One of them was not handed to GitHub yet: what comes after it must not overtake it. */
  isPreparing = false
  /** GitHub asked not to be asked before. */
  notBefore = 0
  /** Nor is it, by ourselves, after failures and refusals. */
  backOffUntil = 0
  /** Calls for the first in line that failed, one after the other. */
  failures = 0
  /** Refusals of its credential, one after the other. */
  pauses = 0
  /** The last call was accepted. */
  flows = false
  /** When it was told that its turn is, where it was told ahead of it. */
  granted: number | undefined
  /** It waits for its turn among all lanes. */
  isAsking = false
  /** Its next look is set. */
  isAwaited = false
  /** Those that just failed, the first in line foremost, where others are tried before all wait. */
  #failedNow: readonly Waiting[] = []
  #lastOther = ''

  constructor(name: string) {
    this.name = name
  }

  get size(): number {
    return this.line.size + this.aside.size
  }

  /** Those of batches each by itself. */
  get events(): number {
    let sum = 0
    for (const { event } of this.line.values()) sum += event.count || 1
    for (const { event } of this.aside.values()) sum += event.count || 1
    return sum
  }

  /** When its first event came; `undefined` where there is none. */
  get oldest(): number | undefined {
    const [first] = this.line.values()
    const [other] = this.aside.values()
    if (!first || !other) return (first ?? other)?.event.at
    return Math.min(first.event.at, other.event.at)
  }

  entry(delivery: string): Waiting | undefined {
    return this.line.get(delivery) ?? this.aside.get(delivery)
  }

  add(entry: Waiting): void {
    const { delivery, aside } = entry.event
    if (aside > 0) this.aside.set(delivery, entry)
    else this.line.set(delivery, entry)
  }

  remove(delivery: string): void {
    this.line.delete(delivery)
    this.aside.delete(delivery)
  }

  /** @returns `undefined` when nothing can be done before an open call ends, or an event comes */
  next(now: number): NextTry | undefined {
    if (this.isPreparing || this.open >= (this.flows ? CALLS : 1)) return undefined
    const other = this.#other(now)
    if (other) return { entry: other, at: now }
    // Nobody is left to tell by: what comes later says nothing of that failure.
    this.#failedNow = []
    const aside = this.#nextAside()
    const head = this.#closed().next().value
    const first = aside && (!head || aside.until <= now) ? aside : head
    if (!first) return undefined
    const free = Math.max(this.notBefore, this.backOffUntil)
    const at = Math.max(free, first.until)
    if (at > now) return { at: aside ? Math.min(at, Math.max(free, aside.until)) : at }
    return { entry: first, at: now }
  }

  /** To be told what GitHub asks for. */
  hold(until: number): void {
    this.notBefore = Math.max(this.notBefore, until)
    this.#failedNow = []
  }

  /**
   * To be told that GitHub took an event.
   *
   * @returns the first in line, where GitHub did not take it a moment ago: it refuses that one alone
   */
  took(entry: Waiting): Waiting | undefined {
    const [stuck] = this.#failedNow
    // What overlapped with a failure of the first in line does not end the wait for that.
    if (stuck || entry === this.#head) [this.failures, this.backOffUntil] = [0, 0]
    this.#failedNow = []
    this.remove(entry.event.delivery)
    ;[this.pauses, this.flows] = [0, true]
    const isOther = entry !== stuck && entry.event.aside === 0
    return isOther && stuck === this.#head ? stuck : undefined
  }

  /** How long an event waits after a failure; its lane does too. */
  waitAfter(
    entry: Waiting,
    outcome: Exclude<Outcome, { kind: 'accepted' | 'refused' }>,
    now: number,
    random: number,
  ): { wait: number; aside: number } {
    const { aside } = entry.event
    if (outcome.kind === 'limited') {
      this.hold(now + outcome.wait)
      return { wait: outcome.wait, aside }
    }
    const backOff = (wait: number) => {
      this.backOffUntil = Math.max(this.backOffUntil, now + wait)
      return { wait, aside }
    }
    if (outcome.kind === 'paused') {
      this.#failedNow = []
      this.pauses++
      return backOff(pauseOf(this.pauses))
    }
    if (outcome.kind === 'aside' || aside > 0) {
      const wait = outcome.kind === 'aside' ? pauseOf(aside + 1) : backoffAside(aside + 1, random)
      entry.until = now + wait
      return { wait, aside: aside + 1 }
    }
    // Calls that overlap fail together, and so do those that are tried with the head: as one.
    if (entry === this.#head) this.failures++
    this.#noteFailed(entry, outcome.kind === 'failed')
    return backOff(backoff(Math.max(1, this.failures), random))
  }

  /** Events from before a time that failed, and of which no call is open. */
  olderThan(limit: number): Waiting[] {
    const old: Waiting[] = []
    const isOld = (entry: Waiting) => !entry.isOpen && entry.event.at < limit
    for (const entry of this.line.values()) {
      if (!isOld(entry)) break
      // What the whole lane is refused with, none of it needs to be asked for.
      if (this.pauses === 0 && !entry.hasFailed) break
      old.push(entry)
    }
    for (const entry of this.aside.values()) if (entry.hasFailed && isOld(entry)) old.push(entry)
    return old
  }

  get #head(): Waiting | undefined {
    const [head] = this.line.values()
    return head
  }

  /**
   * Whether GitHub refuses the head alone, only others can tell. They are tried at once after it, so
   * that the head is the first to go where GitHub is back; and the one behind it before any other.
   */
  #noteFailed(entry: Waiting, isByGitHub: boolean): void {
    const [head, behind] = this.line.values()
    const { length } = this.#failedNow
    if (entry === head) {
      if (isByGitHub) entry.failures++
      const isStuck = isByGitHub && entry.failures % FAILURES_OF_HEAD === 0
      this.#failedNow = isStuck ? [entry] : []
    } else if (length > 1 || (length === 1 && entry === behind)) {
      if (length > 1) this.#lastOther = entry.event.delivery
      this.#failedNow = isByGitHub ? [...this.#failedNow, entry] : []
    }
  }

  /** Who is tried now, after the head and before all wait: the one behind it, then others in turn. */
  #other(now: number): Waiting | undefined {
    const { length, 0: head } = this.#failedNow
    if (!head || head !== this.#head || length === TRIED_TOGETHER) return undefined
    const [behind, ...others] = [...this.#closed()].filter((entry) => entry !== head)
    // Where a call for one may be open yet, the lane waits for it.
    if (length === 1) return behind && behind.until <= now ? behind : undefined
    const free = others.filter(({ until }) => until <= now)
    const last = free.findIndex(({ event }) => event.delivery === this.#lastOther)
    return free[last + 1] ?? free[0]
  }

  *#closed(): Generator<Waiting, undefined> {
    for (const entry of this.line.values()) if (!entry.isOpen) yield entry
    return undefined
  }

  #nextAside(): Waiting | undefined {
    let first: Waiting | undefined
    for (const entry of this.aside.values()) {
      if (!entry.isOpen && (!first || entry.until < first.until)) first = entry
    }
    return first
  }
}

function pauseOf(times: number): number {
  return PAUSES[Math.min(times, PAUSES.length) - 1] ?? LONGEST_WAIT
}

/**
 * Tells the lane of an event: all that the relay dispatches with an authority of its own share one,
 * whatever key or grant came.
 */
export function laneNames(
  governors: Pick<Governors, 'holderOf'>,
): (event: Pick<Dispatch, 'repository' | 'credential'>) => Promise<string> | string {
  return ({ repository: { owner, name }, credential }) => {
    // GitHub's names do not tell upper from lower case.
    const place = `${owner}/${name}`.toLowerCase()
    const holder = governors.holderOf(credential)
    if (typeof holder === 'string') return `${place}#${holder}`
    return holder.then((hash) => `${place}#${hash}`)
  }
}

export function isOwnLane(lane: string): boolean {
  return isOwnHolder(holderOfLane(lane))
}

/** `owner/name`, in lower case. */
export function repositoryOf(lane: string): string {
  return lane.slice(0, lane.indexOf('#'))
}

export function ownerOf(lane: string): string {
  return lane.slice(0, lane.indexOf('/'))
}

/** `own`, or the hash of a token. */
export function holderOfLane(lane: string): string {
  return lane.slice(lane.indexOf('#') + 1)
}

/** Names in a record who sent an event, and tells nothing that could be used. */
export function labelOf({ kind, id, kid }: Credential, lane: string): string {
  if (kind === 'token') return `token:${holderOfLane(lane).slice(0, 8)}`
  return `${kind}:${(kind === 'grant' ? id : kid) ?? ''}`
}

type Named = Pick<OutboxEvent, 'delivery' | 'lane' | 'credential'>

/** Who and what an event is of, for the log. */
export function namesOf({ delivery, lane, credential }: Named) {
  return { delivery, repository: repositoryOf(lane), credential }
}
