/** An attempt may also ask for a token and the default branch, and a lookup reads several pages. */
const RESERVE = 4

/** Counts the calls of GitHub of one run: a Durable Object may make a limited number of requests. */
export class CallBudget {
  #left: number

  constructor(calls = Number.POSITIVE_INFINITY) {
    this.#left = calls
  }

  /** True if the rest might not do for another attempt. */
  get isUsedUp(): boolean {
    return this.#left < RESERVE
  }

  /** Attempts or lookups that may begin concurrently. */
  get attempts(): number {
    return Math.floor(this.#left / RESERVE)
  }

  use(calls = 1): void {
    this.#left -= calls
  }
}
