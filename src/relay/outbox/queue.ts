import { outboxFull } from '../errors.ts'
import type { Lanes } from './accept.ts'
import { type AttemptPorts, attempt, backoff, LONGEST_WAIT, type Outcome } from './attempt.ts'
import { isOwnLane, type Lane, repositoryOf } from './lane.ts'
import type {
  Outbox,
  OutboxEvent,
  OutboxFigures,
  OutboxLimits,
  OutboxLine,
  SealedEvent,
} from './outbox.ts'

export interface QueuePorts extends AttemptPorts {
  readonly outbox: Outbox
  readonly limits: OutboxLimits
  /** Milliseconds since 1970; must not jump while the process runs. */
  now(): number
  /** From 0, less than 1. */
  random(): number
  /** Has `run(lane)` called after so many milliseconds, in place of when it was to be before. */
  wake(lane: string, delay: number): void
  log(line: OutboxLine): void
}

const SECOND = 1000
const HOUR = 3600 * SECOND
const DEAD_LETTERS = 1000
const DEAD_LETTER_AGE = 14 * 24 * HOUR
/** Lanes that may call GitHub at once. */
const CALLS = 32
/** After so many an event whose fault is ours must not hold up its lane. */
const MOST_FAILURES = 5
const KNOWN_CREDENTIALS = 10_000

/**
 * Hands events over in lanes: in their order, one call at a time, at a pace that GitHub allows. It
 * knows how many events there are; what they are stands in the outbox alone.
 */
export class OutboxQueue implements Lanes {
  readonly #ports: QueuePorts
  readonly #keyIds: readonly string[]
  readonly #lanes = new Map<string, Lane>()
  /** Whose credential GitHub has accepted since the start. */
  readonly #proven = new Set<string>()
  #events = 0
  #bytes = 0
  #dead = 0
  #unreadable = 0
  #calls = 0
  readonly #waitingForCall: (() => void)[] = []
  #toldLate = Number.NEGATIVE_INFINITY
  #stopped = false
  readonly #running = new Set<Promise<void>>()

  constructor(ports: QueuePorts) {
    this.#ports = ports
    this.#keyIds = ports.keys.map(({ id }) => id)
  }

