import {
  BATCH_TEXT,
  type BatchEnvelope,
  batchEnvelope,
  writeBatchPayload,
} from '../../wire/batch.ts'
import { isObject } from '../../wire/json.ts'
import { LIMITS } from '../../wire/limits.ts'
import { readClientPayload } from '../../wire/payload.ts'
import { outboxFull } from '../errors.ts'
import type { DispatchTarget } from '../github/dispatch.ts'
import { LIMIT_OF } from '../request/client-payload.ts'
import type { AttemptPorts } from './attempt.ts'
import { BatchDispatches, type BatchDispatchPorts } from './batch-dispatches.ts'
import type { CollectedEvent } from './collect.ts'
import { allEvents, type OutboxChange, type OutboxEvent } from './outbox.ts'
import { PackedSize } from './packed-size.ts'
import type { Room } from './room.ts'
import { openEvent } from './sealed-event.ts'

export interface BatchPorts extends BatchDispatchPorts, Pick<AttemptPorts, 'report'> {
  readonly room: Room
  /** Has the lane woken when its batches are due. */
  look(lane: string): void
  /** Writes what holds from now on, whatever the disk says. */
  write(delivery: string, changes: readonly OutboxChange[]): Promise<void>
}

/** What is remembered on disk of a batch that still takes events in; its row has the rest. */
interface Measure {
  /** Milliseconds without a new event that end it. */
  readonly quiet: number | undefined
  /** Bytes that it may have when it is packed. */
  readonly space: number
  /** Characters of its events. */
  unpacked: number
}

/** A batch that still takes events in. */
interface Collecting {
  row: OutboxEvent
  readonly measure: Measure
  readonly size: PackedSize
  /** Its row is on disk. */
  begun: Promise<unknown>
  /** What is being written of it. */
  readonly writes: Set<Promise<unknown>>
}

/** Of one lane; beyond, the oldest is handed over before its time. */
const MOST_COLLECTING = 1000

/** Those whose running gzip is kept: it takes a third of a megabyte. */
const MOST_MEASURED = 32

/**
 * Collects events into batches. Loaded at the first batch, with the library that it measures by and
 * with what batches are handed over by.
 */
export class Batches {
  readonly #ports: BatchPorts
  readonly dispatches: BatchDispatches
  readonly #lanes = new Map<string, Map<string, Collecting>>()
  /** Those that are being put in line, by their lane. */
  readonly #ending = new Map<Promise<void>, string>()
  readonly #measured = new Set<PackedSize>()

  constructor(ports: BatchPorts) {
    this.#ports = ports
    this.dispatches = new BatchDispatches(ports)
  }

  /** Takes up what was being collected. To be called once, before all else. */
  async start(): Promise<void> {
    const { outbox, keys, now } = this.#ports
    for await (const row of allEvents(outbox, { states: ['collecting'] })) {
      const members = await outbox.members(row.delivery)
      const [first] = members
      const found = await outbox.find(row.delivery)
      const opened = first && (await openEvent(first.sealed, keys).catch(() => undefined))
      const [measure, packed] = readMeasure(found?.sealed ?? '')
      const batch: Collecting = {
        row: { ...row, count: members.length },
        ...{ measure, size: new PackedSize(packed), begun: Promise.resolve(), writes: new Set() },
      }
      // Without its key nobody knows what it may take in.
      if (!opened) this.#end(batch)
      else {
        const { target, clientPayload } = opened.event
        this.#lane(row.lane).set(groupOf(target, pathOf(clientPayload)), batch)
        // A clock that was wrong must not hold it longer than was asked for.
        const until = Math.min(row.next, now() + row.wait)
        batch.row = { ...batch.row, next: until }
        this.#ports.look(row.lane)
      }
    }
  }

  /** True where a lane has a batch that is not in line yet. */
  holds(lane: string): boolean {
    return this.#lanes.has(lane) || [...this.#ending.values()].includes(lane)
  }

