export const START = Date.UTC(2026, 0, 2)
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** Real milliseconds after which work counts as waiting for other work. */
const WAITS_FOR_OTHERS = 20_000

interface Due {
  readonly at: number
  readonly run: () => Promise<void> | void
}

/** Time that only advances by `pass`, which resolves after all timers in it have run. */
export class FakeTime {
  now: number
  readonly #due = new Map<unknown, Due>()
  /** Pending work that does not wait for this time. */
  #working = 0
  /** Number of further tasks; `rest` of them wait for this time. */
  others = () => 0

  constructor(start = START) {
    this.now = start
  }

  /** Replaces an earlier timer of the same name. */
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

  /** Waits for a result that needs time to advance. */
  async rest<Result>(waiting: Promise<Result>): Promise<Result> {
    this.#working--
    try {
      return await waiting
    } finally {
      this.#working++
    }
  }

  /** Counts pending work, so that time waits for it. */
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
      const next = this.#next()
      if (!next || next[1].at > end) break
      await this.settled(this.#begin(next))
    }
    this.now = end
  }

  /** Advances time until the work is done, which must only wait for this time; hours take no real time. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    done.catch(() => {})
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (isDone) return done
      const next = this.#next()
      if (!next) throw new Error('the work is not done, and waits for no time')
      this.#begin(next)
    }
  }

  #next() {
    const [next] = [...this.#due].sort(([, a], [, b]) => a.at - b.at)
    return next
  }

  #begin([name, { at, run }]: [unknown, Due]): Promise<void> | void {
    this.#due.delete(name)
    this.now = Math.max(this.now, at)
    return run()
  }

  /** Resolves when the work, and all other work, has ended or sleeps in this time. */
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

/** Reproducible numbers from 0, less than 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
