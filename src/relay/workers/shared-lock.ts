/**
 * A readers-writer lock: many shared tasks may run concurrently; a task that runs alone runs with no other.
 * Tasks begin in the order of the calls, so that neither kind waits for ever.
 */
export class SharedLock {
  /** Shared tasks that wait or run. */
  readonly #shared = new Set<Promise<unknown>>()
  /** The last task that runs alone, until it has ended. */
  #alone: Promise<unknown> | undefined

  /** Runs when the earlier tasks that run alone have ended. */
  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = after([this.#alone], work)
    this.#shared.add(running)
    try {
      return await running
    } finally {
      this.#shared.delete(running)
    }
  }

  /** Runs when all earlier tasks have ended, and holds back all later ones. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = after([this.#alone, ...this.#shared], work)
    this.#alone = running
    try {
      return await running
    } finally {
      if (this.#alone === running) this.#alone = undefined
    }
  }
}

/** Begins work when the earlier work has ended, also if that failed. */
async function after<Result>(
  earlier: readonly (Promise<unknown> | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> {
  await Promise.allSettled(earlier)
  return work()
}
