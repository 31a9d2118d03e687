import { batchEnvelope, joinBatch, writeBatchPayload } from '../../wire/batch.ts'
import type { Dispatch } from '../github/dispatch.ts'
import { LIMIT_OF, type Packer } from '../request/client-payload.ts'
import { type AttemptPorts, type Outcome, openDispatch } from './attempt.ts'
import type { Outbox, OutboxEvent } from './outbox.ts'

export interface BatchDispatchPorts extends Pick<AttemptPorts, 'keys' | 'credentials'> {
  readonly outbox: Outbox
  readonly pack: Packer
  now(): number
  newId(): string
  nextPlace(): number
  /** Puts an event, or a batch, that is on disk in line. */
  hand(event: OutboxEvent): void
  /** Tells of an event that became a dead letter. */
  died(event: OutboxEvent): void
}

/** As GitHub's own refusal is called. */
const TOO_LARGE = 'payload_too_large'

const NO_KEY: Outcome = { kind: 'aside', reason: 'unreadable' }

/** What GitHub refuses for what is in it, so that a part of it may be taken. */
const OF_CONTENT: ReadonlySet<string> = new Set([TOO_LARGE, 'event_rejected', 'empty'])

/** Gives batches the form in which they are handed over, and makes two of one that is refused. */
export class BatchDispatches {
  readonly #ports: BatchDispatchPorts

  constructor(ports: BatchDispatchPorts) {
    this.#ports = ports
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
}
