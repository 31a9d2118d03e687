export const MEGABYTE = 1024 * 1024

/** Figures of the relay that nobody can choose better from outside. */
export const FIGURES = {
  /** For all calls of one event: GitHub answers within a second, and most senders wait for ten. */
  GITHUB_TIMEOUT_MS: 8000,
  /** All request bodies together; an isolate on Workers has 128 MB. Beyond it the relay responds 503. */
  MAX_BODY_MEMORY_MB: 128,
  /** The time that a sender waits before the response is 202: the shortest time-outs of senders are 3 s. */
  RESPONSE_TIMEOUT_MS: 2500,
  /** Between calls of a credential while events are queued: GitHub accepts 180 such calls a minute. */
  MIN_INTERVAL_MS: 350,
  /** Queued events; their number matters to the time of a start. */
  MAX_EVENTS: 100_000,
} as const

/** A test shortens some of them. */
export type Figures = Readonly<Record<keyof typeof FIGURES, number>>

/** Milliseconds in which every request must be complete, whatever its size. */
export const GRACE = 15_000

/** Bytes a second that a request must send after that time. */
const LEAST_RATE = 64 * 1024

/** Milliseconds in which a request with so many bytes is complete at the minimum rate. */
export function longestUpload(bytes: number): number {
  return GRACE + (bytes / LEAST_RATE) * 1000
}
