import { StorageError } from '../store/storage-error.ts'
import type { EventStore } from './accept-old.ts'
import { Batches, type CollectedEvent } from './batches.ts'
import type { DeliveryFilter } from './delivery-list.ts'
import type { NewEvent, OutboxEvent, OutboxFigures, StoredEvent } from './event.ts'
import { DeliveryLoop, type LoopPorts } from './loop-old.ts'
import type { AttemptOutcome } from './outcome.ts'
import { deadLine, namesOf, type QueueName } from './queue-name.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

export interface OutboxPorts extends Omit<LoopPorts, 'batches'> {
  /** True while nobody knows whether GitHub accepted the last event of the credential of a queue. */
  isInDoubt(queue: string): boolean
}

/**
 * The outbox of one process, or of one Durable Object: the ledger, the batches that are open, and the
 * delivery loop.
 */
export class Outbox implements EventStore {
  readonly #ports: OutboxPorts
  readonly #batches: Batches
  readonly loop: DeliveryLoop
  #loggedLate = Number.NEGATIVE_INFINITY

  constructor(ports: OutboxPorts) {
    this.#ports = ports
    this.#batches = new Batches(ports)
    this.loop = new DeliveryLoop({ ...ports, batches: this.#batches })
  }

  /** Reads the disk, and continues with its events. To be called once, before all else. */
  async start(): Promise<void> {
    const { ledger, log, report } = this.#ports
    await ledger.open()
    await this.#batches.start()
    await this.loop.start()
    const { unreadable } = await ledger.figures()
    if (unreadable > 0) log({ outbox: 'unreadable', events: unreadable })
    // A full disk cannot delete by age, and delivers all the same.
    await this.check().catch(report)
  }

  async waits({ queue }: Pick<QueueName, 'queue'>): Promise<boolean> {
    // The queue sends a single event as a probe. The others wait without a call, so that few are in doubt.
    return this.#ports.isInDoubt(queue) || this.loop.waits(queue)
  }

  async put(event: NewEvent): Promise<boolean> {
    try {
      if (!(await this.#ports.ledger.put(event))) return false
    } catch (error) {
      return this.#storageFailed(error)
    }
    this.loop.stored(event)
    return true
  }

  async collect(event: CollectedEvent): Promise<string | undefined> {
    const { queue } = event.event
    const batch = this.#batches.collect(event)
    // The event may have begun a batch, or filled one.
    const due = this.#batches.dueAt(queue)
    if (due !== undefined) this.loop.wakeAt(queue, due)
    try {
      return await batch
    } catch (error) {
      this.#storageFailed(error)
      return undefined
    }
  }

  settle({ queue, delivery }: Pick<NewEvent, 'queue' | 'delivery'>, outcome: AttemptOutcome) {
    return this.loop.settle(queue, delivery, outcome)
  }

  /** To be called once a minute: ends and deletes events by age, and logs events that wait too long. */
  async check(): Promise<void> {
    const { ledger, now, log } = this.#ports
    await this.loop.writeAgain()
    for (const event of await this.loop.endOld()) log(deadLine(event))
    for (const event of await ledger.deleteExpired()) log({ outbox: 'expired', ...namesOf(event) })
    const { oldest, events } = await ledger.figures()
    if (oldest * SECOND < HOUR || now() - this.#loggedLate < HOUR) return
    this.#loggedLate = now()
    log({ outbox: 'late', seconds: oldest, events: events.waiting + events.uncertain })
  }

  /** Starts no more calls; resolves when the open ones have ended. Events stay on disk. */
  stop(): Promise<void> {
    return this.loop.stop()
  }

  figures(): Promise<OutboxFigures> {
    return this.#ports.ledger.figures()
  }

  /** The event with an id, or the events of the batch. */
  find(id: string): Promise<readonly StoredEvent[]> {
    return this.#ports.ledger.find(id)
  }

  /** @returns how many events are queued again */
  async replay(id: string, filter: DeliveryFilter = {}): Promise<number> {
    return this.#again(await this.#ports.ledger.replay(id, filter))
  }

  /** The same for all that the filter selects; `state` is set. */
  replayAll(filter: DeliveryFilter): Promise<number> {
    return inChunks(async (limit) => this.#again(await this.#ports.ledger.replayAll(filter, limit)))
  }

  /** @returns how many events were deleted */
  async delete(id: string, filter: DeliveryFilter = {}): Promise<number> {
    this.#batches.end(id)
    return (await this.#ports.ledger.delete(id, filter)).length
  }

  /**
   * Makes dead letters of the undelivered events of a deleted endpoint.
   *
   * @param credential its name in records: `endpoint:<owner>/<name>`
   * @returns how many events
   */
  async endDeleted(credential: string): Promise<number> {
    const events = await this.#ports.ledger.endDeleted(credential)
    for (const event of events) this.#ports.log(deadLine(event))
    return events.length
  }

  /** The same for all that the filter selects; `state` is set. */
  deleteAll(filter: DeliveryFilter): Promise<number> {
    return inChunks(async (limit) => (await this.#ports.ledger.deleteAll(filter, limit)).length)
  }

  #again(events: readonly OutboxEvent[]): number {
    for (const { queue } of events) this.loop.replayed(queue)
    return events.length
  }

  #storageFailed(error: unknown): false {
    this.#ports.report(error)
    if (!(error instanceof StorageError)) throw error
    return false
  }
}

/** Events that an admin changes in one transaction: live events wait for each. */
const CHUNK = 250

/** @returns how many events were changed together */
async function inChunks(change: (limit: number) => Promise<number>): Promise<number> {
  let count = 0
  for (let last = CHUNK; last >= CHUNK; count += last) last = await change(CHUNK)
  return count
}
