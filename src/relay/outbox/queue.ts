import { outboxFull } from '../errors.ts'
import type { Lanes } from './accept.ts'
import { LONGEST_WAIT, type Outcome } from './attempt.ts'
import type { CollectedEvent } from './collect.ts'
import { Drain, type DrainSettings } from './drain.ts'
import { KnownLanes } from './known-lanes.ts'
import { type Lane, namesOf, type Waiting } from './lane.ts'
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
import { countKept, endRevoked, forgetOld } from './upkeep.ts'

export interface QueuePorts extends DrainSettings, BatchSetup {
  readonly outbox: Outbox
  /** Milliseconds to wait at the start: the last call before it may have been a moment ago. */
  readonly pace: number
  /** Ids of grants that are accepted no more. */
  readonly revoked: ReadonlySet<string>
  log(line: OutboxLine): void
}

const SECOND = 1000
const HOUR = 3600 * SECOND

/**
 * The account of what is kept: what comes in, waits, is given up, or is changed by an operator. It
 * knows what waits; what is sealed, and what died, stands in the outbox alone. A drain hands over what
 * waits.
 */
export class OutboxQueue implements Lanes {
  readonly #ports: QueuePorts
  readonly #keyIds: ReadonlySet<string>
  readonly #drain: Drain
  readonly #known: KnownLanes
  readonly #batches: LaneBatches
  readonly #writes: LaterWrites
  #lastPlace = 0
  #dead = 0
  #unreadable = 0
  #sent = 0
  #toldLate = Number.NEGATIVE_INFINITY

  constructor(ports: QueuePorts) {
    this.#ports = ports
    this.#keyIds = new Set(ports.keys.map(({ id }) => id))
    this.#known = new KnownLanes(ports)
    this.#batches = new LaneBatches({
      ...ports,
      nextPlace: () => this.nextPlace(),
      look: (lane) => this.#drain.look(this.#drain.laneOf(lane)),
      hand: (event) => this.enqueue(event, 0),
      died: (event) => this.#died(event),
      write: (delivery, changes) => this.#writes.write(delivery, changes),
    })
    this.#writes = new LaterWrites(ports, (delivery) => this.#log({ outbox: 'disk', delivery }))
    this.#drain = new Drain({
      ...ports,
      ...{ batches: this.#batches, writes: this.#writes },
      accepted: (lane) => this.accepted(lane),
      sent: (events) => {
        this.#sent += events
      },
      died: (event) => this.#died(event),
      enqueue: (event) => this.enqueue(event, 0),
      log: (line) => this.#log(line),
    })
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
        const lane = this.#drain.laneOf(event.lane)
        this.#add(lane, event, event.aside > 0 ? wait : 0)
        lane.notBefore = Math.max(lane.notBefore, now + pace, event.aside > 0 ? 0 : now + wait)
      }
    }
    await this.#batches.start()
    for (const lane of this.#drain.lanes.values()) this.#drain.look(lane)
    if (this.#unreadable > 0) this.#log({ outbox: 'unreadable', events: this.#unreadable })
    await this.check()
  }

  waits(lane: string): boolean {
    return (this.#drain.lanes.get(lane)?.line.size ?? 0) > 0
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
    const lane = this.#drain.laneOf(event.lane)
    const entry = this.#add(lane, event, event.tries > 0 ? 0 : event.wait)
    if (event.tries > 0) {
      entry.failures = 1
      entry.hasFailed = true
      lane.failures = Math.max(1, lane.failures)
      lane.flows = false
      lane.hold(this.#ports.now() + event.wait)
    }
    await this.#keep({ ...event, sealed }, () => lane.remove(entry.event.delivery))
    // One that is first in line may be due before what was waited for.
    if (!lane.isAwaited || lane.line.size === 1) this.#drain.look(lane)
  }

  /** Tells what became of a call that was open when its event was put. */
  async settle({ lane: name, delivery }: Pick<OutboxEvent, 'lane' | 'delivery'>, outcome: Outcome) {
    if (outcome.kind === 'accepted') this.accepted(name)
    const lane = this.#drain.lanes.get(name)
    const entry = lane?.entry(delivery)
    if (!lane || !entry || entry.isOpen) return
    entry.until = 0
    await this.#drain.conclude(lane, entry, outcome)
    this.#drain.look(lane)
  }

  /** Gives a lane its turn: one call of GitHub at most. Never throws. */
  run(lane: string): Promise<void> {
    return this.#drain.run(lane)
  }

  /** Starts no further call; resolves when the open ones have ended. What waits stays on disk. */
  async stop(): Promise<void> {
    await this.#drain.stop()
    await this.#writes.again(true)
  }

  /** Those in which an event waits. */
  lanes(): readonly string[] {
    return [...this.#drain.lanes.keys()]
  }

  figures(): OutboxFigures {
    const now = this.#ports.now()
    let [waiting, oldest] = [this.#unreadable + this.#batches.events, now]
    for (const lane of this.#drain.lanes.values()) {
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
    for (const lane of this.#drain.lanes.values()) await this.#drain.giveUpOld(lane)
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
    const lane = this.#drain.laneOf(event.lane)
    this.#add(lane, event, wait)
    // One that is first in line may be due before what was waited for.
    if (!lane.isAwaited || lane.line.size === 1) this.#drain.look(lane)
  }

  /** Takes an event out of line that is on disk no more. */
  dequeue(event: OutboxEvent): void {
    const { lane: name, delivery, key, count, state } = event
    if (state === 'collecting') this.#batches.drop(event)
    if (state !== 'waiting') return
    const lane = this.#drain.lanes.get(name)
    const entry = lane?.entry(delivery)
    if (lane && entry) {
      lane.remove(entry.event.delivery)
      this.#drain.look(lane)
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

  #died(event: OutboxEvent): void {
    const { tries, reason } = event
    this.#dead += event.count || 1
    this.#log({ outbox: 'dead', ...namesOf(event), tries, reason })
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
