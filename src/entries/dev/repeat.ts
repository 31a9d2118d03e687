import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does something again and again, with a pause in between, until it is stopped. A failure is
 * reported, and ends nothing.
 *
 * @returns what stops it, and waits for what is in the works
 */
export function repeat(
  work: () => Promise<void>,
  pause: number,
  report: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async () => {
    while (!signal.aborted) {
      await work().catch(report)
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  const ended = loop()
  return () => {
    stopping.abort()
    return ended
  }
}
