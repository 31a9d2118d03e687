/** Limits: the number of runs, and of lines of one run. */
const BOUNDS = { runs: 20, lines: 5000 }

/** Logs of the real jobs of events. */
export class RunLogs {
  readonly #lines = new Map<string, string[]>()
  readonly #listeners = new Set<(delivery: string) => void>()

  add(delivery: string, line: string): void {
    const lines = this.#lines.get(delivery) ?? []
    this.#lines.set(delivery, lines)
    if (lines.length < BOUNDS.lines) lines.push(line)
    else lines[BOUNDS.lines] = 'what follows stands in the terminal alone'
    const [oldest] = this.#lines.keys()
    if (this.#lines.size > BOUNDS.runs && oldest !== undefined) this.#lines.delete(oldest)
    for (const listener of this.#listeners) listener(delivery)
  }

  /** Empty if nothing ran. */
  textOf(delivery: string): string {
    return this.#lines.get(delivery)?.join('\n') ?? ''
  }

  /** @returns a function that removes the listener */
  listen(listener: (delivery: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
