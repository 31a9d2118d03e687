import type { Turn } from '../github/credential-turns.ts'
import type { Packer } from '../github/payload-limit.ts'
import type { Dispatch, DispatchPort } from '../github/send.ts'
import type { OutboxLine } from '../log-lines.ts'
import type { AcceptedQueues } from '../store/accepted-credentials.ts'
import type { SqlStatement } from '../store/database.ts'
import type { Batches } from './batches.ts'
import type { NewEvent, OutboxEvent, StoredEvent } from './event.ts'
import type { Ledger } from './ledger.ts'
import {
  OF_CONTENT,
  type OpenedDispatch,
  type OpenPorts,
  openBatch,
  openDispatch,
} from './open-unit.ts'
import { type AttemptOutcome, attempt } from './outcome.ts'
import { deadLine, isOwnQueue, namesOf } from './queue-name.ts'
import { backoff, MOST_DOUBTS, nextAttempt, pauseAfter, reasonOfAge } from './retry-policy-old.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Calls of one queue that may overlap. */
const MOST_CALLS = 4

/** After so many failures in a row, a queue is tried with one event at a time. */
const FAILURES = 3

/** Milliseconds that a failing queue rests between two events, at most; the first rest is that of `backoff`. */
const LONGEST_REST = MINUTE

/** Milliseconds for which a queue has to fail before its old events are given up. */
const FAILING_TIME = 60 * MINUTE

/** Milliseconds between two lookups of runs in one repository. */
const LOOKUP_INTERVAL = MINUTE

export interface LoopPorts extends OpenPorts {
  readonly ledger: Ledger
  readonly batches: Batches
  readonly accepted: Pick<AcceptedQueues, 'note'>
  /** Asks GitHub once. */
  readonly send: DispatchPort
  readonly pack: Packer
  /** Milliseconds until an event that GitHub does not accept becomes a dead letter. */
  readonly age: number
  newId(): string
  /** Milliseconds since 1970; must not jump while the process runs. */
  now(): number
  /** From 0, less than 1. */
  random(): number
  /** Calls `step(queue)` after so many milliseconds, in place of an earlier request for that queue. */
  wake(queue: string, delay: number): void
  /** Asks for the turn of a queue to call GitHub, and may wait for it. */
  turn(queue: string): Promise<Turn>
  /**
   * Which deliveries have a run in the repository of a dispatch since they were stored; `undefined` if
   * GitHub does not say.
   */
  findRuns(
    dispatch: Dispatch,
    stored: ReadonlyMap<string, number>,
  ): Promise<ReadonlySet<string> | undefined>
  /** Is told of each event whose run was found, so that GitHub must have accepted it. */
  found?(dispatch: Dispatch): void
  log(line: OutboxLine): void
  report(error: unknown): void
}

/** A queue that has undelivered events or open batches. Everything that must survive a restart is in the ledger. */
interface Queue {
  readonly name: string
  /** Units whose call is open. */
  readonly open: Set<string>
  /** Attempts in a row that failed by themselves or by GitHub. */
  failures: number
  /** Refusals of the credential in a row. */
  refusals: number
  /** When the first of these was; infinite for a queue that does not fail. */
  failsSince: number
  /** No attempt before this time. */
  restUntil: number
  /** An event is due: a new one must wait behind it. */
  hasDue: boolean
  isStepping: boolean
  /** When the next step is; while one runs, when another is asked for. */
  wakesAt: number
  /** When the rate limiter gives the queue its turn, if that is known ahead. */
  turnAt: number | undefined
  nextLookup: number
}

/**
 * Delivers the events of the ledger: selects the next one that is due, waits for the turn of its queue
 * at the rate limiter, calls GitHub, and records the outcome.
 */
export class DeliveryLoop {
  readonly #ports: LoopPorts
  readonly #queues = new Map<string, Queue>()
  readonly #calls = new Set<Promise<void>>()
  /** Outcomes that the disk did not take, by unit: nobody attempts these units again. */
  readonly #unwritten = new Map<string, readonly SqlStatement[]>()
  #isStopped = false

  constructor(ports: LoopPorts) {
    this.#ports = ports
  }

