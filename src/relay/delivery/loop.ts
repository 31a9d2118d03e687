// Delivers the events of the table: it selects the next one that is due in each queue, waits for the turn
// of its repository, asks GitHub once, and records what GitHub answered. All that must survive is in the
// table; a queue in memory is only what the last attempts taught.

import { LIMITS } from '../../wire/limits.ts'
import { RelayError } from '../errors.ts'
import type { Packer } from '../github/payload.ts'
import type { RateLimiters } from '../github/rate-limiter.ts'
import type { FindRuns } from '../github/runs.ts'
import { type Dispatch, type DispatchPort, refusesCredential } from '../github/send.ts'
import type { Runtime } from '../runtime.ts'
import type { SqlStatement } from '../store/database.ts'
import type { DeliveryTable } from '../store/deliveries.ts'
import {
  type Accepted,
  type Collecting,
  type Delivery,
  isOpen,
  type NewDelivery,
} from '../store/delivery-rows.ts'
import { holderOf, ownerOf, repositoryOf } from '../store/queue-name.ts'
import { type AttemptOutcome, acceptedOutcome, outcomeOf } from './answers.ts'
import { type ChangeLine, deadLine, namesOf } from './log-lines.ts'
import { OF_CONTENT, type OpenPorts, openEvent, openMembers } from './open-event.ts'
import { mostCalls, noteFailedRequest, noteOutcome, Queue, type Rest } from './queue.ts'
import { MOST_DOUBTS, nextAttempt, reasonOfAge } from './retry-policy.ts'
import type { CallBudget } from './schedule.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Milliseconds for which a queue has to fail before its old events are given up. */
const FAILING_TIME = 60 * MINUTE

/** Milliseconds between two lookups of runs in one repository. */
const LOOKUP_INTERVAL = MINUTE

/** Calls that a lookup takes from those of a run, about. */
const LOOKUP_CALLS = 4

/** The first attempt of a queue may ask for an installation, its token and the default branch. */
const FIRST_CALLS = 4

/** A run of the loop waits so many milliseconds for the next event, rather than end. */
const SHORT_WAIT = 2 * SECOND

interface LoopPorts extends OpenPorts, Runtime {
  readonly table: DeliveryTable
  readonly limiters: Pick<RateLimiters, 'of'>
  /** Asks GitHub once. */
  readonly send: DispatchPort
  /** Absent for a forge whose API does not list runs as GitHub's does. */
  readonly findRuns: FindRuns | undefined
  /** True if the relay looks for the run of an event. */
  follows(dispatch: Dispatch): boolean
  readonly pack: Packer
  /** Milliseconds until an event that GitHub does not accept becomes a dead letter. */
  readonly age: number
  /** To be told that `next()` may be earlier than before. */
  changed(): void
  /** To be told of each delivered event or batch, and whether its run is followed. */
  delivered(follows: boolean): void
  log(line: ChangeLine): void
}

export class DeliveryLoop {
  readonly #ports: LoopPorts
  readonly #queues = new Map<string, Queue>()
  readonly #calls = new Set<Promise<void>>()
  /** Outcomes that the disk did not take, by event: nobody attempts these events again. */
  readonly #unwritten = new Map<string, { queue: string; statements: readonly SqlStatement[] }>()
  #writesAgainAt = 0
  #running: Promise<void> | undefined
  /** The calls that are left for the run that began last. */
  budget: CallBudget | undefined
  /** Ends the wait of a run. */
  #signal = () => {}
  #isStopped = false

  constructor(ports: LoopPorts) {
    this.#ports = ports
  }

