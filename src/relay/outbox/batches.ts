import {
  BATCH_TEXT,
  type BatchEnvelope,
  batchEnvelope,
  writeBatchPayload,
} from '../../wire/batch-payload.ts'
import { LIMITS } from '../../wire/limits.ts'
import { readClientPayload } from '../../wire/payload.ts'
import type { Dispatch, DispatchTarget } from '../github/dispatch.ts'
import type { BatchPeriod } from '../request/batch-period.ts'
import { LIMIT_OF } from '../request/client-payload.ts'
import type { NewEvent } from './event.ts'
import type { Ledger, OpenBatch } from './ledger.ts'
import { PackedSize } from './packed-size.ts'

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

/** An open batch with the running gzip that measures it. */
interface MeasuredBatch {
  row: OpenBatch
  readonly size: PackedSize
  /** False for a batch that only waits for its end to be written. */
  takesMore: boolean
}

/** Open batches of one queue; at one more, the oldest ends. */
const MOST_OPEN = 1000

/** Batches with a running gzip, which takes a third of a megabyte. */
const MOST_MEASURED = 32

/** Collects events into batches. A batch that ends is due in the ledger, like any event. */
export class Batches {
  readonly #ports: BatchPorts
  /** The batches of each queue, oldest first. */
  readonly #open = new Map<string, Set<MeasuredBatch>>()
  readonly #measured = new Set<PackedSize>()

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
      this.#add({ row: { ...row, opened }, size: new PackedSize(row.packed), takesMore })
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
      this.#takeNoMore(batch)
      await this.#ports.ledger.closeBatch(batch.row.id)
      this.#remove(batch)
    }
  }

  /** Forgets a batch that was deleted from the ledger. */
  forget(queue: string, id: string): void {
    for (const batch of this.#batchesOf(queue)) if (batch.row.id === id) this.#remove(batch)
  }

  /**
   * Stores an event in the open batch of its kind, or opens one.
   *
   * @returns the id of the batch; `undefined` if the quota has no room
   * @throws StorageError; then only this event failed
   */
  async collect(event: CollectedEvent): Promise<string | undefined> {
    const { target, clientPayload } = event
    const { queue } = event.event
    const grouping = groupingOf(target, webhookPathOf(clientPayload))
    const text = new TextEncoder().encode(clientPayload + BATCH_TEXT.between)
    const known = this.#takingMore(queue, grouping)
    const fits = known !== undefined && this.#takes(known, text, clientPayload.length)
    const batch = fits ? known : this.#begin(event, grouping, text)
    const { row, size } = batch
    batch.row = { ...row, last: this.#ports.now(), count: row.count + 1, packed: size.bytes }
    // Each write has the whole batch, so that none depends on the one before.
    const stored = this.#ports.ledger.putIntoBatch(event.event, batch.row)
    if (batch.row.count >= LIMITS.batchEvents) this.#takeNoMore(batch)
    let isStored = false
    try {
      isStored = await stored
    } finally {
      if (!isStored) this.#undo(batch)
    }
    return isStored ? row.id : undefined
  }

  /** An event that was not stored; a batch without events is none. */
  #undo(batch: MeasuredBatch): void {
    batch.row = { ...batch.row, count: batch.row.count - 1 }
    if (batch.takesMore && batch.row.count === 0) this.#remove(batch)
  }

  /** @returns false if the batch is full without the event */
  #takes(batch: MeasuredBatch, text: Uint8Array, length: number): boolean {
    const { row, size } = batch
    const unpacked = row.unpacked + length + LIMITS.batchEventOverhead
    if (unpacked > LIMITS.batchUnpackedLength || dueAt(batch) <= this.#ports.now()) return false
    batch.row = { ...row, unpacked }
    return this.#measure(size, text, row.space)
  }

  #measure(size: PackedSize, text: Uint8Array, space: number): boolean {
    // The sizes that were used last stay.
    this.#measured.delete(size)
    this.#measured.add(size)
    for (const oldest of this.#measured) {
      if (this.#measured.size <= MOST_MEASURED) break
      oldest.release()
      this.#measured.delete(oldest)
    }
    return size.add(text, space)
  }

  #begin(event: CollectedEvent, grouping: string, text: Uint8Array): MeasuredBatch {
    const { newId, now } = this.#ports
    const { target, clientPayload, period } = event
    const id = newId()
    const time = now()
    const row: OpenBatch = {
      id,
      queue: event.event.queue,
      grouping,
      opened: time,
      period: period.most,
      debounce: period.quiet ?? null,
      last: time,
      count: 0,
      space: spaceOf(target, batchEnvelope(clientPayload, LIMITS.batchEvents, id)),
      unpacked: clientPayload.length + LIMITS.batchEventOverhead,
      packed: 0,
    }
    const batch = { row, size: new PackedSize(), takesMore: true }
    this.#measure(batch.size, text, row.space)
    this.#add(batch)
    return batch
  }

  /** A batch takes the place of one that is full; of too many batches, the oldest ends. */
  #add(batch: MeasuredBatch): void {
    const { queue, grouping } = batch.row
    const full = this.#takingMore(queue, grouping)
    if (full) this.#takeNoMore(full)
    const [oldest, ...others] = this.#batchesOf(queue).filter(({ takesMore }) => takesMore)
    if (oldest && others.length >= MOST_OPEN - 1) this.#takeNoMore(oldest)
    const batches = this.#open.get(queue) ?? new Set()
    this.#open.set(queue, batches.add(batch))
  }

  /** Makes a batch due. Its last events may be on their way to the disk: its end is written after them. */
  #takeNoMore(batch: MeasuredBatch): void {
    batch.takesMore = false
    this.#measured.delete(batch.size)
  }

  #batchesOf(queue: string): readonly MeasuredBatch[] {
    return [...(this.#open.get(queue) ?? [])]
  }

  #takingMore(queue: string, grouping: string): MeasuredBatch | undefined {
    return this.#batchesOf(queue).find(
      ({ row, takesMore }) => takesMore && row.grouping === grouping,
    )
  }

  #remove(batch: MeasuredBatch): void {
    const { queue } = batch.row
    this.#measured.delete(batch.size)
    this.#open.get(queue)?.delete(batch)
    if (this.#open.get(queue)?.size === 0) this.#open.delete(queue)
  }
}

function dueAt({ row, takesMore }: MeasuredBatch): number {
  const { opened, period, debounce, last } = row
  return takesMore ? Math.min(opened + period, last + (debounce ?? period)) : opened
}

/** Events of one batch share how they start which workflow and trigger. */
function groupingOf(target: DispatchTarget, path: string): string {
  const ref = target.event === 'workflow_dispatch' ? target.ref : undefined
  const [workflow = '', trigger = ''] = path.split('?', 1)[0]?.split('/') ?? []
  return JSON.stringify([target.event, ref ?? null, workflow, trigger])
}

function webhookPathOf(clientPayload: string): string {
  return readClientPayload(JSON.parse(clientPayload)).path
}

/** Bytes that may be gzipped, so that their base64 and the other keys fit into GitHub's limit. */
function spaceOf(target: DispatchTarget, envelope: BatchEnvelope): number {
  const around = new TextEncoder().encode(writeBatchPayload(envelope, '')).length
  return Math.floor((LIMIT_OF[target.event].most - around) / 4) * 3
}