  /** Continues with the events that are on disk. */
  async start(): Promise<void> {
    for (const name of await this.#ports.ledger.queues()) {
      this.#queueOf(name).hasDue = true
      this.wakeAt(name, this.#ports.now())
    }
  }

  /** True while events of a queue are due, or the queue fails: a new event must wait behind them. */
  waits(name: string): boolean {
    const queue = this.#queues.get(name)
    if (queue === undefined) return false
    const isResting = this.#ports.now() < queue.restUntil
    return queue.hasDue || isResting || queue.failures > 0 || queue.refusals > 0
  }

  /** Makes dead letters of the events of failing queues that are too old. */
  endOld(): Promise<readonly OutboxEvent[]> {
    const { ledger, age, now } = this.#ports
    const all = [...this.#queues.values()]
    const failing = all.filter(({ failsSince }) => now() - failsSince >= FAILING_TIME)
    const open = all.flatMap((queue) => [...queue.open])
    return ledger.endOld(
      age,
      failing.map(({ name }) => name),
      open,
    )
  }

  /** To be told that an event was stored, which GitHub may have been asked for before. */
  stored({ queue: name, state, attempts, wait, reason }: NewEvent): void {
    const queue = this.#queueOf(name)
    const now = this.#ports.now()
    if (attempts > 0) queue.failures = Math.max(1, queue.failures)
    // The queue waits for the end of a limit, or of a call that is still open.
    const isOpen = attempts === 0 && state === 'uncertain'
    if (isOpen || reason === 'rate_limited') {
      queue.restUntil = Math.max(queue.restUntil, now + wait)
    }
    if (wait <= 0) queue.hasDue = true
    this.wakeAt(name, now + wait)
  }

  /** To be told that an event of a queue is due again. */
  replayed(name: string): void {
    this.#queueOf(name).hasDue = true
    this.wakeAt(name, this.#ports.now())
  }

  /** Looks after a queue no later than at a time. */
  wakeAt(name: string, time: number): void {
    const queue = this.#queueOf(name)
    if (this.#isStopped || time >= queue.wakesAt) return
    queue.wakesAt = time
    if (!queue.isStepping) this.#ports.wake(name, Math.max(0, time - this.#ports.now()))
  }

  /** Does what is due in a queue. Never throws. */
  async step(name: string): Promise<void> {
    const queue = this.#queues.get(name)
    if (!queue || this.#isStopped || queue.isStepping) return
    queue.isStepping = true
    queue.wakesAt = Number.POSITIVE_INFINITY
    const { batches, now, report } = this.#ports
    let next: number
    try {
      next = earliest(await this.#step(queue), batches.dueAt(name))
    } catch (error) {
      report(error)
      next = now() + SECOND
    }
    queue.isStepping = false
    const time = earliest(next, queue.wakesAt)
    queue.wakesAt = Number.POSITIVE_INFINITY
    if (time < Number.POSITIVE_INFINITY) this.wakeAt(name, time)
    else if (queue.open.size === 0) this.#queues.delete(name)
  }

  /** Calls of GitHub that are open, or prepared. */
  get openCalls(): number {
    return this.#calls.size
  }

  /** Resolves when no call is open. */
  async idle(): Promise<void> {
    await Promise.all(this.#calls)
  }

  /** Starts no more calls; resolves when the open ones have ended. Events stay on disk. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.idle()
    await this.writeAgain()
  }

  /** To be told that the ledger is empty, and that no wake that was asked for will come. */
  forget(): void {
    this.#queues.clear()
  }

  /** Queues that have undelivered events or open batches. */
  names(): readonly string[] {
    return [...this.#queues.keys()]
  }

  /** Records the outcome of a call that was open when its event was stored. */
  async settle(name: string, delivery: string, outcome: AttemptOutcome): Promise<void> {
    const [event] = await this.#ports.ledger.unit(delivery)
    const queue = this.#queueOf(name)
    // `stored` let a queue rest that does not fail.
    if (queue.failures === 0 && queue.refusals === 0) queue.restUntil = 0
    // The retry of it may be on its way, or an admin may have deleted it.
    if (!event || queue.open.has(delivery)) return
    this.#noteOutcome(queue, outcome)
    await this.#conclude(queue, [{ ...event, state: 'waiting' }], outcome)
    this.wakeAt(name, this.#ports.now())
  }

  /** Writes outcomes that the disk did not take. */
  async writeAgain(): Promise<void> {
    for (const [unit, statements] of [...this.#unwritten]) {
      try {
        await this.#ports.ledger.write(statements)
      } catch (error) {
        this.#ports.report(error)
        return
      }
      if (this.#unwritten.get(unit) === statements) this.#unwritten.delete(unit)
    }
  }

  /** @returns when to look again, apart from open batches; `undefined` if there is nothing to wait for */
  async #step(queue: Queue): Promise<number | undefined> {
    const { ledger, batches, now, turn } = this.#ports
    await this.writeAgain()
    for (;;) {
      await batches.endDue(queue.name)
      const except = [...queue.open, ...this.#unwritten.keys()]
      const event = await ledger.nextDue(queue.name, now(), except)
      queue.hasDue = event !== undefined
      if (!event) return this.#nextTime(queue, except)
      // The end of a call steps again.
      if (queue.open.size >= this.#mostCalls(queue)) return undefined
      if (now() < queue.restUntil) return queue.restUntil
      if (event.doubts >= MOST_DOUBTS) {
        await this.#bury(event)
        continue
      }
      if (event.state === 'uncertain' && (await this.#lookUp(queue, event))) continue
      if (queue.turnAt === undefined) {
        const { wait, isGranted } = await turn(queue.name)
        if (!isGranted) return now() + wait
        queue.turnAt = now() + wait
      }
      if (this.#isStopped) return undefined
      if (now() < queue.turnAt) return queue.turnAt
      queue.turnAt = undefined
      // Another call may have failed in the meantime.
      const isFree = queue.open.size < this.#mostCalls(queue) && now() >= queue.restUntil
      if (isFree) this.#call(queue, event)
    }
  }

  #mostCalls({ failures, refusals }: Queue): number {
    return failures >= FAILURES || refusals > 0 ? 1 : MOST_CALLS
  }

  async #nextTime(queue: Queue, except: readonly string[]): Promise<number> {
    const { ledger, now } = this.#ports
    // An outcome that the disk did not take is written again.
    const retry = this.#unwritten.size > 0 ? now() + SECOND : undefined
    return earliest(await ledger.nextTime(queue.name, except), retry)
  }

  #call(queue: Queue, event: OutboxEvent): void {
    const { unit } = event
    queue.open.add(unit)
    const call = this.#attempt(queue, unit)
      .catch((error: unknown) => {
        this.#ports.report(error)
        queue.restUntil = Math.max(queue.restUntil, this.#ports.now() + SECOND)
      })
      .then(() => {
        queue.open.delete(unit)
        this.#calls.delete(call)
        this.wakeAt(queue.name, this.#ports.now())
      })
    this.#calls.add(call)
  }

  async #attempt(queue: Queue, unit: string): Promise<void> {
    const events = await this.#ports.ledger.unit(unit)
    const [first] = events
    // An admin may have deleted it, or an earlier call has delivered it.
    if (first?.state !== 'waiting' && first?.state !== 'uncertain') return
    const opened =
      first.unit === first.delivery
        ? await openDispatch(first, this.#ports)
        : await this.#openBatch(unit, events)
    if (!opened.dispatch) return this.#conclude(queue, events, opened.outcome)
    const { delivery } = opened.dispatch
    // An event that is too large for a batch leaves it, because its run has the id of the event.
    const leaving = { state: 'waiting', wait: 0 } as const
    if (delivery !== unit) return this.#ports.ledger.takeOut({ delivery }, leaving, first.reason)
    const outcome = await attempt(opened.dispatch, this.#ports)
    this.#noteOutcome(queue, outcome)
    await this.#conclude(queue, events, outcome)
  }

  /** Events that cannot be sent are taken out of the batch. */
  async #openBatch(id: string, events: readonly StoredEvent[]): Promise<OpenedDispatch> {
    const { ledger, log } = this.#ports
    const opened = await openBatch(id, events, this.#ports)
    for (const { event, outcome } of opened.failed) {
      const { kind, reason } = outcome
      if (kind === 'refused') {
        await ledger.takeOut(event, { state: 'dead', wait: 0 }, reason)
        log(deadLine({ ...event, unit: event.delivery, reason }))
      } else await ledger.takeOut(event, { state: 'waiting', wait: pauseAfter(1) }, reason)
    }
    return opened
  }

  /** Records the outcome of an attempt. */
  async #conclude(
    queue: Queue,
    events: readonly OutboxEvent[],
    outcome: AttemptOutcome,
  ): Promise<void> {
    const [event] = events
    if (!event) return
    const { ledger, accepted, newId, now, random, age, log } = this.#ports
    if (outcome.kind === 'accepted') {
      const seconds = Math.round((now() - event.at) / SECOND)
      log({ outbox: 'delivered', ...namesOf(event), attempts: event.attempts + 1, seconds })
      await this.#record(event, ledger.delivered(event.unit), true)
      return accepted.note(queue.name)
    }
    const { reason } = outcome
    const isBatch = event.unit !== event.delivery
    if (outcome.kind === 'refused' && isBatch && events.length > 1 && OF_CONTENT.has(reason)) {
      await this.#record(event, ledger.divide(events, outcome.parts ?? 2, newId))
      return log({ outbox: 'divided', ...namesOf(event), reason, events: events.length })
    }
    const next = nextAttempt(event, outcome, { now: now(), random: random(), age })
    await this.#record(event, ledger.failed(event.unit, next, reason))
    const attempts = event.attempts + 1
    if (next.state === 'dead') {
      return log({ outbox: 'dead', ...namesOf(event), attempts, reason: next.reason })
    }
    const isError = outcome.kind === 'paused' && isOwnQueue(queue.name)
    const wait = Math.max(next.wait, queue.restUntil - now())
    log({
      ...(isError && { level: 'error' }),
      outbox: 'deferred',
      ...namesOf(event),
      attempts,
      reason,
      seconds: Math.ceil(wait / SECOND),
    })
  }

  /** Draws the conclusions of an outcome for the whole queue. */
  #noteOutcome(queue: Queue, outcome: AttemptOutcome): void {
    const now = this.#ports.now()
    switch (outcome.kind) {
      case 'accepted':
        queue.failures = 0
        queue.refusals = 0
        queue.failsSince = Number.POSITIVE_INFINITY
        queue.restUntil = 0
        break
      case 'limited':
        queue.restUntil = Math.max(queue.restUntil, now + outcome.wait)
        break
      case 'paused':
        queue.failsSince = Math.min(now, queue.failsSince)
        // Calls that overlap are refused together.
        if (queue.refusals === 0 || now >= queue.restUntil) queue.refusals++
        queue.restUntil = now + pauseAfter(queue.refusals)
        break
      case 'failed':
      case 'doubt':
        queue.failures++
        queue.failsSince = Math.min(now, queue.failsSince)
        if (queue.failures >= FAILURES) {
          const rest = backoff(queue.failures - FAILURES + 1, this.#ports.random(), LONGEST_REST)
          queue.restUntil = now + rest
        }
        if ('wait' in outcome)
          queue.restUntil = Math.max(queue.restUntil, now + (outcome.wait ?? 0))
        break
      case 'refused':
        // GitHub responds, and other events may be accepted.
        queue.failures = 0
        break
      default:
        break
    }
  }

  /** Writes an outcome, again if the disk fails. Until then the process alone knows it. */
  async #record(
    event: OutboxEvent,
    statements: readonly SqlStatement[],
    isDelivered = false,
  ): Promise<void> {
    try {
      await this.#ports.ledger.write(statements)
    } catch (error) {
      this.#unwritten.set(event.unit, statements)
      this.#ports.report(error)
      if (isDelivered) this.#ports.log({ outbox: 'disk', delivery: event.unit })
    }
  }

  async #bury(event: OutboxEvent): Promise<void> {
    const { ledger, log } = this.#ports
    const { unit, doubts, state } = event
    const reason = reasonOfAge(state)
    await ledger.write(ledger.failed(unit, { state: 'dead', reason, doubts }, '', 0))
    log(deadLine({ ...event, reason }))
  }

  /**
   * Looks for the runs of all uncertain events of a queue, at most once a minute.
   *
   * @returns true if an event was found, and is delivered
   */
  async #lookUp(queue: Queue, event: OutboxEvent): Promise<boolean> {
    const { ledger, now, findRuns, log } = this.#ports
    if (now() < queue.nextLookup) return false
    queue.nextLookup = now() + LOOKUP_INTERVAL
    const [first] = await ledger.unit(event.unit)
    const opened = first && (await openDispatch(first, this.#ports))
    if (!opened?.dispatch) return false
    const stored = await ledger.uncertain(queue.name)
    const found = await findRuns(opened.dispatch, stored).catch((error: unknown) => {
      this.#ports.report(error)
      return undefined
    })
    if (found === undefined || found.size === 0) return false
    for (const unit of found) {
      const [one] = await ledger.unit(unit)
      if (!one) continue
      await this.#record(one, ledger.delivered(unit), true)
      log({ outbox: 'found', ...namesOf(one), attempts: one.attempts })
      const { dispatch } = await openDispatch(one, this.#ports)
      if (dispatch) this.#ports.found?.({ ...dispatch, delivery: unit })
    }
    return true
  }

  #queueOf(name: string): Queue {
    const known = this.#queues.get(name)
    if (known) return known
    const queue: Queue = {
      name,
      open: new Set(),
      failures: 0,
      refusals: 0,
      failsSince: Number.POSITIVE_INFINITY,
      restUntil: 0,
      hasDue: false,
      isStepping: false,
      wakesAt: Number.POSITIVE_INFINITY,
      turnAt: undefined,
      nextLookup: 0,
    }
    this.#queues.set(name, queue)
    return queue
  }
}

function earliest(...times: readonly (number | undefined)[]): number {
  return Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY))
}
