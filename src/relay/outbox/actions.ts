import { allEvents, type Outbox, type OutboxEvent, type OutboxQuery } from './outbox.ts'
import type { OutboxQueue } from './queue.ts'

/** Which dead letters are meant; all of them where nothing is asked. */
export type DeadFilter = Pick<OutboxQuery, 'lane' | 'reason' | 'credential'>

interface ActionPorts {
  readonly outbox: Outbox
  readonly queue: Pick<OutboxQueue, 'enqueue' | 'dequeue' | 'recount' | 'nextPlace'>
  now(): number
}

/** What an operator does with what is kept. */
export class OutboxActions {
  readonly #ports: ActionPorts

  constructor(ports: ActionPorts) {
    this.#ports = ports
  }

  /**
   * Lets a dead letter wait again, or a batch that was handed over, behind all others.
   *
   * @returns false when there is none
   */
  async replay(delivery: string): Promise<boolean> {
    const { outbox, queue } = this.#ports
    const found = await outbox.find(delivery)
    if (!found || !isEnded(found)) return false
    const { sealed: _, ...event } = found
    await this.#again([event])
    await queue.recount()
    return true
  }

  /** Lets the events of a batch wait again, each by itself. @returns how many */
  async separate(batch: string): Promise<number> {
    const { outbox, queue } = this.#ports
    const found = await outbox.find(batch)
    if (!found || found.count === 0 || !isEnded(found)) return 0
    const members = await outbox.members(batch)
    const events = members.map(({ sealed: _, ...event }) =>
      this.#waitingAgain({ ...event, batch: undefined }),
    )
    await outbox.apply([...events.map((event) => ({ set: event })), { forget: batch }])
    for (const event of events) queue.enqueue(event, 0)
    await queue.recount()
    return events.length
  }

  /** @returns how many */
  async replayAll(filter: DeadFilter): Promise<number> {
    const dead = await this.#deadLetters(filter)
    for (const some of chunks(dead)) await this.#again(some)
    await this.#ports.queue.recount()
    return dead.length
  }

  /** Forgets an event, waiting or dead; false when there is none. */
  async drop(delivery: string): Promise<boolean> {
    const { outbox, queue } = this.#ports
    const event = await outbox.find(delivery)
    if (!event) return false
    await outbox.apply([{ forget: delivery }])
    queue.dequeue(event)
    await queue.recount()
    return true
  }

  /** Forgets dead letters. @returns how many */
  async dropAll(filter: DeadFilter): Promise<number> {
    const { outbox, queue } = this.#ports
    const dead = await this.#deadLetters(filter)
    for (const some of chunks(dead)) {
      await outbox.apply(some.map(({ delivery }) => ({ forget: delivery })))
    }
    await queue.recount()
    return dead.length
  }

  async #deadLetters(filter: DeadFilter): Promise<OutboxEvent[]> {
    const events: OutboxEvent[] = []
    for await (const event of allEvents(this.#ports.outbox, { states: ['dead'], ...filter })) {
      events.push(event)
    }
    return events
  }

  async #again(events: readonly OutboxEvent[]): Promise<void> {
    const { outbox, queue } = this.#ports
    const again = events.map((event) => this.#waitingAgain(event))
    const changes = again.map((event) => [
      { set: event } as const,
      { members: event.delivery, state: 'member', at: event.at } as const,
    ])
    await outbox.apply(changes.flat())
    for (const event of again) queue.enqueue(event, 0)
  }

  #waitingAgain(event: OutboxEvent): OutboxEvent {
    const { queue, now } = this.#ports
    const at = now()
    return {
      ...event,
      ...({ state: 'waiting', reason: 'replayed', seq: queue.nextPlace() } as const),
      ...{ at, since: at, next: at, wait: 0, tries: 0, maybe: 0, aside: 0 },
    }
  }
}

/** True for what is handed over no more unless an operator says so. */
function isEnded({ state, count }: OutboxEvent): boolean {
  return state === 'dead' || (state === 'sent' && count > 0)
}

/** What is written together: each write waits for the disk, and live events wait for each. */
const CHUNK = 250

function* chunks(events: readonly OutboxEvent[]): Generator<readonly OutboxEvent[]> {
  for (let at = 0; at < events.length; at += CHUNK) yield events.slice(at, at + CHUNK)
}
