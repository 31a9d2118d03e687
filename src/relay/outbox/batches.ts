import {
  BATCH_TEXT,
  type BatchEnvelope,
  batchEnvelope,
  joinBatch,
  writeBatchPayload,
} from '../../wire/batch.ts'
import { isObject } from '../../wire/json.ts'
import { LIMITS } from '../../wire/limits.ts'
import { readClientPayload } from '../../wire/payload.ts'
import type { Dispatch, DispatchTarget } from '../dispatch.ts'
import { outboxFull } from '../errors.ts'
import { LIMIT_OF, type Packer } from '../payload.ts'
import { type AttemptPorts, type Outcome, openDispatch } from './attempt.ts'
import type { CollectedEvent } from './collect.ts'
import { allEvents, type Outbox, type OutboxChange, type OutboxEvent } from './outbox.ts'
import { PackedSize } from './packed-size.ts'
import type { Room } from './room.ts'
import { openEvent } from './sealed-event.ts'

export interface BatchPorts extends Pick<AttemptPorts, 'keys' | 'credentials' | 'report'> {
  readonly outbox: Outbox
  readonly room: Room
  readonly pack: Packer
  now(): number
  newId(): string
  nextPlace(): number
  /** Has the lane woken when its batches are due. */
  look(lane: string): void
  /** Puts an event, or a batch, that is on disk in line. */
  hand(event: OutboxEvent): void
  /** Tells of an event that became a dead letter. */
  died(event: OutboxEvent): void
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
 * Collects events into batches, and gives each batch the form in which it is handed over. Loaded at
 * the first batch, with the library that it measures by.
 */
export class Batches {
  readonly #ports: BatchPorts
  readonly #lanes = new Map<string, Map<string, Collecting>>()
  /** Those that are being put in line, by their lane. */
  readonly #ending = new Map<Promise<void>, string>()
  readonly #measured = new Set<PackedSize>()

  constructor(ports: BatchPorts) {
    this.#ports = ports
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

  /**
   * A batch as it is handed over: as one event. Members that can no longer be handed over with it are
   * taken out before; where none is left, the outcome says why.
   */
  async dispatchOf(batch: OutboxEvent): Promise<Dispatch | Outcome> {
    const members = await this.#opened(batch)
    if ('kind' in members) return members
    const [first] = members
    if (!first) return { kind: 'refused', reason: 'empty' }
    const { repository, target, credential } = first
    const texts = members.map(({ clientPayload }) => clientPayload)
    const packed = await this.#ports.pack(new TextEncoder().encode(joinBatch(texts)))
    const envelope = batchEnvelope(first.clientPayload, members.length, batch.delivery)
    const clientPayload = writeBatchPayload(envelope, packed)
    const { most, sizeOf } = LIMIT_OF[target.event]
    const event = { repository, target, credential, delivery: batch.delivery }
    if (sizeOf(clientPayload) <= most) return { ...event, clientPayload }
    if (members.length > 1) return { kind: 'refused', reason: TOO_LARGE }
    // What is packed already is larger when it is packed again.
    return { ...event, clientPayload: first.clientPayload }
  }

  /** True where parts of a batch may be accepted that is refused as a whole. */
  isDivisible(reason: string): boolean {
    return OF_CONTENT.has(reason)
  }

  /**
   * Makes two batches of one that GitHub refuses for what is in it; of a single event a dead letter.
   *
   * @param refused the batch, with the account of its tries
   * @returns what is left to be handed over; the first half has the id
   * @throws StorageError when the disk does not take that
   */
  async halve(refused: OutboxEvent): Promise<readonly OutboxEvent[]> {
    const { outbox, now, newId, nextPlace } = this.#ports
    const members = await outbox.members(refused.delivery)
    const [first] = members
    const { delivery, tries, maybe, reason } = refused
    if (!first || members.length === 1) {
      const dead = first && { ...first, state: 'dead' as const, batch: undefined, since: now() }
      const letter = dead && { ...dead, tries, maybe, reason }
      await outbox.apply([...(letter ? [{ set: letter }] : []), { forget: delivery }])
      if (letter) this.#ports.died(letter)
      return []
    }
    const middle = Math.ceil(members.length / 2)
    const behind = members.slice(middle)
    const one = { ...refused, count: middle, next: now(), wait: 0 }
    const other = { ...one, delivery: newId(), seq: nextPlace(), count: behind.length }
    await outbox.apply([
      { set: one },
      { put: { ...other, sealed: '' } },
      ...behind.map(({ sealed: _, ...member }) => ({ set: { ...member, batch: other.delivery } })),
    ])
    return [one, other]
  }

  /** The members of a batch; those that cannot go with it, by themselves or as dead letters. */
  async #opened(batch: OutboxEvent): Promise<readonly Dispatch[] | Outcome> {
    const { outbox, keys, now } = this.#ports
    const members = await outbox.members(batch.delivery)
    const opened = await Promise.all(
      members.map(async (member) => {
        const hasKey = keys.some(({ id }) => id === member.key)
        const dispatch = hasKey ? await openDispatch(member.sealed, this.#ports) : NO_KEY
        return { member, dispatch }
      }),
    )
    const able = opened.flatMap(({ dispatch }) => ('kind' in dispatch ? [] : [dispatch]))
    if (able.length === members.length) return able
    const refusals = opened.flatMap(({ member: { sealed: _, ...member }, dispatch }) =>
      'kind' in dispatch ? [{ member, outcome: dispatch }] : [],
    )
    const waiting = refusals.find(({ outcome }) => outcome.kind !== 'refused')
    // What none of them can go with may come back, and then they go together.
    if (able.length === 0 && waiting) return waiting.outcome
    const out = refusals.map(({ member, outcome }) => {
      const isDead = outcome.kind === 'refused'
      const reason = 'reason' in outcome ? outcome.reason : member.reason
      const state = isDead ? ('dead' as const) : ('waiting' as const)
      return { ...member, state, batch: undefined, reason, since: now() }
    })
    await outbox.apply(out.map((event) => ({ set: event })))
    for (const event of out) {
      if (event.state === 'dead') this.#ports.died(event)
      else this.#ports.hand(event)
    }
    return able
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

/** As GitHub's own refusal is called. */
const TOO_LARGE = 'payload_too_large'

const NO_KEY: Outcome = { kind: 'aside', reason: 'unreadable' }

/** What GitHub refuses for what is in it, so that a part of it may be taken. */
const OF_CONTENT: ReadonlySet<string> = new Set([TOO_LARGE, 'rejected', 'empty'])

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
