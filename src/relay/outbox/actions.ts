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

  /** Lets a dead letter wait again, behind all others. @returns false when there is none */
  async replay(delivery: string): Promise<boolean> {
    const { outbox, queue } = this.#ports
    const found = await outbox.find(delivery)
    if (found?.state !== 'dead') return false
    const { sealed: _, ...event } = found
    await this.#again(event)
    await queue.recount()
    return true
  }

  /** @returns how many */
  async replayAll(filter: DeadFilter): Promise<number> {
    const dead = await this.#deadLetters(filter)
    for (const event of dead) await this.#again(event)
    await this.#ports.queue.recount()
    return dead.length
  }

  /** Forgets an event, waiting or dead; false when there is none. */
  async drop(delivery: string): Promise<boolean> {
    const { outbox, queue } = this.#ports
    const event = await outbox.find(delivery)
    if (!event) return false
    await outbox.apply([{ forget: delivery }])
    if (event.state === 'waiting') queue.dequeue(event)
    await queue.recount()
    return true
  }

  /** Forgets dead letters. @returns how many */
  async dropAll(filter: DeadFilter): Promise<number> {
    const { outbox, queue } = this.#ports
    const dead = await this.#deadLetters(filter)
    for (const { delivery } of dead) await outbox.apply([{ forget: delivery }])
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

  async #again(event: OutboxEvent): Promise<void> {
    const { outbox, queue, now } = this.#ports
    const at = now()
    const again = {
      ...event,
      ...({ state: 'waiting', reason: 'replayed', seq: queue.nextPlace() } as const),
      ...{ at, since: at, next: at, wait: 0, tries: 0, maybe: 0, aside: 0 },
    }
    await outbox.apply([{ set: again }])
    queue.enqueue(again, 0)
  }
}
