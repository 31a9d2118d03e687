/** What a runtime gives to each part of a relay; tests give their own. */
export interface Runtime {
  /** Milliseconds since 1970. It never jumps while the process runs. */
  now(): number
  /** From 0, less than 1. */
  random(): number
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, back: () => void): () => void
  /** Reports a bug, or a fault of the disk. */
  report(error: unknown): void
}
