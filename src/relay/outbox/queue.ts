import { outboxFull } from '../errors.ts'
import type { Lanes } from './accept.ts'
import {
  type AttemptPorts,
  attempt,
  backoffAside,
  LONGEST_WAIT,
  type Outcome,
  openDispatch,
} from './attempt.ts'
import type { CollectedEvent } from './collect.ts'
import { KnownLanes } from './known-lanes.ts'
import { isOwnLane, Lane, namesOf, type Waiting } from './lane.ts'
import { type BatchSetup, LaneBatches } from './lane-batches.ts'
import { LaterWrites } from './later-writes.ts'
import {
  allEvents,
  type NewEvent,
  newEvent,
  type Outbox,
  type OutboxEvent,
  type OutboxFigures,
  type OutboxLine,
  type SealedEvent,
} from './outbox.ts'
import type { Room } from './room.ts'
import { countKept, endRevoked, forgetOld } from './upkeep.ts'

export interface QueuePorts extends AttemptPorts, BatchSetup {
  readonly outbox: Outbox
  readonly room: Room
  /** Milliseconds after which an event that still fails is a dead letter. */
  readonly age: number
  /** Milliseconds to wait at the start: the last call before it may have been a moment ago. */
  readonly pace: number
  /** Ids of grants that are accepted no more. */
  readonly revoked: ReadonlySet<string>
  /** Milliseconds since 1970; must not jump while the process runs. */
  now(): number
  /** From 0, less than 1. */
  random(): number
  /** Has `run(lane)` called after so many milliseconds, in place of when it was to be before. */
  wake(lane: string, delay: number): void
  /** A lane's turn to ask GitHub: resolves when it has come, or with the milliseconds until then. */
  turn(lane: string): Promise<number>
  log(line: OutboxLine): void
}

const SECOND = 1000
const HOUR = 3600 * SECOND
/** After so many an event whose fault is ours is given up. */
const MOST_FAULTS = 5
/** Each may have started a run. */
const MOST_MAYBES = 10

/**
 * Hands events over in lanes, in their order. It knows what waits; what is sealed, and what died,
 * stands in the outbox alone.
 */
export class OutboxQueue implements Lanes {
  readonly #ports: QueuePorts
  readonly #keyIds: ReadonlySet<string>
  readonly #lanes = new Map<string, Lane>()
  readonly #known: KnownLanes
  readonly #batches: LaneBatches
  readonly #writes: LaterWrites
  #lastPlace = 0
  #dead = 0
  #unreadable = 0
  #sent = 0
  #toldLate = Number.NEGATIVE_INFINITY
  #stopped = false
  readonly #turns = new Set<Promise<void>>()
  readonly #calls = new Set<Promise<void>>()

