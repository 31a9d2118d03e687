import { type AttemptPorts, attempt, backoffAside, type Outcome, openDispatch } from './attempt.ts'
import { isOwnLane, Lane, namesOf, type Waiting } from './lane.ts'
import type { LaneBatches } from './lane-batches.ts'
import type { LaterWrites } from './later-writes.ts'
import type { Outbox, OutboxEvent, OutboxLine } from './outbox.ts'
import type { Room } from './room.ts'

export interface DrainSettings extends AttemptPorts {
  readonly outbox: Pick<Outbox, 'find'>
  readonly room: Room
  /** Milliseconds after which an event that still fails is a dead letter. */
  readonly age: number
  /** Milliseconds since 1970; must not jump while the process runs. */
  now(): number
  /** From 0, less than 1. */
  random(): number
  /** Has `run(lane)` called after so many milliseconds, in place of when it was to be before. */
  wake(lane: string, delay: number): void
  /** A lane's turn to ask GitHub: resolves when it has come, or with the milliseconds until then. */
  turn(lane: string): Promise<number>
}

export interface DrainPorts extends DrainSettings {
  readonly batches: LaneBatches
  readonly writes: LaterWrites
  /** Is told of the lane of each event that GitHub accepted. */
  accepted(lane: string): void
  /** Is told of how many events GitHub took in a batch. */
  sent(events: number): void
  /** Is told of an event that became a dead letter. */
  died(event: OutboxEvent): void
  /** Puts an event that is on disk in line. */
  enqueue(event: OutboxEvent): void
  log(line: Omit<OutboxLine, 'time'>): void
}

const SECOND = 1000
/** After so many an event whose fault is ours is given up. */
const MOST_FAULTS = 5
/** Each may have started a run. */
const MOST_MAYBES = 10

/** What a refusal, or an end, leaves of the account of an event. */
type Refused = Pick<OutboxEvent, 'tries' | 'maybe' | 'reason'>

/** Hands over what waits in lanes: whose turn it is, and what each call of GitHub came to. */
export class Drain {
  readonly #ports: DrainPorts
  readonly #lanes = new Map<string, Lane>()
  readonly #calls = new Set<Promise<void>>()
  #stopped = false

  constructor(ports: DrainPorts) {
    this.#ports = ports
  }

  /** Those in which something waits, or is collected. */
  get lanes(): ReadonlyMap<string, Lane> {
    return this.#lanes
  }

  /** The lane of that name, made where there is none. */
  laneOf(name: string): Lane {
    const lane = this.#lanes.get(name) ?? new Lane(name)
    this.#lanes.set(name, lane)
    return lane
  }

