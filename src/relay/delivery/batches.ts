import { LIMITS } from '../../wire/limits.ts'
import { readClientPayload } from '../../wire/payload.ts'
import type { Dispatch } from '../github/send.ts'
import type { BatchPeriod } from './batch-period.ts'
import type { NewEvent } from './event.ts'
import type { Ledger, OpenBatch } from './ledger.ts'

/** An event for a batch. */
export interface CollectedEvent extends Pick<Dispatch, 'target' | 'clientPayload'> {
  readonly event: NewEvent
  readonly period: BatchPeriod
}

export interface BatchPorts {
  readonly ledger: Ledger
  newId(): string
  now(): number
}

interface Batch {
  row: OpenBatch
  /** False for a batch that is due. Its end is written to the ledger after its last events. */
  takesMore: boolean
}

/** Open batches of one queue; at one more, the oldest ends. */
const MOST_OPEN = 1000

/**
 * Collects events into batches. A batch is full by the number and the length of its events. A batch that
 * ends is due in the ledger, like any event.
 */
export class Batches {
  readonly #ports: BatchPorts
  /** The batches of each queue, oldest first, until their end is written. */
  readonly #open = new Map<string, Set<Batch>>()

  constructor(ports: BatchPorts) {
    this.#ports = ports
  }

  /** Continues the batches that are open on disk. */
  async start(): Promise<void> {
    const { ledger, now } = this.#ports
    for (const row of await ledger.openBatches()) {
      // A clock that was ahead must not hold a batch longer than its period.
      const opened = Math.min(row.opened, now())
      const takesMore = row.count < LIMITS.batchEvents
      this.#add({ row: { ...row, opened }, takesMore })
    }
  }

  /** When the first batch of a queue ends; `undefined` if none is open. */
  dueAt(queue: string): number | undefined {
    const all = this.#batchesOf(queue)
    return all.length === 0 ? undefined : Math.min(...all.map(dueAt))
  }

  /** Ends the batches of a queue whose time is over. If the disk fails, they stay due. */
  async endDue(queue: string): Promise<void> {
    const now = this.#ports.now()
    for (const batch of this.#batchesOf(queue)) {
      if (dueAt(batch) > now) continue
      batch.takesMore = false
      await this.#ports.ledger.closeBatch(batch.row.id)
      this.#remove(batch)
    }
  }

  /** Ends a batch that an admin deletes, before it leaves the ledger: no event may join it any more. */
  end(id: string): void {
    for (const batches of this.#open.values()) {
      for (const batch of batches) if (batch.row.id === id) batch.takesMore = false
    }
  }

  /**
   * Stores an event in the open batch of its kind, or opens one.
   *
   * @returns the id of the batch; `undefined` if the quota has no room
   * @throws StorageError; then only this event failed
   */
  async collect(event: CollectedEvent): Promise<string | undefined> {
    const { queue } = event.event
    const { now } = this.#ports
    const grouping = groupingOf(event)
    const added = event.clientPayload.length + LIMITS.batchEventOverhead
    const known = this.#takingMore(queue, grouping)
    const isInTime = known !== undefined && dueAt(known) > now()
    const fits = isInTime && known.row.length + added <= LIMITS.batchUnpackedLength
    const batch = fits ? known : this.#begin(event, grouping)
    const { count, length } = batch.row
    batch.row = { ...batch.row, last: now(), count: count + 1, length: length + added }
    // Each write has the whole batch, so that none depends on the one before.
    const stored = this.#ports.ledger.putIntoBatch(event.event, batch.row)
    if (batch.row.count >= LIMITS.batchEvents) batch.takesMore = false
    let isStored = false
    try {
      isStored = await stored
    } finally {
      if (!isStored) this.#undo(batch, added)
    }
    return isStored ? batch.row.id : undefined
  }

  /** Takes back an event that was not stored. A batch without events is none. */
  #undo(batch: Batch, added: number): void {
    const { count, length } = batch.row
    batch.row = { ...batch.row, count: count - 1, length: length - added }
    if (batch.takesMore && batch.row.count === 0) this.#remove(batch)
  }

  #begin({ event, period }: CollectedEvent, grouping: string): Batch {
    const { newId, now } = this.#ports
    const row: OpenBatch = {
      id: newId(),
      queue: event.queue,
      grouping,
      opened: now(),
      period: period.most,
      debounce: period.quiet ?? null,
      last: now(),
      count: 0,
      length: 0,
    }
    const batch = { row, takesMore: true }
    this.#add(batch)
    return batch
  }

  /** A batch takes the place of one that is full; of too many batches, the oldest ends. */
  #add(batch: Batch): void {
    const { queue, grouping } = batch.row
    const full = this.#takingMore(queue, grouping)
    if (full) full.takesMore = false
    const [oldest, ...others] = this.#batchesOf(queue).filter(({ takesMore }) => takesMore)
    if (oldest && others.length >= MOST_OPEN - 1) oldest.takesMore = false
    const batches = this.#open.get(queue) ?? new Set()
    this.#open.set(queue, batches.add(batch))
  }

  #batchesOf(queue: string): readonly Batch[] {
    return [...(this.#open.get(queue) ?? [])]
  }

  #takingMore(queue: string, grouping: string): Batch | undefined {
    return this.#batchesOf(queue).find(
      ({ row, takesMore }) => takesMore && row.grouping === grouping,
    )
  }

  #remove(batch: Batch): void {
    const { queue } = batch.row
    this.#open.get(queue)?.delete(batch)
    if (this.#open.get(queue)?.size === 0) this.#open.delete(queue)
  }
}

function dueAt({ row, takesMore }: Batch): number {
  const { opened, period, debounce, last } = row
  return takesMore ? Math.min(opened + period, last + (debounce ?? period)) : opened
}

/** Events of one batch share how they start which workflow and trigger. */
function groupingOf({ target, clientPayload }: CollectedEvent): string {
  const { path } = readClientPayload(JSON.parse(clientPayload))
  const ref = target.event === 'workflow_dispatch' ? target.ref : undefined
  const [workflow = '', trigger = ''] = path.split('?', 1)[0]?.split('/') ?? []
  return JSON.stringify([target.event, ref ?? null, workflow, trigger])
}