  constructor(ports: QueuePorts) {
    this.#ports = ports
    this.#keyIds = new Set(ports.keys.map(({ id }) => id))
    this.#known = new KnownLanes(ports)
    this.#batches = new LaneBatches({
      ...ports,
      nextPlace: () => this.nextPlace(),
      look: (lane) => this.#look(this.#laneOf(lane)),
      hand: (event) => this.enqueue(event, 0),
      died: (event) => this.#died(event),
      write: (delivery, changes) => this.#writes.write(delivery, changes),
    })
    this.#writes = new LaterWrites(ports, (delivery) => this.#log({ outbox: 'disk', delivery }))
  }

  /** Takes up what waits from before. To be called once, before all else. */
  async start(): Promise<void> {
    const { outbox, pace } = this.#ports
    const now = this.#ports.now()
    const ended = await endRevoked(outbox, this.#ports.revoked, now)
    for (const { tries, ...event } of ended) {
      this.#log({ outbox: 'dead', ...namesOf(event), tries, reason: 'revoked' })
    }
    await this.recount()
    for await (const event of allEvents(outbox, { states: ['waiting'] })) {
      const left = Math.min(Math.max(0, event.next - now), event.wait, LONGEST_WAIT)
      // Whoever gives a key back does not want to wait for the next hour.
      const wait = event.reason === 'credential_revoked' ? 0 : left
      if (event.count === 0 && !this.#keyIds.has(event.key)) this.#unreadable++
      else {
        const lane = this.#laneOf(event.lane)
        this.#add(lane, event, event.aside > 0 ? wait : 0)
        lane.notBefore = Math.max(lane.notBefore, now + pace, event.aside > 0 ? 0 : now + wait)
      }
    }
    await this.#batches.start()
    for (const lane of this.#lanes.values()) this.#look(lane)
    if (this.#unreadable > 0) this.#log({ outbox: 'unreadable', events: this.#unreadable })
    await this.check()
  }

  waits(lane: string): boolean {
    return (this.#lanes.get(lane)?.line.size ?? 0) > 0
  }

  /** To be told when GitHub accepted something of the lane's credential. */
  accepted(lane: string): void {
    this.#known.note(lane)
  }

  /** Whether GitHub accepted the lane's credential within thirty days. */
  wasAccepted(lane: string): Promise<boolean> {
    return this.#known.has(lane)
  }

  /**
   * Takes an event into a batch; it is on disk when the promise resolves.
   *
   * @returns the id of the batch
   * @throws RelayError 503 when there is no room, or the disk fails
   */
  collect(event: CollectedEvent): Promise<string> {
    return this.#batches.collect(event)
  }

  /**
   * Takes an event in; it is on disk when the promise resolves. GitHub was asked for it `tries` times;
   * a call that is still open counts only when `settle` is told what became of it.
   *
   * @throws RelayError 503 when there is no room, or the disk fails
   */
  async put({ sealed, ...given }: NewEvent): Promise<void> {
    const event = newEvent({ sealed, ...given }, this.nextPlace(), this.#ports.now())
    await this.#takeRoom(event)
    const lane = this.#laneOf(event.lane)
    const entry = this.#add(lane, event, event.tries > 0 ? 0 : event.wait)
    if (event.tries > 0) {
      entry.failures = 1
      entry.hasFailed = true
      lane.failures = Math.max(1, lane.failures)
      lane.flows = false
      lane.notBefore = Math.max(lane.notBefore, this.#ports.now() + event.wait)
    }
    await this.#keep({ ...event, sealed }, () => lane.remove(entry.event.delivery))
    // One that is first in line may be due before what was waited for.
    if (!lane.isAwaited || lane.line.size === 1) this.#look(lane)
  }

  /** Tells what became of a call that was open when its event was put. */
  async settle({ lane: name, delivery }: Pick<OutboxEvent, 'lane' | 'delivery'>, outcome: Outcome) {
    if (outcome.kind === 'accepted') this.accepted(name)
    const lane = this.#lanes.get(name)
    const entry = lane?.entry(delivery)
    if (!lane || !entry || entry.isOpen) return
    entry.until = 0
    await this.#conclude(lane, entry, outcome)
    this.#look(lane)
  }

  /** Gives a lane its turn: one call of GitHub at most. Never throws. */
  run(name: string): Promise<void> {
    const lane = this.#lanes.get(name)
    if (!lane || this.#stopped) return Promise.resolve()
    lane.isAwaited = false
    if (lane.isAsking) return Promise.resolve()
    const turn = this.#turn(lane).finally(() => this.#turns.delete(turn))
    this.#turns.add(turn)
    return turn
  }

  /** Starts no further call; resolves when the open ones have ended. What waits stays on disk. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#calls)
    await this.#writes.again(true)
  }

  /** Those in which an event waits. */
  lanes(): readonly string[] {
    return [...this.#lanes.keys()]
  }

  figures(): OutboxFigures {
    const now = this.#ports.now()
    let [waiting, oldest] = [this.#unreadable + this.#batches.events, now]
    for (const lane of this.#lanes.values()) {
      waiting += lane.events
      oldest = Math.min(oldest, lane.oldest ?? now)
    }
    const { bytes } = this.#ports.room
    const seconds = Math.max(0, Math.floor((now - oldest) / SECOND))
    const [dead, unreadable, sent] = [this.#dead, this.#unreadable, this.#sent]
    return { waiting, bytes, oldest: seconds, dead, unreadable, sent }
  }

  /** To be called now and then: drops what is kept for no longer, and says what waits too long. */
  async check(): Promise<void> {
    await this.#writes.again()
    const { outbox } = this.#ports
    const now = this.#ports.now()
    for (const lane of this.#lanes.values()) await this.#giveUpOld(lane)
    const forgotten = await forgetOld(outbox, now)
    for (const event of forgotten) {
      if (event.state === 'dead') this.#log({ outbox: 'forgotten', ...namesOf(event) })
    }
    if (forgotten.length > 0) await this.recount()
    const { oldest, waiting } = this.figures()
    if (oldest * SECOND < HOUR || now - this.#toldLate < HOUR) return
    this.#toldLate = now
    this.#log({ outbox: 'late', seconds: oldest, events: waiting })
  }

  nextPlace(): number {
    return ++this.#lastPlace
  }

  /** Puts an event that is on disk in line. */
  enqueue(event: OutboxEvent, wait: number): void {
    if (event.count === 0 && !this.#keyIds.has(event.key)) {
      this.#unreadable++
      return
    }
    const lane = this.#laneOf(event.lane)
    this.#add(lane, event, wait)
    // One that is first in line may be due before what was waited for.
    if (!lane.isAwaited || lane.line.size === 1) this.#look(lane)
  }

  /** Takes an event out of line that is on disk no more. */
  dequeue(event: OutboxEvent): void {
    const { lane: name, delivery, key, count, state } = event
    if (state === 'collecting') this.#batches.drop(event)
    if (state !== 'waiting') return
    const lane = this.#lanes.get(name)
    const entry = lane?.entry(delivery)
    if (lane && entry) {
      lane.remove(entry.event.delivery)
      this.#look(lane)
    } else if (count === 0 && !this.#keyIds.has(key)) this.#unreadable--
  }

  /** Counts anew what the disk holds, after changes that do not happen every day. */
  async recount(): Promise<void> {
    const { usage, dead, sent, last } = await countKept(this.#ports.outbox)
    this.#dead = dead
    this.#sent = sent
    this.#lastPlace = Math.max(this.#lastPlace, last)
    await this.#ports.room.reset(usage)
  }

  async #turn(lane: Lane): Promise<void> {
    const { now, turn } = this.#ports
    await this.#writes.again()
    await this.#batches.endDue(lane.name)
    await this.#giveUpOld(lane)
    if (lane.granted === undefined || lane.granted > now()) {
      const isDue = lane.next(now())?.entry !== undefined
      if (!isDue) return this.#look(lane)
      lane.isAsking = true
      const wait = await turn(lane.name)
        .catch((error: unknown) => {
          this.#ports.report(error)
          return SECOND
        })
        .finally(() => {
          lane.isAsking = false
        })
      lane.granted = now() + wait
      if (wait > 0) return this.#look(lane)
    }
    lane.granted = undefined
    const entry = lane.next(now())?.entry
    if (this.#stopped || !entry) return this.#look(lane)
    const call = this.#call(lane, entry).finally(() => this.#calls.delete(call))
    this.#calls.add(call)
    // Where GitHub is slow and takes what it is given, the next call need not wait for this one.
    if (lane.flows) this.#look(lane)
    await call
  }

  async #call(lane: Lane, entry: Waiting): Promise<void> {
    lane.open++
    entry.isOpen = true
    const outcome = await this.#attempt(entry.event).catch((error: unknown): Outcome => {
      this.#ports.report(error)
      return { kind: 'broken', reason: 'internal_error' }
    })
    lane.open--
    entry.isOpen = false
    // It may have been dropped meanwhile.
    if (lane.entry(entry.event.delivery)) await this.#conclude(lane, entry, outcome)
    this.#look(lane)
  }

  async #attempt({ delivery }: OutboxEvent): Promise<Outcome> {
    const event = await this.#ports.outbox.find(delivery)
    if (!event) return { kind: 'refused', reason: 'unreadable' }
    if (event.count > 0) {
      const batch = await this.#batches.dispatchOf(event)
      return 'kind' in batch ? batch : attempt(batch, this.#ports)
    }
    const dispatch = await openDispatch(event.sealed, this.#ports)
    return 'kind' in dispatch ? dispatch : attempt(dispatch, this.#ports)
  }

  async #conclude(lane: Lane, entry: Waiting, outcome: Outcome): Promise<void> {
    const { event } = entry
    const tries = event.tries + 1
    if (outcome.kind === 'accepted') return this.#delivered(lane, entry)
    const { reason } = outcome
    const maybe = event.maybe + (outcome.kind === 'failed' && outcome.isMaybe ? 1 : 0)
    lane.flows = false
    if (outcome.kind === 'failed') entry.failures++
    if (outcome.kind === 'refused') {
      if (event.count > 0 && (await this.#halved(lane, entry, { tries, maybe, reason }))) return
      return this.#bury(lane, entry, { tries, maybe, reason })
    }
    if (outcome.kind === 'broken' && tries >= MOST_FAULTS) {
      return this.#bury(lane, entry, { tries, maybe, reason })
    }
    if (maybe >= MOST_MAYBES)
      return this.#bury(lane, entry, { tries, maybe, reason: 'maybe_accepted' })
    const { now, random } = this.#ports
    const { wait, aside } = lane.waitAfter(entry, outcome, now(), random())
    lane.passTurn(entry)
    entry.hasFailed = true
    this.#log({
      ...(outcome.kind === 'paused' && isOwnLane(lane.name) && { level: 'error' }),
      ...{
        outbox: 'deferred',
        ...namesOf(event),
        tries,
        reason,
        seconds: Math.ceil(wait / SECOND),
      },
    })
    const next = now() + wait
    this.#set(lane, entry, { tries, maybe, reason, wait, next, aside })
    await this.#giveUpOld(lane)
  }

  async #delivered(lane: Lane, entry: Waiting): Promise<void> {
    const { event } = entry
    const { delivery, bytes } = event
    const { now, room, random } = this.#ports
    const tries = event.tries + 1
    const seconds = Math.round((now() - event.at) / SECOND)
    this.accepted(lane.name)
    this.#log({ outbox: 'delivered', ...namesOf(event), tries, seconds })
    const { stuckHead } = lane
    ;[lane.failures, lane.pauses, lane.flows] = [0, 0, true]
    lane.remove(entry.event.delivery)
    if (stuckHead && stuckHead !== entry && entry.event.aside === 0) {
      // GitHub takes the others: the first one waits by itself from now on.
      const wait = backoffAside(1, random())
      stuckHead.until = now() + wait
      this.#set(lane, stuckHead, { wait, next: now() + wait, aside: 1 })
    }
    if (event.count > 0) {
      this.#sent += event.count
      return this.#batches.sent({ ...event, tries })
    }
    room.give(lane.name, 1, bytes)
    await this.#writes.write(delivery, [{ forget: delivery }])
  }

  /** @returns false where parts of the batch would be refused as it is, or cannot be written */
  async #halved(lane: Lane, entry: Waiting, to: Refused): Promise<boolean> {
    const { event } = entry
    const halves = await this.#batches.halve({ ...event, ...to })
    if (!halves) return false
    lane.remove(event.delivery)
    lane.failures = 0
    if (halves.length > 0) {
      this.#log({ outbox: 'halved', ...namesOf(event), ...to, events: event.count })
    }
    for (const half of halves) this.enqueue(half, 0)
    return true
  }

  async #bury(lane: Lane, entry: Waiting, to: Refused): Promise<void> {
    const now = this.#ports.now()
    const event = { ...entry.event, ...to, state: 'dead' as const, since: now }
    lane.remove(entry.event.delivery)
    lane.failures = 0
    this.#died(event)
    await this.#writes.write(event.delivery, [{ set: event }])
  }

  #died(event: OutboxEvent): void {
    const { tries, reason } = event
    this.#dead += event.count || 1
    this.#log({ outbox: 'dead', ...namesOf(event), tries, reason })
  }

  /** Makes dead letters of those that failed, and are too old to be tried again. */
  async #giveUpOld(lane: Lane): Promise<void> {
    const { age } = this.#ports
    const old = lane.olderThan(this.#ports.now() - age)
    const isPaused = lane.pauses > 0
    const notBefore = isPaused ? lane.notBefore : this.#ports.now()
    const isFailing = lane.failures > 0
    for (const entry of old) {
      const { tries, maybe } = entry.event
      await this.#bury(lane, entry, { tries, maybe, reason: 'too_old' })
    }
    // A pause of ours was for the one that failed; what GitHub asks for goes on.
    if (old.length > 0 && isFailing) lane.notBefore = notBefore
  }

  /** Changes an event that waits. What the disk does not take, is tried again with the next. */
  #set(lane: Lane, entry: Waiting, to: Partial<OutboxEvent>): void {
    const isMoved = (to.aside ?? 0) > 0 && entry.event.aside === 0
    entry.event = { ...entry.event, ...to }
    if (isMoved) {
      lane.remove(entry.event.delivery)
      entry.failures = 0
      lane.add(entry)
    }
    const { event } = entry
    void this.#writes.write(event.delivery, [{ set: event }])
  }

  /** Has the lane woken when there is something to do in it. */
  #look(lane: Lane): void {
    const collects = this.#batches.holds(lane.name)
    if (lane.size === 0 && lane.open === 0 && !lane.isAsking && !collects) {
      this.#lanes.delete(lane.name)
      return
    }
    if (this.#stopped || lane.isAsking) return
    const now = this.#ports.now()
    const next = lane.next(now)
    const due = this.#batches.dueAt(lane.name)
    if (!next && due === Number.POSITIVE_INFINITY) return
    const [head] = lane.line.values()
    const end = next && head?.hasFailed ? head.event.at + this.#ports.age + 1 : due
    const at = next ? Math.max(next.at, lane.granted ?? 0) : due
    lane.isAwaited = true
    this.#ports.wake(lane.name, Math.max(0, Math.min(at, end, due) - now))
  }

  #laneOf(name: string): Lane {
    const lane = this.#lanes.get(name) ?? new Lane(name)
    this.#lanes.set(name, lane)
    return lane
  }

  #add(lane: Lane, event: OutboxEvent, wait: number): Waiting {
    const until = wait > 0 ? this.#ports.now() + wait : 0
    const entry = { event, until, isOpen: false, failures: 0, hasFailed: false }
    lane.add(entry)
    return entry
  }

  /** @throws RelayError 503 */
  async #takeRoom({ lane, bytes }: OutboxEvent): Promise<void> {
    const taken = this.#ports.room.take(lane, bytes)
    if (!(typeof taken === 'boolean' ? taken : await taken)) throw outboxFull('the outbox is full')
  }

  /** @throws RelayError 503 */
  async #keep(event: SealedEvent, undo: () => void): Promise<void> {
    try {
      await this.#ports.outbox.apply([{ put: event }])
    } catch (error) {
      undo()
      this.#refuse(event, error)
    }
  }

  #refuse({ lane, bytes }: OutboxEvent, error: unknown): never {
    this.#ports.room.give(lane, 1, bytes)
    this.#ports.report(error)
    throw outboxFull('the outbox cannot be written', error)
  }

  #log(line: Omit<OutboxLine, 'time'>): void {
    this.#ports.log({ time: new Date(this.#ports.now()).toISOString(), ...line })
  }
}

/** What a refusal, or an end, leaves of the account of an event. */
type Refused = Pick<OutboxEvent, 'tries' | 'maybe' | 'reason'>