  /** Continues with the events that are on disk. */
  async start(): Promise<void> {
    for (const name of await this.#ports.table.queues()) {
      Object.assign(this.#queueOf(name), { hasDue: true, collected: { count: 0, length: 0 } })
    }
    this.#ports.changed()
  }

  /** When the loop has something to do; `undefined` if nothing waits, or while it runs. */
  next(): number | undefined {
    if (this.#running || this.#isStopped) return undefined
    // An outcome that the disk did not take is written again.
    const again = this.#unwritten.size > 0 ? this.#writesAgainAt : Number.POSITIVE_INFINITY
    const next = Math.min(again, this.#nextTime())
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }

  /** Does what is due, until nothing is for some time, or the calls are used up. Never rejects. */
  run(budget: CallBudget): Promise<void> {
    this.#signal()
    this.#running ??= this.#run(budget)
      .catch(this.#ports.report)
      .finally(() => {
        this.#running = undefined
        this.#ports.changed()
      })
    return this.#running
  }

  /** True while events of a queue are due, or the queue fails: a new event must wait behind them. */
  waits(name: string): boolean {
    if (this.#limiterOf(name).mustWait(repositoryOf(name))) return true
    const queue = this.#queues.get(name)
    if (queue === undefined) return false
    const isResting = this.#ports.now() < queue.restUntil
    return queue.hasDue || isResting || queue.failures > 0 || queue.refusals > 0
  }

  /** True while GitHub refuses the credential of a queue, as far as this process has seen. */
  isRefused(name: string): boolean {
    return this.#queues.get(name)?.isRefused ?? false
  }

  /** The rests of the named queues; those that do not rest are left out. */
  rests(names: readonly string[]): Readonly<Record<string, Rest>> {
    const now = this.#ports.now()
    const entries = names.map((name) => {
      const { restUntil: until = 0, restsFor: reason = '' } = this.#queues.get(name) ?? {}
      return [name, { until, reason }] as const
    })
    return Object.fromEntries(entries.filter(([, { until }]) => until > now))
  }

  /** To be told that an event was stored, which GitHub may have been asked for before. */
  stored({ queue: name, state, attempts = 0, wait = 0, reason, collection }: NewDelivery): void {
    // GitHub refuses this event alone, and may accept the others.
    if (state === 'dead') return
    const queue = this.#queueOf(name)
    const now = this.#ports.now()
    if (collection) {
      const { count, length } = queue.collected ?? { count: 0, length: 0 }
      queue.collected = { count: count + 1, length: length + collection.length }
      const time = collection.quiet ?? collection.period
      this.#wakeAt(queue, isFull(queue.collected) ? now : now + time)
      return
    }
    const isInDoubt = attempts > 0 && state === 'uncertain'
    if (attempts > 0) noteFailedRequest(queue, isInDoubt)
    if (refusesCredential({ code: reason })) queue.isRefused = true
    // On Workers the call was made elsewhere.
    if (isInDoubt) this.#limiterOf(name).noteDoubt(queue.repository)
    // The queue waits for the end of a limit, or of a call that is still open.
    const isOpen = attempts === 0 && state === 'uncertain'
    if (isOpen || reason === 'rate_limited') {
      queue.restsFor = reason
      queue.restUntil = Math.max(queue.restUntil, now + wait)
    }
    if (wait <= 0) queue.hasDue = true
    this.#wakeAt(queue, now + wait)
  }

  /** To be told that an event of a queue is due again. */
  replayed(name: string): void {
    const queue = this.#queueOf(name)
    // Events of a batch that ended are collected again.
    Object.assign(queue, { hasDue: true, collected: { count: 0, length: 0 } })
    // Only an attempt tells whether the admin has given the credential its rights back.
    if (refusesCredential({ code: queue.restsFor })) queue.restUntil = 0
    this.#wakeAt(queue, this.#ports.now())
  }

  /** Records the outcome of a call that was open when its event was stored. */
  async settle(id: string, outcome: AttemptOutcome): Promise<void> {
    const members = await this.#ports.table.members(id)
    const [event] = members
    // An admin may have deleted it.
    if (!event || !isOpen(event.state)) return
    const queue = this.#queueOf(event.queue)
    // `stored` let a queue rest that does not fail.
    if (queue.failures === 0 && queue.refusals === 0) queue.restUntil = 0
    // The retry of it may be on its way.
    if (queue.open.has(id)) return
    noteOutcome(queue, outcome, this.#ports)
    await this.#conclude(queue, { ...event, state: 'waiting' }, members, outcome)
    this.#wakeAt(queue, this.#ports.now())
  }

  /** Makes dead letters of the events of failing queues that are too old. */
  async endOld(): Promise<void> {
    const { table, age, now, log } = this.#ports
    const all = [...this.#queues.values()]
    const failing = all.filter(({ failsSince }) => now() - failsSince >= FAILING_TIME)
    if (failing.length === 0) return
    const open = all.flatMap((queue) => [...queue.open])
    const names = failing.map(({ name }) => name)
    for (const event of await table.endOld(age, names, open)) log(deadLine(event))
  }

  /** True if no event waits. */
  get isIdle(): boolean {
    return this.#queues.size === 0
  }

  /** Calls of GitHub that are open, or prepared. */
  get openCalls(): number {
    return this.#calls.size
  }

  /** Starts no more calls; resolves when the open ones have ended. Events stay on disk. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#signal()
    await this.#running
    await Promise.all(this.#calls)
    await this.#writeAgain()
  }

  async #run(budget: CallBudget): Promise<void> {
    const { now } = this.#ports
    this.budget = budget
    while (!this.#isStopped) {
      let isChanged = false
      const changed = new Promise<void>((resolve) => {
        this.#signal = () => {
          isChanged = true
          resolve()
        }
      })
      await this.#writeAgain()
      this.#selectAll()
      this.#callAll()
      const isBusy =
        this.#calls.size > 0 || [...this.#queues.values()].some((each) => each.isSelecting)
      const next = budget.isUsedUp ? Number.POSITIVE_INFINITY : this.#nextTime()
      const wait = Math.max(0, next - now())
      if (!isBusy && (wait > SHORT_WAIT || budget.isUsedUp)) return
      if (!isChanged && wait > 0) await this.#waitFor(changed, wait)
    }
  }

  #nextTime(): number {
    const times = [...this.#queues.values()].map((queue) => this.#actsAt(queue))
    return Math.min(Number.POSITIVE_INFINITY, ...times)
  }

  /** When there is something to do for a queue. */
  #actsAt(queue: Queue): number {
    if (queue.isSelecting || queue.open.size >= mostCalls(queue)) return Number.POSITIVE_INFINITY
    return queue.ready ? Math.max(queue.restUntil, queue.turnAt) : queue.selectsAt
  }

  async #waitFor(changed: Promise<void>, milliseconds: number): Promise<void> {
    if (milliseconds === Number.POSITIVE_INFINITY) return changed
    let cancel = () => {}
    const passed = new Promise<void>((resolve) => {
      cancel = this.#ports.after(milliseconds, resolve)
    })
    await Promise.race([changed, passed])
    cancel()
  }

  /** Selects the next event of a queue no later than at a time. */
  #wakeAt(queue: Queue, time: number): void {
    if (time < queue.selectsAt) queue.selectsAt = time
    this.#signal()
    this.#ports.changed()
  }

  /** Reads the next event of each queue whose time has come. */
  #selectAll(): void {
    const { now, report } = this.#ports
    if (this.budget?.isUsedUp) return
    for (const queue of this.#queues.values()) {
      const isFree = !queue.isSelecting && !queue.ready && queue.open.size < mostCalls(queue)
      if (!isFree || now() < queue.selectsAt) continue
      queue.isSelecting = true
      queue.selectsAt = Number.POSITIVE_INFINITY
      void this.#select(queue)
        .catch((error: unknown) => {
          report(error)
          queue.selectsAt = Math.min(queue.selectsAt, now() + SECOND)
        })
        .finally(() => {
          queue.isSelecting = false
          this.#forgetIdle(queue)
          this.#signal()
        })
    }
  }

  /** Selects the next event of a queue, or finds out when to look again. */
  async #select(queue: Queue): Promise<void> {
    const { table, now, log } = this.#ports
    const collectedAt = await this.#endCollections(queue)
    const later: string[] = []
    for (;;) {
      const except = [...queue.open, ...this.#unwritten.keys(), ...later]
      const event = await table.nextDue(queue.name, now(), except)
      queue.hasDue = event !== undefined
      if (!event) {
        const lookup = later.length > 0 ? queue.lookupAt : Number.POSITIVE_INFINITY
        const time = (await table.nextTime(queue.name, except)) ?? Number.POSITIVE_INFINITY
        const all = [time, lookup, collectedAt, queue.selectsAt]
        queue.selectsAt = Math.min(...all)
        return
      }
      if (event.doubts >= MOST_DOUBTS) {
        const members = await table.members(event.id)
        const reason = reasonOfAge(event.state)
        const next = { state: 'dead', reason, doubts: event.doubts } as const
        await table.write(table.failed(idsOf(members), next, reason, 0))
        log(deadLine({ ...event, reason }))
        continue
      }
      // GitHub may have the event: nothing is sent before its run was looked for.
      if (event.state === 'uncertain' && !queue.lookedUp.has(event.id)) {
        if (now() < queue.lookupAt) {
          later.push(event.id)
          continue
        }
        if (this.budget?.isUsedUp) {
          queue.selectsAt = now()
          return
        }
        // Many queues may look at the same time, so a lookup takes its calls before it makes them.
        this.budget?.use(LOOKUP_CALLS)
        await this.#lookUp(queue, event)
        continue
      }
      queue.ready = event
      queue.turnAt = 0
      return
    }
  }

  /** Begins the calls of all queues that have a turn. */
  #callAll(): void {
    const { now } = this.#ports
    const ready = new Map<ReturnType<LoopPorts['limiters']['of']>, Queue[]>()
    for (const queue of this.#queues.values()) {
      const isReady = queue.ready !== undefined && now() >= queue.restUntil
      if (!isReady || queue.open.size >= mostCalls(queue)) continue
      const limiter = this.#limiterOf(queue.name)
      ready.set(limiter, [...(ready.get(limiter) ?? []), queue])
    }
    for (const [limiter, queues] of ready) {
      let left = queues
      while (left.length > 0 && !this.budget?.isUsedUp && !this.#isStopped) {
        const turn = limiter.next(left.map(({ repository }) => repository))
        if ('wait' in turn) {
          for (const queue of left) queue.turnAt = now() + turn.wait
          break
        }
        const queue = left.find(({ repository }) => repository === turn.repository)
        if (queue?.ready) this.#call(queue, queue.ready)
        left = left.filter((each) => each !== queue)
      }
    }
  }

  #call(queue: Queue, event: Delivery): void {
    const { now, report } = this.#ports
    const key = keyOf(event)
    queue.ready = undefined
    queue.selectsAt = now()
    queue.open.add(key)
    this.budget?.use(queue.isCalled ? 1 : FIRST_CALLS)
    queue.isCalled = true
    const call = this.#attempt(queue, event.id)
      .catch((error: unknown) => {
        report(error)
        queue.restUntil = Math.max(queue.restUntil, now() + SECOND)
      })
      .then(() => {
        queue.open.delete(key)
        this.#calls.delete(call)
        // Another event may have waited for the end of the call, or must wait because of its outcome.
        queue.ready = undefined
        queue.selectsAt = now()
        this.#signal()
      })
    this.#calls.add(call)
  }

  async #attempt(queue: Queue, id: string): Promise<void> {
    const { table, log } = this.#ports
    const members = await table.members(id)
    const [first, ...others] = members
    // An admin may have deleted it, or an earlier call has delivered it.
    if (!first || !isOpen(first.state)) return
    queue.lookedUp.delete(id)
    const opened = await openMembers([first, ...others], this.#ports)
    for (const { member, outcome } of opened.failed) {
      await table.takeOut(member.id, outcome.reason)
      log(deadLine({ ...member, reason: outcome.reason }))
    }
    // The call that ends here is followed by another look at the batch.
    if (opened.failed.length > 0) return
    if (!opened.dispatch) return this.#conclude(queue, first, members, opened.outcome)
    const outcome = await this.#send(opened.dispatch)
    noteOutcome(queue, outcome, this.#ports)
    await this.#conclude(queue, first, members, outcome)
  }

  async #send(dispatch: Dispatch): Promise<AttemptOutcome> {
    const { send, follows, now, report } = this.#ports
    const began = now()
    try {
      return acceptedOutcome(await send(dispatch), { began, follows: follows(dispatch) })
    } catch (error) {
      if (!(error instanceof RelayError)) report(error)
      return outcomeOf(error)
    }
  }

  async #conclude(
    queue: Queue,
    event: Delivery,
    members: readonly Delivery[],
    outcome: AttemptOutcome,
  ): Promise<void> {
    const { table, now, random, age, log } = this.#ports
    const ids = idsOf(members)
    const attempts = event.attempts + 1
    if (outcome.kind === 'accepted') {
      const seconds = Math.round((now() - event.at) / SECOND)
      log({ change: 'delivered', ...namesOf(event), attempts, seconds })
      await this.#record(queue, keyOf(event), table.delivered(queue.name, ids, outcome), true)
      return this.#ports.delivered(outcome.follows)
    }
    const { reason } = outcome
    if (outcome.kind === 'refused' && members.length > 1 && OF_CONTENT.has(reason)) {
      await this.#record(queue, keyOf(event), table.divide(members, outcome.parts ?? 2))
      return log({ change: 'divided', ...namesOf(event), reason, events: members.length })
    }
    const next = nextAttempt(event, outcome, { now: now(), random: random(), age })
    await this.#record(queue, keyOf(event), table.failed(ids, next, reason))
    if (next.state === 'dead') {
      return log({ change: 'dead', ...namesOf(event), attempts, reason: next.reason })
    }
    const wait = Math.max(next.wait, queue.restUntil - now())
    log({
      // The sender cannot repair the credential of an endpoint.
      ...(outcome.kind === 'paused' && event.endpoint !== null && { level: 'error' }),
      change: 'deferred',
      ...namesOf(event),
      attempts,
      reason,
      seconds: Math.ceil(wait / SECOND),
    })
  }