  /** Has the lane woken when there is something to do in it. */
  look(lane: Lane): void {
    const collects = this.#ports.batches.holds(lane.name)
    if (lane.size === 0 && lane.open === 0 && !lane.isAsking && !collects) {
      this.#lanes.delete(lane.name)
      return
    }
    if (this.#stopped || lane.isAsking) return
    const now = this.#ports.now()
    const next = lane.next(now)
    const due = this.#ports.batches.dueAt(lane.name)
    if (!next && due === Number.POSITIVE_INFINITY) return
    const [head] = lane.line.values()
    const end = next && head?.hasFailed ? head.event.at + this.#ports.age + 1 : due
    const at = next ? Math.max(next.at, lane.granted ?? 0) : due
    lane.isAwaited = true
    this.#ports.wake(lane.name, Math.max(0, Math.min(at, end, due) - now))
  }

  /** Gives a lane its turn: one call of GitHub at most. Never throws. */
  run(name: string): Promise<void> {
    const lane = this.#lanes.get(name)
    if (!lane || this.#stopped) return Promise.resolve()
    lane.isAwaited = false
    if (lane.isAsking) return Promise.resolve()
    return this.#turn(lane)
  }

  /** Starts no further call; resolves when the open ones have ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#calls)
  }

  async #turn(lane: Lane): Promise<void> {
    const { now, turn } = this.#ports
    await this.#ports.writes.again()
    await this.#ports.batches.endDue(lane.name)
    await this.giveUpOld(lane)
    if (lane.granted === undefined || lane.granted > now()) {
      const isDue = lane.next(now())?.entry !== undefined
      if (!isDue) return this.look(lane)
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
      if (wait > 0) return this.look(lane)
    }
    lane.granted = undefined
    const entry = lane.next(now())?.entry
    if (this.#stopped || !entry) return this.look(lane)
    const call = this.#call(lane, entry).finally(() => this.#calls.delete(call))
    this.#calls.add(call)
    await call
  }

  async #call(lane: Lane, entry: Waiting): Promise<void> {
    lane.open++
    entry.isOpen = true
    lane.isPreparing = true
    let isPrepared = false
    const prepared = () => {
      isPrepared = true
      lane.isPreparing = false
      // Where GitHub is slow and takes what it is given, the next call need not wait for this one.
      if (lane.flows) this.look(lane)
    }
    const outcome = await this.#attempt(entry.event, prepared).catch((error: unknown): Outcome => {
      this.#ports.report(error)
      return { kind: 'broken', reason: 'internal_error' }
    })
    if (!isPrepared) lane.isPreparing = false
    lane.open--
    entry.isOpen = false
    // It may have been dropped meanwhile.
    if (lane.entry(entry.event.delivery)) await this.conclude(lane, entry, outcome)
    this.look(lane)
  }

  async #attempt({ delivery }: OutboxEvent, prepared: () => void): Promise<Outcome> {
    const event = await this.#ports.outbox.find(delivery)
    if (!event) return { kind: 'refused', reason: 'unreadable' }
    const dispatch =
      event.count > 0
        ? await this.#ports.batches.dispatchOf(event)
        : await openDispatch(event.sealed, this.#ports)
    if ('kind' in dispatch) return dispatch
    prepared()
    return attempt(dispatch, this.#ports)
  }

  /** Draws the conclusions of what a call came to. */
  async conclude(lane: Lane, entry: Waiting, outcome: Outcome): Promise<void> {
    const { event } = entry
    const tries = event.tries + 1
    if (outcome.kind === 'accepted') return this.#delivered(lane, entry)
    const { reason } = outcome
    const maybe = event.maybe + (outcome.kind === 'failed' && outcome.isMaybe ? 1 : 0)
    lane.flows = false
    if (outcome.kind === 'refused') {
      lane.failures = 0
      if (event.count > 0 && (await this.#halved(lane, entry, { tries, maybe, reason }))) return
      return this.#bury(lane, entry, { tries, maybe, reason })
    }
    if (outcome.kind === 'broken' && tries >= MOST_FAULTS) {
      lane.failures = 0
      return this.#bury(lane, entry, { tries, maybe, reason })
    }
    const { now, random } = this.#ports
    const { wait, aside } = lane.waitAfter(entry, outcome, now(), random())
    if (maybe >= MOST_MAYBES)
      return this.#bury(lane, entry, { tries, maybe, reason: 'maybe_accepted' })
    entry.hasFailed = true
    this.#ports.log({
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
    await this.giveUpOld(lane)
  }

  async #delivered(lane: Lane, entry: Waiting): Promise<void> {
    const { event } = entry
    const { delivery, bytes } = event
    const { now, room, random } = this.#ports
    const tries = event.tries + 1
    const seconds = Math.round((now() - event.at) / SECOND)
    this.#ports.accepted(lane.name)
    this.#ports.log({ outbox: 'delivered', ...namesOf(event), tries, seconds })
    const refusedAlone = lane.took(entry)
    if (refusedAlone) {
      // GitHub takes the others: it waits by itself from now on.
      const wait = backoffAside(1, random())
      refusedAlone.until = now() + wait
      this.#set(lane, refusedAlone, { wait, next: now() + wait, aside: 1 })
    }
    if (event.count > 0) {
      this.#ports.sent(event.count)
      return this.#ports.batches.sent({ ...event, tries })
    }
    room.give(lane.name, 1, bytes)
    await this.#ports.writes.write(delivery, [{ forget: delivery }])
  }

  /** @returns false where parts of the batch would be refused as it is, or cannot be written */
  async #halved(lane: Lane, entry: Waiting, to: Refused): Promise<boolean> {
    const { event } = entry
    const halves = await this.#ports.batches.halve({ ...event, ...to })
    if (!halves) return false
    lane.remove(event.delivery)
    if (halves.length > 0) {
      this.#ports.log({ outbox: 'halved', ...namesOf(event), ...to, events: event.count })
    }
    for (const half of halves) this.#ports.enqueue(half)
    return true
  }

  async #bury(lane: Lane, entry: Waiting, to: Refused): Promise<void> {
    const now = this.#ports.now()
    const event = { ...entry.event, ...to, state: 'dead' as const, since: now }
    lane.remove(entry.event.delivery)
    this.#ports.died(event)
    await this.#ports.writes.write(event.delivery, [{ set: event }])
  }

  /** Makes dead letters of those that failed, and are too old to be tried again. */
  async giveUpOld(lane: Lane): Promise<void> {
    const { age } = this.#ports
    const old = lane.olderThan(this.#ports.now() - age)
    for (const entry of old) {
      const { tries, maybe } = entry.event
      await this.#bury(lane, entry, { tries, maybe, reason: 'too_old' })
    }
    if (!old.some(({ event }) => event.aside === 0)) return
    lane.failures = 0
    // The back-off was for the one that failed; a pause is for all of them.
    if (lane.pauses === 0) lane.backOffUntil = 0
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
    void this.#ports.writes.write(event.delivery, [{ set: event }])
  }
}
