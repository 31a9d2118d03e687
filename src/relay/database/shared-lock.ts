/**
 * Keeps two kinds of work of an object apart: shared work may overlap with itself, but never with work
 * that runs alone. Work begins in the order of the calls, so that neither kind waits for ever.
 */
export class SharedLock {
  /** Shared work that waits or runs. */
  readonly #shared = new Set<Promise<unknown>>()
  /** The last work that asked to run alone, until it has ended. */
  #alone: Promise<unknown> | undefined

  /** Waits for work that asked before to run alone. */
  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = after([this.#alone], work)
    this.#shared.add(running)
    try {
      return await running
    } finally {
      this.#shared.delete(running)
    }
  }

  /** Waits for all work that was asked for before, and holds back all that is asked for later. */
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

/** Begins work when other work has ended, also if that failed. */
async function after<Result>(
  earlier: readonly (Promise<unknown> | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> {
  await Promise.allSettled(earlier)
  return work()
}
