export const START = Date.UTC(2026, 0, 2)
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** Real milliseconds after which work is taken to wait for other work. */
const WAITS_FOR_OTHERS = 20_000

/** Time that passes only when it is told to. What happens in it is done when `pass` resolves. */
export class FakeTime {
  now = START
  readonly #due = new Map<unknown, { at: number; run: () => Promise<void> | void }>()
  /** Work under way that is not waiting for this time to pass. */
  #working = 0
  /** Number of further works, of which those that wait for this time `rest`. */
  others = () => 0

  /** In place of what was to be run under the same name before. */
  at(name: unknown, delay: number, run: () => Promise<void> | void): () => void {
    this.#due.set(name, { at: this.now + delay, run })
    return () => this.#due.delete(name)
  }

  sleep(milliseconds: number): Promise<void> {
    return this.rest(
      new Promise((resolve) => {
        this.at(Symbol('sleep'), milliseconds, resolve)
      }),
    )
  }

  /** Waits for what comes only when time passes. */
  async rest<Result>(waiting: Promise<Result>): Promise<Result> {
    this.#working--
    try {
      return await waiting
    } finally {
      this.#working++
    }
  }

  /** Counts work that goes on, so that time waits for it. */
  track<Result>(work: Promise<Result>): Promise<Result> {
    this.#working++
    const done = () => {
      this.#working--
    }
    work.then(done, done)
    return work
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    await this.settled(undefined)
    for (;;) {
      const [next] = [...this.#due].sort(([, a], [, b]) => a.at - b.at)
      if (!next || next[1].at > end) break
      this.#due.delete(next[0])
      this.now = Math.max(this.now, next[1].at)
      await this.settled(next[1].run())
    }
    this.now = end
  }

  /** Resolves when the work, and all other, is done, or sleeps in this time. */
  async settled(work: unknown): Promise<void> {
    if (work instanceof Promise) this.track(work).catch(() => {})
    const end = performance.now() + WAITS_FOR_OTHERS
    for (
      let turn = 0;
      turn < 3 || (this.#working + this.others() > 0 && performance.now() < end);
      turn++
    ) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
