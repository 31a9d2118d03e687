/** Milliseconds in which every request must be complete, whatever its size. */
export const GRACE = 15_000

/** Bytes a second that a request must send after that time. */
const LEAST_RATE = 64 * 1024

/** Milliseconds in which a request with so many bytes is complete at the minimum rate. */
export function longestUpload(bytes: number): number {
  return GRACE + (bytes / LEAST_RATE) * 1000
}
