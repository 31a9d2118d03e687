/**
 * Keeps two kinds of work of an object apart: shared work may overlap with itself, but never with work
 * that runs alone.
 */
export class SharedLock {
  readonly #shared = new Set<Promise<unknown>>()
  /** Settles when the last work that runs alone has ended. */
  #alone: Promise<unknown> | undefined

  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    // More work may have asked to run alone in the meantime.
    while (this.#alone) await this.#alone
    const running = work()
    this.#shared.add(running)
    try {
      return await running
    } finally {
      this.#shared.delete(running)
    }
  }

  /** Waits for all work that began before, and holds back all that begins later. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const earlier = this.#alone
    const running = (async () => {
      await earlier
      await Promise.allSettled(this.#shared)
      return work()
    })()
    const ended = running.then(
      () => {},
      () => {},
    )
    this.#alone = ended
    try {
      return await running
    } finally {
      if (this.#alone === ended) this.#alone = undefined
    }
  }
}