  /** Writes an outcome, again if the disk fails. Until then the process alone knows it. */
  async #record(
    queue: Queue,
    id: string,
    statements: readonly SqlStatement[],
    isDelivered = false,
  ): Promise<void> {
    try {
      await this.#ports.table.write(statements)
    } catch (error) {
      this.#unwritten.set(id, { queue: queue.name, statements })
      this.#writesAgainAt = this.#ports.now() + SECOND
      this.#ports.report(error)
      if (isDelivered) this.#ports.log({ change: 'disk', delivery: id })
    }
  }

  /** Writes outcomes that the disk did not take. */
  async #writeAgain(): Promise<void> {
    if (this.#ports.now() < this.#writesAgainAt && !this.#isStopped) return
    for (const [id, outcome] of [...this.#unwritten]) {
      try {
        await this.#ports.table.write(outcome.statements)
      } catch (error) {
        this.#ports.report(error)
        this.#writesAgainAt = this.#ports.now() + SECOND
        return
      }
      if (this.#unwritten.get(id) === outcome) this.#unwritten.delete(id)
      // The event was left out when its queue was read, and the queue may have been forgotten.
      this.#wakeAt(this.#queueOf(outcome.queue), this.#ports.now())
    }
  }

  /**
   * Records the batches of a queue whose time has passed, before their first call.
   *
   * @returns when the next one is due; infinite if the queue collects nothing
   */
  async #endCollections(queue: Queue): Promise<number> {
    const { table, now } = this.#ports
    while (queue.collected) {
      const known = queue.collected
      const all = await table.collecting(queue.name)
      const [count, length] = [most(all, 'count'), most(all, 'length')]
      // An event that was stored meanwhile is not among these.
      if (queue.collected === known) queue.collected = count > 0 ? { count, length } : undefined
      const due = all.filter((collecting) => batchDueAt(collecting, now()) <= now())
      for (const { grouping } of due) await table.group(queue.name, grouping)
      if (due.length === 0)
        return Math.min(...all.map((one) => batchDueAt(one, now())), Number.POSITIVE_INFINITY)
    }
    return Number.POSITIVE_INFINITY
  }

  /**
   * Looks for the runs of all uncertain events of a queue, at most once a minute. An event that was
   * looked for in vain may be sent again.
   */
  async #lookUp(queue: Queue, event: Delivery): Promise<void> {
    const { table, now, findRuns, report, log } = this.#ports
    const uncertain = await table.uncertain(queue.name)
    queue.lookupAt = now() + LOOKUP_INTERVAL
    queue.lookedUp.add(event.id)
    for (const id of uncertain.keys()) if (!queue.open.has(id)) queue.lookedUp.add(id)
    const members = await table.members(event.id)
    const [first] = members
    const opened = first && (await openEvent(first, this.#ports))
    if (!opened?.dispatch || !findRuns) return
    const found = await findRuns(opened.dispatch, uncertain).catch((error: unknown) => {
      report(error)
      return undefined
    })
    for (const [id, { run, started }] of found ?? []) {
      const events = await table.members(id)
      const [one] = events
      if (!one || !isOpen(one.state) || queue.open.has(id)) continue
      const { dispatch } = await openEvent(one, this.#ports)
      const follows = dispatch !== undefined && this.#ports.follows(dispatch)
      const facts: Accepted = { accepted: started, githubMs: null, run, follows }
      const statements = table.delivered(queue.name, idsOf(events), facts)
      await this.#record(queue, keyOf(one), statements, true)
      this.#ports.delivered(follows)
      queue.lookedUp.delete(id)
      log({ change: 'found', ...namesOf(one), attempts: one.attempts })
    }
  }

  /** A queue without events is nothing to remember. */
  #forgetIdle(queue: Queue): void {
    const isIdle = queue.selectsAt === Number.POSITIVE_INFINITY && !queue.ready
    if (isIdle && queue.open.size === 0) this.#queues.delete(queue.name)
  }

  #limiterOf(name: string) {
    return this.#ports.limiters.of(holderOf(name), ownerOf(name))
  }

  #queueOf(name: string): Queue {
    const known = this.#queues.get(name)
    if (known) return known
    const queue = new Queue(name)
    this.#queues.set(name, queue)
    return queue
  }
}

/** When a batch is due: its time has passed, or it is full. A clock that was ahead does not hold it longer. */
function batchDueAt(
  { first, last, count, length, period, quiet }: Collecting,
  now: number,
): number {
  if (isFull({ count, length })) return 0
  return Math.min(Math.min(first, now) + period, Math.min(last, now) + (quiet ?? period))
}

function isFull({ count, length }: Pick<Collecting, 'count' | 'length'>): boolean {
  return count >= LIMITS.batchEvents || length >= LIMITS.batchUnpackedLength
}

function most(all: readonly Collecting[], field: 'count' | 'length'): number {
  return Math.max(0, ...all.map((collecting) => collecting[field]))
}

/** A batch by its id: an admin may delete its first member at any time. */
function keyOf({ batch, id }: Pick<Delivery, 'batch' | 'id'>): string {
  return batch ?? id
}

function idsOf(members: readonly Pick<Delivery, 'id'>[]): readonly string[] {
  return members.map(({ id }) => id)
}
