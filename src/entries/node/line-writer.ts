import type { Writable } from 'node:stream'

/** Milliseconds that a line may wait for others. */
const DELAY = 20

/**
 * Writes lines, some at a time: a pipe is written to synchronously on Linux, and a system call for
 * every request would be felt. The process stays until the last line is written.
 */
export function lineWriter(stream: Writable): (line: string) => void {
  let lines: string[] = []
  const flush = () => {
    stream.write(`${lines.join('\n')}\n`)
    lines = []
  }
  return (line) => {
    if (lines.push(line) === 1) setTimeout(flush, DELAY)
  }
}