  /** Takes up what waits from before. To be called once, before all else. */
  async start(): Promise<void> {
    const { outbox, limits } = this.#ports
    const now = this.#ports.now()
    const events = await outbox.list()
    const alive = events.filter(({ died }) => died === undefined)
    this.#dead = events.length - alive.length
    // Every one that is alive is counted, whether a key opens it or not.
    const readable = alive.filter((event) => this.#count(event))
    for (const { lane: name, next } of readable) {
      const lane = this.#laneOf(name)
      const wait = Math.min(Math.max(0, next - now), LONGEST_WAIT)
      // The call before the end may have been a moment ago.
      lane.notBefore = Math.max(lane.notBefore, now + limits.pace, now + wait)
    }
    for (const lane of this.#lanes.values()) this.#wakeAt(lane, lane.notBefore)
    if (this.#unreadable > 0) this.#log({ outbox: 'unreadable', events: this.#unreadable })
    await this.check()
  }

  /** True while events of the lane wait: another one must then wait behind them. */
  waits(lane: string): boolean {
    return this.#lanes.has(lane)
  }

  /** To be told when GitHub accepted something of the lane's credential. */
  accepted(lane: string): void {
    if (this.#proven.has(lane)) return
    this.#proven.add(lane)
    const [oldest] = this.#proven
    if (this.#proven.size > KNOWN_CREDENTIALS && oldest) this.#proven.delete(oldest)
  }

  /**
   * Takes an event in; it is on disk when the promise resolves. GitHub was asked for it `tries` times;
   * a call that is still open counts only when `settle` is told what became of it.
   *
   * @throws RelayError 503 when there is no room, or the disk fails
   */
  async put(event: SealedEvent): Promise<void> {
    this.#checkRoom(event)
    const lane = this.#laneOf(event.lane, event.at)
    this.#count(event)
    if (event.tries > 0) {
      lane.failing ??= { delivery: event.delivery, until: event.next }
      lane.notBefore = Math.max(lane.notBefore, event.next)
    }
    try {
      await this.#ports.outbox.put(event)
    } catch (error) {
      this.#uncount(event)
      this.#ports.report(error)
      throw outboxFull('the outbox cannot be written', error)
    }
    this.#wakeIfIdle(lane, this.#nextTurn(lane, event))
  }

  /** Tells what became of a call that was open when its event was put. */
  async settle({ lane: name, delivery }: OutboxEvent, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'accepted') this.accepted(name)
    const lane = this.#lanes.get(name)
    const event = await this.#ports.outbox.find(delivery)
    if (!lane || !event || event.died !== undefined) return
    const next = await this.#conclude(lane, event, outcome)
    if (!lane.busy) this.#wakeAt(lane, next)
  }

  /** Gives a lane its turn: one call of GitHub at most. Never throws. */
  run(name: string): Promise<void> {
    const lane = this.#lanes.get(name)
    if (!lane || lane.busy || this.#stopped) return Promise.resolve()
    lane.busy = true
    lane.awaited = false
    const turn = this.#turn(lane)
      .catch((error) => {
        this.#ports.report(error)
        return this.#ports.now() + SECOND
      })
      .then((next) => {
        lane.busy = false
        this.#running.delete(turn)
        if (lane.events === 0) this.#lanes.delete(name)
        else this.#wakeAt(lane, next ?? this.#ports.now() + this.#ports.limits.pace)
      })
    this.#running.add(turn)
    return turn
  }

  /** Starts no further call; resolves when the open ones have ended. What waits stays on disk. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const go of this.#waitingForCall.splice(0)) go()
    await Promise.all(this.#running)
  }

  /** Those in which an event waits. */
  lanes(): readonly string[] {
    return [...this.#lanes.keys()]
  }

  figures(): OutboxFigures {
    const now = this.#ports.now()
    let oldest = now
    for (const lane of this.#lanes.values()) oldest = Math.min(oldest, lane.oldest)
    return {
      waiting: this.#events,
      oldest: Math.floor((now - oldest) / SECOND),
      dead: this.#dead,
      unreadable: this.#unreadable,
    }
  }

  /** Lets a dead letter wait again; false when there is none. */
  async replay(delivery: string): Promise<boolean> {
    const event = await this.#ports.outbox.replay(delivery, this.#ports.now())
    if (!event) return false
    this.#dead--
    if (this.#count(event)) {
      const lane = this.#laneOf(event.lane, event.at)
      this.#wakeIfIdle(lane, lane.notBefore)
    }
    return true
  }

  /** Forgets an event, waiting or dead; false when there is none. */
  async drop(delivery: string): Promise<boolean> {
    const [event] = await this.#ports.outbox.drop({ delivery })
    if (!event) return false
    if (event.died === undefined) this.#uncount(event)
    else this.#dead--
    const lane = this.#lanes.get(event.lane)
    if (lane && !lane.busy) this.#wakeAt(lane, lane.notBefore)
    return true
  }

  /** To be called now and then: drops dead letters that are too old, and says what waits too long. */
  async check(): Promise<void> {
    const { outbox, now } = this.#ports
    if (this.#dead > 0) {
      const kept = { diedBefore: now() - DEAD_LETTER_AGE, beyond: DEAD_LETTERS }
      const forgotten = await outbox.drop(kept)
      this.#dead -= forgotten.length
      for (const event of forgotten) this.#log({ outbox: 'forgotten', ...namesOf(event) })
    }
    const { oldest, waiting } = this.figures()
    if (oldest * SECOND < HOUR || now() - this.#toldLate < HOUR) return
    this.#toldLate = now()
    this.#log({ outbox: 'late', seconds: oldest, events: waiting })
  }

  /** @returns when the lane wants its next turn; `undefined` when nothing in it is on disk */
  async #turn(lane: Lane): Promise<number | undefined> {
    const { outbox, now, limits } = this.#ports
    for (const delivery of lane.delivered) await this.#forget(lane, delivery)
    const event = await outbox.due(lane.name, this.#keyIds)
    if (!event) return undefined
    lane.oldest = event.at
    if (lane.failing?.delivery === event.delivery && this.#isTooOld(event)) {
      await this.#bury(event, 'too_old')
      return lane.notBefore
    }
    const next = this.#nextTurn(lane, event)
    if (next > now()) return next
    if (!(await this.#mayCall())) return undefined
    lane.notBefore = now() + limits.pace
    const outcome = await attempt(event, this.#ports)
    this.#calls--
    this.#waitingForCall.shift()?.()
    return this.#conclude(lane, event, outcome)
  }

  /** When the first event of a lane is to be tried or, once its own try failed, to be given up. */
  #nextTurn({ failing, notBefore }: Lane, { delivery, at, next }: OutboxEvent): number {
    const { now, limits } = this.#ports
    // A time that is too far ahead was written by a clock that was wrong.
    const held = next - now() > LONGEST_WAIT ? 0 : next
    if (failing?.delivery !== delivery) return Math.max(notBefore, held)
    return Math.min(Math.max(notBefore, held, failing.until), at + limits.age + 1)
  }

  #isTooOld({ at }: OutboxEvent): boolean {
    return at < this.#ports.now() - this.#ports.limits.age
  }

  /** Resolves when fewer lanes than may are calling; with false when none may any more. */
  async #mayCall(): Promise<boolean> {
    while (this.#calls >= CALLS && !this.#stopped) {
      await new Promise<void>((resolve) => this.#waitingForCall.push(resolve))
    }
    if (!this.#stopped) this.#calls++
    return !this.#stopped
  }

  /** @returns when the lane wants its next turn */
  async #conclude(lane: Lane, event: OutboxEvent, outcome: Outcome): Promise<number> {
    const { outbox, now, random } = this.#ports
    const { delivery } = event
    const tries = event.tries + 1
    lane.failing = undefined
    if (outcome.kind === 'accepted') {
      this.accepted(lane.name)
      const seconds = Math.round((now() - event.at) / SECOND)
      this.#log({ outbox: 'delivered', ...namesOf(event), tries, seconds })
      await this.#forget(lane, delivery)
      return lane.notBefore
    }
    const { reason } = outcome
    const isHopeless = outcome.kind === 'failed' && tries >= MOST_FAILURES
    if (outcome.kind === 'refused' || isHopeless) {
      await this.#bury(event, reason)
      return lane.notBefore
    }
    const asked = outcome.kind === 'later' ? outcome.wait : undefined
    const wait = asked ?? backoff(tries, random())
    const later = { tries, next: now() + wait, reason }
    // What GitHub asks for holds for the lane; our own pause is for this event, and ends with it.
    if (asked !== undefined) lane.notBefore = Math.max(lane.notBefore, later.next)
    lane.failing = { delivery, until: later.next }
    this.#log({
      outbox: 'deferred',
      ...namesOf(event),
      tries,
      reason,
      seconds: Math.ceil(wait / SECOND),
    })
    await outbox.defer(delivery, later)
    if (!this.#isTooOld(event)) return this.#nextTurn(lane, { ...event, ...later })
    await this.#bury(event, 'too_old')
    return lane.notBefore
  }

  /** A delivered event that the disk keeps is not sent again while the process lives. */
  async #forget(lane: Lane, delivery: string): Promise<void> {
    const isFirst = !lane.delivered.has(delivery)
    lane.delivered.add(delivery)
    try {
      const event = await this.#ports.outbox.done(delivery)
      lane.delivered.delete(delivery)
      if (event) this.#uncount(event)
    } catch (error) {
      if (isFirst) this.#log({ outbox: 'disk', delivery, repository: repositoryOf(lane.name) })
      throw error
    }
  }

  async #bury({ delivery }: OutboxEvent, reason: string): Promise<void> {
    const { outbox, now } = this.#ports
    const event = await outbox.bury(delivery, reason, now())
    if (!event) return
    this.#uncount(event)
    this.#dead++
    this.#log({ outbox: 'dead', ...namesOf(event), tries: event.tries, reason })
    if (this.#dead > DEAD_LETTERS) await this.check()
  }

  #wakeAt(lane: Lane, time: number): void {
    if (this.#stopped) return
    lane.awaited = true
    this.#ports.wake(lane.name, Math.max(0, time - this.#ports.now()))
  }

  #wakeIfIdle(lane: Lane, time: number): void {
    if (!lane.busy && !lane.awaited) this.#wakeAt(lane, time)
  }

  #laneOf(name: string, at = this.#ports.now()): Lane {
    const present = this.#lanes.get(name)
    if (present) return present
    const lane = {
      ...{ name, events: 0, bytes: 0, oldest: at, notBefore: 0 },
      ...{ failing: undefined, busy: false, awaited: false, delivered: new Set<string>() },
    }
    this.#lanes.set(name, lane)
    return lane
  }

  /** @returns false for one that no key opens: it is in no lane's way */
  #count({ lane: name, key, bytes, at }: OutboxEvent): boolean {
    this.#events++
    this.#bytes += bytes
    if (!this.#keyIds.includes(key)) {
      this.#unreadable++
      return false
    }
    const lane = this.#laneOf(name, at)
    lane.events++
    lane.bytes += bytes
    lane.oldest = Math.min(lane.oldest, at)
    return true
  }

  #uncount({ lane: name, key, bytes }: OutboxEvent): void {
    this.#events--
    this.#bytes -= bytes
    if (!this.#keyIds.includes(key)) this.#unreadable--
    const lane = this.#keyIds.includes(key) ? this.#lanes.get(name) : undefined
    if (!lane) return
    lane.events--
    lane.bytes -= bytes
    if (lane.events === 0 && !lane.busy) this.#lanes.delete(name)
  }

  /** @throws RelayError 503 */
  #checkRoom({ lane, bytes }: OutboxEvent): void {
    const { limits } = this.#ports
    if (this.#events + 1 > limits.events || this.#bytes + bytes > limits.bytes) {
      throw outboxFull('the outbox is full')
    }
    if (this.#isJudged(lane)) return
    // Whoever makes tokens up must leave room for those that GitHub knows.
    const doubtful = [...this.#lanes.values()].filter(({ name }) => !this.#isJudged(name))
    const events = doubtful.reduce((sum, each) => sum + each.events, 1)
    const all = doubtful.reduce((sum, each) => sum + each.bytes, bytes)
    if (events > limits.events / 2 || all > limits.bytes / 2) {
      throw outboxFull('the outbox has no room for unknown credentials')
    }
  }

  #isJudged(lane: string): boolean {
    return isOwnLane(lane) || this.#proven.has(lane)
  }

  #log(line: Omit<OutboxLine, 'time'>): void {
    this.#ports.log({ time: new Date(this.#ports.now()).toISOString(), ...line })
  }
}

function namesOf({ delivery, lane }: OutboxEvent) {
  return { delivery, repository: repositoryOf(lane) }
}
