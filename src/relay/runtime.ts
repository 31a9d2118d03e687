/** The clock, the chance and the log of a runtime, as each part of a relay gets them; tests give their own. */
export interface Runtime {
  /**
   * Milliseconds by a clock that never jumps while the process runs: since 1970 for the database, which
   * outlives the process, and since any moment for the rest.
   */
  now(): number
  /** From 0, less than 1. */
  random(): number
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, back: () => void): () => void
  /** Reports a bug, or a fault of the disk. */
  report(error: unknown): void
}
