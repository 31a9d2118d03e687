/** Time that goes on only when everybody waits: what takes hours takes none, and is the same each time. */
export class VirtualTime {
  #now: number
  #count = 0
  readonly #waiting: { readonly at: number; readonly number: number; readonly wake: () => void }[] =
    []

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  readonly now = (): number => this.#now

  readonly sleep = (duration: number): Promise<void> =>
    new Promise((wake) => {
      this.#waiting.push({ at: this.#now + duration, number: this.#count++, wake })
    })

  /** Lets time go on until the work is done, which waits for nothing but this time. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    done.catch(() => {})
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (isDone) return done
      this.#waiting.sort((one, other) => one.at - other.at || one.number - other.number)
      const next = this.#waiting.shift()
      if (!next) throw new Error('nobody waits for time, and the work is not done')
      this.#now = Math.max(this.#now, next.at)
      next.wake()
    }
  }
}

/** Numbers from 0 to below 1 that are the same each time (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