  /** How many events are being collected. */
  get events(): number {
    let sum = 0
    for (const lane of this.#lanes.values()) for (const { row } of lane.values()) sum += row.count
    return sum
  }

  /** When the first batch of a lane is to be put in line. */
  dueAt(lane: string): number | undefined {
    const all = [...(this.#lanes.get(lane)?.values() ?? [])]
    return all.length === 0 ? undefined : Math.min(...all.map(dueAt))
  }

  /** Puts those in line whose time is over. */
  async endDue(lane: string): Promise<void> {
    const now = this.#ports.now()
    for (const batch of [...(this.#lanes.get(lane)?.values() ?? [])]) {
      if (dueAt(batch) <= now) this.#end(batch)
    }
    const ending = [...this.#ending].filter(([, name]) => name === lane)
    await Promise.all(ending.map(([end]) => end))
  }

  /**
   * Takes an event into the batch of its kind; it is on disk when the promise resolves.
   *
   * @returns the id of the batch
   * @throws RelayError 503 when there is no room, or the disk fails
   */
  async collect({ target, clientPayload, period, ...given }: CollectedEvent): Promise<string> {
    const { room, outbox, now, nextPlace } = this.#ports
    const { lane, sealed } = given
    const bytes = sealed.length
    const taken = room.take(lane, bytes)
    if (!(typeof taken === 'boolean' ? taken : await taken)) throw outboxFull('the outbox is full')
    const group = groupOf(target, pathOf(clientPayload))
    const text = new TextEncoder().encode(clientPayload + BATCH_TEXT.between)
    const known = this.#lanes.get(lane)?.get(group)
    const isTaken = known !== undefined && this.#takes(known, text, clientPayload.length)
    if (known && !isTaken) this.#end(known)
    const batch = isTaken ? known : this.#begin({ target, clientPayload, period, ...given }, text)
    const time = now()
    batch.row = { ...batch.row, count: batch.row.count + 1, since: time }
    const { row } = batch
    const member = {
      ...({
        ...given,
        state: 'member',
        seq: nextPlace(),
        at: time,
        since: time,
        next: time,
      } as const),
      ...{ tries: 0, wait: 0, maybe: 0, aside: 0, reason: 'batch' },
      ...{ bytes, batch: row.delivery, count: 0 },
    }
    const measure = writeMeasure(batch)
    const write = isTaken
      ? // Without its row it would belong to nothing.
        batch.begun.then(() => outbox.apply([{ set: row, sealed: measure }, { put: member }]))
      : outbox.apply([{ put: { ...row, sealed: measure } }, { put: member }])
    if (!isTaken) batch.begun = write
    batch.writes.add(write)
    // Before it is on disk, so that nothing more is taken in.
    if (row.count >= LIMITS.batchEvents) this.#end(batch)
    else if (!isTaken) this.#ports.look(lane)
    try {
      await write
      return row.delivery
    } catch (error) {
      batch.row = { ...batch.row, count: batch.row.count - 1 }
      room.give(lane, 1, bytes)
      this.#ports.report(error)
      throw outboxFull('the outbox cannot be written', error)
    } finally {
      batch.writes.delete(write)
    }
  }

  /** Forgets a batch that is being collected. */
  drop({ lane, delivery }: Pick<OutboxEvent, 'lane' | 'delivery'>): void {
    for (const [group, { row }] of this.#lanes.get(lane) ?? []) {
      if (row.delivery === delivery) this.#remove(lane, group)
    }
  }

  /** @returns false where the batch is full without it */
  #takes(batch: Collecting, text: Uint8Array, length: number): boolean {
    const { measure, size } = batch
    const unpacked = measure.unpacked + length + LIMITS.batchEventOverhead
    if (unpacked > LIMITS.batchUnpackedLength || dueAt(batch) <= this.#ports.now()) return false
    measure.unpacked = unpacked
    return this.#measure(size, text, measure.space)
  }

  #measure(size: PackedSize, text: Uint8Array, space: number): boolean {
    // Those that were used last stay.
    this.#measured.delete(size)
    this.#measured.add(size)
    for (const oldest of this.#measured) {
      if (this.#measured.size <= MOST_MEASURED) break
      oldest.release()
      this.#measured.delete(oldest)
    }
    return size.add(text, space)
  }

  #begin(event: CollectedEvent, text: Uint8Array): Collecting {
    const { now, newId, nextPlace } = this.#ports
    const { target, clientPayload, period, lane, credential, key } = event
    const time = now()
    const row: OutboxEvent = {
      ...{ delivery: newId(), seq: nextPlace(), lane, credential, state: 'collecting', key },
      ...{ at: time, since: time, next: time + period.most, wait: period.most, tries: 0, maybe: 0 },
      ...{ aside: 0, reason: 'batch', bytes: 0, batch: undefined, count: 0 },
    }
    const measure = {
      quiet: period.quiet,
      space: spaceOf(target, batchEnvelope(clientPayload, LIMITS.batchEvents, row.delivery)),
      unpacked: clientPayload.length + LIMITS.batchEventOverhead,
    }
    const size = new PackedSize()
    const batch = { row, measure, size, begun: Promise.resolve(), writes: new Set<Promise<void>>() }
    this.#measure(size, text, measure.space)
    const known = this.#lane(lane)
    const [oldest] = known.values()
    if (oldest && known.size >= MOST_COLLECTING) this.#end(oldest)
    this.#lane(lane).set(groupOf(target, pathOf(clientPayload)), batch)
    return batch
  }

  /** Takes no more events into a batch, and puts it in line once all it has is on disk. */
  #end(batch: Collecting): void {
    const { lane, delivery } = batch.row
    for (const [group, known] of this.#lanes.get(lane) ?? []) {
      if (known === batch) this.#remove(lane, group)
    }
    const end = async () => {
      await Promise.allSettled(batch.writes)
      const { row } = batch
      if (row.count === 0) return this.#ports.write(delivery, [{ forget: delivery }])
      const at = this.#ports.now()
      const times = { seq: this.#ports.nextPlace(), at, since: at, next: at, wait: 0 }
      const event = { ...row, ...times, state: 'waiting' as const }
      await this.#ports.write(delivery, [{ set: event }])
      this.#ports.hand(event)
    }
    const ending = end().finally(() => this.#ending.delete(ending))
    this.#ending.set(ending, lane)
  }

  #lane(name: string): Map<string, Collecting> {
    const lane = this.#lanes.get(name) ?? new Map<string, Collecting>()
    this.#lanes.set(name, lane)
    return lane
  }

  #remove(name: string, group: string): void {
    const lane = this.#lanes.get(name)
    const batch = lane?.get(group)
    if (batch) this.#measured.delete(batch.size)
    lane?.delete(group)
    if (lane?.size === 0) this.#lanes.delete(name)
  }
}

function dueAt({ row, measure: { quiet } }: Collecting): number {
  return quiet === undefined ? row.next : Math.min(row.next, row.since + quiet)
}

/** What the events of one batch share, beside their lane: how they start what. */
function groupOf(target: DispatchTarget, path: string): string {
  const ref = target.event === 'workflow_dispatch' ? target.ref : undefined
  const [workflow = '', trigger = ''] = path.split('?', 1)[0]?.split('/') ?? []
  return JSON.stringify([target.event, ref ?? null, workflow, trigger])
}

function pathOf(clientPayload: string): string {
  return readClientPayload(JSON.parse(clientPayload)).path
}

/** Bytes that may be packed, so that their base64 and all around it are within GitHub's limit. */
function spaceOf(target: DispatchTarget, envelope: BatchEnvelope): number {
  const around = new TextEncoder().encode(writeBatchPayload(envelope, '')).length
  return Math.floor((LIMIT_OF[target.event].most - around) / 4) * 3
}

function writeMeasure({ measure, size }: Collecting): string {
  return JSON.stringify({ ...measure, packed: size.bytes })
}

/** What `writeMeasure` wrote; of anything else a batch that is full. */
function readMeasure(text: string): [Measure, packed: number] {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    // It is not known how large it is.
  }
  const { quiet, space, unpacked, packed } = isObject(found) ? found : {}
  const number = (value: unknown, other: number) => (typeof value === 'number' ? value : other)
  const measure = {
    quiet: typeof quiet === 'number' ? quiet : undefined,
    space: number(space, 0),
    unpacked: number(unpacked, LIMITS.batchUnpackedLength),
  }
  return [measure, number(packed, 0)]
}
