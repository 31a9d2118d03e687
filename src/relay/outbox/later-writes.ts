import type { Outbox, OutboxChange } from './outbox.ts'

interface WritePorts {
  readonly outbox: Pick<Outbox, 'apply'>
  now(): number
  report(error: unknown): void
}

const SECOND = 1000

/**
 * Changes that hold from the moment they are made, whatever the disk says: what it does not take is
 * written again later, and until then known to this process alone.
 */
export class LaterWrites {
  readonly #ports: WritePorts
  readonly #tellForgotten: (delivery: string) => void
  readonly #missing = new Map<string, readonly OutboxChange[]>()
  #notBefore = 0

  /** @param tellForgotten is told of each event that GitHub has, and that the disk keeps */
  constructor(ports: WritePorts, tellForgotten: (delivery: string) => void) {
    this.#ports = ports
    this.#tellForgotten = tellForgotten
  }

  /** Never throws. */
  async write(delivery: string, changes: readonly OutboxChange[]): Promise<void> {
    const { outbox, now, report } = this.#ports
    try {
      await outbox.apply(changes)
      this.#missing.delete(delivery)
    } catch (error) {
      const isFirst = !this.#missing.has(delivery)
      this.#missing.set(delivery, changes)
      this.#notBefore = now() + SECOND
      report(error)
      if (isFirst && changes.some((change) => 'forget' in change)) this.#tellForgotten(delivery)
    }
  }

  /** Writes what is missing, at most once a second. */
  async again(isLast = false): Promise<void> {
    const { outbox, now, report } = this.#ports
    if (this.#missing.size === 0 || (now() < this.#notBefore && !isLast)) return
    this.#notBefore = now() + SECOND
    const all = [...this.#missing]
    try {
      await outbox.apply(all.flatMap(([, changes]) => changes))
      for (const [delivery, changes] of all) {
        if (this.#missing.get(delivery) === changes) this.#missing.delete(delivery)
      }
    } catch (error) {
      report(error)
    }
  }
}
